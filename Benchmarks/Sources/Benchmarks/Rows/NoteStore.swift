import Chronicle
import Foundation

/// A new store of folders, notes, and tags, with one context. It is in memory for rows that measure only the context.
struct NoteStore {
    let container: ModelContainer
    let context: ModelContext

    init() throws { try self.init(ModelConfiguration(isStoredInMemoryOnly: true)) }

    init(file directory: URL) throws {
        try self.init(ModelConfiguration(url: directory.appending(path: "Notes.store"), durability: .relaxed))
    }

    private init(_ configuration: ModelConfiguration) throws {
        container = try ModelContainer(
            for: Folder.self, Note.self, Page.self, Cover.self, Tag.self, configurations: configuration)
        context = ModelContext(container)
    }

    /// Saves the models that `make` inserts in a temporary context, so that ``context`` has none of them.
    func save(_ make: (ModelContext) throws -> Void) throws {
        let writer = ModelContext(container)
        try make(writer)
        try writer.save()
    }

    /// Saves models and fetches them again.
    func saved<Model: PersistentModel>(_ count: Int, _ make: (Int) -> Model) throws -> [Model] {
        try save { writer in
            for index in 0..<count { writer.insert(make(index)) }
        }
        let models = try context.fetch(FetchDescriptor<Model>())
        precondition(models.count == count, "the store is not empty")
        return models
    }

    func notes(_ count: Int) throws -> [Note] { try saved(count, Note.init) }

    /// A folder whose list of notes was read, and the notes in the order of the list.
    func readFolder(notes count: Int) throws -> (folder: Folder, notes: [Note]) {
        let folder = try unreadFolder(notes: count)
        let notes = folder.notes
        precondition(notes.count == count, "not every note is there")
        return (folder, notes)
    }

    /// A folder with the given number of notes, none of which the context has loaded.
    func unreadFolder(notes count: Int) throws -> Folder {
        try save { $0.insert(Folder()) }
        try save { writer in
            let folder = try writer.fetch(FetchDescriptor<Folder>())[0]
            for index in 0..<count {
                let note = Note(index)
                writer.insert(note)
                note.folder = folder
            }
        }
        return try folders()[0]
    }

    func folders() throws -> [Folder] { try context.fetch(FetchDescriptor<Folder>()) }
}
