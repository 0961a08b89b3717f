public import ChronicleCore

/// Where the rows of models and links are, for ``FetchSQL``.
///
/// By default, a query reads the tables of the ``ModelTables``. Pass another value to read other rows with the same
/// columns, such as those of an earlier position of the history: a subquery, a temporary table or a view.
public protocol SQLTables: Sendable {
    /// Returns the item of a FROM clause with the rows of a table of models, without an alias.
    ///
    /// - Parameter table: The name of the table.
    /// - Returns: The item, or `nil` for the table itself.
    func rows(of table: String) -> SQLQuery?

    /// Returns the item of a FROM clause with the rows of a table of links, without an alias.
    ///
    /// - Parameter table: The name of the table.
    /// - Returns: The item, or `nil` for the table itself.
    /// - Throws: `SwiftDataError.historyValueMissing` or another error that ends the translation, if the rows are unknown.
    func links(of table: String) throws -> SQLQuery?

    /// Returns the join with the row that a to-one relationship references.
    ///
    /// - Parameters:
    ///   - table: The name of the table with the row.
    ///   - alias: The alias of the row.
    /// - Returns: The join, or `nil` for a LEFT JOIN with the table itself.
    func join(_ table: String, as alias: String) -> SQLJoin?

    /// Returns the query for the number of rows of a subquery in a condition.
    ///
    /// - Parameter rows: The query from FROM on.
    /// - Returns: The query. By default, it is `SELECT count(*)` and the rows.
    func count(_ rows: SQLQuery) -> SQLQuery

    /// Whether the primary keys of a table of models are unique, which is the default. Terms of an order that follow the key then
    /// have no effect.
    var hasUniqueKeys: Bool { get }
}

extension SQLTables {
    public var hasUniqueKeys: Bool { true }
    public func rows(of table: String) -> SQLQuery? { nil }
    public func links(of table: String) throws -> SQLQuery? { nil }
    public func join(_ table: String, as alias: String) -> SQLJoin? { nil }
    public func count(_ rows: SQLQuery) -> SQLQuery { "SELECT count(*) \(rows)" }
}

/// The tables that ``FetchSQL`` reads by default: one for each root entity, and one for each relationship that is stored as
/// links.
///
/// | table | columns |
/// | --- | --- |
/// | the name of a root entity, such as `Trip` | ``primaryKey``; a column for each stored property of the entity and of the entities that inherit from it, with the name of the property; `Schema.entityAttribute` if there are such entities, with the name of the row's entity, or NULL for the root |
/// | the name of `Schema.Links`, such as `Item.tags` | ``linkOwner`` and ``linkDestination``, the primary keys of two rows; for a symmetric relationship both directions of each link |
public struct ModelTables: SQLTables {
    /// The column with the primary key, a 64-bit integer.
    public static let primaryKey = "_rowid_"
    /// The column of a table of links with the key of the owner.
    public static let linkOwner = "owner"
    /// The column of a table of links with the key of the destination.
    public static let linkDestination = "destination"

    /// Creates a value.
    public init() {}

    /// Returns the columns with the source and the destination of a relationship. The table of a symmetric relationship
    /// contains both directions of each link.
    ///
    /// - Parameters:
    ///   - property: The relationship to follow, of the owner or of the destination.
    ///   - links: The links that store it.
    /// - Returns: The columns.
    public static func linkColumns(
        of property: Schema.Property, in links: Schema.Links
    ) -> (from: String, to: String) {
        links.property === property ? (linkOwner, linkDestination) : (linkDestination, linkOwner)
    }
}

/// A join with the row that a to-one relationship references, which neither removes nor duplicates rows; see
/// ``SQLTables/join(_:as:)``.
public struct SQLJoin: Sendable {
    /// Returns the JOIN clause for an expression with the primary key of the row.
    public let clause: @Sendable (_ reference: SQLQuery) -> SQLQuery
    /// Returns the value of a column of the joined row.
    public let column: @Sendable (_ name: String) -> SQLQuery

    /// Creates a join.
    ///
    /// - Parameters:
    ///   - clause: See `clause`.
    ///   - column: See `column`.
    public init(
        clause: @escaping @Sendable (_ reference: SQLQuery) -> SQLQuery,
        column: @escaping @Sendable (_ name: String) -> SQLQuery
    ) {
        self.clause = clause
        self.column = column
    }
}
