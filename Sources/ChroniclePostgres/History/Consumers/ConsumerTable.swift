#if Postgres
    import ChronicleCore
    import Foundation

    struct ConsumerTable {
        typealias Record = HistoryConsumerRecord<DefaultHistoryToken>

        let connection: Connection
        let storeIdentifier: String

        init(_ connection: Connection, storeIdentifier: String) {
            (self.connection, self.storeIdentifier) = (connection, storeIdentifier)
        }

        /// Another session inserted the consumer at the same time.
        struct InsertedMeanwhile: Error {}

        // MARK: Reading

        func records() throws -> [Record] {
            let result = try connection.run(
                "SELECT \(Self.columns) FROM \(connection.schema).chronicle_consumer ORDER BY name")
            return try (0..<result.count).map { try record(result, $0) }
        }

        /// - Parameter isLocked: Whether other sessions must not change the record until the transaction ends.
        func record(named name: String, isLocked: Bool = false) throws -> (id: Int64, record: Record)? {
            let result = try connection.run(
                "SELECT \(Self.columns) FROM \(connection.schema).chronicle_consumer WHERE name = $1\(isLocked ? " FOR UPDATE" : "")",
                Parameters(.text(name)))
            return result.count == 1 ? (result.int64(0, 0), try record(result, 0)) : nil
        }

        private static let columns =
            "id, name, position, check_value, rebuild, fence, attempts, acknowledged, seen, skip_count, skips"

        private func record(_ result: QueryResult, _ row: Int) throws -> Record {
            func date(_ column: Int) -> Date? {
                result.isNull(row, column) ? nil : Date(timeIntervalSinceReferenceDate: result.double(row, column))
            }
            func decoded<Value: Decodable>(_ column: Int, as type: Value.Type) throws -> Value? {
                if result.isNull(row, column) { return nil }
                do {
                    return try JSONDecoder().decode(type, from: Data(result.text(row, column).utf8))
                } catch is DecodingError {
                    throw SwiftDataError.damagedFile.with(
                        detail:
                            "the row of the consumer \"\(result.text(row, 1))\" in chronicle_consumer is invalid; remove "
                            + "or restore it",
                        storeIdentifier: storeIdentifier)
                }
            }
            // NULL is a token that has no position in this store.
            let position =
                result.isNull(row, 2)
                ? DefaultHistoryToken(storeIdentifier: "", position: 0)
                : DefaultHistoryToken(
                    storeIdentifier: storeIdentifier, position: result.int64(row, 2),
                    checkValue: result.isNull(row, 3) ? nil : result.int64(row, 3))
            return Record(
                name: result.text(row, 1),
                place: HistoryConsumerPlace(position: position, rebuild: try decoded(4, as: HistoryRebuild.self)),
                fence: result.int64(row, 5), attempts: Int(result.int64(row, 6)), acknowledged: date(7),
                seen: date(8) ?? .distantPast, skipCount: Int(result.int64(row, 9)),
                skips: try decoded(10, as: [HistorySkip<DefaultHistoryToken>].self) ?? [])
        }

        // MARK: Writing

        /// Runs in the current transaction. After ``InsertedMeanwhile``, begin another one and try again.
        func update<Result>(named name: String, _ update: (inout Record?) throws -> Result) throws -> Result {
            let known = try record(named: name, isLocked: true)
            var record = known?.record
            let result = try update(&record)
            switch (known, record) {
            case (nil, nil): break
            case (nil, let record?):
                let inserted = try connection.run(
                    """
                    INSERT INTO \(connection.schema).chronicle_consumer(name, position, check_value, rebuild, fence, attempts, acknowledged, \
                    seen, skip_count, skips) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING
                    """, try parameters(record))
                if inserted.affectedRows == 0 { throw InsertedMeanwhile() }
            case (let known?, nil):
                try connection.run(
                    "DELETE FROM \(connection.schema).chronicle_consumer WHERE id = $1", Parameters(.int64(known.id)))
            case (let known?, let record?): try write(record, over: known)
            }
            return result
        }

        private func write(_ record: Record, over known: (id: Int64, record: Record)) throws {
            try SwiftDataError.requireStorable(
                record.name, "name of the consumer", storeIdentifier: storeIdentifier)
            var parameters = try parameters(record)
            parameters.append(known.id)
            // Another number, which is also that of the lock, so that an instance with the earlier name does not have the
            // lock of one with the new name.
            let number = record.name.utf8.elementsEqual(known.record.name.utf8) ? "" : "id = DEFAULT, "
            do {
                try connection.run(
                    """
                    UPDATE \(connection.schema).chronicle_consumer SET \(number)name = $1, position = $2, check_value = $3, rebuild = $4, \
                    fence = $5, attempts = $6, acknowledged = $7, seen = $8, skip_count = $9, skips = $10 WHERE id = $11
                    """, parameters)
            } catch let error as PostgresError where error.isUniqueViolation {
                throw SwiftDataError.duplicateHistoryConsumer.with(
                    detail: "the store already has a consumer \"\(record.name)\"; choose another name or remove it",
                    storeIdentifier: storeIdentifier)
            }
        }

        private func parameters(_ record: Record) throws -> Parameters {
            func json(_ value: (some Encodable)?) throws -> Parameters.Value {
                guard let value else { return .null(.text) }
                return .text(String(decoding: try JSONEncoder().encode(value), as: UTF8.self))
            }
            let token = record.place.position
            return Parameters(
                .text(record.name), token?.position(in: storeIdentifier).map { .int64($0) } ?? .null(.int8),
                token?.checkValue(in: storeIdentifier).map { .int64($0) } ?? .null(.int8),
                try json(record.place.rebuild),
                .int64(record.fence), .int64(Int64(record.attempts)),
                record.acknowledged.map { .double($0.timeIntervalSinceReferenceDate) } ?? .null(.float8),
                .double(record.seen.timeIntervalSinceReferenceDate), .int64(Int64(record.skipCount)),
                try json(record.skips.isEmpty ? nil : record.skips))
        }
    }
#endif
