import Chronicle
import SampleTrips

extension Narrator {
    /// Writes without an author: with `sqlite3` or `psql`, which do not use Chronicle. Only its store can write a
    /// journal; for a journal, the demo writes itself, as another process.
    ///
    /// - Parameters:
    ///   - sql: The statement for the shell.
    ///   - edit: The same change, made with a context.
    func writeUnsigned(_ sql: String, _ edit: (ModelContext) throws -> Void) throws {
        switch stage.store.kind {
        case .sqlite: try runShell("sqlite3 \(stage.store.url.lastPathComponent)", sql)
        case .postgres: try runShell("psql", sql)
        case .journal: try save(edit)
        }
    }

    private func runShell(_ program: String, _ sql: String) throws {
        let result = try stage.finish(stage.startShell(sql))
        showCommand(program, [sql], result.lines)
        try expect(result.status == 0, "the shell is installed and exits with 0", isQuiet: true)
    }

    private func save(_ edit: (ModelContext) throws -> Void) throws {
        note("there is no shell for journals: the demo saves in a context without an author")
        let context = try stage.store.open(author: nil)
        try edit(context)
        try context.save()
    }

    /// Prints a remark in parentheses.
    func note(_ text: String) { showOutput(["(\(text))"]) }
}
