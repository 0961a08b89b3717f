import ChronicleCore
import ChronicleSQLite

/// Looks up the tables of consecutive snapshots, most of which have the same entity.
struct TableCursor {
    let layout: StoreLayout
    private var latest: PersistentIdentifier?
    private var table: EntityTable?

    init(_ layout: StoreLayout) { self.layout = layout }

    @inline(__always)
    mutating func table(of snapshot: DefaultSnapshot) throws -> EntityTable {
        if let table, latest?.sharesOrigin(with: snapshot.persistentIdentifier) == true { return table }
        return try lookUp(snapshot.persistentIdentifier)
    }

    private mutating func lookUp(_ identifier: PersistentIdentifier) throws -> EntityTable {
        let found = try layout.table(named: identifier.entityName)
        (latest, table) = (identifier, found)
        return found
    }
}

/// Looks up the statements of consecutive changes, most of which use the same one.
struct StatementCursor {
    let connection: Connection
    private var table: EntityTable?
    /// The columns of the update, or `nil` for a delete.
    private var changed: PropertySet?
    private var statement: Statement?

    init(_ connection: Connection) { self.connection = connection }

    mutating func update(_ table: EntityTable, _ changed: PropertySet) throws -> Statement {
        if let statement, self.table === table, self.changed == changed { return statement }
        return try lookUp(table, changed)
    }

    mutating func delete(_ table: EntityTable) throws -> Statement {
        if let statement, self.table === table, changed == nil { return statement }
        return try lookUp(table, nil)
    }

    private mutating func lookUp(_ table: EntityTable, _ changed: PropertySet?) throws -> Statement {
        // Released first, so that the cache can return the same statement again.
        statement = nil
        let found = try connection.cached(changed.map(table.update) ?? table.delete)
        (self.table, self.changed, statement) = (table, changed, found)
        return found
    }
}
