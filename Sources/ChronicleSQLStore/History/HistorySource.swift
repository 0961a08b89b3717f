package import ChronicleCore
package import ChronicleSQL
import Foundation

/// The tables of the history in predicates: a transaction `h`, and its changes `c1`, `c2`, ….
package struct HistorySource<Columns: HistoryColumns>: PredicateSource {
    package typealias Property = HistoryProperty

    package let dialect: any SQLDialect
    private let storeIdentifier: String
    private let columns: Columns
    private var aliases: [Tree.Variable: SQLQuery] = [:]

    package init(_ columns: Columns, storeIdentifier: String) {
        (self.columns, self.storeIdentifier, dialect) = (columns, storeIdentifier, columns.dialect)
    }

    // MARK: Paths

    package mutating func operand(_ path: Tree.Path) throws -> SQLOperand {
        switch path.properties.last {
        case .author: return SQLOperand(sql: columns.author, type: .text, isOptional: true)
        case .contextName: return SQLOperand(sql: columns.contextName, type: .text, isOptional: true)
        case .metadata(let key):
            guard dialect.canRepresent(.text(key)) else { return SQLOperand(constant: .null, dialect) }
            return SQLOperand(sql: columns.metadata(key), type: .text, isOptional: true)
        case .bundleIdentifier: return SQLOperand(sql: columns.bundleIdentifier, type: .text)
        case .processIdentifier: return SQLOperand(sql: columns.processIdentifier, type: .text)
        case .isExternal: return SQLOperand(sql: columns.isExternal, type: .integer)
        case .timestamp: return SQLOperand(sql: columns.timestamp, type: .real)
        case .transactionIdentifier: return SQLOperand(sql: columns.position, type: .integer)
        case .storeIdentifier, .changedStoreIdentifier: return SQLOperand(constant: .text(storeIdentifier), dialect)
        case .changedEntityName:
            let entity = columns.entity(of: try alias(path))
            return SQLOperand(
                sql: "(SELECT name FROM \(raw: columns.table("chronicle_entity")) WHERE id = \(entity))", type: .text)
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

    package mutating func enter(_ elements: Tree.Elements) throws -> SQLQuery {
        let change = SQLQuery(raw: "c\(elements.variable.number)")
        aliases[elements.variable] = change
        return columns.isPart(change)
    }

    package func tables(of variable: Tree.Variable) -> SQLQuery {
        "\(raw: columns.table("chronicle_change")) AS \(aliases[variable] ?? "h")"
    }

    package func order(of variable: Tree.Variable) -> SQLQuery? { aliases[variable].map { "\($0).id" } }

    // MARK: Identifiers

    package func anyIdentifier(in entityName: String) -> PersistentIdentifier {
        PersistentIdentifier.Origin(storeIdentifier: storeIdentifier, entityName: entityName).identifier(0)
    }

    package mutating func condition(_ path: Tree.Path, _ order: Tree.Order?, _ other: Tree) throws -> SQLQuery? {
        switch (path.properties.last, order, other) {
        case (.token, _, .foreign(let token as DefaultHistoryToken)): position(order, token)
        case (.changedPersistentIdentifier, nil, .constant(.reference(let identifier))):
            try membership(path, [.reference(identifier)])
        case (.changedEntityName, nil, .constant(.text(let name))): try membership(path, [.text(name)])
        default: nil
        }
    }

    package mutating func membership(_ path: Tree.Path, _ list: [PropertyValue]) throws -> SQLQuery? {
        switch path.properties.last {
        case .changedPersistentIdentifier: return try models(list, try alias(path))
        case .changedEntityName:
            let numbers = try list.flatMap { value -> [Int64] in
                guard case .text(let name) = value else { return [] }
                return try columns.numbers(ofEntity: name, isRoot: false)
            }
            return isOneOf(columns.entity(of: try alias(path)), numbers) ?? dialect.false
        default: return nil
        }
    }

    /// Returns the condition with the models grouped by entity.
    private func models(_ list: [PropertyValue], _ change: SQLQuery) throws -> SQLQuery {
        var keys: [String: [Int64]] = [:]
        for case .reference(let identifier) in list where identifier.storeIdentifier == storeIdentifier {
            guard let key = identifier.integerPrimaryKey else { continue }
            keys[identifier.rootEntityName, default: []].append(key)
        }
        let conditions = try keys.sorted { $0.key < $1.key }.compactMap { name, keys -> SQLQuery? in
            let numbers = try columns.numbers(ofEntity: name, isRoot: true)
            guard let isEntity = isOneOf(columns.entity(of: change), numbers) else { return nil }
            return isOneOf("\(change).primary_key", keys).map { "\(isEntity) AND \($0)" }
        }
        return conditions.isEmpty ? dialect.false : "(\(conditions.joined(" OR ")))"
    }

    /// `nil` if the list is empty.
    private func isOneOf(_ number: SQLQuery, _ list: [Int64]) -> SQLQuery? {
        dialect.isOneOf(SQLOperand(sql: number, type: .integer), list.map(PropertyValue.integer))
    }

    // MARK: Tokens

    /// Positions of the token in other stores are irrelevant.
    private func position(_ order: Tree.Order?, _ token: DefaultHistoryToken) -> SQLQuery {
        guard let position = token.position(in: storeIdentifier) else { return dialect.false }
        if let order { return "\(columns.position) \(raw: order.rawValue) \(value: .integer(position))" }
        // The token of a transaction contains the position of a single store.
        return token.tokenValue?.count == 1 ? "\(columns.position) = \(value: .integer(position))" : dialect.false
    }

    // MARK: Order

    func order(_ descriptors: [SortDescriptor<DefaultHistoryTransaction>]) throws -> [SQLQuery] {
        var source = self
        var terms: [SQLQuery] = []
        for descriptor in descriptors {
            let property = descriptor.keyPath.flatMap { HistoryProperty($0) }
            guard let property, property.isOrdered, descriptor.isLexical else {
                throw SwiftDataError.unsupportedSortDescriptor.with(
                    detail: "the history cannot be sorted by \(property?.name ?? "this key path"); sort the result "
                        + "instead")
            }
            let isDescending = descriptor.order == .reverse
            switch property {
            // All transactions have the same.
            case .storeIdentifier: continue
            // Positions are unique, so further terms have no effect.
            case .token, .transactionIdentifier: return terms + columns.positionOrder(isDescending: isDescending)
            default:
                let operand = try source.operand(Tree.Path(variable: .subject, properties: [property]))
                terms.append(dialect.order(operand, isDescending: isDescending))
            }
        }
        return terms + columns.positionOrder(isDescending: false)
    }
}
