import Chronicle
import Foundation

#if Postgres
    import ChroniclePostgres
#endif

/// A table of another program, in an SQLite file or a PostgreSQL database.
struct TrackedTableState {
    let name: String
    let state: TrackedDatabase.Table.State
    var limitations: [String] = []
    var isNew = false
    var reconciledChangeCount = 0
    var schemaChanges: [String] = []
    /// `false` for a view and a virtual table.
    var isOrdinary = true
    /// `true` for a table that belongs to a virtual table.
    var isPart = false

    var isInterrupted: Bool {
        if case .interrupted = state { true } else { false }
    }
}

extension TrackedTableState {
    init(_ table: TrackedDatabase.Table) {
        self.init(
            name: table.name, state: table.state, limitations: table.limitations, isNew: table.isNew,
            reconciledChangeCount: table.reconciledChangeCount, schemaChanges: table.schemaChanges,
            isOrdinary: table.isOrdinaryTable, isPart: table.isPartOfVirtualTable)
    }
}

extension StoreFile {
    /// The tables of another program; empty for a store.
    func trackedTables() throws -> [TrackedTableState] {
        guard store.isTracked else { return [] }
        if let url = location.url { return try TrackedDatabase(url: url).tables().map(TrackedTableState.init) }
        #if Postgres
            if let database = store as? PostgresStore { return try database.trackedTables() }
        #endif
        return []
    }
}
