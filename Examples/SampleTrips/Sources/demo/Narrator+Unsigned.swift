import Chronicle
import SampleTrips

extension Narrator {
    /// Has somebody write who signs nothing: the `sqlite3` shell, which knows nothing of models and histories. Nobody but
    /// its store writes to a journal: there the demo does it, as one more process.
    ///
    /// - Parameters:
    ///   - sql: What to type in the shell.
    ///   - edit: The same for a context.
    func writeUnsigned(_ sql: String, _ edit: (ModelContext) throws -> Void) throws {
        switch stage.store.kind {
        case .sqlite: try runShell(sql)
        case .journal: try save(edit)
        }
    }

    private func runShell(_ sql: String) throws {
        let result = try stage.finish(stage.startShell(sql))
        tell("sqlite3 \(stage.store.url.lastPathComponent)", [sql], result.lines)
        try expect(result.status == 0, "sqlite3 is installed and ends with 0", isQuiet: true)
    }

    private func save(_ edit: (ModelContext) throws -> Void) throws {
        note("there is no shell for journals: the demo itself does it, in a context without an author")
        let context = try stage.store.open(author: nil)
        try edit(context)
        try context.save()
    }

    /// What has to be said beside the story.
    func note(_ text: String) { tell(["(\(text))"]) }
}
