import Chronicle

// Tables of a tracked database that their program has changed, for example created again, since the schema was followed.
extension StoreFile {
    private func interruptedRecordings() throws -> [SwiftDataError] {
        guard store.isTracked else { return [] }
        return try (store as? any ToolStore)?.interruptedRecordings() ?? []
    }

    /// Throws an error if the recording of a table is interrupted, or of any table if `name` is `nil`.
    func requireRecorded(_ name: String? = nil) throws {
        for error in try interruptedRecordings() where name == nil || error.entityName == name { throw error }
    }

    /// Returns a note that names the tables of which changes may be missing; `nil` if there are none.
    func noteOnInterruptions(path: String = "FILE") throws -> String? {
        let names = try interruptedRecordings().compactMap(\.entityName)
        guard !names.isEmpty else { return nil }
        return "Changes may be missing, because the program has changed tables: \(names.joined(separator: ", ")); use "
            + "`chronicle track \(path)`."
    }

    func printNoteOnInterruptions(_ console: Console) throws {
        // A connection string can contain a password.
        let path = console.file.flatMap { $0.contains("://") ? nil : $0 } ?? "FILE"
        if let note = try noteOnInterruptions(path: path) { console.message("Note: \(note.escaped)") }
    }
}
