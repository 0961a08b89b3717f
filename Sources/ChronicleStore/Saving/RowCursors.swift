import ChronicleCore
import ChronicleSQLite

/// Most consecutive snapshots have the same entity.
struct TableCursor {
    let layout: StoreLayout
    private var latest: PersistentIdentifier?
    private var table: EntityTable?

    init(_ layout: StoreLayout) { self.layout = layout }

    @inline(__always)
    mutating func table(of snapshot: SnapshotPointer) throws -> EntityTable {
        if let table, latest?.sharesOrigin(with: snapshot.pointee.persistentIdentifier) == true { return table }
        return try lookUp(snapshot.pointee.persistentIdentifier)
    }

    private mutating func lookUp(_ identifier: PersistentIdentifier) throws -> EntityTable {
        let found = try layout.table(named: identifier.entityName)
        (latest, table) = (identifier, found)
        return found
    }
}

/// Most consecutive changes use the same statement.
struct StatementCursor {
    let connection: Connection
    private var table: EntityTable?
    /// `nil` for a delete.
    private var changed: PropertySet?
    /// `nil` if the update compares no columns.
    private var kept: PropertySet?
    private var statement: Statement?

    init(_ connection: Connection) { self.connection = connection }

    /// All changed columns are columns of the table.
    mutating func update(_ snapshot: SnapshotPointer, _ table: EntityTable) throws -> Statement {
        if let statement, self.table === table, kept == nil, changed == snapshot.pointee.changed { return statement }
        guard snapshot.pointee.changed.allSatisfy({ $0 < table.columns.count }) else {
            throw SwiftDataError.modelValidationFailure.with(
                detail: "the snapshot changes a property without a column",
                entityName: table.entity.name, persistentIdentifier: snapshot.pointee.persistentIdentifier)
        }
        return try lookUp(table, snapshot.pointee.changed)
    }

    /// Updates a row only if the columns `kept` have certain values.
    mutating func update(_ changed: PropertySet, keeping kept: PropertySet, _ table: EntityTable) throws -> Statement {
        if let statement, self.table === table, self.kept == kept, self.changed == changed { return statement }
        return try lookUp(table, changed, keeping: kept)
    }

    mutating func delete(_ table: EntityTable) throws -> Statement {
        if let statement, self.table === table, changed == nil { return statement }
        return try lookUp(table, nil)
    }

    private mutating func lookUp(
        _ table: EntityTable, _ changed: PropertySet?, keeping kept: PropertySet? = nil
    ) throws -> Statement {
        // Released first, so that the cache can return the same statement again.
        statement = nil
        let found = try connection.cached(changed.map { table.update($0, keeping: kept) } ?? table.delete)
        (self.table, self.changed, self.kept, statement) = (table, changed, kept, found)
        return found
    }
}
