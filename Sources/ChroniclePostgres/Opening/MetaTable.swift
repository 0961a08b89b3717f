#if Postgres
    import ChronicleCore

    /// Properties of the store, kept by name in the table `chronicle_meta`.
    enum MetaTable {
        enum Name {
            /// The version of the layout of Chronicle's tables.
            case format
            /// The UUID that was generated when the tables were created.
            case storeIdentifier
            /// Whether the history is recorded: `on` or `off`.
            case history
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
        static let currentFormat = 1

        static let createTable =
            "CREATE TABLE IF NOT EXISTS chronicle_meta(name text COLLATE \"C\" PRIMARY KEY, value text NOT NULL)"

        /// Returns the text stored under a name, or `nil` if there is none.
        static func text(_ name: Name, _ connection: Connection) throws -> String? {
            let result = try connection.run(
                "SELECT value FROM chronicle_meta WHERE name = $1", Parameters(.text(name.text)))
            return result.count == 1 ? result.text(0, 0) : nil
        }

        static func set(_ name: Name, _ value: String, _ connection: Connection) throws {
            try connection.run(
                "INSERT INTO chronicle_meta(name, value) VALUES ($1, $2) "
                    + "ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                Parameters(.text(name.text), .text(value)))
        }

        /// Returns what the store records about the schemas with which it was opened, by their keys.
        static func knownSchemas(_ connection: Connection) throws -> [String: String] {
            let prefix = Name.known("").text
            let result = try connection.run(
                "SELECT name, value FROM chronicle_meta WHERE starts_with(name, $1)", Parameters(.text(prefix)))
            return Dictionary(
                (0..<result.count).map { (String(result.text($0, 0).dropFirst(prefix.count)), result.text($0, 1)) },
                uniquingKeysWith: { first, _ in first })
        }

        static func removeCompletions(_ connection: Connection) throws {
            try connection.run("DELETE FROM chronicle_meta WHERE name >= 'complete:' AND name < 'complete;'")
        }
    }
#endif
