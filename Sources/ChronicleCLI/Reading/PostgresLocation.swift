import Chronicle
import Foundation

#if Postgres
    import ChroniclePostgres
#endif

/// A store in a PostgreSQL database: `postgresql://app@db.example.org/travel?schema=trips`. The text can contain a
/// password, so no message contains it.
struct PostgresLocation: Equatable {
    let connectionString: String
    /// `nil` for the first schema of the role's search path.
    let schemaName: String?

    /// Returns `nil` if the text is the path of a file. Throws ``UsageError`` if the name of the schema is not valid.
    init?(_ text: String) throws {
        guard ["postgresql://", "postgres://"].contains(where: text.hasPrefix) else { return nil }
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            (connectionString, schemaName) = (text, nil)
            return
        }
        // The parameter is that of the tool; libpq rejects parameters that it does not know.
        let name = "schema="
        let parameters = parts[1].split(separator: "&")
        let others = parameters.filter { !$0.hasPrefix(name) }
        connectionString = parts[0] + (others.isEmpty ? "" : "?" + others.joined(separator: "&"))
        guard let value = parameters.last(where: { $0.hasPrefix(name) })?.dropFirst(name.count) else {
            schemaName = nil
            return
        }
        guard let decoded = String(value).removingPercentEncoding, !decoded.isEmpty else {
            throw UsageError("the parameter schema of the connection string is not the name of a schema")
        }
        schemaName = decoded
    }

    #if Postgres
        func open(allowsSave: Bool, creating schema: (() throws -> Schema)? = nil) throws -> any ToolStore {
            var configuration = PostgresConfiguration(
                connectionString, schemaName: schemaName, allowsSave: allowsSave, preservesValues: schema != nil)
            configuration.connectionLimit = 4
            return try PostgresStore(inspecting: configuration, creating: schema)
        }

        func track(_ names: [String]?, preservesValues: Bool?) throws -> [TrackedTableState] {
            try tracking.track(names, preservesValues: preservesValues).map(TrackedTableState.init)
        }

        func tables() throws -> [TrackedTableState] { try tracking.tables().map(TrackedTableState.init) }

        func stopTracking(_ names: [String]?) throws { try tracking.stop(names) }

        func untrack() throws { try tracking.untrack() }

        private var tracking: PostgresTracking {
            PostgresTracking(PostgresConfiguration(connectionString, schemaName: schemaName))
        }

        /// See ``VerifyCommand``.
        func verify(progress: (Double) -> Void, _ report: (StoreFinding) throws -> Void) throws {
            let configuration = PostgresConfiguration(connectionString, schemaName: schemaName, allowsSave: false)
            try PostgresStore(inspecting: configuration).verify(progress: progress) { problem in
                try report(
                    StoreFinding(
                        kind: problem.kind.rawValue, table: problem.table, row: problem.row, detail: problem.detail,
                        text: problem.description))
            }
        }
    #else
        func track(_ names: [String]?, preservesValues: Bool?) throws -> [TrackedTableState] {
            _ = try open(allowsSave: false)
            return []
        }

        func tables() throws -> [TrackedTableState] {
            _ = try open(allowsSave: false)
            return []
        }

        func stopTracking(_ names: [String]?) throws { _ = try open(allowsSave: false) }

        func untrack() throws { _ = try open(allowsSave: false) }

        func verify(progress: (Double) -> Void, _ report: (StoreFinding) throws -> Void) throws {
            _ = try open(allowsSave: false)
        }

        func open(allowsSave: Bool, creating schema: (() throws -> Schema)? = nil) throws -> any ToolStore {
            throw UsageError(
                "this build of chronicle does not support PostgreSQL; build it with --traits default,Postgres")
        }
    #endif
}

#if Postgres
    extension PostgresStore: ToolStore {
        func trackedTables() throws -> [TrackedTableState] {
            try tracking?.tables().map(TrackedTableState.init) ?? []
        }

        func byteCount() throws -> Int64 { try tableByteCount() }

        func primaryKeyColumns(ofEntity entityName: String) -> [String]? { trackedKeyColumns(ofEntity: entityName) }

        func primaryKey(of identifier: PersistentIdentifier) throws -> [PropertyValue] {
            try trackedKey(of: identifier)
        }

        func identifier(ofEntity entityName: String, primaryKey: [PropertyValue]) throws -> PersistentIdentifier? {
            if primaryKeyColumns(ofEntity: entityName) != nil {
                return try identifier(ofTracked: entityName, primaryKey: primaryKey)
            }
            guard case .integer(let key)? = primaryKey.first, primaryKey.count == 1 else { return nil }
            return try identifier(ofEntity: entityName, key: key)
        }

        func requireVacuum() throws {
            throw UsageError("--compact is for files; PostgreSQL vacuums its tables by itself")
        }

        func compact() throws { try requireVacuum() }
    }

    extension TrackedTableState {
        fileprivate init(_ table: PostgresTracking.Table) {
            let state: TrackedDatabase.Table.State =
                switch table.state {
                case .recorded: .recorded
                case .interrupted(let reason): .interrupted(reason: reason)
                case .notRecorded: .notRecorded
                case .unsupported(let reason): .unsupported(reason: reason)
                }
            self.init(name: table.name, state: state, isNew: table.isNew, isOrdinary: table.isOrdinary)
        }
    }
#endif
