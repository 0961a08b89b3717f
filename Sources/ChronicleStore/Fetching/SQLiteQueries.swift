import ChronicleCore
package import ChronicleSQL
package import ChronicleSQLite

/// What a store on another SQLite layout needs to run the statements of `ChronicleSQL`.
package enum SQLiteQueries {
    /// The SQL of SQLite, with the functions that ``prepare(_:)`` defines.
    package static var dialect: any SQLDialect { SQLiteDialect() }

    /// Defines the functions and the collation that the dialect uses.
    package static func prepare(_ connection: Connection) throws {
        try connection.define(PredicateFunctions.all)
        try connection.define(DecimalOrder.collation)
    }

    /// Returns the statement of a query with bound values.
    package static func statement(_ query: SQLQuery, _ connection: Connection) throws -> Statement {
        try connection.cached(query)
    }

    /// Runs `body`, converts SQLite errors to `SwiftDataError`, and adds the store identifier to errors without one.
    package static func attributingErrors<Result>(
        to storeIdentifier: String?, _ body: () throws -> Result
    ) throws -> Result {
        try ChronicleStore.attributingErrors(to: storeIdentifier, body)
    }
}
