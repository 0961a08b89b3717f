import ChronicleCore
import ChronicleSQLite

// Writes links, which are rows of two keys.
extension RowWriter {
    /// Inserts links. Links of new rows use the predicted keys.
    func link(_ links: [DataStoreLink]) throws {
        try run(links, \.insert)
    }

    func unlink(_ links: [DataStoreLink]) throws {
        try run(links, \.delete)
    }

    /// Returns whether the save changes links, including links of deleted rows.
    func changesLinks(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>) throws -> Bool {
        if !request.linked.isEmpty || !request.unlinked.isEmpty { return true }
        guard !layout.linkTablesByName.isEmpty else { return false }
        return try runs(request.deleted).contains { $0.table.isLinked }
    }

    private func run(_ links: [DataStoreLink], _ sql: KeyPath<LinkTable, String>) throws {
        var latest: (name: String, table: LinkTable, statement: Statement)?
        for link in links {
            if latest?.name != link.name {
                // Released first, so that the cache can return the same statement again.
                latest = nil
                let table = try layout.linkTable(named: link.name)
                latest = (link.name, table, try connection.cached(table[keyPath: sql]))
            }
            guard let (_, table, statement) = latest else { continue }
            try statement.bind(key(link.owner, of: table.links.owner), at: 1)
            try statement.bind(key(link.destination, of: table.links.destination), at: 2)
            do { try statement.run() } catch let error as SQLiteError where error.isConstraint {
                throw SwiftDataError(error, storeIdentifier: nil).with(
                    entityName: table.links.owner, propertyName: table.links.property.name,
                    persistentIdentifier: link.owner)
            }
        }
    }

    private func key(_ identifier: PersistentIdentifier, of entityName: String) throws -> Int64 {
        let permanent = replacements[identifier] ?? identifier
        guard let key = permanent.integerPrimaryKey, permanent.storeIdentifier == layout.storeIdentifier,
            permanent.rootEntityName == entityName
        else {
            throw SwiftDataError.modelValidationFailure.with(
                detail: "a relationship references a model that was not saved or belongs to another store",
                persistentIdentifier: identifier)
        }
        return key
    }
}
