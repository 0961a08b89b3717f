#if Postgres
    import ChronicleCore
    import ChronicleSQL

    /// The tables of the history in predicates: a transaction `h`, and its changes `c1`, `c2`, ….
    struct HistorySource: PredicateSource {
        typealias Property = HistoryProperty

        let dialect: any SQLDialect
        let storeIdentifier: String
        private let catalog: HistoryCatalog
        private var aliases: [Tree.Variable: SQLQuery] = [:]

        init(storeIdentifier: String, catalog: HistoryCatalog) {
            (self.storeIdentifier, self.catalog, dialect) = (storeIdentifier, catalog, catalog.dialect)
        }

        // MARK: Paths

        mutating func operand(_ path: Tree.Path) throws -> SQLOperand {
            switch path.properties.last {
            case .author: return SQLOperand(sql: "h.author", type: .text, isOptional: true)
            case .contextName: return SQLOperand(sql: "h.context", type: .text, isOptional: true)
            case .metadata(let key):
                guard dialect.canRepresent(.text(key)) else { return SQLOperand(constant: .null, dialect) }
                return SQLOperand(sql: "(h.metadata ->> \(value: .text(key)))", type: .text, isOptional: true)
            // External transactions have neither.
            case .bundleIdentifier: return SQLOperand(sql: "coalesce(h.bundle, '')", type: .text)
            case .processIdentifier: return SQLOperand(sql: "coalesce(h.process, '')", type: .text)
            case .isExternal:
                return SQLOperand(sql: dialect.value(of: "coalesce(h.process, '') = ''"), type: .integer)
            case .timestamp: return SQLOperand(sql: "h.timestamp", type: .real)
            case .transactionIdentifier: return SQLOperand(sql: "h.position", type: .integer)
            case .storeIdentifier, .changedStoreIdentifier:
                return SQLOperand(constant: .text(storeIdentifier), dialect)
            case .changedEntityName:
                let change = try alias(path)
                return SQLOperand(
                    sql: "(SELECT name FROM \(raw: dialect.table("chronicle_entity")) WHERE id = \(change).entity)",
                    type: .text)
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
            return "\(change).transaction = h.transaction AND \(change).id BETWEEN h.first_change AND h.last_change"
        }

        func tables(of variable: Tree.Variable) -> SQLQuery {
            "\(raw: dialect.table("chronicle_change")) AS \(aliases[variable] ?? "h")"
        }

        func order(of variable: Tree.Variable) -> SQLQuery? { aliases[variable].map { "\($0).id" } }

        // MARK: Identifiers and tokens

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
            case .changedPersistentIdentifier: return models(list, try alias(path))
            case .changedEntityName:
                let numbers = list.flatMap { value -> [Int64] in
                    guard case .text(let name) = value else { return [] }
                    return catalog.numbers(ofEntity: name, isRoot: false)
                }
                return dialect.isOneOf("\(try alias(path)).entity", keys: numbers)
            default: return nil
            }
        }

        /// Returns the condition that a change affects one of these models, grouped by entity.
        private func models(_ list: [PropertyValue], _ change: SQLQuery) -> SQLQuery {
            var keys: [String: [Int64]] = [:]
            for case .reference(let identifier) in list where identifier.storeIdentifier == storeIdentifier {
                guard let key = identifier.integerPrimaryKey else { continue }
                keys[identifier.rootEntityName, default: []].append(key)
            }
            let conditions = keys.sorted { $0.key < $1.key }.map { name, keys -> SQLQuery in
                let isEntity = dialect.isOneOf(
                    "\(change).entity", keys: catalog.numbers(ofEntity: name, isRoot: true))
                return "\(isEntity) AND \(dialect.isOneOf("\(change).primary_key", keys: keys))"
            }
            return conditions.isEmpty ? dialect.false : "(\(conditions.joined(" OR ")))"
        }

        /// Compares the position of a token in this store; its positions in other stores are irrelevant.
        private func position(_ order: Tree.Order?, _ token: DefaultHistoryToken) -> SQLQuery {
            guard let position = token.position(in: storeIdentifier) else { return dialect.false }
            if let order { return "h.position \(raw: order.rawValue) \(value: .integer(position))" }
            // The token of a transaction contains the position of a single store.
            return token.tokenValue?.count == 1 ? "h.position = \(value: .integer(position))" : dialect.false
        }
    }
#endif
