#if Postgres
    import ChronicleCore
    import ChronicleSQLStore

    /// Properties of the store, kept by name in the table `chronicle_meta`.
    enum MetaTable {
        enum Name {
            /// The version of the layout of Chronicle's tables.
            case format
            /// The UUID that was generated when the tables were created.
            case storeIdentifier
            /// Whether the history is recorded: `on` or `off`.
            case history
            /// The name of the schema to which the functions of the history refer.
            case schemaName
            /// The files of the models' tables after the latest opening; see ``TableFiles``.
            case files
            /// Whether the history preserves the values of all properties: `on` or `off`.
            case preservesValues
            /// The version of the schema, such as `1.0.0`, if a program declared it.
            case schemaVersion
            /// The hash of the schema with that version.
            case schemaHash
            /// The properties of the entity with this number: those of its newest declaration, and removed ones whose
            /// columns or links remain; see `StoredEntity`.
            case properties(Int64)
            /// The identifier of the newest change when the attribute with this number was added to the entity.
            case addedAttribute(Int64, number: Int)
            /// The store was opened with the schema with this `declarationKey(_:)`; see `KnownSchemas`.
            case known(String)
            /// The tables meet the requirements of a schema, and their definitions had this digest.
            case completeFor(String)

            var text: String {
                switch self {
                case .format: "format"
                case .storeIdentifier: "store"
                case .history: "history"
                case .schemaName: "schemaName"
                case .files: "files"
                case .preservesValues: "preservesValues"
                case .schemaVersion: "schemaVersion"
                case .schemaHash: "schemaHash"
                case .properties(let entity): "properties:\(entity)"
                case .addedAttribute(let entity, let number): "attribute:\(entity):\(number)"
                case .known(let key): "known:\(key)"
                case .completeFor(let signature): "complete:\(signature)"
                }
            }
        }

        /// The version of the layout that this library writes.
        ///
        /// - 1: The first one.
        /// - 2: Functions with the search path of the server's catalog, triggers for rows that a session replicates,
        ///   numbering in steps, and the place of transactions with deferred constraints.
        static let currentFormat = 2

        static func createTable(_ schema: String) -> String {
            "CREATE TABLE IF NOT EXISTS \(schema).chronicle_meta(name text COLLATE \"C\" PRIMARY KEY, value text NOT NULL)"
        }

        /// Returns the text stored under a name, or `nil` if there is none.
        static func text(_ name: Name, _ connection: Connection) throws -> String? {
            let result = try connection.run(
                "SELECT value FROM \(connection.schema).chronicle_meta WHERE name = $1", Parameters(.text(name.text)))
            return result.count == 1 ? result.text(0, 0) : nil
        }

        /// Returns the version of the layout, or `nil` if the schema of the database contains no store.
        ///
        /// - Throws: `SwiftDataError.unsupportedFileVersion` if a newer version of Chronicle created or upgraded it.
        static func format(_ connection: Connection) throws -> Int? {
            let found = try connection.run(
                """
                SELECT 1 FROM pg_class WHERE relname = 'chronicle_meta' AND relnamespace = \(connection.namespace)
                """)
            guard found.count > 0, let format = try text(.format, connection) else { return nil }
            guard let number = Int(format), number <= currentFormat else {
                throw SwiftDataError.unsupportedFileVersion.with(
                    detail:
                        "the tables have the format \(format), but this version of Chronicle supports formats up to "
                        + "\(currentFormat); update the program")
            }
            return number
        }

        static func set(_ name: Name, _ value: String, _ connection: Connection) throws {
            try connection.run(
                "INSERT INTO \(connection.schema).chronicle_meta(name, value) VALUES ($1, $2) "
                    + "ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                Parameters(.text(name.text), .text(value)))
        }

        /// Returns what the store records about the schemas with which it was opened, by their keys.
        static func knownSchemas(_ connection: Connection) throws -> [String: String] {
            let prefix = Name.known("").text
            let result = try connection.run(
                "SELECT name, value FROM \(connection.schema).chronicle_meta WHERE starts_with(name, $1)",
                Parameters(.text(prefix)))
            return Dictionary(
                (0..<result.count).map { (String(result.text($0, 0).dropFirst(prefix.count)), result.text($0, 1)) },
                uniquingKeysWith: { first, _ in first })
        }

        static func removeCompletions(_ connection: Connection) throws {
            try connection.run(
                "DELETE FROM \(connection.schema).chronicle_meta WHERE name >= 'complete:' AND name < 'complete;'")
        }
    }
#endif
