import ChronicleCore
import ChronicleSQL
import ChronicleSQLite

extension Connection {
    /// Returns the cached statement of a query with bound values. The caller binds the numbered parameters before `first`.
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
