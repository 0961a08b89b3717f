import Chronicle
import Foundation

enum VerifyCommand {
    static let command = Command(
        name: "verify", summary: "check that a file is undamaged and its history is right",
        discussion: """
            Checks the file without changing it: SQLite's own checks, the definitions of tables, indexes and triggers, the \
            rows of the history, positions, masks, headers, ranges and sources, references between models, and whether each \
            row is what its recorded history says. Tables of a tracked database that are not recorded, rows that the history of \
            other tables lacks, values that a program changed without a record before a recorded change, and a gap in the \
            history are named in messages. Problems are listed with their kind, table and row. A file that contains no store, \
            because it is empty or its creation was interrupted, is an error. A message names a version of SQLite with a defect \
            that can damage files. In a PostgreSQL database, the triggers, positions, transactions, changes, tags and consumers \
            are checked, and whether each row exists as its history says.

            If the history is sealed, it is compared with its seals. --seal shows for each head of chronicle seal what it proves: \
            everything up to it (proven), with what was erased or deleted since; nothing without an archive of what was purged \
            (purged); or that the end of the history is missing (absent), that the chain was built again (forked), or that the \
            history before it was changed (different). The first difference is printed with its position, and the events that \
            explain what is missing. Such an event may be forged unless a given head contains it. FILE can also be an export of \
            chronicle export --sealed. Seals need a tool that was built with the trait Seals.
            """,
        options: SealArguments.options + [.json], negativeResult: "problems were found, or a head is not proven",
        run: run)

    private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitStatus {
        let seals = try SealArguments(arguments)
        let path = try StoreFile.path(arguments.operands["FILE"], console.settings.environment)
        console.file = path
        let location = try StoreFile.Location(path)
        let isJSON = arguments.has("json")
        if let url = location.url {
            try StoreFile.requireFile(path)
            if try SealedExport.isSealedExport(path) {
                try StoreFile.requireSeals()
                let report = SealReport(try StoreFile.verifySeals(ofExport: url, seals), noun: "export", console)
                return try finish(problems: 0, report, "export", isJSON: isJSON, console)
            }
            try StoreFile.requireNoAppleStore(url)
        }
        let count = try verifyRows(location, path, isJSON: isJSON, console)
        noteGap(location, console)
        let noun = location.url == nil ? "store" : "file"
        let report = try verification(location, seals, problems: count, console).map {
            SealReport($0, noun: noun, console)
        }
        if location.url != nil, let notice = console.settings.libraryNotice { console.message("Note: \(notice).") }
        return try finish(problems: count, report, noun, isJSON: isJSON, console)
    }

    private static func finish(
        problems: Int, _ report: SealReport?, _ noun: String, isJSON: Bool, _ console: Console
    ) throws -> ExitStatus {
        if isJSON {
            for line in report?.json ?? [] { try console.line(line) }
        } else {
            for line in report?.lines ?? [] { try console.line(line) }
            let count = problems + (report?.problemCount ?? 0)
            try console.line(
                count > 0
                    ? "\(NumberText.counted(count, "problem")) found."
                    : report?.unprovenText ?? "The \(noun) is valid.")
        }
        return problems == 0 && report?.isProven ?? true ? .success : .negative
    }

    /// Checks the rows without seals, and returns the number of problems.
    private static func verifyRows(
        _ location: StoreFile.Location, _ path: String, isJSON: Bool, _ console: Console
    ) throws -> Int {
        let progress = Progress(console)
        var count = 0
        func report(_ problem: StoreFinding) throws {
            progress.finish()
            let text = ErrorText.namingFile(problem.text, path).escaped
            // Not counted as a problem: the present values are right, and the history cannot be repaired.
            guard problem.kind != StoreProblem.Kind.unrecordedChange.rawValue else {
                return console.message("Note: \(text).")
            }
            count += 1
            if isJSON {
                try console.line(
                    .members([
                        "kind": .string(problem.kind), "table": .optional(problem.table),
                        "row": problem.row.map(JSON.integer) ?? .null,
                        "detail": .string(ErrorText.namingFile(problem.detail, path)),
                    ]))
            } else {
                try console.line("\(console.styled(problem.kind, .red))  \(text)")
            }
        }
        try location.verify(progress: { progress.show("Verifying", part: $0) }, report)
        progress.finish()
        do { try noteUnrecordedTables(location, console) } catch let error as SwiftDataError
            where error == .damagedFile || error == .notADatabase || error == .invalidModel
        {
            // Usually a consequence of the problems above.
            let detail = "the tables cannot be listed: \(error.detail ?? ErrorText.describe(error).message)"
            if count == 0 {
                try report(StoreFinding(kind: "definition", table: nil, row: nil, detail: detail, text: detail))
            } else {
                console.message("Note: \(detail.escaped)")
            }
        }
        return count
    }

    /// Compares the history with its seals. Returns `nil` if it has none and none are required.
    private static func verification(
        _ location: StoreFile.Location, _ seals: SealArguments, problems: Int, _ console: Console
    ) throws -> SealVerification? {
        guard try !seals.isEmpty || isSealed(location) else { return nil }
        guard StoreFile.hasSeals else {
            console.message("Note: the history is sealed; its seals were not verified.")
            return nil
        }
        func verify() throws -> SealVerification? {
            let file = try StoreFile(location, allowsSave: false)
            return try file.verifySeals(seals)
        }
        do { return try location.url.map { try StoreFile.recovering($0, verify) } ?? verify() } catch let error
            as SwiftDataError where problems > 0
        {
            // Usually a consequence of the problems, which are the result of the command.
            console.message(
                "Note: the seals cannot be verified: \(ErrorText.describe(error, file: console.file).message)")
            guard error == .damagedFile, !seals.heads.isEmpty else { return nil }
            var result = SealVerification()
            result.heads = seals.heads.map { SealVerification.Head(head: $0, outcome: .different) }
            return result
        }
    }

    private static func isSealed(_ location: StoreFile.Location) throws -> Bool {
        guard let url = location.url else {
            let store = try StoreFile(location, allowsSave: false)
            return try store.supportsSeals && store.isSealed()
        }
        // A file that cannot be read has been reported.
        guard let format = try? StoreFile.recovering(url, { try DefaultStore.formatVersion(ofFileAt: url) }) else {
            return false
        }
        return format > DefaultStore.currentFormatVersion
    }

    /// A history with a gap is right, but not complete.
    private static func noteGap(_ location: StoreFile.Location, _ console: Console) {
        func gap() throws -> String? {
            let store = try StoreFile(location, allowsSave: false).store
            do {
                let token = try (store as? any ToolStore)?.historyGap()
                return token.map { $0.text(in: store.identifier) }
            } catch let error as SwiftDataError where error == .historyDisabled {
                return nil
            }
        }
        // A damaged file may not open. Its problems are the result of the command.
        guard let gap = try? location.url.map({ try StoreFile.recovering($0, gap) }) ?? gap() else { return }
        console.message(
            "Note: the history has a gap before \(gap); changes that were made while it was not recorded are missing.")
    }

    /// Tables of a tracked database that are not recorded are no problem.
    private static func noteUnrecordedTables(_ location: StoreFile.Location, _ console: Console) throws {
        let tables: [TrackedTableState]
        if let url = location.url {
            guard try DefaultStore.isTracked(fileAt: url) else { return }
            tables = try TrackedDatabase(url: url).tables().map(TrackedTableState.init)
        } else {
            tables = try StoreFile(location, allowsSave: false).trackedTables()
        }
        let names = UnrecordedTable.all(in: tables).map(\.name.escaped)
        if !names.isEmpty {
            let statistics = ErrorText.namingFile("`chronicle stats FILE`", console.file?.escaped)
            console.message("Note: not recorded: \(names.joined(separator: ", ")); \(statistics) shows the reasons.")
        }
        for table in tables where table.state == .recorded {
            for limitation in table.limitations {
                console.message("Note: \(table.name.escaped): \(limitation.escaped) from the history.")
            }
        }
    }
}

struct StoreFinding {
    let kind: String
    let table: String?
    let row: Int64?
    let detail: String
    let text: String
}

extension StoreFile.Location {
    fileprivate func verify(progress: @escaping (Double) -> Void, _ report: (StoreFinding) throws -> Void) throws {
        switch self {
        case .file(let url):
            // Nothing was reported if the file could not be read.
            try StoreFile.recovering(url) {
                try DefaultStore.verify(fileAt: url, progress: progress) { problem in
                    try report(
                        StoreFinding(
                            kind: problem.kind.rawValue, table: problem.table, row: problem.row, detail: problem.detail,
                            text: problem.description))
                }
            }
        case .database(let database): try database.verify(progress: progress, report)
        }
    }
}
