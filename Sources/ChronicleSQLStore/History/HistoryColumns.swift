package import ChronicleSQL

/// The SQL for the columns of a store's history, for ``HistorySource``: of a transaction `h`, and of a change with an
/// alias.
package protocol HistoryColumns {
    var dialect: any SQLDialect { get }

    /// The author, or NULL.
    var author: SQLQuery { get }
    /// The name of the context, or NULL.
    var contextName: SQLQuery { get }
    /// The name of the program; empty for external transactions.
    var bundleIdentifier: SQLQuery { get }
    /// The identifier of the process; empty for external transactions.
    var processIdentifier: SQLQuery { get }
    /// Whether the transaction is external, as 1 or 0.
    var isExternal: SQLQuery { get }
    /// The seconds since the reference date.
    var timestamp: SQLQuery { get }
    /// The position, which is the identifier of the transaction.
    var position: SQLQuery { get }

    /// Returns the value of a key in the metadata, or NULL.
    func metadata(_ key: String) -> SQLQuery

    /// Returns the condition that a change belongs to the transaction.
    func isPart(_ change: SQLQuery) -> SQLQuery

    /// Returns the number of the entity of a change.
    func entity(of change: SQLQuery) -> SQLQuery

    /// Returns a table of the history in a FROM clause.
    func table(_ name: String) -> String

    /// Returns the terms of ORDER BY for the positions.
    func positionOrder(isDescending: Bool) -> [SQLQuery]

    /// Returns the number of an entity in the history, or the numbers of all entities with that root; none if the
    /// history does not contain it.
    func numbers(ofEntity name: String, isRoot: Bool) throws -> [Int64]
}
