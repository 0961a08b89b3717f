public import ChronicleCore

/// The tables that the key paths of a predicate refer to, for ``PredicateSQL``.
///
/// ``FetchSQL`` contains the source for models. Write one for other objects, such as transactions of the history:
/// ```swift
/// struct TransactionSource: PredicateSource {
///     let dialect: any SQLDialect = PostgreSQLDialect()
///
///     func operand(_ path: PredicateTree<HistoryProperty>.Path) throws -> SQLOperand {
///         switch path.properties.last {
///         case .author: SQLOperand(sql: "h.author", type: .text, isOptional: true)
///         case .transactionIdentifier: SQLOperand(sql: "h.position", type: .integer)
///         default: throw SwiftDataError.unsupportedPredicate.with(detail: "…")
///         }
///     }
/// }
/// ```
public protocol PredicateSource {
    /// The properties in the paths of the predicate.
    associatedtype Property: PredicateProperty
    /// The predicates of the source.
    typealias Tree = PredicateTree<Property>

    /// The dialect of the database.
    var dialect: any SQLDialect { get }

    /// Returns the value at the end of a path.
    ///
    /// - Parameter path: A path of the predicate.
    /// - Returns: The value.
    /// - Throws: `SwiftDataError.unsupportedPredicate` if the source has no such value; the detail names it.
    mutating func operand(_ path: Tree.Path) throws -> SQLOperand

    /// Begins a subquery over elements and defines its variable. By default, elements are not supported.
    ///
    /// - Parameter elements: The elements. The caller translates their filter.
    /// - Returns: The condition that relates the rows to their owner.
    /// - Throws: `SwiftDataError.unsupportedPredicate` if the source has no such elements.
    mutating func enter(_ elements: Tree.Elements) throws -> SQLQuery

    /// Returns the content of the FROM clause for a variable's query, which is complete after all its conditions were
    /// translated. By default, it is empty.
    ///
    /// - Parameter variable: The subject, or the variable of elements.
    /// - Returns: The tables.
    func tables(of variable: Tree.Variable) -> SQLQuery

    /// Returns the query for the number of rows of a subquery. By default, it is `SELECT count(*)` and the rows.
    ///
    /// - Parameter rows: The query from FROM on.
    /// - Returns: The query.
    func count(_ rows: SQLQuery) -> SQLQuery

    /// Returns the values by which the elements of a variable are ordered, as in memory, or `nil` if they have no order.
    /// By default, they have none.
    ///
    /// - Parameter variable: The variable of elements.
    /// - Returns: An expression for the order.
    func order(of variable: Tree.Variable) -> SQLQuery?

    /// Returns the primary key of a captured identifier among the references to an entity. By default, there is none.
    ///
    /// - Parameters:
    ///   - identifier: An identifier.
    ///   - entityName: The name of the root entity.
    /// - Returns: The key, or `nil` if the identifier belongs to another entity or store, or was never saved.
    func key(of identifier: PersistentIdentifier, in entityName: String) -> Int64?

    /// Returns any identifier of an entity in this store, to order identifiers of different entities.
    ///
    /// - Parameter entityName: The name of the root entity.
    /// - Returns: An identifier.
    func anyIdentifier(in entityName: String) -> PersistentIdentifier

    /// Returns a comparison with the end of a path that requires more than an operand. By default, operands are sufficient.
    ///
    /// - Parameters:
    ///   - path: A path of the predicate.
    ///   - order: The order, or `nil` for an equality.
    ///   - other: The value to compare with.
    /// - Returns: A condition that is never NULL, or `nil` if operands are sufficient.
    /// - Throws: `SwiftDataError.unsupportedPredicate` if the values cannot be compared.
    mutating func condition(_ path: Tree.Path, _ order: Tree.Order?, _ other: Tree) throws -> SQLQuery?

    /// Returns a membership condition that requires more than an operand. By default, operands are sufficient.
    ///
    /// - Parameters:
    ///   - path: A path of the predicate.
    ///   - list: The values of which the end of the path must be one.
    /// - Returns: A condition that is never NULL, or `nil` if operands are sufficient.
    /// - Throws: `SwiftDataError.unsupportedPredicate` if the values cannot be compared.
    mutating func membership(_ path: Tree.Path, _ list: [PropertyValue]) throws -> SQLQuery?
}

extension PredicateSource {
    public mutating func enter(_ elements: Tree.Elements) throws -> SQLQuery {
        throw SwiftDataError.unsupportedPredicate.with(
            detail: "elements of \(elements.path.properties.last?.name ?? "the object") cannot be used in a predicate")
    }

    public func tables(of variable: Tree.Variable) -> SQLQuery { "" }

    public func order(of variable: Tree.Variable) -> SQLQuery? { nil }

    public func count(_ rows: SQLQuery) -> SQLQuery { "SELECT count(*) \(rows)" }

    public func key(of identifier: PersistentIdentifier, in entityName: String) -> Int64? { nil }

    public func anyIdentifier(in entityName: String) -> PersistentIdentifier {
        PersistentIdentifier.Origin(storeIdentifier: "", entityName: entityName).identifier(0)
    }

    public func condition(_ path: Tree.Path, _ order: Tree.Order?, _ other: Tree) throws -> SQLQuery? { nil }

    public func membership(_ path: Tree.Path, _ list: [PropertyValue]) throws -> SQLQuery? { nil }
}
