import Chronicle
import Foundation

/// The cost of relationship operations with 1,000 and 10,000 models: the time may grow proportionally to their number,
/// with some tolerance for caches.
enum RelationshipRows {
    static var all: [Row] { setting + lists + links + graphs + reading + totals + compared }

    /// - Parameters:
    ///   - limit: The maximum ratio of the time with 10,000 models to that with 1,000.
    ///   - prepare: Creates models in a new store; not measured.
    ///   - work: The work to measure. It returns the number of models at the end, for validation.
    static func row<Models>(
        _ name: String, limit: Double = 13, prepare: @escaping (_ store: NoteStore, _ count: Int) throws -> Models,
        work: @escaping (_ context: ModelContext, _ models: Models) throws -> Int
    ) -> Row {
        let measured = { (count: Int) in
            let store = try NoteStore()
            let models = try prepare(store, count)
            var result = 0
            let time = try timed { result = try work(store.context, models) }
            precondition(result == count, "\(name): \(result) models instead of \(count)")
            return time
        }
        return Row(name: "relationship: \(name), 10,000 against 1,000", limit: .ratio(limit), runs: 7) { runs in
            try compare(runs: runs, { _ in try measured(1_000) }, { _ in try measured(10_000) })
        }
    }

    // MARK: To one

    private static var setting: [Row] {
        [
            row("set the parent") { store, count in
                (try store.unreadFolder(notes: 0), try store.notes(count))
            } work: { _, models in
                let (folder, notes) = models
                for note in notes { note.folder = folder }
                return folder.notes.count
            },
            row("set the parent, its list read") { store, count in
                (try store.readFolder(notes: 0).folder, try store.notes(count))
            } work: { _, models in
                let (folder, notes) = models
                for note in notes { note.folder = folder }
                return folder.notes.count
            },
            row("set the parent before the insert") { store, count in
                (try store.readFolder(notes: 0).folder, (0..<count).map(Note.init))
            } work: { context, models in
                let (folder, notes) = models
                for note in notes {
                    note.folder = folder
                    context.insert(note)
                }
                return folder.notes.count
            },
            row("set the parent after the insert") { store, count in
                (try store.readFolder(notes: 0).folder, (0..<count).map(Note.init))
            } work: { context, models in
                let (folder, notes) = models
                for note in notes {
                    context.insert(note)
                    note.folder = folder
                }
                return folder.notes.count
            },
            row("move to another parent", prepare: twoFolders) { _, models in
                let (_, second, notes) = models
                for note in notes { note.folder = second }
                return second.notes.count
            },
            row("move to another parent, the last first", prepare: twoFolders) { _, models in
                let (_, second, notes) = models
                for note in notes.reversed() { note.folder = second }
                return second.notes.count
            },
            row("set the parent to nil") { store, count in
                try store.readFolder(notes: count)
            } work: { _, models in
                for note in models.notes { note.folder = nil }
                return models.folder.notes.isEmpty ? models.notes.count : -1
            },
            row("set one to one") { store, count in
                (try store.saved(count) { Folder("\($0)") }, try store.saved(count, Cover.init))
            } work: { _, models in
                let (folders, covers) = models
                for (folder, cover) in zip(folders, covers) { folder.cover = cover }
                return covers.count { $0.folder != nil }
            },
            row("move one to one") { store, count in
                let (folders, covers) = (try store.saved(count) { Folder("\($0)") }, try store.saved(count, Cover.init))
                for (folder, cover) in zip(folders, covers) { folder.cover = cover }
                try store.context.save()
                return (folders, covers)
            } work: { _, models in
                let (folders, covers) = models
                for (folder, cover) in zip(folders, covers.dropFirst()) { folder.cover = cover }
                // The first cover has no folder any more, and the last folder has no cover.
                return 1 + covers.count { $0.folder != nil }
            },
        ]
    }

    /// Two folders whose lists were read, and the notes of the first.
    private static func twoFolders(_ store: NoteStore, _ count: Int) throws -> (Folder, Folder, [Note]) {
        let (first, notes) = try store.readFolder(notes: count)
        let second = Folder("Work")
        store.context.insert(second)
        try store.context.save()
        precondition(second.notes.isEmpty, "a new folder has notes")
        return (first, second, notes)
    }

    // MARK: Totals

    /// A hundred thousand models at once.
    private static var totals: [Row] {
        [
            total("set the parent of 100,000") { folder, notes in
                for note in notes { note.folder = folder }
            },
            total("append 100,000 one by one") { folder, notes in
                for note in notes { folder.notes.append(note) }
            },
        ]
    }

    private static func total(_ name: String, _ work: @escaping (Folder, [Note]) -> Void) -> Row {
        Row(name: "relationship: \(name)", limit: .time(.milliseconds(500)), runs: 3) { runs in
            let times = try (0..<max(runs, 1)).map { _ in
                let store = try NoteStore()
                let (folder, notes) = (try store.readFolder(notes: 0).folder, try store.notes(100_000))
                let time = timed { work(folder, notes) }
                precondition(folder.notes.count == notes.count, "\(name): notes are missing")
                return time
            }
            return Row.Outcome(median: .time(times.median))
        }
    }
}
