import ChronicleCore

/// The tables of models. The alias of the fetched models' table is `t`. Elements are `e1`, `e2`, …, the links to them `l1`,
/// `l2`, …, the destinations of to-one relationships `j1`, `j2`, …, and the elements of a JSON array `v1`, `v2`, …
struct ModelSource: PredicateSource {
    typealias Property = ModelProperty

    let schema: Schema
    let storeIdentifier: String
    let dialect: any SQLDialect
    private let source: any SQLTables
    private let subjectName: String
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
        let source: SQLQuery
        let alias: String
        let columns: (from: String, to: String)
    }

    private struct Table {
        let entity: Schema.Entity
        let alias: String
        let dialect: any SQLDialect
        /// How the row is joined if not by a LEFT JOIN with the table.
        var join: SQLJoin?

        var id: SQLQuery { column(ModelTables.primaryKey) }

        func column(_ name: String) -> SQLQuery {
            join?.column(name) ?? "\(raw: alias).\(raw: dialect.quoted(name))"
        }

        func isKind(_ names: [String]) -> SQLQuery {
            dialect.isOneOf(column(Schema.entityAttribute), names: names)
        }
    }

    private struct Join {
        let reference: SQLQuery
        let table: Table
    }

    init(
        _ entity: Schema.Entity, _ schema: Schema, storeIdentifier: String, dialect: any SQLDialect,
        tables: any SQLTables
    ) {
        source = tables
        self.dialect = dialect
        self.schema = schema
        self.storeIdentifier = storeIdentifier
        subjectName = entity.rootName
        scopes[.subject] = Scope(table: Table(entity: entity, alias: Self.subject, dialect: dialect))
    }

    static let subject = "t"

    var id: SQLOperand {
        SQLOperand(
            key: "\(raw: Self.subject).\(raw: dialect.quoted(ModelTables.primaryKey))", of: subjectName)
    }

    // MARK: Paths

    mutating func operand(_ path: Tree.Path) throws -> SQLOperand {
        let members = path.members
        if let elements = values[path.variable] { return try elements.element(dialect).operand(members, dialect) }
        if !members.isEmpty {
            var attribute = path
            attribute.properties.removeLast(members.count)
            return try JSONValue(operand(attribute), .json).operand(members, dialect)
        }
        let (table, property, isJoined, isKind) = try owner(of: path)
        /// Returns a value that is NULL if a cast fails.
        func cast(_ value: SQLQuery) -> SQLQuery { isKind.map { "CASE WHEN \($0) THEN \(value) END" } ?? value }
        switch property {
        case nil, .identifier, .cast:
            return SQLOperand(
                key: cast(table.id), of: table.entity.rootName, isOptional: isJoined || isKind != nil)
        case .entityName:
            throw SwiftDataError.unsupportedPredicate.with(
                detail: "an entity name cannot be a value of a predicate; use `is` with the model class")
        case .stored(let property):
            if property.relationship?.isToMany == true { throw unsupported(property, "is a to-many relationship") }
            var operand = SQLOperand(sql: cast(table.column(property.name)), type: SQLType(property))
            operand.entityName = property.relationship.map { root(of: $0.destination) }
            operand.isOptional = isJoined || isKind != nil || property.isOptional
            operand.nan = operand.type == .real ? .stored : .none
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

    /// Also returns whether the table is joined, and the condition of a cast before the last column.
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
                table = Table(entity: try entity(entityName), alias: table.alias, dialect: dialect, join: table.join)
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
        return conditions.isEmpty ? dialect.true : "(\(conditions.joined(" AND ")))"
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
        return Table(entity: try entity(entityName), alias: "\(letter)\(aliasCount)", dialect: dialect)
    }

    /// The outer join by primary key neither removes nor duplicates rows.
    private mutating func join(
        _ reference: SQLQuery, _ relationship: Schema.Relationship, _ variable: Tree.Variable
    ) throws -> Table {
        if let known = try scope(variable).joins.first(where: { $0.reference == reference }) { return known.table }
        var table = try newTable("j", relationship.destination)
        table.join = source.join(table.entity.rootName, as: table.alias)
        scopes[variable]?.joins.append(Join(reference: reference, table: table))
        return table
    }

    func tables(of variable: Tree.Variable) -> SQLQuery {
        if let elements = values[variable] { return elements.table(dialect) }
        guard let scope = scopes[variable] else { return "" }
        let name = scope.table.entity.rootName
        var first: SQLQuery = "\(source.rows(of: name) ?? table(name)) AS \(raw: scope.table.alias)"
        if let links = scope.links {
            first = """
                \(links.source) AS \(raw: links.alias) JOIN \(first) \
                ON \(scope.table.id) = \(raw: links.alias).\(raw: links.columns.to)
                """
        }
        return scope.joins.reduce(first) { tables, join in
            if let custom = join.table.join { return "\(tables) \(custom.clause(join.reference))" }
            return """
                \(tables) LEFT JOIN \(table(join.table.entity.rootName)) AS \(raw: join.table.alias) \
                ON \(join.table.id) = \(join.reference)
                """
        }
    }

    private func table(_ name: String) -> SQLQuery { "\(raw: dialect.table(name))" }

    var tableNames: [String] {
        scopes.values.flatMap { scope in [scope.table.entity.rootName] + scope.joins.map(\.table.entity.rootName) }
    }

    var readsLinks: Bool { scopes.values.contains { $0.links != nil } }

    func count(_ rows: SQLQuery) -> SQLQuery { source.count(rows) }

    func order(of variable: Tree.Variable) -> SQLQuery? {
        values[variable].map { "\(raw: $0.alias).key" } ?? scopes[variable]?.table.id
    }

    // MARK: Elements

    mutating func enter(_ elements: Tree.Elements) throws -> SQLQuery {
        if let last = elements.path.properties.last, let form = last.elementForm {
            aliasCount += 1
            values[elements.variable] = JSONElements(
                array: try operand(elements.path).sql, form: form, isOptional: last.hasOptionalElements,
                alias: "v\(aliasCount)")
            return dialect.true
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
            let columns = ModelTables.linkColumns(of: property, in: links)
            let rows = try source.links(of: links.name) ?? self.table(links.name)
            scopes[elements.variable]?.links = Links(source: rows, alias: alias, columns: columns)
            return "\(raw: alias).\(raw: columns.from) = \(owner.sql)\(isKind(table))"
        }
        guard let inverseName = relationship.inverseName else {
            throw unsupported(property, "has no inverse relationship")
        }
        return "\(table.column(inverseName)) = \(owner.sql)\(isKind(table))"
    }

    private func isKind(_ table: Table) -> SQLQuery {
        if table.entity.superentity == nil { return "" }
        return " AND \(table.isKind(schema.kinds(of: table.entity.name).sorted()))"
    }

    // MARK: Identifiers

    /// Throws `SwiftDataError.unsupportedKeyPath` if the property of a lookup is not a to-one relationship.
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
            // An array, because another set would hash all values again.
            let combinations = Array(combinations.lazy.filter { $0.allSatisfy { dialect.canRepresent($0) } })
            if combinations.isEmpty { return dialect.false }
            if combinations.count == 1 {
                return zip(properties, combinations[0]).map { "\(table.column($0.name)) = \(value: $1)" }.joined(
                    " AND ")
            }
            let columns = properties.map { table.column($0.name) }.joined(", ")
            // Databases use an index for this list of rows: https://www.sqlite.org/rowvalue.html#row_value_in_comparisons
            return "(\(columns)) IN (VALUES \(SQLQuery(rows: combinations)))"
        }
    }

    private func condition(
        _ column: SQLQuery, _ identifiers: Set<PersistentIdentifier>, in entityName: String
    ) -> SQLQuery {
        let keys = identifiers.compactMap { key(of: $0, in: entityName).map(PropertyValue.integer) }
        if keys.count == 1 { return "\(column) = \(value: keys[0])" }
        return dialect.isOneOf(SQLOperand(key: column, of: entityName), keys) ?? dialect.false
    }

    func key(of identifier: PersistentIdentifier, in entityName: String) -> Int64? {
        guard identifier.storeIdentifier == storeIdentifier, identifier.rootEntityName == entityName else { return nil }
        return identifier.integerPrimaryKey
    }

    func anyIdentifier(in entityName: String) -> PersistentIdentifier {
        PersistentIdentifier.Origin(storeIdentifier: storeIdentifier, entityName: entityName).identifier(0)
    }
}
