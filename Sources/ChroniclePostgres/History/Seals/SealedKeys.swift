#if Postgres
    import ChronicleCore
    import ChronicleSQLStore

    /// The commitments to the keys that the history of tracked tables numbers; see ``TrackedKey``. They are never deleted, because
    /// each change with the key has the commitment in its hash.
    struct SealedKeys {
        let connection: Connection
        private let table: String

        init(_ connection: Connection) {
            self.connection = connection
            table = "\(connection.schema).\(SealTables.commitmentKey)"
        }

        // MARK: Commitments

        /// Those that exist.
        func commitments(to keys: some Collection<SealedKey>) throws -> [SealedKey: SealedKeyCommitment] {
            let found = try connection.run(
                """
                SELECT k.entity, k.number, k.key, k.commitment FROM \(rows(of: ["$1", "$2"])) AS t(entity, number) \
                JOIN \(table) AS k ON k.entity = t.entity AND k.number = t.number
                """,
                Parameters(.array(ParameterArray(keys.map(\.entity))), .array(ParameterArray(keys.map(\.number)))))
            var commitments: [SealedKey: SealedKeyCommitment] = [:]
            for row in 0..<found.count {
                let key = SealedKey(entity: found.int64(row, 0), number: found.int64(row, 1))
                let known = commitments.updateValue(try Self.commitment(found, row), forKey: key)
                guard known == nil else { throw Self.damaged(key, "it has several commitments") }
            }
            return commitments
        }

        /// The commitments from a key on, in the order of the keys, and one after them. So each one is compared with the one before
        /// it, which has the same key if another program dropped the primary key of the table.
        ///
        /// - Parameter limit: The number of commitments without the last one.
        func commitments(from first: SealedKey?, limit: Int64) throws -> [(
            key: SealedKey, commitment: SealedKeyCommitment
        )] {
            let found = try connection.run(
                """
                SELECT entity, number, key, commitment FROM \(table) WHERE (entity, number) >= ($1, $2) \
                ORDER BY entity, number LIMIT $3
                """, Parameters(.int64(first?.entity ?? .min), .int64(first?.number ?? .min), .int64(limit + 1)))
            var commitments: [(key: SealedKey, commitment: SealedKeyCommitment)] = []
            for row in 0..<found.count {
                let key = SealedKey(entity: found.int64(row, 0), number: found.int64(row, 1))
                guard commitments.last?.key != key else { throw Self.damaged(key, "it has several commitments") }
                commitments.append((key, try Self.commitment(found, row)))
            }
            return commitments
        }

        private static func commitment(_ found: QueryResult, _ row: Int) throws -> SealedKeyCommitment {
            SealedKeyCommitment(key: try found.digest(row, 2), commitment: try found.digest(row, 3))
        }

        func insert(_ commitments: [(key: SealedKey, commitment: SealedKeyCommitment)]) throws {
            var digests = [ParameterArray](repeating: ParameterArray(.bytea), count: 2)
            for (_, commitment) in commitments {
                digests[0].append(commitment.key.data)
                digests[1].append(commitment.commitment.data)
            }
            try connection.run(
                """
                INSERT INTO \(table)(entity, number, key, commitment) \
                SELECT * FROM \(rows(of: ["$1", "$2", "$3", "$4"])) AS t(entity, number, key, commitment)
                """,
                Parameters(
                    .array(ParameterArray(commitments.map(\.key.entity))),
                    .array(ParameterArray(commitments.map(\.key.number))), .array(digests[0]), .array(digests[1])))
        }

        // MARK: Values

        /// The values of the columns of keys. Those that the history does not have are missing: another program dropped the table
        /// of the keys, or deleted a row.
        func values(of keys: some Collection<SealedKey>) throws -> [SealedKey: [RecordedValue]] {
            var values: [SealedKey: [RecordedValue]] = [:]
            for (entity, keys) in Dictionary(grouping: keys, by: \.entity) {
                guard let columns = try columns(ofKeysOf: entity) else { continue }
                let found = try connection.run(
                    """
                    SELECT \((["k.id::bigint"] + columns).joined(separator: ", ")) \
                    FROM \(connection.table(TrackedKey.table(of: entity))) AS k WHERE k.id = ANY($1)
                    """, Parameters(.array(ParameterArray(keys.map(\.number)))), isPrepared: false)
                for row in 0..<found.count {
                    let key = SealedKey(entity: entity, number: found.int64(row, 0))
                    let own = try columns.indices.map { try Self.value(found, row, $0 + 1, of: key) }
                    guard values.updateValue(own, forKey: key) == nil else {
                        throw Self.damaged(key, "there are several keys of the number")
                    }
                }
            }
            return values
        }

        private static func value(_ found: QueryResult, _ row: Int, _ column: Int, of key: SealedKey) throws
            -> RecordedValue
        {
            guard !found.isNull(row, column) else { return .null }
            guard let value = PreservedText.recordedValue(found.bytes(row, column)) else {
                throw damaged(key, "a value of the key is invalid")
            }
            return value
        }

        /// The values as expressions, with the types of the columns of the table: what the program does to its own table later does
        /// not change them. `nil` if there is no table with the keys of the entity.
        private func columns(ofKeysOf entity: Int64) throws -> [String]? {
            let found = try connection.run(
                """
                SELECT a.attname, a.attnum::bigint, format_type(a.atttypid, NULL), \
                CASE WHEN t.typnamespace = 'pg_catalog'::regnamespace THEN t.typname END \
                FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid WHERE a.attrelid = to_regclass($1) \
                AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
                """, Parameters(.text(connection.table(TrackedKey.table(of: entity)))))
            let columns = (0..<found.count).map { row in
                TrackedColumn(
                    number: found.int64(row, 1), name: found.text(row, 0), type: found.text(row, 2),
                    base: found.isNull(row, 3) ? nil : found.text(row, 3), collation: nil)
            }
            guard columns.contains(where: { $0.name == "id" }) else { return nil }
            let own = columns.filter { $0.name != "id" }
            guard own.map(\.name) == own.indices.map(TrackedKey.column) else {
                throw SwiftDataError.damagedFile.with(
                    detail:
                        "the columns of the table \(TrackedKey.table(of: entity)) are not those with which it was created; "
                        + "verify the history, and restore a backup")
            }
            return own.map { PreservedText.expression($0.value("k"), type: $0.columnType.name) }
        }

        static func damaged(_ key: SealedKey, _ detail: String) -> SwiftDataError {
            .damagedFile.with(
                detail:
                    "the key \(key.number) of the entity \(key.entity) is damaged: \(detail); verify the history, and restore a "
                    + "backup")
        }
    }
#endif
