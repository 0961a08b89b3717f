public import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

extension DefaultStore {
    /// Runs an SQL query that reads the models, with a view for each entity.
    ///
    /// A view has the name of the class, and a column for its primary key, each attribute and each to-one relationship, with
    /// the values that SQLite stores. The links of a relationship are a view such as `"Item.tags"` with the columns `owner`
    /// and `destination`. For a store that ``store(asOf:)`` returned, the views contain the models as of its
    /// position. For other stores, there are also the views `Trip_history` and `Trip_revisions` for an entity `Trip`, unless an
    /// entity has such a name.
    ///
    /// ```swift
    /// try store.query("SELECT author, count(*) FROM Trip_history GROUP BY author") { print($0) }
    /// ```
    ///
    /// The query can also read the tables of the file, with the prefix `main.`. It cannot use views of the file, change anything,
    /// attach other files, or use PRAGMA.
    ///
    /// - Parameters:
    ///   - sql: One statement.
    ///   - replacesUnknownValues: Whether values that the history does not contain are NULL instead of an error, and unknown links
    ///     are missing.
    ///   - columns: A closure that receives the names of the columns before the first row.
    ///   - row: A closure that receives the values of each row: integers, reals, texts, binary data or null.
    /// - Throws: ``SwiftDataError/unsupportedFeature`` if SQLite rejects the statement, with its message, or if the statement
    ///   does more than read; correct it. ``SwiftDataError/historyValueMissing`` if it uses a value that the history does not
    ///   contain; use a later position, or call ``TrackedDatabase/followSchemaChanges()`` if the detail names a change of a table.
    ///   ``SwiftDataError/historyTokenExpired`` if the history after the position is incomplete. ``SwiftDataError/storeBusy`` if
    ///   the file stays locked; try again. An error of a closure ends the query.
    /// - Complexity: That of the query. The history and the revisions of an entity take time proportional to the length of the
    ///   history and the number of the models, also if few of their rows are needed. The first query as of a position takes time
    ///   proportional to the changes after it.
    public func query(
        _ sql: String, replacesUnknownValues: Bool = false, columns: ([String]) throws -> Void = { _ in },
        row: ([PropertyValue]) throws -> Void
    ) throws {
        try MissingValues.$current.withValue(replacesUnknownValues ? MissingValues() : nil) {
            try reading(sql, columns: columns, row: row)
        }
    }

    private func reading(
        _ sql: String, columns: ([String]) throws -> Void, row: ([PropertyValue]) throws -> Void
    ) throws {
        try attributingErrors {
            try readingQuery { connection, tables in
                if let name = tables.unknowns.changedForms.min() { throw tables.unknowns.changedForm(of: name) }
                let views = try QueryViews(connection, tables, self)
                let models = try views.models()
                let names = Set(models.map { TableNames.folded($0.name) })
                let histories =
                    past == nil ? try views.histories().filter { !names.contains(TableNames.folded($0.name)) } : []
                try connection.withQueryViews(models + histories) {
                    try explainingErrors(of: sql, views.interruptions) {
                        try run(connection, sql, columns: columns, row: row)
                    }
                }
            }
        }
    }

    private func run(
        _ connection: Connection, _ sql: String, columns: ([String]) throws -> Void,
        row: ([PropertyValue]) throws -> Void
    ) throws {
        let statement = try explainingErrors { try connection.prepare(sql) }
        if let name = statement.firstParameter {
            throw SwiftDataError.unsupportedFeature.with(
                detail: "the SQL contains the parameter \(name), which has no value; write the value instead",
                storeIdentifier: identifier)
        }
        let indices = 0..<statement.columnCount
        try columns(indices.map { statement.columnName($0) })
        while try explainingErrors({ try statement.step() }) { try row(indices.map { statement.plainValue($0) }) }
    }

    /// A table that a program has changed can lack the columns of a query, or be missing. The error then names the change.
    private func explainingErrors<Result>(
        of sql: String, _ interruptions: [String: String], _ body: () throws -> Result
    ) throws -> Result {
        do { return try body() } catch {
            let cause = (error as? SwiftDataError)?.underlying as? DatabaseError
            let table = cause.flatMap { PredicateFunctions.interruptedTable($0.message) }
            let suffixes = past == nil ? ["_history", "_revisions"] : [""]
            let isRejected = cause != nil && (error as? SwiftDataError) == .unsupportedFeature
            let name =
                table
                ?? interruptions.keys.sorted().first { name in
                    isRejected && suffixes.contains { sql.containsName(name + $0) }
                }
            guard let name, let reason = interruptions[name] else { throw error }
            throw SwiftDataError.interruptedRecording(of: name, reason)
        }
    }

    /// The errors of the statement that its author can correct.
    private func explainingErrors<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as SQLiteError {
            if let missing = PredicateFunctions.missingValue(error.message) {
                guard missing.property.isEmpty, let past else { throw error }
                throw SwiftDataError.unrecordedRows("the rows of the table", of: missing.entity, past.position)
            }
            if error.isDenied || error.message.hasPrefix("not authorized") {
                throw SwiftDataError.unsupportedFeature.with(
                    detail:
                        "the SQL may only read: it cannot change anything, use PRAGMA, ATTACH or a view of the file",
                    storeIdentifier: identifier, underlying: DatabaseError(error))
            }
            guard error.isGeneric || error.isMisuse else { throw error }
            throw SwiftDataError.unsupportedFeature.with(
                detail: "SQLite rejects the SQL: \(error.message)", storeIdentifier: identifier,
                underlying: DatabaseError(error))
        }
    }

    /// Reads a snapshot with a connection that no other read uses, unless the store is in memory.
    private func readingQuery<Result>(_ body: (Connection, PastTables) throws -> Result) throws -> Result {
        if let past { return try past.read(database, body) }
        let database = try configuration.isStoredInMemoryOnly ? database : databaseOfPastRows()
        defer { if !configuration.isStoredInMemoryOnly { database.close() } }
        return try database.read { connection in
            try connection.deferredRead {
                try body(connection, PastTables(unknowns: PastUnknowns(storeIdentifier: identifier, position: 0)))
            }
        }
    }
}
