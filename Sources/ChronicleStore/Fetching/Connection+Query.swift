import ChronicleCore
import ChronicleSQL
import ChronicleSQLite

extension Connection {
    /// Returns the statement of a query from the connection's cache, with bound values.
    ///
    /// - Parameter first: The number of the first parameter for which the query has a value. The caller binds the
    ///   numbered parameters before it.
    /// - Throws: ``SwiftDataError/unsupportedPredicate`` if the query is too long or too deeply nested for SQLite.
    func cached(_ query: SQLQuery, bindingFrom first: Int32 = 1) throws -> Statement {
        let statement: Statement
        do { statement = try cached(query.sql) } catch let error as SQLiteError where error.isLimitExceeded {
            throw SwiftDataError.unsupportedPredicate.with(
                detail: "the predicate exceeds a limit of SQLite (\(error.message)); "
                    + "reduce its nesting or fetch in several steps",
                underlying: DatabaseError(error))
        }
        for (index, value) in query.bindings.enumerated() { try statement.bind(value, at: first + Int32(index)) }
        return statement
    }
}
