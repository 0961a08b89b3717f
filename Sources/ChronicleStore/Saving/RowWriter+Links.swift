import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

// Writes links, which are rows of two keys.
extension RowWriter {
    /// Links of new rows use the predicted keys.
    func link(_ links: [DataStoreLink]) throws {
        try run(links, \.insert)
    }

    func unlink(_ links: [DataStoreLink]) throws {
        try run(links, \.delete)
    }

    /// Includes the links of deleted rows.
    func changesLinks(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>) throws -> Bool {
        if !request.linked.isEmpty || !request.unlinked.isEmpty { return true }
        guard !layout.linkTablesByName.isEmpty else { return false }
        return try runs(request.deleted).contains { $0.table.isLinked }
    }

    // MARK: Preserved values

    /// The value of a new row that is stored as a link.
    typealias LinkValue = (attribute: Int64, destination: Int64)

    /// Returns the values by the identifiers of the request. The triggers of a link table record links as updates of
    /// existing rows only.
    func linkValues(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>, isRestoring: Bool
    ) throws -> [PersistentIdentifier: [LinkValue]] {
        guard recording.firstChange != nil, !request.linked.isEmpty else { return [:] }
        let restored = Set(isRestoring ? request.inserted.map(\.persistentIdentifier) : [])
        func isNew(_ identifier: PersistentIdentifier) -> Bool {
            identifier.isTemporary || restored.contains(identifier)
        }
        var values: [PersistentIdentifier: [LinkValue]] = [:]
        var latest: (name: String, links: Schema.Links, owner: Int64?, destination: Int64?)?
        // Both models of a symmetric link may have added it.
        var known: Set<DataStoreLink> = []
        for link in request.linked where isNew(link.owner) || isNew(link.destination) {
            guard known.insert(link).inserted else { continue }
            if latest?.name != link.name {
                let links = try layout.linkTable(named: link.name).links
                latest = (
                    link.name, links, try preservedNumber(of: links.property, links.owner),
                    try links.inverse.flatMap { try preservedNumber(of: $0, links.destination) }
                )
            }
            guard let (_, links, owner, destination) = latest else { continue }
            if let owner, isNew(link.owner) {
                values[link.owner, default: []].append((owner, try links.destinationKey(link) { key(of: $0, $1) }))
            }
            // The link of a row to itself is in its list once.
            if let destination, isNew(link.destination), !links.isSymmetric || link.owner != link.destination {
                values[link.destination, default: []].append(
                    (destination, try links.ownerKey(link) { key(of: $0, $1) }))
            }
        }
        return values
    }

    /// `nil` if the history does not preserve the destinations.
    private func preservedNumber(of property: Schema.Property, _ entityName: String) throws -> Int64? {
        let root = try layout.table(named: entityName).name
        // From the file, because another process may have changed the setting, or restored a backup with other numbers.
        return try connection.scalarInt64(
            "SELECT number FROM chronicle_attribute WHERE entity = (SELECT id FROM chronicle_entity WHERE name = ?) "
                + "AND name = ? AND present = 0 AND preserved_updates <> \(Preservation.Extent.none.rawValue)"
        ) { statement in
            try statement.bind(root, at: 1)
            try statement.bind(property.name, at: 2)
        }
    }

    /// The preserved values of a row directly follow its change in the history.
    func insertRows(
        _ snapshots: [DefaultSnapshot], _ run: Run, preserving values: [PersistentIdentifier: [LinkValue]]
    ) throws {
        let (rows, table) = run
        func insertAll(_ rows: Range<Int>) throws {
            try insertRows(snapshots, (rows, table), with: table.insertsWithKeys, bindingKeys: true)
        }
        if values.isEmpty { return try insertAll(rows) }
        let entity = try connection.scalarInt64("SELECT id FROM chronicle_entity WHERE name = ?") {
            try $0.bind(table.entity.name, at: 1)
        }
        guard let entity else {
            throw SwiftDataError.damagedFile.with(
                detail: "the entity is missing in chronicle_entity", entityName: table.entity.name)
        }
        var start = rows.lowerBound
        for row in rows {
            guard let own = values[snapshots[row].persistentIdentifier] else { continue }
            try insertAll(start..<row + 1)
            start = row + 1
            let statement = try connection.cached(ChangeTable.insertRow)
            for (attribute, destination) in own {
                try statement.bind(
                    ChangeTable.Kind(.preservedValue, of: entity).rawValue, at: ChangeTable.Column.kind)
                try statement.bind(.reference(inserted[row]), at: ChangeTable.Column.primaryKey)
                try statement.bind(attribute, at: ChangeTable.Column.attributes)
                try statement.bindNull(ChangeTable.Column.oldValue)
                try statement.bind(destination, at: ChangeTable.Column.newValue)
                try statement.run()
            }
        }
        try insertAll(start..<rows.upperBound)
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
            try statement.bind(table.links.ownerKey(link) { key(of: $0, $1) }, at: 1)
            try statement.bind(table.links.destinationKey(link) { key(of: $0, $1) }, at: 2)
            do { try statement.run() } catch let error as SQLiteError where error.isConstraint {
                throw SwiftDataError(error, storeIdentifier: nil).with(
                    entityName: table.links.owner, propertyName: table.links.property.name,
                    persistentIdentifier: link.owner)
            }
        }
    }
}
