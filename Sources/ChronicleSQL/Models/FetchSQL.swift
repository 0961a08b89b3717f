public import ChronicleCore

/// The statements of a `FetchDescriptor` and a `DataStoreLookup`, which select rows, their number, or their primary keys,
/// delete the rows, or update them in the tables that ``ModelTables`` describes:
///
/// ```swift
/// let fetch = try FetchSQL(request, schema: schema, storeIdentifier: identifier, dialect: PostgreSQLDialect())
/// let query = fetch.select("t.\"_rowid_\", t.\"name\"")
/// query.sql(for: PostgreSQLDialect())
/// // SELECT t."_rowid_", t."name" FROM "Trip" AS t WHERE t."name" = $1 ORDER BY t."_rowid_" LIMIT $2
/// ```
public struct FetchSQL: Sendable {
    /// The alias of the fetched models' table, for the columns passed to ``select(_:includingOrder:)``.
    public static let table = "t"

    /// The condition of the rows, without that on excluded identifiers; `nil` if all rows match.
    public let condition: SQLQuery?
    /// The clause with the limit and the offset, with a leading space; `nil` without either.
    public let limit: SQLQuery?
    /// The names of the tables of models that the query reads, one for each occurrence.
    public let tableNames: [String]
    /// Whether the query reads a table of links.
    public let readsLinks: Bool

    private let tableName: String
    private let entity: Schema.Entity
    private let schema: Schema
    private let storeIdentifier: String
    private let tables: SQLQuery
    private let excludedKeys: [Int64]
    private let terms: [SortSQL.Term]
    private let dialect: any SQLDialect

    /// Translates a fetch request.
    ///
    /// - Parameters:
    ///   - request: The fetch request of a context.
    ///   - schema: The schema of the store.
    ///   - storeIdentifier: The identifier of the store. Identifiers of other stores match no row.
    ///   - dialect: The dialect of the database.
    ///   - tables: Where the rows are.
    /// - Throws: `SwiftDataError.unsupportedPredicate` or `SwiftDataError.unsupportedSortDescriptor` if a part has no
    ///   equivalent in SQL; the detail names it. Throw `DataStoreError.preferInMemoryFilter` or
    ///   `DataStoreError.preferInMemorySort` to let the context do it, or pass the error on. `SwiftDataError.unknownSchema`
    ///   if the schema does not contain the model.
    public init<Model>(
        _ request: DataStoreFetchRequest<Model>, schema: Schema, storeIdentifier: String, dialect: some SQLDialect,
        tables: some SQLTables = ModelTables()
    ) throws {
        try self.init(
            request.descriptor, of: request.entity(in: schema), lookup: request.lookup,
            excluding: request.excludedIdentifiers, schema: schema, storeIdentifier: storeIdentifier, dialect: dialect,
            tables: tables)
    }

    /// Translates a descriptor and a lookup.
    ///
    /// - Parameters:
    ///   - descriptor: The predicate, the order, the limit and the offset. Other options are ignored.
    ///   - entity: The entity, for a store that reads rows without their class; `nil` for that of the class.
    ///   - lookup: A second condition, or `nil` if there is none.
    ///   - excluded: The identifiers of rows that do not match.
    ///   - includeSubclasses: Whether rows of the entities that inherit from that of the model match.
    ///   - schema: The schema of the store.
    ///   - storeIdentifier: The identifier of the store. Identifiers of other stores match no row.
    ///   - dialect: The dialect of the database.
    ///   - tables: Where the rows are.
    /// - Throws: `SwiftDataError.unsupportedPredicate`, `SwiftDataError.unsupportedSortDescriptor` or
    ///   `SwiftDataError.unknownSchema`, as the other initializer.
    public init<Model>(
        _ descriptor: FetchDescriptor<Model>, of entity: Schema.Entity? = nil, lookup: DataStoreLookup? = nil,
        excluding excluded: Set<PersistentIdentifier> = [], includeSubclasses: Bool = true, schema: Schema,
        storeIdentifier: String, dialect: some SQLDialect, tables: some SQLTables = ModelTables()
    ) throws {
        guard let entity = entity ?? schema.entity(for: Model.self) else {
            throw SwiftDataError.unknownSchema.with(
                detail: "the store does not contain this model; add it to the store's schema",
                entityName: Model.entityName)
        }
        var translator = PredicateSQL(
            source: ModelSource(entity, schema, storeIdentifier: storeIdentifier, dialect: dialect, tables: tables))
        do {
            let match = try lookup.map { try translator.source.condition($0) }
            let predicate = try descriptor.predicate.flatMap { predicate in
                try translator.whereCondition(PredicateTree(predicate, schema: schema))
            }
            var conditions: SQLQuery?
            if let match, let predicate {
                conditions = "\(match) AND \(predicate)"
            } else {
                conditions = match ?? predicate
            }
            if let kind = Self.kind(of: entity, in: schema, isExact: !includeSubclasses, dialect: dialect) {
                conditions = conditions.map { "\(kind) AND \($0)" } ?? kind
            }
            condition = conditions
            terms = try SortSQL(entity, schema, hasUniqueKeys: tables.hasUniqueKeys).order(
                descriptor.sortBy, &translator.source)
        } catch let error as SwiftDataError {
            throw error.with(entityName: entity.name)
        }
        excludedKeys = excluded.compactMap { $0.storeIdentifier == storeIdentifier ? $0.integerPrimaryKey : nil }
        tableName = entity.rootName
        self.entity = entity
        self.schema = schema
        self.storeIdentifier = storeIdentifier
        self.dialect = dialect
        tableNames = translator.source.tableNames
        readsLinks = translator.source.readsLinks
        self.tables = translator.source.tables(of: .subject)
        limit = Self.limit(descriptor.fetchLimit, offset: descriptor.fetchOffset, dialect: dialect)
    }

    /// Returns a clause that limits the number of rows, ` LIMIT … OFFSET …`, or `nil` without either.
    ///
    /// - Parameters:
    ///   - limit: The number of rows, or `nil` for all. Negative numbers count as 0.
    ///   - offset: The number of rows to skip. Negative numbers count as 0.
    ///   - dialect: The dialect of the database.
    /// - Returns: The clause with a leading space.
    public static func limit(_ limit: Int?, offset: Int?, dialect: some SQLDialect) -> SQLQuery? {
        let offset = offset.flatMap { $0 > 0 ? Int64($0) : nil }
        let limit = limit.map { Int64(max($0, 0)) }
        return limit == nil && offset == nil ? nil : dialect.limit(limit, offset: offset)
    }

    // MARK: Statements

    /// Returns the query for the matching rows in order.
    ///
    /// - Parameters:
    ///   - columns: The columns of ``table``, such as those of ``ModelColumns/selection(_:)``.
    ///   - includingOrder: Whether to also select the values of the order, which some databases require in a compound
    ///     query.
    /// - Returns: The query.
    public func select(_ columns: SQLQuery, includingOrder: Bool = false) -> SQLQuery {
        let order = terms.map { dialect.order($0.value, isDescending: $0.isDescending) }.joined(", ")
        let values: SQLQuery = includingOrder ? ", \(terms.map(\.value.sql).joined(", "))" : ""
        return "SELECT \(columns)\(values) \(rows) ORDER BY \(order)\(limit ?? "")"
    }

    /// Returns the query for the matching rows if a model can have several.
    ///
    /// - Parameters:
    ///   - columns: The columns of ``table``.
    ///   - order: The terms that follow those of the sort descriptors.
    /// - Returns: The query.
    package func select(_ columns: SQLQuery, thenBy order: [SQLQuery]) -> SQLQuery {
        let own = terms.filter { !$0.isImplied }.map { dialect.order($0.value, isDescending: $0.isDescending) }
        return "SELECT \(columns) \(rows) ORDER BY \((own + order).joined(", "))\(limit ?? "")"
    }

    /// The columns of ``identifiers``: the primary key, and the name of the row's entity if other entities inherit from
    /// the fetched one. It is NULL for rows of the root.
    public var identifierColumns: SQLQuery {
        let key: SQLQuery = "\(raw: Self.table).\(raw: dialect.quoted(ModelTables.primaryKey))"
        guard schema.hasSubentities(entity) else { return key }
        return "\(key), \(raw: Self.table).\(raw: dialect.quoted(Schema.entityAttribute))"
    }

    /// The query for the ``identifierColumns`` of the matching rows in order.
    public var identifiers: SQLQuery { select(identifierColumns) }

    /// The query for the number of the matching rows, after applying the limit and the offset.
    public var count: SQLQuery {
        if let limit { return dialect.count(of: "SELECT 1 \(rows)\(limit)") }
        let all: SQLQuery = "SELECT count(*) \(rows(where: condition))"
        guard !excludedKeys.isEmpty else { return all }
        // Finding the excluded rows by their keys keeps counting all rows fast.
        let excluded = rows(where: condition.map { "\(isExcluded) AND (\($0))" } ?? isExcluded)
        return "SELECT (\(all)) - (SELECT count(*) \(excluded))"
    }

    /// The statement that deletes all matching rows without limit and offset.
    ///
    /// Databases find them all before they delete the first one, so conditions may refer to other rows of the table.
    public var delete: SQLQuery {
        guard let condition else { return "DELETE FROM \(target)" }
        // Deleting directly avoids collecting the keys, a fifth of the work in SQLite.
        if tables == target { return "DELETE FROM \(target) WHERE \(condition)" }
        return "DELETE FROM \(target) WHERE \(key) IN (SELECT \(key) \(rows))"
    }

    /// Returns the statement that updates all matching rows without limit and offset.
    ///
    /// - Parameter values: The new values of attributes.
    /// - Returns: The statement.
    /// - Throws: `DataStoreError.preferInMemoryFilter` if a value has no equivalent in SQL, or requires the rows of other
    ///   tables, which an UPDATE cannot join. Pass the error on; contexts handle it.
    public func update(_ values: [DataStoreBatchValue]) throws -> SQLQuery {
        let assignments = try UpdateSQL(entity, schema, storeIdentifier: storeIdentifier, dialect: dialect)
            .assignments(values)
        let update: SQLQuery = "UPDATE \(target) SET \(assignments)"
        guard let condition else { return update }
        if tables == target { return "\(update) WHERE \(condition)" }
        return "\(update) WHERE \(key) IN (SELECT \(key) \(rows))"
    }

    /// Returns the query for the keys of all matching rows, each with the values that ``update(_:)`` would set.
    ///
    /// - Parameters:
    ///   - values: The new values of attributes.
    ///   - converted: Converts the expression of a value to the type of its column.
    /// - Returns: The query, and the properties that are unique together with updated ones and are not updated. Its columns
    ///   are the key, the new values in their order, and the values of these properties.
    /// - Throws: The error of ``update(_:)``.
    public func newValues(
        _ values: [DataStoreBatchValue],
        converted: (_ expression: SQLQuery, _ property: Schema.Property) -> SQLQuery = { expression, _ in expression }
    ) throws -> (query: SQLQuery, unchanged: [Schema.Property]) {
        let expressions = try UpdateSQL(entity, schema, storeIdentifier: storeIdentifier, dialect: dialect)
            .expressions(values)
        let updated = Set(values.map(\.property.name))
        let constraints = entity.uniquenessConstraints.filter { !updated.isDisjoint(with: $0) }
        let unchanged = Set(constraints.joined()).subtracting(updated).sorted()
            .compactMap { entity.propertiesByName[$0] }.filter { $0.slot >= 0 }
        let columns =
            [key] + zip(expressions, values).map { converted($0, $1.property) }
            + unchanged.map { "\(raw: Self.table).\(raw: dialect.quoted($0.name))" }
        return ("SELECT \(columns.joined(", ")) \(rows(where: condition))", unchanged)
    }

    private var target: SQLQuery { "\(raw: dialect.table(tableName)) AS \(raw: Self.table)" }

    private var key: SQLQuery { "\(raw: Self.table).\(raw: dialect.quoted(ModelTables.primaryKey))" }

    // MARK: Parts

    /// Whether the query excludes identifiers.
    public var excludesRows: Bool { !excludedKeys.isEmpty }

    /// The query for the matching rows from FROM on, without order, limit and offset.
    public var rows: SQLQuery {
        guard !excludedKeys.isEmpty else { return rows(where: condition) }
        return rows(where: condition.map { "(\($0)) AND NOT \(isExcluded)" } ?? "NOT \(isExcluded)")
    }

    private func rows(where condition: SQLQuery?) -> SQLQuery {
        guard let condition else { return "FROM \(tables)" }
        return "FROM \(tables) WHERE \(condition)"
    }

    private var isExcluded: SQLQuery {
        excludedKeys.count == 1
            ? "(\(key) = \(value: .integer(excludedKeys[0])))" : "(\(dialect.isOneOf(key, keys: excludedKeys)))"
    }

    /// Returns the condition that a row of ``table`` belongs to an entity, or `nil` if all rows do.
    ///
    /// - Parameters:
    ///   - entity: An entity of the schema.
    ///   - schema: The schema of the store.
    ///   - isExact: Whether to exclude the rows of subentities.
    ///   - dialect: The dialect of the database.
    /// - Returns: The condition, which is never NULL and has no parameters.
    public static func kind(
        of entity: Schema.Entity, in schema: Schema, isExact: Bool = false, dialect: some SQLDialect
    ) -> SQLQuery? {
        let isRoot = entity.superentity == nil
        if isRoot, !isExact || !schema.hasSubentities(entity) { return nil }
        let column: SQLQuery = "\(raw: table).\(raw: dialect.quoted(Schema.entityAttribute))"
        if isRoot {
            // Rows of a class that only other programs know belong to the root.
            let others = schema.kinds(of: entity.name).subtracting([entity.name]).sorted()
            return "NOT \(dialect.isOneOf(column, names: others))"
        }
        return dialect.isOneOf(column, names: isExact ? [entity.name] : schema.kinds(of: entity.name).sorted())
    }
}
