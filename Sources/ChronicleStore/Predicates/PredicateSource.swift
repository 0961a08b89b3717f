import ChronicleCore

/// The tables that the key paths of a predicate refer to.
protocol PredicateSource {
    associatedtype Property: PredicateProperty
    typealias Tree = PredicateTree<Property>

    /// Returns the value at the end of a path.
    mutating func operand(_ path: Tree.Path) throws -> SQLOperand
    /// Begins a subquery over elements and defines its variable.
    ///
    /// - Returns: The condition that relates the rows to their owner.
    mutating func enter(_ elements: Tree.Elements) throws -> SQLQuery
    /// Returns the content of the FROM clause for a variable's query, which is complete after all its conditions were
    /// translated.
    func tables(of variable: Tree.Variable) -> SQLQuery
    /// Returns the query for the number of rows of a query.
    ///
    /// - Parameter rows: The query from FROM on.
    func count(_ rows: SQLQuery) -> SQLQuery
    /// Returns the primary key of a captured identifier among the references to an entity, or `nil` if it belongs to
    /// another entity or store, or was never saved.
    func key(of identifier: PersistentIdentifier, in entityName: String) -> Int64?
    /// Returns any identifier of an entity in this store.
    func anyIdentifier(in entityName: String) -> PersistentIdentifier
    /// Returns a comparison with the end of a path that requires more than an operand; without an order, an equality.
    /// The condition is never NULL. Returns `nil` if operands are sufficient.
    mutating func condition(_ path: Tree.Path, _ order: Tree.Order?, _ other: Tree) throws -> SQLQuery?
    /// Returns a membership condition that requires more than an operand, or `nil` if operands are sufficient.
    mutating func membership(_ path: Tree.Path, _ list: [PropertyValue]) throws -> SQLQuery?
}

extension PredicateSource {
    func count(_ rows: SQLQuery) -> SQLQuery { "SELECT count(*) \(rows)" }
    func condition(_ path: Tree.Path, _ order: Tree.Order?, _ other: Tree) throws -> SQLQuery? { nil }
    func membership(_ path: Tree.Path, _ list: [PropertyValue]) throws -> SQLQuery? { nil }
}
