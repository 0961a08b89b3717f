package import ChronicleSQL

/// The SQL of a store's history for ``HistorySource``: of a transaction `h`, and of a change with an alias.
package protocol HistoryColumns {
    var dialect: any SQLDialect { get }

    /// The author, which may be NULL.
    var author: SQLQuery { get }
    /// The name, which may be NULL.
    var contextName: SQLQuery { get }
    /// The name is empty for external transactions.
    var bundleIdentifier: SQLQuery { get }
    /// The identifier is empty for external transactions.
    var processIdentifier: SQLQuery { get }
    /// 1 or 0.
    var isExternal: SQLQuery { get }
    /// The seconds since the reference date.
    var timestamp: SQLQuery { get }
    /// The identifier of the transaction.
    var position: SQLQuery { get }

    /// NULL if there is no such key.
    func metadata(_ key: String) -> SQLQuery

    /// The condition that a change belongs to the transaction.
    func isPart(_ change: SQLQuery) -> SQLQuery

    func entity(of change: SQLQuery) -> SQLQuery

    /// Returns a table in a FROM clause.
    func table(_ name: String) -> String

    /// The terms of ORDER BY.
    func positionOrder(isDescending: Bool) -> [SQLQuery]

    /// The number of an entity, or of all entities with that root; none if the history does not contain it.
    func numbers(ofEntity name: String, isRoot: Bool) throws -> [Int64]
}
