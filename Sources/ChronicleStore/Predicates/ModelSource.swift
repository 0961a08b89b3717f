import ChronicleCore
import ChronicleSQLite

/// The tables of models: one for each entity, with a column for each stored property.
///
/// The alias of the fetched models' table is `t`. Elements are `e1`, `e2`, …, the links to them `l1`, `l2`, …, and the
/// destinations of to-one relationships `j1`, `j2`, … The elements of a JSON array are `v1`, `v2`, …
struct ModelSource: PredicateSource {
    typealias Property = ModelProperty

    let schema: Schema
    let storeIdentifier: String
    /// The tables as of a position, or `nil` for the present rows.
    private let past: PastTables?
    private var scopes: [Tree.Variable: Scope] = [:]
    private var values: [Tree.Variable: JSONElements] = [:]
    private var aliasCount = 0

    /// A query or a subquery with the rows of its variable.
    private struct Scope {
        let table: Table
        /// The links that reference the rows.
        var links: Links?
        var joins: [Join] = []
    }

    private struct Links {
        let source: String
        let alias: String
        let columns: (from: String, to: String)
    }

    private struct Table {
        let entity: Schema.Entity
        let alias: String
        /// The changed rows of a table that is joined by primary key.
        var joined: PastTable?

        var id: SQLQuery { column(RecordedTable.primaryKey) }

        func column(_ name: String) -> SQLQuery {
            if let joined { return "\(raw: joined.joinedValue(name, alias))" }
            return "\(raw: alias).\(name: name)"
        }

        /// The condition that the row is of one of some subentities.
        func isKind(_ names: [String]) -> SQLQuery {
            "\(raw: FetchSQL.kind(names, column(Schema.entityAttribute).sql))"
        }
    }

    private struct Join {
        /// The column that the join follows.
        let reference: SQLQuery
        /// The destination of the reference.
        let table: Table
    }

    init(_ entity: Schema.Entity, _ schema: Schema, storeIdentifier: String, past: PastTables? = nil) {
        self.past = past
        self.schema = schema
        self.storeIdentifier = storeIdentifier
        scopes[.subject] = Scope(table: Table(entity: entity, alias: Self.subject))
    }

    /// The alias of the fetched models' table.
    static let subject = "t"

    // MARK: Paths

    mutating func operand(_ path: Tree.Path) throws -> SQLOperand {
        let members = path.members
        if let elements = values[path.variable] { return try elements.element.operand(members) }
        if !members.isEmpty {
            var attribute = path
            attribute.properties.removeLast(members.count)
            return try JSONValue(operand(attribute), .json).operand(members)
        }
        let (table, property, isJoined, isKind) = try owner(of: path)
        /// Returns a value that is NULL if a cast fails.
        func cast(_ value: SQLQuery) -> SQLQuery { isKind.map { "CASE WHEN \($0) THEN \(value) END" } ?? value }
        switch property {
        case nil, .identifier, .cast:
            return SQLOperand(key: cast(table.id), of: table.entity.rootName, isOptional: isJoined)
        case .entityName:
            throw SwiftDataError.unsupportedPredicate.with(
                detail: "an entity name cannot be a value of a predicate; use `is` with the model class")
        case .stored(let property):
            if property.relationship?.isToMany == true { throw unsupported(property, "is a to-many relationship") }
            var operand = SQLOperand(sql: cast(table.column(property.name)), storageClass: property.storageClass)
            operand.entityName = property.relationship.map { root(of: $0.destination) }
            operand.isOptional = isJoined || property.isOptional
            operand.nan = operand.storageClass == .real ? .blob : .none
            return operand
        case .member(let member):
            throw SwiftDataError.unsupportedPredicate.with(
                detail: "the member \(member.name) does not follow an attribute", propertyName: member.name)
        }
    }

    private func root(of entityName: String) -> String { schema.entitiesByName[entityName]?.rootName ?? entityName }

    /// Returns the condition of a cast to an entity, or `nil` if every row of the table is of that entity.
    private func condition(ofCastTo entityName: String, _ table: Table) -> SQLQuery? {
        table.entity.isKind(of: entityName) ? nil : table.isKind(schema.kinds(of: entityName).sorted())
    }

    /// Returns the table with the last column of a path, that column, whether the table is joined, and the condition of
    /// a cast before the last column.
    private mutating func owner(
        of path: Tree.Path
    ) throws -> (Table, column: ModelProperty?, isJoined: Bool, isKind: SQLQuery?) {
        var properties = path.properties
        // The key of a destination is in the column that references it.
        if properties.count > 1, properties.last == .identifier { properties.removeLast() }
        var table = try scope(path.variable).table
        var isKind: SQLQuery?
        for (index, step) in properties.enumerated() {
            if case .cast(let entityName) = step {
                guard let condition = condition(ofCastTo: entityName, table) else { continue }
                table = Table(entity: try entity(entityName), alias: table.alias, joined: table.joined)
                isKind = condition
            } else if index < properties.count - 1, case .stored(let property) = step {
                guard let relationship = property.relationship else {
                    throw unsupported(property, "is not a relationship")
                }
                let column = table.column(property.name)
                table = try join(
                    isKind.map { "CASE WHEN \($0) THEN \(column) END" } ?? column, relationship, path.variable)
                isKind = nil
            }
        }
        return (table, properties.last, properties.count > 1, isKind)
    }

    mutating func membership(_ path: Tree.Path, _ list: [PropertyValue]) throws -> SQLQuery? {
        guard path.properties.last == .entityName else { return nil }
        let names = list.compactMap { name in if case .text(let name) = name { name } else { nil } }
        let (table, _, isJoined, isKind) = try owner(of: path)
        var conditions = isKind.map { [$0] } ?? []
        if isJoined { conditions.append("\(table.id) IS NOT NULL") }
        // Rows of the root contain no name.
        if !names.contains(where: table.entity.isKind) {
            conditions.append(table.isKind(names))
        }
        return conditions.isEmpty ? "1" : "(\(conditions.joined(" AND ")))"
    }

    private func unsupported(_ property: Schema.Property, _ detail: String) -> SwiftDataError {
        .unsupportedPredicate.with(detail: "\(property.name) \(detail)", propertyName: property.name)
    }

    // MARK: Tables

    private func scope(_ variable: Tree.Variable) throws -> Scope {
        guard let scope = scopes[variable] else {
            throw SwiftDataError.unsupportedPredicate.with(detail: "a variable is used outside of its closure")
        }
        return scope
    }

    private func entity(_ name: String) throws -> Schema.Entity {
        guard let entity = schema.entitiesByName[name] else {
            throw SwiftDataError.unknownSchema.with(entityName: name)
        }
        return entity
    }

    private mutating func newTable(_ letter: String, _ entityName: String) throws -> Table {
        aliasCount += 1
        return Table(entity: try entity(entityName), alias: "\(letter)\(aliasCount)")
    }

    /// Returns the rows that a column references. The outer join by primary key neither removes nor duplicates rows.
    private mutating func join(
        _ reference: SQLQuery, _ relationship: Schema.Relationship, _ variable: Tree.Variable
    ) throws -> Table {
        if let known = try scope(variable).joins.first(where: { $0.reference == reference }) { return known.table }
        var table = try newTable("j", relationship.destination)
        table.joined = past?.tables[table.entity.rootName]
        scopes[variable]?.joins.append(Join(reference: reference, table: table))
        return table
    }

    func tables(of variable: Tree.Variable) -> SQLQuery {
        if let elements = values[variable] { return elements.table }
        guard let scope = scopes[variable] else { return "" }
        var first: SQLQuery = "\(raw: source(scope.table.entity.rootName)) AS \(raw: scope.table.alias)"
        if let links = scope.links {
            first = """
                \(raw: links.source) AS \(raw: links.alias) JOIN \(first) \
                ON \(scope.table.id) = \(raw: links.alias).\(raw: links.columns.to)
                """
        }
        return scope.joins.reduce(first) { tables, join in
            if let joined = join.table.joined {
                return "\(tables) \(joined.join(join.reference, as: join.table.alias))"
            }
            return """
                \(tables) LEFT JOIN \(name: join.table.entity.rootName) AS \(raw: join.table.alias) \
                ON \(join.table.id) = \(join.reference)
                """
        }
    }

    private func source(_ name: String) -> String { past?.source(name) ?? quoted(name) }

    /// Whether the query reads a table of models that has changed since its position.
    var readsChangedRows: Bool {
        guard let past, !past.tables.isEmpty || !past.links.isEmpty else { return false }
        return scopes.values.contains { scope in
            scope.links != nil || past.tables[scope.table.entity.rootName] != nil
                || scope.joins.contains { $0.table.joined != nil }
        }
    }

    /// The table of the fetched models as of a position, if it has changed and conditions refer to no other table.
    var onlyChangedTable: PastTable? {
        guard scopes.count == 1, let scope = scopes[.subject], scope.joins.isEmpty else { return nil }
        return past?.tables[scope.table.entity.rootName]
    }

    /// A subquery would compute all rows of ``PastTable/source`` if it were an aggregate query itself. The limit prevents
    /// SQLite from combining both. https://www.sqlite.org/optoverview.html#flattening
    func count(_ rows: SQLQuery) -> SQLQuery {
        past == nil ? "SELECT count(*) \(rows)" : "SELECT count(*) FROM (SELECT 1 \(rows) LIMIT -1)"
    }

    // MARK: Elements

    mutating func enter(_ elements: Tree.Elements) throws -> SQLQuery {
        if let last = elements.path.properties.last, let form = last.elementForm {
            aliasCount += 1
            values[elements.variable] = JSONElements(
                array: try operand(elements.path).sql, form: form, isOptional: last.hasOptionalElements,
                alias: "v\(aliasCount)")
            return "1"
        }
        guard case .stored(let property) = elements.path.properties.last, let relationship = property.relationship,
            relationship.isToMany
        else {
            throw SwiftDataError.unsupportedPredicate.with(
                detail: "only elements of a to-many relationship can be used in a predicate")
        }
        var path = elements.path
        path.properties.removeLast()
        let owner = try operand(path)
        let table = try newTable("e", relationship.destination)
        scopes[elements.variable] = Scope(table: table)
        if let links = schema.links(of: property) {
            let alias = "l" + table.alias.dropFirst()
            let columns = LinkTable.columns(of: property, in: links)
            let source = try past?.linkSource(links.name) ?? quoted(links.name)
            scopes[elements.variable]?.links = Links(source: source, alias: alias, columns: columns)
            return "\(raw: alias).\(raw: columns.from) = \(owner.sql)\(isKind(table))"
        }
        guard let inverseName = relationship.inverseName else {
            throw unsupported(property, "has no inverse relationship")
        }
        return "\(table.column(inverseName)) = \(owner.sql)\(isKind(table))"
    }

    /// Returns the additional condition of a table whose rows belong to several entities.
    private func isKind(_ table: Table) -> SQLQuery {
        if table.entity.superentity == nil { return "" }
        return " AND \(table.isKind(schema.kinds(of: table.entity.name).sorted()))"
    }

    // MARK: Identifiers

    /// Returns the condition of a lookup.
    ///
    /// - Throws: ``SwiftDataError/unsupportedKeyPath`` if its property is not a to-one relationship.
    func condition(_ lookup: DataStoreLookup) throws -> SQLQuery {
        let table = try scope(.subject).table
        switch lookup {
        case .identifiers(let identifiers):
            return condition(table.id, identifiers, in: table.entity.rootName)
        case .references(let property, let identifiers):
            guard let relationship = property.relationship, !relationship.isToMany else {
                throw SwiftDataError.unsupportedKeyPath.with(
                    detail: "\(property.name) cannot be looked up because it is not a to-one relationship",
                    propertyName: property.name)
            }
            return condition(table.column(property.name), identifiers, in: root(of: relationship.destination))
        case .values(let properties, let combinations):
            if combinations.isEmpty { return "0" }
            let columns = properties.map { table.column($0.name) }.joined(", ")
            // SQLite uses an index for a list of rows. https://www.sqlite.org/rowvalue.html#row_value_in_comparisons
            return "(\(columns)) IN (VALUES \(SQLQuery(rows: combinations)))"
        }
    }

    private func condition(
        _ column: SQLQuery, _ identifiers: Set<PersistentIdentifier>, in entityName: String
    ) -> SQLQuery {
        let keys = identifiers.compactMap { key(of: $0, in: entityName).map(PropertyValue.integer) }
        if keys.count == 1 { return "\(column) = \(value: keys[0])" }
        return SQLList(keys).found(SQLOperand(key: column, of: entityName)) ?? "0"
    }

    func key(of identifier: PersistentIdentifier, in entityName: String) -> Int64? {
        guard identifier.storeIdentifier == storeIdentifier, identifier.rootEntityName == entityName else { return nil }
        return identifier.integerPrimaryKey
    }

    func anyIdentifier(in entityName: String) -> PersistentIdentifier {
        PersistentIdentifier.Origin(storeIdentifier: storeIdentifier, entityName: entityName).identifier(0)
    }
}
