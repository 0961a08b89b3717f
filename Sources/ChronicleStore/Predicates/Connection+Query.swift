import ChronicleCore
import ChronicleSQLite

extension Connection {
    /// The statement for a query from the connection's cache, with its values bound.
    ///
    /// - Parameter first: The number of the first parameter that the query has a value for. The ones before it, with a
    ///   number in the SQL, are the caller's to bind.
    /// - Throws: ``SwiftDataError/unsupportedPredicate`` for a query that is too long or too deep for SQLite.
    func cached(_ query: SQLQuery, bindingFrom first: Int32 = 1) throws -> Statement {
        let statement: Statement
        do { statement = try cached(query.sql) } catch let error as SQLiteError where error.isLimitExceeded {
            throw SwiftDataError.unsupportedPredicate.with(
                detail: "it exceeds a limit of SQLite (\(error.message)); nest less, or fetch in several steps",
                sqliteCode: error.extendedCode, underlying: error)
        }
        for (index, value) in query.bindings.enumerated() { try statement.bind(value, at: first + Int32(index)) }
        return statement
    }
}
