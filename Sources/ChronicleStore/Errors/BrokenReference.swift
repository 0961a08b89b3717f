import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

/// A row that references a missing row. When SQLite refuses to commit it, the error does not name the row.
/// https://www.sqlite.org/foreignkeys.html#fk_deferred
private struct BrokenReference {
    let row: PersistentIdentifier
    let property: String
    let destination: PersistentIdentifier?
    /// Whether the row has no relationship that references the missing one, which is the owner of a link.
    var isOwnerMissing = false
}

extension DefaultStore {
    /// Returns a more specific error for a violated foreign key. `deleted` is `nil` for a batch delete.
    func referenceError(from error: any Error, on connection: Connection, deleted: [DefaultSnapshot]?) -> any Error {
        guard let violation = error as? SQLiteError, violation.isForeignKeyConstraint else { return error }
        let general = SwiftDataError(violation, storeIdentifier: identifier)
        do {
            let broken = try brokenReferences(connection)
            let deleted = deleted.map { Set($0.map(\.persistentIdentifier)) }
            let denied = broken.first { $0.destination.map { deleted?.contains($0) != false } == true }
            guard let reference = denied ?? broken.first else { return general }
            guard denied != nil, let destination = reference.destination else {
                if reference.isOwnerMissing, let owner = reference.destination {
                    return SwiftDataError.deletedElsewhere(
                        owner, entityName: owner.entityName, underlying: DatabaseError(violation))
                }
                return general.with(
                    detail: "the relationship references a deleted model; assign another model and save again",
                    entityName: reference.row.entityName, propertyName: reference.property,
                    persistentIdentifier: reference.row)
            }
            return SwiftDataError.deleteDenied.with(
                detail: "\(reference.row.entityName).\(reference.property) of \(reference.row) references this model; "
                    + "change that relationship or delete its model first",
                entityName: destination.entityName, persistentIdentifier: destination,
                underlying: DatabaseError(violation))
        } catch {
            // The foreign keys could not be checked: SQLite's error is reported without the row.
            return general
        }
    }

    /// Checks every reference in the file, including rows from before the transaction.
    private func brokenReferences(_ connection: Connection) throws -> [BrokenReference] {
        let check = try connection.prepare(
            """
            SELECT broken."table", broken.rowid, broken.parent, key."from" FROM pragma_foreign_key_check AS broken \
            JOIN pragma_foreign_key_list(broken."table") AS key ON key.id = broken.fkid
            """)
        var found: [BrokenReference] = []
        while try check.step() {
            let (table, row, column) = (check.text(0), check.int64(1), check.text(3))
            if let links = layout.linkTablesByName[table]?.links {
                // In tables without rowids, SQLite does not report the row.
                if check.isNull(1) { found += try brokenLinks(links, connection) }
                continue
            }
            let sql = "SELECT \(quoted(column)) FROM \(quoted(table)) WHERE _rowid_ = ?"
            let key = try connection.scalarInt64(sql) { try $0.bind(row, at: 1) }
            found.append(
                BrokenReference(
                    row: identifier(row, in: table), property: column,
                    destination: key.map { identifier($0, in: check.text(2)) }))
        }
        return found
    }

    private func brokenLinks(_ links: Schema.Links, _ connection: Connection) throws -> [BrokenReference] {
        func isMissing(_ column: String, _ entityName: String) -> String {
            "NOT EXISTS (SELECT 1 FROM \(quoted(entityName)) AS held WHERE held._rowid_ = l.\(column))"
        }
        let lost = isMissing("destination", links.destination)
        let statement = try connection.prepare(
            "SELECT owner, destination, \(lost) FROM \(quoted(links.name)) AS l "
                + "WHERE \(lost) OR \(isMissing("owner", links.owner))")
        var found: [BrokenReference] = []
        while try statement.step() {
            let owner = identifier(statement.int64(0), in: links.owner)
            let destination = identifier(statement.int64(1), in: links.destination)
            let isLost = statement.int64(2) != 0
            found.append(
                BrokenReference(
                    row: isLost ? owner : destination,
                    property: isLost ? links.property.name : (links.inverse ?? links.property).name,
                    destination: isLost ? destination : owner, isOwnerMissing: !isLost && links.inverse == nil))
        }
        return found
    }

    private func identifier(_ key: Int64, in entityName: String) -> PersistentIdentifier {
        // The table of a hierarchy has the name of its root.
        PersistentIdentifier.Origin(storeIdentifier: identifier, entityName: entityName).identifier(key)
    }
}
