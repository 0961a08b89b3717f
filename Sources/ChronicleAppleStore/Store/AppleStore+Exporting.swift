public import ChronicleCore
import ChronicleSQL
import ChronicleSQLite
import ChronicleStore
import Foundation

extension AppleStore: DataStoreExporting {
    /// Calls a closure with all models and all links of the file as they are at one moment. A change by another program is
    /// noticed after the last row: use the rows only if the call returns.
    ///
    /// - Returns: The token of the newest transaction, or one at position 0 if the file has no history.
    /// - Throws: The errors of ``fetch(_:)``, such as `SwiftDataError.storeBusy`, and the error that `row` throws.
    /// - Complexity: O(*n*) in the number of models and links. Rows are not collected.
    public func exportRows(_ row: (DataStoreExportedRow<DefaultSnapshot>) throws -> Void) throws -> DefaultHistoryToken
    {
        try reading(isRepeatable: false) { connection in
            let token =
                layout.history == nil
                ? DefaultHistoryToken(storeIdentifier: identifier, position: 0)
                : try HistoryFacts(connection, storeIdentifier: identifier).newestToken()
            for entity in schema.entities where entity.superentity == nil {
                try exportModels(of: entity, connection, row)
            }
            for links in schema.links { try export(links, connection, row) }
            return token
        }
    }

    private func exportModels(
        of entity: Schema.Entity, _ connection: Connection,
        _ row: (DataStoreExportedRow<DefaultSnapshot>) throws -> Void
    ) throws {
        let decoder = RowDecoder(entity, self)
        // The order is that of the primary keys.
        let request = DataStoreFetchRequest<UntypedModel>(
            descriptor: FetchDescriptor(), editingState: EditingState(id: UUID()))
        let query = try translate(request, of: entity).select(decoder.columns.selection(SQLiteQueries.dialect))
        let statement = try SQLiteQueries.statement(query, connection)
        defer { statement.reset() }
        while try statement.step() {
            let (identifier, values) = try decoder.row(statement)
            try row(
                .model(DefaultSnapshot(persistentIdentifier: identifier, row: values, changed: PropertySet())))
        }
    }

    /// The table of another program may contain a pair twice, and a symmetric one in both directions.
    private func export(
        _ links: Schema.Links, _ connection: Connection,
        _ row: (DataStoreExportedRow<DefaultSnapshot>) throws -> Void
    ) throws {
        guard let rows = try tables.links(of: links.name) else { return }
        let condition: SQLQuery = links.isSymmetric ? " AND owner <= destination" : ""
        let query: SQLQuery = """
            SELECT DISTINCT owner, destination FROM \(rows) \
            WHERE owner IS NOT NULL AND destination IS NOT NULL\(condition) ORDER BY 1, 2
            """
        let (owner, destination) = (origin(of: links.owner), origin(of: links.destination))
        let statement = try SQLiteQueries.statement(query, connection)
        defer { statement.reset() }
        while try statement.step() {
            guard case (.integer(let first), .integer(let second)) = (statement.value(0), statement.value(1)) else {
                throw SwiftDataError.undecodableValue.with(
                    detail: "a link is not a pair of primary keys", entityName: links.owner,
                    propertyName: links.property.name)
            }
            try row(
                .link(
                    DataStoreLink(
                        links, owner: owner.identifier(first), destination: destination.identifier(second))))
        }
    }
}
