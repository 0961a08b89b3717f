import ChronicleCore
package import ChronicleSQL
package import ChronicleSQLite

/// What a store on another SQLite layout needs to run the statements of `ChronicleSQL`.
package enum SQLiteQueries {
    package static var dialect: any SQLDialect { SQLiteDialect() }

    package static func prepare(_ connection: Connection) throws {
        try connection.define(PredicateFunctions.all)
        try connection.define(DecimalOrder.collation)
    }

    package static func statement(_ query: SQLQuery, _ connection: Connection) throws -> Statement {
        try connection.cached(query)
    }

    package static func attributingErrors<Result>(
        to storeIdentifier: String?, _ body: () throws -> Result
    ) throws -> Result {
        try ChronicleStore.attributingErrors(to: storeIdentifier, body)
    }
}
