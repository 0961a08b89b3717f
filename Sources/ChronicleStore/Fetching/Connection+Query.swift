import ChronicleCore
import ChronicleSQL
import ChronicleSQLite

extension Connection {
    /// Returns the cached statement of a query with bound values. The caller binds the numbered parameters before `first`.
    func cached(_ query: SQLQuery, bindingFrom first: Int32 = 1) throws -> Statement {
        try bound(query, first, cached)
    }

    /// Returns a statement with bound values that is not cached.
    func prepared(_ query: SQLQuery) throws -> Statement { try bound(query, 1, prepare) }

    private func bound(
        _ query: SQLQuery, _ first: Int32, _ prepare: (_ sql: String) throws -> Statement
    ) throws -> Statement {
        let statement: Statement
        do { statement = try prepare(query.sql) } catch let error as SQLiteError where error.isLimitExceeded {
            throw SwiftDataError.unsupportedPredicate.with(
                detail: "the predicate exceeds a limit of SQLite (\(error.message)); "
                    + "reduce its nesting or fetch in several steps",
                underlying: DatabaseError(error))
        }
        for (index, value) in query.bindings.enumerated() { try statement.bind(value, at: first + Int32(index)) }
        return statement
    }
}
