import ChronicleCore

/// Knows the tables that a predicate's paths lead to.
protocol PredicateSource {
    associatedtype Property: PredicateProperty
    typealias Tree = PredicateTree<Property>

    /// The value at the end of a path.
    mutating func operand(_ path: Tree.Path) throws -> SQLOperand
    /// Begins a subquery over elements, whose variable is known from here on.
    ///
    /// - Returns: The condition that ties the rows to their owner.
    mutating func enter(_ elements: Tree.Elements) throws -> SQLQuery
    /// What stands behind the `FROM` of the query that a variable belongs to; complete when all of its conditions are.
    func tables(of variable: Tree.Variable) -> SQLQuery
    /// The integer by which a captured identifier is found among the references to an entity; `nil` when it is of another
    /// entity or store, or was never saved.
    func key(of identifier: PersistentIdentifier, in entityName: String) -> Int64?
    /// Some identifier of an entity in this store.
    func anyIdentifier(in entityName: String) -> PersistentIdentifier
    /// A comparison with the end of a path that takes more than an operand, or an equality where there is no order. It is
    /// never NULL. `nil` where operands do.
    mutating func condition(_ path: Tree.Path, _ order: Tree.Order?, _ other: Tree) throws -> SQLQuery?
    /// The same for the question whether the end of a path is in a list.
    mutating func membership(_ path: Tree.Path, _ list: [PropertyValue]) throws -> SQLQuery?
}

extension PredicateSource {
    func condition(_ path: Tree.Path, _ order: Tree.Order?, _ other: Tree) throws -> SQLQuery? { nil }
    func membership(_ path: Tree.Path, _ list: [PropertyValue]) throws -> SQLQuery? { nil }
}
