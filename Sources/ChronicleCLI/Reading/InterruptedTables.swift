import Chronicle

// The tables of a tracked database that its program has changed, for example by creating them again, and whose changes are not
// recorded until `chronicle track` follows it.
extension StoreFile {
    private func interruptedRecordings() throws -> [SwiftDataError] {
        guard store.isTracked else { return [] }
        return try (store as? any ToolStore)?.interruptedRecordings() ?? []
    }

    /// Throws an error if the recording of a table is interrupted, or of any table if `name` is `nil`.
    func requireRecorded(_ name: String? = nil) throws {
        for error in try interruptedRecordings() where name == nil || error.entityName == name { throw error }
    }

    /// Returns a remark about the tables of which changes can be missing.
    func noteOnInterruptions(path: String = "FILE") throws -> String? {
        let names = try interruptedRecordings().compactMap(\.entityName)
        guard !names.isEmpty else { return nil }
        return "Changes may be missing of \(names.joined(separator: ", ")), which the program has changed; use "
            + "`chronicle track \(path)`."
    }

    func printNoteOnInterruptions(_ console: Console) throws {
        // A connection string can contain a password.
        let path = console.file.flatMap { $0.contains("://") ? nil : $0 } ?? "FILE"
        if let note = try noteOnInterruptions(path: path) { console.message("Note: \(note.escaped)") }
    }
}
