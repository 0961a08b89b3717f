#if Postgres
    import ChronicleCore
    import ChronicleSQLStore

    struct MetaTable: MetaValues {
        let connection: Connection

        init(_ connection: Connection) { self.connection = connection }

        static var noun: String { "store" }

        func text(_ name: MetaName) throws -> String? { try Self.text(name, connection) }

        func set(_ name: MetaName, _ text: String) throws { try Self.set(name, text, connection) }

        func damaged(_ name: MetaName, _ detail: String, underlying: (any Error)?) -> any Error {
            SwiftDataError.damagedFile.with(
                detail: "the row '\(name.text)' of chronicle_meta is invalid; restore it", underlying: underlying)
        }

        /// The version of the layout that this library writes.
        ///
        /// - 1: The first one.
        /// - 2: Functions with the search path of the server's catalog, triggers for rows that a session replicates,
        ///   numbering in steps, and the place of transactions with deferred constraints.
        static let currentFormat = 2
        /// The version of a store whose history is sealed, which has further tables; see ``SealTables``. It differs from
        /// ``currentFormat`` in nothing else. Programs that do not know it would delete history without a trace in the chain.
        static let sealedFormat = 3

        static func createTable(_ schema: String) -> String {
            "CREATE TABLE \(schema).chronicle_meta(name text COLLATE \"C\" PRIMARY KEY, value text NOT NULL)"
        }

        static func text(_ name: MetaName, _ connection: Connection) throws -> String? {
            let result = try connection.run(
                "SELECT value FROM \(connection.schema).chronicle_meta WHERE name = $1", Parameters(.text(name.text)))
            return result.count == 1 ? result.text(0, 0) : nil
        }

        /// `nil` if the schema contains no store. Throws `SwiftDataError.unsupportedFileVersion` if a newer version of
        /// Chronicle created or upgraded it, and `SwiftDataError.notAChronicleStore` if another role created a table of the
        /// store; see ``StoreRelations``.
        static func format(_ connection: Connection) throws -> Int? {
            let relations = try StoreRelations(connection)
            guard relations.names.contains("chronicle_meta"), let format = try text(.format, connection) else {
                return nil
            }
            guard let number = Int(format), number <= sealedFormat else {
                throw SwiftDataError.unsupportedFileVersion.with(
                    detail:
                        "the tables have the format \(format), but this version of Chronicle supports formats up to "
                        + "\(sealedFormat); update the program")
            }
            try SealTables.check(relations.seals, format: number)
            return number
        }

        static func set(_ name: MetaName, _ value: String, _ connection: Connection) throws {
            try connection.run(
                "INSERT INTO \(connection.schema).chronicle_meta(name, value) VALUES ($1, $2) "
                    + "ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                Parameters(.text(name.text), .text(value)))
        }

        static func knownSchemas(_ connection: Connection) throws -> [String: String] {
            let prefix = MetaName.knownPrefix
            let result = try connection.run(
                "SELECT name, value FROM \(connection.schema).chronicle_meta WHERE starts_with(name, $1)",
                Parameters(.text(prefix)))
            return Dictionary(
                (0..<result.count).map { (String(result.text($0, 0).dropFirst(prefix.count)), result.text($0, 1)) },
                uniquingKeysWith: { first, _ in first })
        }

        /// Returns the positions of ``MetaName/relationships(_:)`` by the numbers of the entities.
        ///
        /// - Throws: `SwiftDataError.damagedFile` if a row is invalid.
        static func changedRelationships(_ connection: Connection) throws -> [Int64: Int64] {
            let prefix = MetaName.relationshipsPrefix
            let result = try connection.run(
                "SELECT name, value FROM \(connection.schema).chronicle_meta WHERE starts_with(name, $1)",
                Parameters(.text(prefix)))
            var positions: [Int64: Int64] = [:]
            for row in 0..<result.count {
                let name = result.text(row, 0)
                guard let number = Int64(name.dropFirst(prefix.count)), let position = Int64(result.text(row, 1)) else {
                    throw MetaTable(connection).damaged(MetaName(name), "it is no position", underlying: nil)
                }
                positions[number] = position
            }
            return positions
        }

        static func removeCompletions(_ connection: Connection) throws {
            try connection.run(
                "DELETE FROM \(connection.schema).chronicle_meta WHERE \(MetaName.isCompletion)")
        }
    }

    extension MetaName {
        static let schemaName = MetaName("schemaName")
        /// The files after the latest opening; see ``TableFiles``.
        static let files = MetaName("files")

        /// The newest change when the attribute was added to the entity.
        static func addedAttribute(_ entity: Int64, number: Int) -> MetaName {
            MetaName("attribute:\(entity):\(number)")
        }
    }
#endif
