import Chronicle
import Foundation

/// `chronicle verify`.
enum VerifyCommand {
    static let command = Command(
        name: "verify", summary: "check every promise of the file format",
        discussion: """
            Checks the file without changing it: SQLite's own checks, the definitions of tables, indexes and triggers, the \
            rows of the history, positions, masks, headers, ranges and sources, references between models, and whether each \
            row is what its recorded history says. Tables of a tracked database that are not recorded are named in a message. \
            Problems are listed with their kind, table and row. A file that contains no \
            store, because it is empty or its creation was interrupted, is an error. A message names a version of SQLite with a \
            defect that can damage files.
            """,
        options: [.json], negativeResult: "problems were found", run: run)

    private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitStatus {
        let file = try StoreFile.path(arguments.operands["FILE"], console.settings.environment)
        try StoreFile.requireFile(file)
        let progress = Progress(console)
        var count = 0
        let isJSON = arguments.has("json")
        let url = URL(fileURLWithPath: file)
        // Nothing was reported if the file could not be read.
        try StoreFile.recovering(url) {
            try DefaultStore.verify(fileAt: url, progress: { progress.show("Verifying", part: $0) }) { problem in
                count += 1
                progress.finish()
                if isJSON {
                    try console.line(
                        .members([
                            "kind": .string(problem.kind.rawValue), "table": .optional(problem.table),
                            "row": problem.row.map(JSON.integer) ?? .null, "detail": .string(problem.detail),
                        ]))
                } else {
                    try console.line("\(console.styled(problem.kind.rawValue, .red))  \(problem.description.escaped)")
                }
            }
        }
        progress.finish()
        try noteUnrecordedTables(file, console)
        if let notice = console.settings.libraryNotice { console.message("Note: \(notice).") }
        if !isJSON {
            try console.line(count == 0 ? "The file is valid." : "\(NumberText.grouped(count)) problems found.")
        }
        return count == 0 ? .success : .negative
    }

    /// Names the tables of a tracked database that are not recorded, which is no problem.
    private static func noteUnrecordedTables(_ path: String, _ console: Console) throws {
        let url = URL(fileURLWithPath: path)
        guard try DefaultStore.isTracked(fileAt: url) else { return }
        let names = UnrecordedTable.all(in: try TrackedDatabase(url: url).tables()).map(\.name.escaped)
        guard !names.isEmpty else { return }
        console.message("Note: not recorded: \(names.joined(separator: ", ")); chronicle stats has the reasons.")
    }
}
