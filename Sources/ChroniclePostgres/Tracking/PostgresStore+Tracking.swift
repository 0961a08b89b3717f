#if Postgres
    package import ChronicleCore
    import Foundation

    /// The tracked tables of a history.
    struct TrackedLayout: Sendable {
        /// The schema of the tables.
        let schemaName: String
        /// The numbered keys by the names of the entities.
        let keys: [String: (entity: Int64, key: TrackedKey)]
        /// The columns with the other keys, which are integers, by the names of the entities.
        let integerKeys: [String: String]

        /// `nil` for a store.
        init?(_ connection: Connection) throws {
            guard let schemaName = try MetaTable.text(.tracked, connection) else { return nil }
            self.schemaName = schemaName
            let names = Dictionary(
                try Catalog(connection).entities().map { ($0.number, $0.name) }, uniquingKeysWith: { $1 })
            var keys: [String: (Int64, TrackedKey)] = [:]
            var integerKeys: [String: String] = [:]
            for (number, state) in try TrackedState.all(connection) {
                guard let name = names[number] else { continue }
                if state.key.isNumbered {
                    keys[name] = (number, state.key)
                } else {
                    integerKeys[name] = state.key.columns.first?.name
                }
            }
            self.keys = keys
            self.integerKeys = integerKeys
        }

        /// Returns the names of the entities whose tables have all recorded columns, so that their rows can be read.
        static func readableEntities(_ connection: Connection, _ schemaName: String) throws -> Set<String> {
            let tables = try TrackedTable.all(connection, in: schemaName)
            let names = Dictionary(
                try Catalog(connection).entities().map { ($0.number, $0.name) }, uniquingKeysWith: { $1 })
            var readable: Set<String> = []
            for (number, state) in try TrackedState.all(connection) {
                guard let name = names[number], let table = tables.first(where: { $0.name == state.table }),
                    !state.hasOtherKey(table)
                else { continue }
                let present = Dictionary(table.columns.map { ($0.name, $0.base) }, uniquingKeysWith: { $1 })
                if state.columns.allSatisfy({ present[$0.name] == .some($0.base) }) { readable.insert(name) }
            }
            return readable
        }
    }

    extension PostgresStore {
        /// Whether the store is the history of another program's tables, whose rows cannot be saved.
        package var isTracked: Bool { layout.tracked != nil }

        /// Does not find changes of the tables since the store was opened, so it is created for each look.
        package var tracking: PostgresTracking? {
            guard let tracked = layout.tracked else { return nil }
            var configuration = configuration
            configuration.schemaName = tracked.schemaName
            return PostgresTracking(configuration)
        }

        /// Returns the columns of a primary key that identifiers do not contain; `nil` if they contain it.
        package func trackedKeyColumns(ofEntity name: String) -> [String]? {
            layout.tracked?.keys[name]?.key.columns.map(\.name)
        }

        /// The columns of tracked tables whose integers are the identifiers of the rows, by the names of the tables.
        package func rowIDColumns() -> [String: String] { layout.tracked?.integerKeys ?? [:] }

        /// Returns the primary key of a row; empty if no row ever had the identifier.
        package func trackedKey(of identifier: PersistentIdentifier) throws -> [PropertyValue] {
            guard let number = identifier.integerPrimaryKey else { return [] }
            guard let (entity, key) = layout.tracked?.keys[identifier.entityName] else { return [.integer(number)] }
            return try attributingErrors {
                try pool.read { connection in
                    let columns = key.columns.indices.map { Self.text(key, $0) }.joined(separator: ", ")
                    let found = try connection.run(
                        "SELECT \(columns) FROM \(connection.table(TrackedKey.table(of: entity))) AS k WHERE k.id = $1",
                        Parameters(.int64(number)), isPrepared: false)
                    guard found.count == 1 else { return [] }
                    return key.columns.indices.map { PreservedText.value(found.bytes(0, $0)) ?? .null }
                }
            }
        }

        /// Returns the identifier of a row with a primary key, or `nil` if there never was one.
        package func identifier(
            ofTracked entityName: String, primaryKey: [PropertyValue]
        ) throws -> PersistentIdentifier? {
            guard let (entity, key) = layout.tracked?.keys[entityName], key.columns.count == primaryKey.count else {
                return nil
            }
            var parameters = Parameters()
            var conditions: [String] = []
            for (index, column) in key.columns.enumerated() {
                let parameter = "$\(index + 1)"
                if column.columnType == .real {
                    guard let real = Self.real(primaryKey[index]) else { return nil }
                    parameters.append("\(real)")
                    // A number has other texts in Swift than on the server. A table can have had rows with the keys 0 and -0.
                    conditions.append(
                        "float8send(k.\(TrackedKey.column(index))::double precision) = "
                            + "float8send(\(parameter)::double precision)")
                } else {
                    parameters.append(Self.text(primaryKey[index]))
                    conditions.append("\(Self.text(key, index)) = \(parameter)")
                }
            }
            return try attributingErrors {
                try pool.read { connection in
                    let found = try connection.run(
                        "SELECT k.id FROM \(connection.table(TrackedKey.table(of: entity))) AS k WHERE "
                            + conditions.joined(separator: " AND "), parameters, isPrepared: false)
                    guard found.count == 1 else { return nil }
                    return try layout.table(named: entityName).origin.identifier(found.int64(0, 0))
                }
            }
        }

        /// A program can write the key 2.0 as 2.
        private static func real(_ value: PropertyValue) -> Double? {
            switch value {
            case .integer(let integer): Double(integer)
            case .real(let real): real
            default: nil
            }
        }

        private static func text(_ value: PropertyValue) -> String {
            switch value {
            case .integer(let integer): "i\(integer)"
            case .real(let real): "r\(real)"
            case .text(let text): "t\(text)"
            case .blob(let data): "x" + data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            default: ""
            }
        }

        private static func text(_ key: TrackedKey, _ index: Int) -> String {
            let column = key.columns[index]
            return PreservedText.expression(
                column.value(ofKey: "k.\(TrackedKey.column(index))"), type: column.columnType.name)
        }

        /// Throws an error for the rows of another program.
        func requireModels() throws {
            guard let tracked = layout.tracked else { return }
            throw SwiftDataError.storeReadOnly.with(
                detail:
                    "the tables in the schema \(tracked.schemaName) belong to another program, which writes their rows",
                storeIdentifier: identifier)
        }
    }
#endif
