public import ChronicleCore
import ChronicleSQLite
import Foundation

extension DefaultStore {
    /// A Boolean value that indicates whether the file is a ``TrackedDatabase``, whose models cannot be saved.
    public var isTracked: Bool { layout.isTracked }

    /// Returns the names of the columns of a table's primary key that identifiers do not contain.
    ///
    /// An identifier contains the primary key of a table of models, or the `INTEGER PRIMARY KEY` of a table of a
    /// ``TrackedDatabase``. For another table, it contains a number, and ``primaryKey(of:)`` returns the values of these
    /// columns.
    ///
    /// - Parameter entityName: The name of an entity.
    /// - Returns: The names in the order of the primary key, or `nil` if identifiers contain it.
    public func primaryKeyColumns(ofEntity entityName: String) -> [String]? {
        layout.recordedEntities.values.first { $0.name == entityName }?.keyColumns
    }

    /// Returns the primary key of a row in its table.
    ///
    /// - Parameter identifier: The identifier of the row, which may have been deleted.
    /// - Returns: The values of ``primaryKeyColumns(ofEntity:)``, or the integer that the identifier contains; empty if no
    ///   row ever had the identifier.
    /// - Throws: ``SwiftDataError/storeBusy`` if the file stays locked; try again.
    /// - Complexity: O(log *n*) in the number of keys.
    public func primaryKey(of identifier: PersistentIdentifier) throws -> [PropertyValue] {
        guard let number = identifier.integerPrimaryKey else { return [] }
        guard let (entity, columns) = keys(ofEntity: identifier.entityName) else { return [.integer(number)] }
        return try attributingErrors {
            try database.read {
                try KeyTable.values(of: number, entity: entity, count: columns.count, $0) ?? []
            }
        }
    }

    /// Returns the identifier of a row with a primary key.
    ///
    /// - Parameters:
    ///   - entityName: The name of an entity.
    ///   - primaryKey: The values of ``primaryKeyColumns(ofEntity:)``, or an integer.
    /// - Returns: The identifier, or `nil` if the history and the table never had a row with the key.
    /// - Throws: ``SwiftDataError/storeBusy`` if the file stays locked; try again.
    /// - Complexity: O(log *n*) in the number of keys.
    public func identifier(
        ofEntity entityName: String, primaryKey: [PropertyValue]
    ) throws -> PersistentIdentifier? {
        let origin = PersistentIdentifier.Origin(
            storeIdentifier: identifier, entityName: entityName,
            rootEntityName: schema.entitiesByName[entityName]?.rootName ?? entityName)
        guard let (entity, columns) = keys(ofEntity: entityName) else {
            if primaryKey.count == 1, case .integer(let number)? = primaryKey.first { return origin.identifier(number) }
            return nil
        }
        guard columns.count == primaryKey.count else { return nil }
        return try attributingErrors {
            try database.read { connection in
                let condition = columns.indices.map { "\(NumberedKey.column($0)) = ?" }.joined(separator: " AND ")
                let statement = try connection.cached(
                    "SELECT id FROM \(quoted(NumberedKey.table(of: entity))) WHERE \(condition)")
                defer { statement.reset() }
                for (index, value) in primaryKey.enumerated() { try statement.bind(value, at: Int32(index + 1)) }
                return try statement.step() ? origin.identifier(statement.int64(0)) : nil
            }
        }
    }

    /// Reports rows of small tables that another program wrote without triggers. The store is open, whether or not this works.
    func logUnrecordedRows(within limit: Duration = .milliseconds(10)) {
        let path = configuration.url.path
        do {
            let database = TrackedDatabase(url: configuration.url, busyTimeout: .zero)
            for (table, text) in try database.unrecordedRows(within: limit) {
                log(
                    .notice, event: "unrecordedRows",
                    "\(path): \(table): \(text) without a record; use `chronicle verify FILE`, and "
                        + "`chronicle track --reconcile FILE`",
                    metadata: ["path": path, "table": table])
            }
        } catch {
            log(
                .notice, event: "unrecordedRows", "\(path): the rows could not be compared with the history: \(error)",
                metadata: ["path": path])
        }
    }

    private func keys(ofEntity name: String) -> (entity: Int64, columns: [String])? {
        guard let entity = layout.recordedEntities.values.first(where: { $0.name == name }),
            let columns = entity.keyColumns
        else { return nil }
        return (entity.number, columns)
    }
}
