import Chronicle
import Foundation

/// Relationships in files with history, compared with the same rows through the C API without history.
extension RelationshipRows {
    static var compared: [Row] {
        [
            compared("insert 1,000 parents with 10 children each", limit: 8) { plain in
                { try plain.insertFolders(1_000, children: 10) }
            } chronicle: { store in
                { try insertFolders(store, 1_000, children: 10) }
            },
            compared("insert a parent with 10,000 children", limit: 6) { plain in
                { try plain.insertFolders(1, children: 10_000) }
            } chronicle: { store in
                { try insertFolders(store, 1, children: 10_000) }
            },
            compared("read 1,000 lists of 10", limit: 8) { plain in
                try plain.insertFolders(1_000, children: 10)
                return {
                    let count = try plain.readLists(1_000)
                    precondition(count == 10_000, "notes are missing")
                }
            } chronicle: { store in
                try store.save { try fill($0, 1_000, children: 10) }
                let folders = try store.folders()
                return {
                    let count = folders.reduce(0) { $0 + $1.notes.count { $0.number >= 0 } }
                    precondition(count == 10_000, "notes are missing")
                }
            },
            compared("delete a parent, nullify 10,000", limit: 6) { plain in
                try plain.insertFolders(1, children: 10_000)
                return { try plain.deleteFolder() }
            } chronicle: { store in
                try store.save { try fill($0, 1, children: 10_000) }
                return try deleting(store)
            },
            compared("delete a parent, cascade to 10,000", limit: 9) { plain in
                try plain.insertFolders(1, children: 10_000, table: "page")
                return { try plain.deleteFolder() }
            } chronicle: { store in
                try store.save { writer in
                    let folder = Folder()
                    folder.pages = (0..<10_000).map(Page.init)
                    writer.insert(folder)
                }
                return try deleting(store)
            },
            compared("add 10,000 links", limit: 7) { plain in
                try plain.insertFolders(1, children: 100)
                try plain.insertTags(100)
                return { try plain.link(notes: 100, tags: 100) }
            } chronicle: { store in
                let notes = try store.notes(100)
                let tags = try store.saved(100, Tag.init)
                return {
                    for note in notes { note.tags = tags }
                    try store.context.save()
                }
            },
        ]
    }

    /// - Parameters:
    ///   - plain: Prepares the baseline and returns the work to measure.
    ///   - chronicle: Prepares the store and returns the work to measure.
    private static func compared(
        _ name: String, limit: Double, plain: @escaping (PlainNotes) throws -> () throws -> Void,
        chronicle: @escaping (NoteStore) throws -> () throws -> Void
    ) -> Row {
        Row(name: "relationship, against the C API: \(name)", limit: .ratio(limit), runs: 11) { runs in
            try compare(
                runs: runs, { try timed(plain(PlainNotes($0))) }, { try timed(chronicle(NoteStore(file: $0))) })
        }
    }

    private static func fill(_ context: ModelContext, _ count: Int, children: Int) throws {
        for _ in 0..<count {
            let folder = Folder()
            folder.notes = (0..<children).map(Note.init)
            context.insert(folder)
        }
    }

    private static func insertFolders(_ store: NoteStore, _ count: Int, children: Int) throws {
        try fill(store.context, count, children: children)
        try store.context.save()
    }

    /// The children are not in the context.
    private static func deleting(_ store: NoteStore) throws -> () throws -> Void {
        let folder = try store.folders()[0]
        return {
            store.context.delete(folder)
            try store.context.save()
        }
    }
}
