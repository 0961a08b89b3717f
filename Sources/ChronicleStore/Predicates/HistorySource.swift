import ChronicleCore
import ChronicleSQL
import ChronicleSQLite

/// The tables of the history: a header `h`, its source `s`, and the changes `c1`, `c2`, … from `h.old_value` on.
///
/// See ``ChangeTable`` for the columns.
struct HistorySource: PredicateSource {
    typealias Property = HistoryProperty

    let dialect: any SQLDialect = SQLiteDialect()
    let storeIdentifier: String
    /// Returns the number of an entity in the history, or the numbers of all entities with that root; none if the
    /// history does not contain it.
    typealias EntityNumbers = (_ name: String, _ isRoot: Bool) throws -> [Int64]

    let entityNumbers: EntityNumbers
    private var aliases: [Tree.Variable: SQLQuery] = [:]

    init(storeIdentifier: String, entityNumbers: @escaping EntityNumbers) {
        self.storeIdentifier = storeIdentifier
        self.entityNumbers = entityNumbers
    }

    // MARK: Paths

    mutating func operand(_ path: Tree.Path) throws -> SQLOperand {
        switch path.properties.last {
        case .author: return SQLOperand(sql: "s.author", type: .text, isOptional: true)
        case .contextName: return SQLOperand(sql: "s.context", type: .text, isOptional: true)
        case .metadata(let key):
            return SQLOperand(
                sql:
                    "(SELECT value FROM \(raw: MetadataTable.name) WHERE position = h.id AND name = \(value: .text(key)))",
                type: .text, isOptional: true)
        // External transactions have neither.
        case .bundleIdentifier: return SQLOperand(sql: "ifnull(s.program, '')", type: .text)
        case .processIdentifier: return SQLOperand(sql: "ifnull(CAST(h.new_value AS TEXT), '')", type: .text)
        case .isExternal: return SQLOperand(sql: "(s.id = \(raw: "\(SourceTable.external)"))", type: .integer)
        case .timestamp: return SQLOperand(sql: "h.primary_key", type: .real)
        case .transactionIdentifier: return SQLOperand(sql: "h.id", type: .integer)
        case .storeIdentifier, .changedStoreIdentifier: return SQLOperand(constant: .text(storeIdentifier), dialect)
        case .changedEntityName:
            let change = try alias(path)
            return SQLOperand(
                sql: "(SELECT name FROM chronicle_entity WHERE id = \(entity(of: change)))", type: .text)
        case .token, .changes, .changedPersistentIdentifier, nil:
            throw SwiftDataError.unsupportedPredicate.with(
                detail: "\(path.properties.last?.name ?? "a transaction") cannot be used in this expression",
                propertyName: path.properties.last?.name)
        }
    }

    private func alias(_ path: Tree.Path) throws -> SQLQuery {
        guard let alias = aliases[path.variable] else {
            throw SwiftDataError.unsupportedPredicate.with(detail: "a variable is used outside of its closure")
        }
        return alias
    }

    // MARK: Changes

    mutating func enter(_ elements: Tree.Elements) throws -> SQLQuery {
        let change = SQLQuery(raw: "c\(elements.variable.number)")
        aliases[elements.variable] = change
        return "\(change).id BETWEEN h.old_value AND h.id AND \(raw: ChangeTable.isOperation("\(change.sql)."))"
    }

    func tables(of variable: Tree.Variable) -> SQLQuery {
        "\(raw: ChangeTable.name) AS \(aliases[variable] ?? "h")"
    }

    private func entity(of change: SQLQuery) -> SQLQuery { "\(raw: ChangeTable.entity("\(change.sql)."))" }

    func order(of variable: Tree.Variable) -> SQLQuery? { aliases[variable].map { "\($0).id" } }

    // MARK: Identifiers

    func key(of identifier: PersistentIdentifier, in entityName: String) -> Int64? { nil }

    func anyIdentifier(in entityName: String) -> PersistentIdentifier {
        PersistentIdentifier.Origin(storeIdentifier: storeIdentifier, entityName: entityName).identifier(0)
    }

    mutating func condition(_ path: Tree.Path, _ order: Tree.Order?, _ other: Tree) throws -> SQLQuery? {
        switch (path.properties.last, order, other) {
        case (.token, _, .foreign(let token as DefaultHistoryToken)): position(order, token)
        case (.changedPersistentIdentifier, nil, .constant(.reference(let identifier))):
            try membership(path, [.reference(identifier)])
        case (.changedEntityName, nil, .constant(.text(let name))): try membership(path, [.text(name)])
        default: nil
        }
    }

    mutating func membership(_ path: Tree.Path, _ list: [PropertyValue]) throws -> SQLQuery? {
        switch path.properties.last {
        case .changedPersistentIdentifier: return try models(list, try alias(path))
        case .changedEntityName:
            let numbers = try list.flatMap { value -> [PropertyValue] in
                guard case .text(let name) = value else { return [] }
                return try entityNumbers(name, false).map { .integer($0) }
            }
            let entity = SQLOperand(sql: entity(of: try alias(path)), type: .integer)
            return dialect.isOneOf(entity, numbers) ?? "0"
        default: return nil
        }
    }

    /// Returns the condition that a change affects one of these models, grouped by entity.
    private func models(_ list: [PropertyValue], _ change: SQLQuery) throws -> SQLQuery {
        var keys: [String: [PropertyValue]] = [:]
        for case .reference(let identifier) in list where identifier.storeIdentifier == storeIdentifier {
            guard let key = identifier.integerPrimaryKey else { continue }
            keys[identifier.rootEntityName, default: []].append(.integer(key))
        }
        let conditions = try keys.sorted { $0.key < $1.key }.compactMap { name, keys -> SQLQuery? in
            let numbers = try entityNumbers(name, true).map(PropertyValue.integer)
            let entity = SQLOperand(sql: entity(of: change), type: .integer)
            guard let isEntity = dialect.isOneOf(entity, numbers) else { return nil }
            let key = SQLOperand(sql: "\(change).primary_key", type: .integer)
            return dialect.isOneOf(key, keys).map {
                "\(isEntity) AND \($0)"
            }
        }
        return conditions.isEmpty ? "0" : "(\(conditions.joined(" OR ")))"
    }

    // MARK: Tokens

    /// Compares the position of a token in this store; its positions in other stores are irrelevant.
    private func position(_ order: Tree.Order?, _ token: DefaultHistoryToken) -> SQLQuery {
        guard let position = token.position(in: storeIdentifier) else { return "0" }
        if let order { return "h.id \(raw: order.rawValue) \(value: .integer(position))" }
        // The token of a transaction contains the position of a single store.
        return token.tokenValue?.count == 1 ? "h.id = \(value: .integer(position))" : "0"
    }
}
