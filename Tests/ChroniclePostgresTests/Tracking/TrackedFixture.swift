#if Postgres
    import Chronicle
    import ChronicleTestSupport
    import Foundation
    import Testing

    @testable import ChroniclePostgres

    /// The tables of another program in a schema of the shared cluster.
    struct TrackedFixture {
        typealias Row = [String: String]

        let cluster: PostgresCluster
        let schemaName: String
        let tracking: PostgresTracking

        /// The statements create the tables.
        init(_ statements: String, track: Bool = true) throws {
            cluster = try PostgresCluster.shared.get()
            schemaName = try cluster.makeSchema()
            tracking = PostgresTracking(
                PostgresConfiguration(cluster.connectionString(), schemaName: schemaName, connectionLimit: 2))
            try sql(statements)
            if track { try tracking.track() }
        }

        @discardableResult
        func sql(_ statements: String, user: String? = nil) throws -> String {
            try cluster.psql("SET search_path = \(schemaName), public; \(statements)", user: user)
        }

        func store(allowsSave: Bool = false) throws -> PostgresStore {
            var configuration = tracking.configuration
            configuration.allowsSave = allowsSave
            return try PostgresStore(inspecting: configuration)
        }

        var states: [String: PostgresTracking.Table.State] {
            get throws {
                Dictionary(try tracking.tables().map { ($0.name, $0.state) }, uniquingKeysWith: { $1 })
            }
        }

        func problems() throws -> [String] {
            var problems: [String] = []
            try store().verify { problems.append($0.description) }
            return problems
        }

        static func text(_ value: (any Sendable)?) -> String { value.map { "\($0)" } ?? "nil" }

        /// The rows of all tables by their identifiers, with the names and texts of the values.
        static func rows(_ store: PostgresStore) throws -> [PersistentIdentifier: Row] {
            var rows: [PersistentIdentifier: Row] = [:]
            for entity in store.schema.entities {
                try store.fetchRows(ofEntity: entity.name) { snapshot in
                    var row: Row = [:]
                    for property in entity.storedProperties {
                        row[property.name] = text(
                            property.decodePreserved(
                                snapshot.values[property.slot], entityName: entity.name,
                                model: snapshot.persistentIdentifier))
                    }
                    rows[snapshot.persistentIdentifier] = row
                }
            }
            return rows
        }

        /// Applies a change without regard to the state before.
        static func assign(_ change: HistoryChange, in state: inout [PersistentIdentifier: Row]) {
            let model = change.changedPersistentIdentifier
            let values = change.preservedValues
            switch change {
            case .insert:
                state[model] = Dictionary(values.map { ($0.name, text($0.value)) }, uniquingKeysWith: { $1 })
            case .update: for value in values { state[model]?[value.name] = text(value.value) }
            case .delete: state[model] = nil
            }
        }
    }
#endif
