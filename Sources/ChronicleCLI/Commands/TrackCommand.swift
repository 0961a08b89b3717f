import Chronicle
import Foundation

enum TrackCommand {
    static let command = Command(
        name: "track", summary: "record the changes of a database of another program (changes the file)",
        discussion: """
            Adds tables and triggers to a database that was not made by Chronicle. From then on, every change of its \
            tables is recorded, whichever program makes it, and the other commands show its history. The program of the \
            database needs no changes, and can be running. Its tables, application_id, user_version and journal mode remain \
            as they are.

            Without TABLE, all tables are recorded that can be. The reasons for the others are listed. Tables need a primary \
            key. Virtual tables, such as those of FTS5, and views cannot be recorded; the tables that they are made from can.

            Changes of the schema are followed by this command, chronicle watch, and other commands that write to the file: \
            added and renamed columns, and renamed, rebuilt and dropped tables. The history contains a transaction with the \
            metadata schema for them, and the changes in between. They are missing, which readers notice as a gap, only if a \
            table was rebuilt whose values the history does not contain. The columns of a recorded table cannot be dropped \
            with ALTER TABLE; end the recording with chronicle untrack first.

            Use the command again to record tables that the program has created since. With --new-tables, such tables are \
            recorded like other changes of the schema; their rows are inserts.

            Programs that disable triggers change tables without a record. chronicle verify and chronicle stats find inserted \
            and deleted rows, and verify also values that differ from the recorded ones. With --reconcile, these differences \
            are recorded as one transaction with the metadata reconciled.

            In a PostgreSQL database, the tables of one schema are recorded, such as public in \
            postgresql://owner@db/app?schema=public, and the history is in another schema, chronicle_public. The role must own \
            the tables and have the privilege CREATE on the database. Columns can be dropped, renamed and given another type; \
            a statement of the program never fails because its changes cannot be recorded. chronicle verify and chronicle \
            stats report such tables until this command is used again. --reconcile and --new-tables are for files.
            """,
        operands: [.database, .tables("the tables to record, instead of all")],
        options: [
            .init(name: "no-values", summary: "do not record the values before and after changes from now on"),
            .init(name: "values", summary: "record the values again"),
            .init(name: "new-tables", summary: "also record tables that the program creates later"),
            .init(name: "no-new-tables", summary: "do not record later tables from now on"),
            .init(name: "reconcile", summary: "record what programs changed without triggers"), .json,
        ], run: run)

    private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitStatus {
        if arguments.has("values"), arguments.has("no-values") {
            throw UsageError("--values and --no-values exclude each other")
        }
        if arguments.has("new-tables"), arguments.has("no-new-tables") {
            throw UsageError("--new-tables and --no-new-tables exclude each other")
        }
        let path = try arguments.required("FILE")
        console.file = path
        let names = arguments.repeated.isEmpty ? nil : arguments.repeated
        let preservesValues = arguments.has("no-values") ? false : arguments.has("values") ? true : nil
        let recordsNewTables = arguments.has("no-new-tables") ? false : arguments.has("new-tables") ? true : nil
        let tables: [TrackedTableState]
        var interrupted: Set<String> = []
        switch try StoreFile.Location(path) {
        case .file(let url):
            try StoreFile.requireFile(path)
            var database = TrackedDatabase(url: url)
            // Called by this thread only.
            nonisolated(unsafe) let progress = Progress(console)
            defer { progress.finish() }
            database.progress = { progress.show("Numbering keys", part: $0) }
            // Only for the output: a file that cannot be read now may be repaired below.
            interrupted = Set(
                (try? database.tables())?.map(TrackedTableState.init).filter(\.isInterrupted).map(\.name) ?? [])
            do {
                tables = try database.track(
                    names, preservesValues: preservesValues, reconciles: arguments.has("reconcile"),
                    recordsNewTables: recordsNewTables
                ).map(TrackedTableState.init)
            } catch let error as SwiftDataError where error == .unsupportedFeature {
                // No other table was recorded.
                try requireTables(names ?? []) { try database.tables().map(\.name) }
                throw error
            }
        case .database(let database):
            for name in ["reconcile", "new-tables", "no-new-tables"] where arguments.has(name) {
                throw UsageError("--\(name) is for SQLite files")
            }
            do {
                tables = try database.track(names, preservesValues: preservesValues)
            } catch let error as SwiftDataError where error == .unsupportedFeature {
                try requireTables(names ?? []) { try database.tables().map(\.name) }
                throw error
            }
        }
        let text = TableText(console: console, resumed: interrupted)
        if arguments.has("json") {
            for table in tables { try console.line(text.json(table)) }
            return .success
        }
        // What is true of a virtual table is true of its parts.
        for line in text.lines(tables.filter { !$0.isPart }) { try console.line(line) }
        let reconciled = tables.reduce(0) { $0 + $1.reconciledChangeCount }
        if arguments.has("reconcile") || reconciled > 0 {
            try console.line("Reconciled \(NumberText.counted(reconciled, "change")).")
        }
        if let recordsNewTables {
            try console.line("Tables that the program creates later are \(recordsNewTables ? "" : "not ")recorded.")
        }
        if let preservesValues {
            try console.line("Changes are recorded with\(preservesValues ? "" : "out") their values.")
        }
        let count = tables.count { $0.isNew }
        if count == 0,
            reconciled > 0 || recordsNewTables != nil || preservesValues != nil
                || tables.contains(where: text.isResumed)
                || tables.contains(where: { !$0.schemaChanges.isEmpty })
        {
            return .success
        }
        try console.line(
            count == 0 ? "Nothing has changed." : "Recording \(NumberText.counted(count, "table")) from now on.")
        return .success
    }
}

extension TrackCommand {
    /// The ``UsageError`` for an unknown name contains the nearest one.
    fileprivate static func requireTables(_ names: [String], _ tables: () throws -> [String]) throws {
        guard !names.isEmpty else { return }
        let known = try tables()
        for name in names where !known.contains(where: { $0.lowercased() == name.lowercased() }) {
            let nearest = NearestName.nearest(to: name, in: known)
            let hint = nearest.map { "; did you mean \($0.escaped)?" } ?? ""
            throw UsageError("the database has no table \(name.escaped)\(hint)")
        }
    }
}

enum UntrackCommand {
    static let command = Command(
        name: "untrack", summary: "end the recording of a database of another program (changes the file)",
        discussion: """
            Drops the triggers with which chronicle track records changes, of all tables or of those that are named. The history \
            remains, and chronicle track resumes the recording, with a gap. If another program has dropped tables without which \
            the history cannot be read, the rest of the history is deleted.

            With --delete-history, everything that chronicle track has added to the file is dropped, also the history. The \
            schema is then what it was before. The file keeps its size until its program runs VACUUM. In a PostgreSQL database, \
            the schema with the history is dropped.
            """,
        operands: [.database, .tables("the tables whose recording ends; their history remains")],
        options: [.init(name: "delete-history", summary: "delete the history, too"), .json],
        run: run)

    /// The history was deleted if the file is an ordinary database now.
    private static func isTracked(_ url: URL) throws -> Bool {
        do { return try DefaultStore.isTracked(fileAt: url) } catch let error as SwiftDataError
            where error == .notAChronicleStore
        {
            return false
        }
    }

    private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitStatus {
        let path = try arguments.required("FILE")
        console.file = path
        let keepsHistory = !arguments.has("delete-history")
        guard keepsHistory || arguments.repeated.isEmpty else {
            throw UsageError("--delete-history deletes the history of all tables; leave out TABLE")
        }
        let names = arguments.repeated.isEmpty ? nil : arguments.repeated
        let hasHistory: Bool
        switch try StoreFile.Location(path) {
        case .file(let url):
            try StoreFile.requireFile(path)
            let database = TrackedDatabase(url: url)
            do {
                if keepsHistory { try database.stop(names) } else { try database.untrack() }
                // A history that had not begun, or from which another program dropped required tables, was deleted. isTracked
                // throws an error for the ordinary database that remains.
                hasHistory = try keepsHistory && isTracked(url)
            } catch let error as SwiftDataError where error == .unsupportedFeature {
                // Nothing was changed.
                try TrackCommand.requireTables(names ?? []) { try database.tables().map(\.name) }
                throw error
            }
        case .database(let database):
            hasHistory = keepsHistory
            do {
                if keepsHistory { try database.stopTracking(names) } else { try database.untrack() }
            } catch let error as SwiftDataError where error == .unsupportedFeature {
                try TrackCommand.requireTables(names ?? []) { try database.tables().map(\.name) }
                throw error
            }
        }
        if arguments.has("json") {
            try console.line(.members(["keepsHistory": .bool(hasHistory)]))
        } else {
            try console.line(
                hasHistory
                    ? "The recording has ended. The history remains."
                    : keepsHistory
                        ? "The recording has ended. No history remains: recording had not begun, or another program had "
                            + "dropped tables of the history."
                        : "The history was deleted.")
        }
        return .success
    }
}

extension Command.Operand {
    fileprivate static let database = Command.Operand(
        name: "FILE", summary: "an SQLite database, or a connection string: postgresql://owner@db/app?schema=public")
}

struct TableText {
    let console: Console
    /// The names of the tables whose recording was interrupted before the command.
    var resumed: Set<String> = []

    /// Returns a line for each table, for each change of its schema, and for each limitation.
    func lines(_ tables: [TrackedTableState]) -> [String] {
        TextLayout.table(tables.map { [$0.name.escaped, state(of: $0)] }).enumerated().flatMap { index, line in
            [line.trimmingTrailingSpaces]
                + (tables[index].schemaChanges + tables[index].limitations).map { "    \($0.escaped)" }
        }
    }

    private func state(of table: TrackedTableState) -> String {
        switch table.state {
        case .recorded:
            table.isNew
                ? console.styled("recorded from now on", .green) : isResumed(table) ? "recorded again" : "recorded"
        case .interrupted(let reason): console.styled("interrupted: \(reason.escaped)", .red)
        case .notRecorded: "not recorded"
        case .unsupported(let reason): "cannot be recorded: \(reason.escaped)"
        }
    }

    /// Whether the recording was interrupted and now continues without a gap.
    func isResumed(_ table: TrackedTableState) -> Bool {
        table.state == .recorded && !table.isNew && resumed.contains(table.name)
    }

    func json(_ table: TrackedTableState) -> JSON {
        var reason: String?
        let state: String
        switch table.state {
        case .recorded: state = "recorded"
        case .interrupted(let text): (state, reason) = ("interrupted", text)
        case .notRecorded: state = "notRecorded"
        case .unsupported(let text): (state, reason) = ("unsupported", text)
        }
        return .members([
            "table": .string(table.name), "state": .string(state), "reason": .optional(reason),
            "isNew": .bool(table.isNew), "reconciled": .count(table.reconciledChangeCount),
            "schemaChanges": .array(table.schemaChanges.map(JSON.string)),
            "limitations": .array(table.limitations.map(JSON.string)),
        ])
    }
}
