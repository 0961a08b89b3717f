#if Postgres
    import ChronicleCore
    import ChronicleSQLStore
    import Foundation

    /// The rows of seals. Must be used in a transaction.
    struct SealTable: SealRows {
        /// The number and the last position of a seal.
        typealias End = (number: Int64, last: Int64)

        let connection: Connection
        private let table: String

        init(_ connection: Connection) {
            self.connection = connection
            table = "\(connection.schema).\(SealTables.seal)"
        }

        // MARK: Reading

        /// Those of ``seal(_:)``.
        static let columns = "number, last, last_check, sealed, previous, catalog_hash, hash"

        /// Returns a seal without its lists.
        ///
        /// - Parameter result: Has ``columns`` first.
        static func seal(_ result: QueryResult) throws -> RecordedSeal {
            RecordedSeal(
                number: result.int64(0, 0), last: result.int64(0, 1), lastCheck: result.int64(0, 2),
                time: result.double(0, 3), previous: try result.digest(0, 4), catalogHash: try result.digest(0, 5),
                hash: try result.digest(0, 6))
        }

        func newest() throws -> RecordedSeal? {
            let result = try connection.run(
                "SELECT \(Self.columns) FROM \(table) ORDER BY number DESC LIMIT 1")
            guard result.count == 1 else { return nil }
            let seal = try Self.seal(result)
            try Self.requireValid(seal.number, last: seal.last, time: seal.time)
            return seal
        }

        /// The end of the newest seal, and when it was made. Reads nothing else: a damaged hash must not prevent purges.
        func newestEnd() throws -> (end: End, time: Date)? {
            let result = try connection.run("SELECT number, last, sealed FROM \(table) ORDER BY number DESC LIMIT 1")
            guard result.count == 1 else { return nil }
            let end = (number: result.int64(0, 0), last: result.int64(0, 1))
            try Self.requireValid(end.number, last: end.last, time: result.double(0, 2))
            return (end, Date(timeIntervalSinceReferenceDate: result.double(0, 2)))
        }

        private static func requireValid(_ number: Int64, last: Int64, time: Double) throws {
            guard number > 0, number < .max, last >= 0, last < .max, time.isFinite else {
                throw damaged(number, "a number is out of range")
            }
        }

        /// The first seal that remains.
        func first() throws -> End? {
            try end("ORDER BY number LIMIT 1", Parameters())
        }

        /// The seal that contains the transaction at a position.
        func first(endingFrom position: Int64) throws -> End? {
            try end("WHERE last >= $1 ORDER BY last, number LIMIT 1", Parameters(.int64(position)))
        }

        /// The last seal that ends up to a position.
        func last(through position: Int64) throws -> End? {
            try end("WHERE last <= $1 ORDER BY last DESC, number DESC LIMIT 1", Parameters(.int64(position)))
        }

        private func end(_ condition: String, _ parameters: Parameters) throws -> End? {
            let result = try connection.run("SELECT number, last FROM \(table) \(condition)", parameters)
            return result.count == 1 ? (result.int64(0, 0), result.int64(0, 1)) : nil
        }

        /// The number of the seal with a head; `nil` if there is none.
        func number(of head: HistorySeal) throws -> Int64? {
            let result = try connection.run(
                "SELECT number FROM \(table) WHERE last = $1 AND hash = $2 LIMIT 1",
                Parameters(.int64(head.position), .data(head.hash)))
            return result.count == 1 ? result.int64(0, 0) : nil
        }

        /// The heads of the seals after a number, in their order.
        func heads(after number: Int64) throws -> [HistorySeal] {
            let result = try connection.run(
                "SELECT last, hash, number FROM \(table) WHERE number > $1 ORDER BY number", Parameters(.int64(number)))
            return try (0..<result.count).map { row in
                guard let head = HistorySeal(position: result.int64(row, 0), hash: try result.digest(row, 1).data)
                else {
                    throw Self.damaged(result.int64(row, 2), "the position is negative")
                }
                return head
            }
        }

        func entries(of number: Int64) throws -> [RecordedSeal.Entry] {
            let result = try connection.run(
                "SELECT transactions FROM \(table) WHERE number = $1", Parameters(.int64(number)))
            return result.count == 1 ? try Self.entries(result, 0, ofSeal: number) : []
        }

        /// The list of a seal.
        static func entries(
            _ result: QueryResult, _ column: Int, ofSeal number: Int64
        ) throws -> [RecordedSeal.Entry] {
            guard let entries = SealContent.entries(result.bytes(0, column)) else {
                throw damaged(number, "the list of transactions is incomplete")
            }
            return entries
        }

        static func damaged(_ number: Int64, _ detail: String) -> SwiftDataError {
            .damagedFile.with(detail: "row \(number) of chronicle_seal: \(detail)")
        }

        // MARK: Writing

        func insert(
            _ content: SealContent, hash: HistoryDigest, catalog: [UInt8]?, signature: RecordedSignature?
        ) throws {
            try connection.run(
                """
                INSERT INTO \(table)(number, last, last_check, sealed, previous, transactions, catalog, catalog_hash, hash, \
                public_key, signature) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
                """,
                Parameters(
                    .int64(content.number), .int64(content.last), .int64(content.lastCheck), .double(content.time),
                    .data(content.previous.data), .data(Data(content.transactions)), .optional(catalog),
                    .data(content.catalog.data), .data(hash.data), .optional(signature?.publicKey),
                    .optional(signature?.signature)))
        }

        func isSigned(_ number: Int64, by publicKey: [UInt8]) throws -> Bool {
            try connection.run(
                "SELECT EXISTS (SELECT FROM \(table) WHERE number = $1 AND public_key = $2 AND signature IS NOT NULL)",
                Parameters(.int64(number), .data(Data(publicKey)))
            ).bool(0, 0)
        }

        func setSignature(_ signature: RecordedSignature, of number: Int64) throws {
            try connection.run(
                "UPDATE \(table) SET public_key = $2, signature = $3 WHERE number = $1",
                Parameters(
                    .int64(number), .data(Data(signature.publicKey)), .data(Data(signature.signature))))
        }

        // MARK: Commitments of an interrupted run

        func hasCommitments(after position: Int64) throws -> Bool {
            try connection.run(
                "SELECT EXISTS (SELECT FROM \(connection.schema).\(SealTables.commitment) WHERE transaction > $1)",
                Parameters(.int64(position))
            ).bool(0, 0)
        }

        func deleteUnsealedCommitments(after position: Int64, limit: Int) throws {
            let commitments = "\(connection.schema).\(SealTables.commitment)"
            try connection.run(
                """
                DELETE FROM \(commitments) WHERE (transaction, change, place) IN (SELECT transaction, change, place \
                FROM \(commitments) WHERE transaction > $1 ORDER BY transaction, change, place LIMIT $2)
                """, Parameters(.int64(position), .int64(Int64(limit))))
        }
    }

    extension Parameters.Value {
        static func optional(_ bytes: [UInt8]?) -> Self { bytes.map { .data(Data($0)) } ?? .null(.bytea) }
    }

    extension QueryResult {
        /// Throws ``SwiftDataError/damagedFile`` for NULL and other lengths than that of a hash.
        func digest(_ row: Int, _ column: Int) throws -> HistoryDigest {
            guard !isNull(row, column), let digest = HistoryDigest(bytes(row, column)) else {
                throw SwiftDataError.damagedFile.with(
                    detail: "a value of \"\(columnNames[column])\" in the tables of seals is not a hash")
            }
            return digest
        }

        func optionalDigest(_ row: Int, _ column: Int) throws -> HistoryDigest? {
            isNull(row, column) ? nil : try digest(row, column)
        }

        /// The bytes of a text or of binary data; `nil` for NULL.
        func optionalBytes(_ row: Int, _ column: Int) -> [UInt8]? {
            isNull(row, column) ? nil : Array(bytes(row, column))
        }

        func optionalInt64(_ row: Int, _ column: Int) -> Int64? { isNull(row, column) ? nil : int64(row, column) }
    }
#endif
