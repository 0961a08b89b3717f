import ChronicleCore
import Foundation

/// The statements of a ``FetchDescriptor`` and a ``DataStoreLookup``, which select rows, their number, or their primary
/// keys, or delete the rows.
///
///     let fetch = try FetchSQL(descriptor, schema: schema, storeIdentifier: identifier)
///     fetch.select("t.\"_rowid_\", t.\"name\"")
///     // SELECT t."_rowid_", t."name" FROM "Trip" AS t WHERE t."name" = ? ORDER BY t."_rowid_" LIMIT ?
struct FetchSQL {
    /// The alias of the fetched models' table, for the columns passed to ``select(_:)``.
    static let table = ModelSource.subject

    private let tableName: String
    private let hasSubentities: Bool
    private let tables: SQLQuery
    private let condition: SQLQuery?
    /// The primary keys of the excluded rows.
    private let excludedKeys: [Int64]
    private let order: [SortSQL.Term]
    private let limit: SQLQuery?
    private let source: ModelSource
    /// Whether the query reads a table that has changed since its position.
    private let isPast: Bool

    /// Translates a descriptor and a lookup.
    ///
    /// - Parameter entity: The entity, or `nil` for that of the class.
    /// - Throws: ``SwiftDataError/unsupportedPredicate``, ``SwiftDataError/unsupportedSortDescriptor``, or
    ///   ``SwiftDataError/unknownSchema`` if the schema does not contain the model.
    init<Model>(
        _ descriptor: FetchDescriptor<Model>, of entity: Schema.Entity? = nil, lookup: DataStoreLookup? = nil,
        excluding excluded: Set<PersistentIdentifier> = [], includeSubclasses: Bool = true, schema: Schema,
        storeIdentifier: String, past: PastTables? = nil
    ) throws {
        guard let entity = entity ?? schema.entity(for: Model.self) else {
            throw SwiftDataError.unknownSchema.with(
                detail: "the store does not contain this model; add it to the store's schema",
                entityName: Model.entityName)
        }
        var translator = PredicateSQL(
            source: ModelSource(entity, schema, storeIdentifier: storeIdentifier, past: past))
        do {
            let match = try lookup.map { try translator.source.condition($0) }
            let predicate = try descriptor.predicate.flatMap { predicate in
                try translator.topCondition(PredicateTree(predicate, schema: schema))
            }
            var conditions: SQLQuery?
            if let match, let predicate {
                conditions = "\(match) AND \(predicate)"
            } else {
                conditions = match ?? predicate
            }
            if let kind = Self.kind(of: entity, in: schema, isExact: !includeSubclasses) {
                conditions = conditions.map { "\(raw: kind) AND \($0)" } ?? "\(raw: kind)"
            }
            condition = conditions
            order = try SortSQL(entity, schema).order(descriptor.sortBy, &translator.source)
        } catch let error as SwiftDataError {
            throw error.with(entityName: entity.name)
        }
        excludedKeys = excluded.compactMap { $0.storeIdentifier == storeIdentifier ? $0.integerPrimaryKey : nil }
        tableName = entity.rootName
        hasSubentities = schema.hasSubentities(entity)
        source = translator.source
        isPast = source.readsChangedRows
        tables = source.tables(of: .subject)
        limit = SQLQuery(limit: descriptor.fetchLimit, offset: descriptor.fetchOffset)
    }

    /// Returns the query for the given columns of ``table``, with the matching rows in order.
    func select(_ columns: String) -> SQLQuery {
        let order = self.order.map(\.sql).joined(", ")
        // SQLite combines the query with ``PastTable/source`` only if it also selects the terms of its order.
        let terms: SQLQuery = isPast ? ", \(self.order.map(\.value).joined(", "))" : ""
        return "SELECT \(raw: columns)\(terms) \(rows) ORDER BY \(order)\(limit ?? "")"
    }

    /// The query for the primary keys of the matching rows in order, and for the names of their entities if other
    /// entities inherit from the fetched one.
    var identifiers: SQLQuery {
        let key = "\(Self.table).\"_rowid_\""
        return select(hasSubentities ? "\(key), \(Self.table).\(quoted(Schema.entityAttribute))" : key)
    }

    /// Returns the condition that a row of ``table`` belongs to an entity, or `nil` if all rows do.
    ///
    /// - Parameter isExact: Whether to exclude the rows of subentities.
    static func kind(of entity: Schema.Entity, in schema: Schema, isExact: Bool = false) -> String? {
        let isRoot = entity.superentity == nil
        if isRoot, !isExact || !schema.hasSubentities(entity) { return nil }
        let column = "\(table).\(quoted(Schema.entityAttribute))"
        if isRoot { return "\(column) IS NULL" }
        return kind(isExact ? [entity.name] : schema.kinds(of: entity.name).sorted(), column)
    }

    /// Returns the condition that a column contains one of the names of subentities. It is never NULL, and SQLite uses
    /// the index of the column.
    static func kind(_ names: [String], _ column: String) -> String {
        let conditions = names.map { "\(column) IS \(RecorderSQL.literal($0))" }
        return conditions.count == 1 ? conditions[0] : "(\(conditions.joined(separator: " OR ")))"
    }

    /// The query for the number of rows that ``select(_:)`` returns.
    var count: SQLQuery {
        if let limit { return "SELECT count(*) FROM (SELECT 1 \(rows)\(limit))" }
        if isPast {
            guard excludedKeys.isEmpty, let table = source.onlyChangedTable else { return source.count(rows) }
            return "SELECT \(table.count(where: condition, as: Self.table))"
        }
        let all: SQLQuery = "SELECT count(*) \(rows(where: condition))"
        guard !excludedKeys.isEmpty else { return all }
        // The excluded rows are found by their keys, so that counting all rows is as fast as without exclusions.
        let excluded = rows(where: condition.map { "\(isExcluded) AND (\($0))" } ?? isExcluded)
        return "SELECT (\(all)) - (SELECT count(*) \(excluded))"
    }

    /// The statement that deletes all matching rows without limit and offset. SQLite finds them all before it deletes
    /// the first one, so conditions may refer to other rows of the table.
    var delete: SQLQuery {
        let table: SQLQuery = "\(name: tableName) AS \(raw: Self.table)"
        guard let condition else { return "DELETE FROM \(table)" }
        // Without a second table, deleting directly avoids collecting the keys, which is a fifth of the work.
        if tables == table { return "DELETE FROM \(table) WHERE \(condition)" }
        return
            "DELETE FROM \(table) WHERE \(raw: Self.table).\"_rowid_\" IN (SELECT \(raw: Self.table).\"_rowid_\" \(rows))"
    }

    /// Returns the statement that updates all matching rows without limit and offset.
    ///
    /// - Parameter assignments: The content of the SET clause, whose columns belong to ``table``.
    func update(_ assignments: SQLQuery) -> SQLQuery {
        let table: SQLQuery = "\(name: tableName) AS \(raw: Self.table)"
        let update: SQLQuery = "UPDATE \(table) SET \(assignments)"
        guard let condition else { return update }
        if tables == table { return "\(update) WHERE \(condition)" }
        return "\(update) WHERE \(raw: Self.table).\"_rowid_\" IN (SELECT \(raw: Self.table).\"_rowid_\" \(rows))"
    }

    private var rows: SQLQuery {
        guard !excludedKeys.isEmpty else { return rows(where: condition) }
        return rows(where: condition.map { "(\($0)) AND NOT \(isExcluded)" } ?? "NOT \(isExcluded)")
    }

    private func rows(where condition: SQLQuery?) -> SQLQuery {
        guard let condition else { return "FROM \(tables)" }
        return "FROM \(tables) WHERE \(condition)"
    }

    /// A single parameter for any number of keys, so that the statement is prepared once.
    private var isExcluded: SQLQuery {
        let keys = "[\(excludedKeys.map(String.init).joined(separator: ","))]"
        let key: SQLQuery = "\(raw: Self.table).\"_rowid_\""
        return excludedKeys.count == 1
            ? "(\(key) = \(value: .integer(excludedKeys[0])))"
            : "(\(key) IN (SELECT value FROM json_each(\(value: .text(keys)))))"
    }
}

extension PredicateSQL {
    /// Returns a condition for WHERE, or `nil` if it is always true.
    ///
    /// - Parameter isKnown: Returns whether a conjunct is known to be true and can be omitted.
    mutating func topCondition(_ tree: Tree, without isKnown: (Tree) -> Bool = { _ in false }) throws -> SQLQuery? {
        let terms = try tree.conjuncts.filter { !isKnown($0) }.map { try condition($0, .nullIsFalse) }
            .filter { $0 != "1" }
        return terms.isEmpty ? nil : terms.chained(" AND ")
    }
}

extension SQLQuery {
    /// ` LIMIT … OFFSET …`, or `nil` without either. Negative numbers count as 0.
    init?(limit: Int?, offset: Int?) {
        let offset = offset.flatMap { $0 > 0 ? Int64($0) : nil }
        switch (limit.map { Int64(max($0, 0)) }, offset) {
        case (nil, nil): return nil
        case (let limit?, nil): self = " LIMIT \(value: .integer(limit))"
        // SQLite has no OFFSET without LIMIT; a negative limit is no limit.
        // https://www.sqlite.org/lang_select.html#limitoffset
        case (let limit, let offset?):
            self = " LIMIT \(value: .integer(limit ?? -1)) OFFSET \(value: .integer(offset))"
        }
    }
}
