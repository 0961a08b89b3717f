#if Postgres
    import ChronicleCore
    import Foundation

    struct HistoryHeader {
        let position: Int64
        /// The identifier that the server assigned.
        let transaction: Int64
        /// The number of the change in `chronicle_change`.
        let firstChange: Int64
        let lastChange: Int64
        let changeCount: Int64
        /// The identifier of the first change. Those of the others follow from their numbers.
        let firstNumber: Int64
        let checkValue: Int64
        let timestamp: Date
        let author: String?
        let contextName: String?
        /// The text is empty if the transaction is external.
        let process: String
        let bundle: String
        let metadata: [String: String]

        static let columns = """
            h.position, h.transaction, h.first_change, h.last_change, h.change_count, h.first_number, h.check_value, \
            h.timestamp, h.author, h.context, h.process, h.bundle, h.metadata::text
            """

        /// Reads a row of a statement that returns ``columns``, which begin at `first`.
        init(_ result: QueryResult, _ row: Int, at first: Int = 0) throws {
            func text(_ column: Int) -> String? {
                result.isNull(row, first + column) ? nil : result.text(row, first + column)
            }
            position = result.int64(row, first)
            transaction = result.int64(row, first + 1)
            firstChange = result.int64(row, first + 2)
            lastChange = result.int64(row, first + 3)
            changeCount = result.int64(row, first + 4)
            firstNumber = result.int64(row, first + 5)
            checkValue = result.int64(row, first + 6)
            timestamp = Date(timeIntervalSinceReferenceDate: result.double(row, first + 7))
            (author, contextName) = (text(8), text(9))
            (process, bundle) = (text(10) ?? "", text(11) ?? "")
            guard firstChange >= 0, lastChange >= firstChange, changeCount > 0,
                changeCount - 1 <= lastChange - firstChange,
                firstNumber >= 0, !firstNumber.addingReportingOverflow(lastChange - firstChange).overflow
            else {
                throw SwiftDataError.damagedFile.with(
                    detail: "the numbers of the changes of transaction \(position) are invalid; restore "
                        + "chronicle_transaction from a backup")
            }
            guard let json = text(12) else {
                metadata = [:]
                return
            }
            do { metadata = try JSONDecoder().decode([String: String].self, from: Data(json.utf8)) } catch {
                throw SwiftDataError.damagedFile.with(
                    detail: "the metadata of transaction \(position) is invalid; restore chronicle_transaction from a "
                        + "backup", underlying: error)
            }
        }

        func token(_ storeIdentifier: String) -> DefaultHistoryToken {
            DefaultHistoryToken(storeIdentifier: storeIdentifier, position: position, checkValue: checkValue)
        }

        func transaction(
            _ changes: [HistoryChange], followsDeletion: Bool = false, storeIdentifier: String
        ) -> DefaultHistoryTransaction {
            DefaultHistoryTransaction(
                transactionIdentifier: position, storeIdentifier: storeIdentifier, token: token(storeIdentifier),
                timestamp: timestamp, author: author, contextName: contextName, bundleIdentifier: bundle,
                processIdentifier: process, metadata: metadata, followsDeletion: followsDeletion, changes: changes)
        }
    }
#endif
