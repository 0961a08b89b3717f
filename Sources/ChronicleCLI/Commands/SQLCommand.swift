import Chronicle
import Foundation

enum SQLCommand {
    static let command = Command(
        name: "sql", summary: "run an SQL query over the models as of any position, or over their history",
        discussion: """
            Each entity is a view with the name of its class. Its columns are the primary key, the attributes and the to-one \
            relationships, with the values that the database stores: dates are seconds since 2001, for example. The links of a \
            relationship are a view such as "Item.tags" with the columns owner and destination. With --at, the views contain \
            the models as they were.

            Without --at, an entity Trip also has the views Trip_history and Trip_revisions. Trip_history has a row for each \
            recorded value: position, date, author, operation, key, attribute, previous, value, and unknown, which is 1 if \
            the history does not contain the values. Trip_revisions has a row for each state of a model, from one position to \
            another one, with the columns of Trip, and the names of unknown values in the column unknown.

            The query can only read. In a file, it cannot use PRAGMA, ATTACH or views of the file, and the prefix main. refers \
            to the tables, as they are now. In PostgreSQL, names with uppercase letters need quotation marks, the name of the \
            schema is the prefix of the tables, and functions can do what the role may do, except for changing rows. The role \
            needs the privilege TEMPORARY on the database.

            CSV follows RFC 4180, with a line feed after each row: an empty field is NULL, "" is an empty text, and binary data \
            is x'00ff'. Texts are written unchanged, except on a terminal: there, control characters other than tabs and line \
            feeds are escape sequences, as in the other formats. A JSON parser restores the texts of JSON.

              chronicle sql Trips.store --at 2026-03-01 "SELECT name FROM Trip WHERE price > 100"
              chronicle sql Trips.store "SELECT date, author, value FROM Trip_history WHERE attribute = 'price'"
              chronicle sql postgresql://app@db.example.org/travel 'SELECT name FROM "Trip"'
            """,
        operands: [.file, .init(name: "SQL", summary: "a query, as one argument")],
        options: [
            .init(name: "at", value: "POSITION", summary: "query the models as of a transaction, date or tag"),
            .init(
                name: "format", value: "FORMAT", values: .list(QueryOutput.Format.allCases.map(\.rawValue)),
                summary: "table (default), csv, json or markdown"),
            .init(
                name: "unknown", value: "VALUE", values: .list(["null"]),
                summary: "with --at, what replaces a value that is not known, instead of an error: null"),
            .init(name: "watch", summary: "repeat the query after each commit, by any process"), .json,
        ], run: run)

    private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitStatus {
        let name = try arguments.format(default: "table")
        guard let format = QueryOutput.Format(rawValue: name) else {
            throw UsageError("unknown format \(name.escaped)")
        }
        if arguments.has("unknown"), !arguments.has("at") { throw UsageError("--unknown requires --at") }
        let file = try StoreFile.read(arguments, console)
        let store = try file.chronicleStore("queries in SQL")
        let sql = try arguments.required("SQL")
        func write() throws {
            let past = try arguments.value("at").map { text in
                try file.store(asOf: Position(text, in: file.store, console.settings).token(in: file.store))
            }
            let output = QueryOutput(format, console)
            do {
                try (past ?? store).query(
                    sql, replacesUnknownValues: arguments.has("unknown"), columns: { output.columns = $0 },
                    row: { try output.write($0) })
            } catch let error as SwiftDataError where error == .unsupportedFeature {
                throw UsageError(message(of: error, in: file, isPast: past != nil))
            }
            try output.finish()
        }
        guard arguments.has("watch") else {
            try write()
            return .success
        }
        // Before the first query, so that no commit is missed.
        let commits = try CommitPipe(file.chronicleStore("notifications of commits"))
        var shown: DefaultHistoryToken?
        while true {
            commits.drain()
            let newest = try store.currentHistoryToken()
            if shown == nil || newest != shown {
                if shown != nil, format != .json { try console.line() }
                try write()
                try console.flush()
                shown = newest ?? DefaultHistoryToken(storeIdentifier: store.identifier, position: 0)
            }
            try commits.wait()
        }
    }

    /// SQLite and PostgreSQL name an unknown table. PostgreSQL converts a name without quotation marks to lowercase.
    private static func message(of error: SwiftDataError, in file: StoreFile, isPast: Bool) -> String {
        let text = (error.detail ?? error.description).escaped
        let hint = "; omit --at to query the history and the revisions"
        // The name can be that of a permanent view.
        if isPast, text.hasSuffix("a view of the file") { return text + hint }
        let match = text.firstMatch(of: /no such table: (.+)|relation "(.+)" does not exist/)?.output
        let names = names(in: file.schema)
        guard let name = match?.1 ?? match?.2, let nearest = NearestName.nearest(to: String(name), in: names) else {
            return text
        }
        if nearest == name { return text + hint }
        return "\(text); did you mean \(match?.1 == nil ? "\"\(nearest.escaped)\"" : nearest.escaped)?"
    }

    private static func names(in schema: Schema) -> [String] {
        schema.entities.flatMap { [$0.name, "\($0.name)_history", "\($0.name)_revisions"] }
    }
}
