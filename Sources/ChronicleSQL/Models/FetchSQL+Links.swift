public import ChronicleCore

extension FetchSQL {
    /// Returns the query for the rows that the links of models reference: the given columns, then the primary keys of the
    /// model and of the row, in the order of both.
    ///
    /// - Parameters:
    ///   - request: The links request of a context.
    ///   - columns: The columns of ``table``.
    ///   - schema: The schema of the store.
    ///   - storeIdentifier: The identifier of the store. Identifiers of other stores have no links.
    ///   - dialect: The dialect of the database.
    ///   - tables: Where the rows and the links are.
    /// - Returns: The query.
    /// - Throws: `SwiftDataError.unknownSchema` if the schema does not contain the model. The errors that
    ///   ``SQLTables/links(of:)`` throws.
    public static func selectLinked<Model>(
        _ request: DataStoreLinksRequest<Model>, columns: SQLQuery, schema: Schema, storeIdentifier: String,
        dialect: some SQLDialect, tables: some SQLTables = ModelTables()
    ) throws -> SQLQuery {
        guard let entity = schema.entitiesByName[request.entityName] else {
            throw SwiftDataError.unknownSchema.with(entityName: request.entityName)
        }
        let (from, to) = ModelTables.linkColumns(of: request.property, in: request.links)
        let keys = request.identifiers.filter { $0.storeIdentifier == storeIdentifier }.compactMap(\.integerPrimaryKey)
        let source: SQLQuery = "l.\(raw: from)"
        let isRequested: SQLQuery =
            keys.count == 1 ? "\(source) = \(value: .integer(keys[0]))" : dialect.isOneOf(source, keys: keys)
        return """
            SELECT \(columns), \(source), l.\(raw: to) \
            FROM \(try tables.links(of: request.links.name) ?? "\(raw: dialect.table(request.links.name))") AS l \
            JOIN \(tables.rows(of: entity.rootName) ?? "\(raw: dialect.table(entity.rootName))") AS \(raw: table) \
            ON \(raw: table).\(raw: dialect.quoted(ModelTables.primaryKey)) = l.\(raw: to) \
            WHERE \(isRequested) ORDER BY \(source), l.\(raw: to)
            """
    }
}
