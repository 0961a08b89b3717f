import Chronicle
import Foundation

/// Inserting, saving, rolling back, deleting, and reading models with their relationships.
extension RelationshipRows {
    static var graphs: [Row] {
        [
            row("insert a graph") { _, count in
                (Folder(), (0..<count).map(Note.init))
            } work: { context, models in
                let (folder, notes) = models
                folder.notes = notes
                context.insert(folder)
                return notes.count { $0.folder === folder }
            },
            row("insert a graph by its last child") { _, count in
                (Folder(), (0..<count).map(Note.init))
            } work: { context, models in
                let (folder, notes) = models
                for note in notes { note.folder = folder }
                for note in notes.reversed() { context.insert(note) }
                return folder.notes.count
            },
            row("insert a chain of parents") { store, count in
                try store.saved(count) { Folder("\($0)") }
            } work: { context, folders in
                for (index, folder) in folders.enumerated() {
                    let note = Note(index)
                    note.folder = folder
                    context.insert(note)
                }
                try context.save()
                return folders.reduce(0) { $0 + $1.notes.count }
            },
            row("save new children of a parent") { store, count in
                let folder = try store.readFolder(notes: 0).folder
                for index in 0..<count {
                    let note = Note(index)
                    note.folder = folder
                    store.context.insert(note)
                }
                return folder
            } work: { context, folder in
                try context.save()
                return folder.notes.count
            },
            row("save moved children") { store, count in
                let (folder, notes) = try store.readFolder(notes: count)
                let other = Folder("Work")
                for note in notes { note.folder = other }
                return (folder, other)
            } work: { context, folders in
                try context.save()
                return folders.1.notes.count
            },
            row("roll back set parents") { store, count in
                let (folder, notes) = (try store.readFolder(notes: 0).folder, try store.notes(count))
                for note in notes { note.folder = folder }
                return (folder, notes)
            } work: { context, models in
                let (folder, notes) = models
                context.rollback()
                return folder.notes.isEmpty ? notes.count { $0.folder == nil } : -1
            },
            row("roll back new children") { store, count in
                let folder = try store.readFolder(notes: 0).folder
                let notes = (0..<count).map(Note.init)
                for note in notes { folder.notes.append(note) }
                return (folder, notes)
            } work: { context, models in
                let (folder, notes) = models
                context.rollback()
                return folder.notes.isEmpty ? notes.count { $0.modelContext == nil } : -1
            },
            row("roll back deletes") { store, count in
                let (folder, notes) = try store.readFolder(notes: count)
                for note in notes { store.context.delete(note) }
                return folder
            } work: { context, folder in
                context.rollback()
                return folder.notes.count
            },
        ] + deletes
    }

    private static var deletes: [Row] {
        [
            row("delete a parent, nullify") { store, count in
                try store.readFolder(notes: count)
            } work: { context, models in
                context.delete(models.folder)
                try context.save()
                return models.notes.count { $0.folder == nil }
            },
            row("delete a parent, nullify, unread") { store, count in
                try store.unreadFolder(notes: count)
            } work: { context, folder in
                context.delete(folder)
                try context.save()
                return try context.fetchCount(FetchDescriptor<Note>(predicate: #Predicate { $0.folder == nil }))
            },
            row("delete a parent, cascade", prepare: folderOfPages) { context, models in
                let (folder, pages) = models
                context.delete(folder)
                try context.save()
                return try context.fetchCount(FetchDescriptor<Page>()) == 0 ? pages.count : -1
            },
            row("delete children one by one") { store, count in
                try store.readFolder(notes: count)
            } work: { context, models in
                for note in models.notes { context.delete(note) }
                try context.save()
                return models.folder.notes.isEmpty ? models.notes.count : -1
            },
            row("delete children, the last first", prepare: folderOfPages) { context, models in
                let (folder, pages) = models
                for page in pages.reversed() { context.delete(page) }
                try context.save()
                return folder.pages.isEmpty ? pages.count : -1
            },
            row("delete new children") { store, count in
                let folder = try store.readFolder(notes: 0).folder
                let notes = (0..<count).map(Note.init)
                for note in notes { folder.notes.append(note) }
                return (folder, notes)
            } work: { context, models in
                let (folder, notes) = models
                for note in notes { context.delete(note) }
                return folder.notes.isEmpty ? notes.count { $0.modelContext == nil } : -1
            },
            row("delete parents of 10", prepare: foldersOf10) { context, folders in
                for folder in folders { context.delete(folder) }
                try context.save()
                return try context.fetchCount(FetchDescriptor<Note>(predicate: #Predicate { $0.folder == nil }))
            },
        ]
    }

    // MARK: Reading

    static var reading: [Row] {
        [
            row("read lists of 10", prepare: foldersOf10) { _, folders in
                folders.reduce(0) { $0 + $1.notes.count }
            },
            row("prefetch lists of 10") { store, count in
                try foldersOf10(store, count).count
            } work: { context, _ in
                var descriptor = FetchDescriptor<Folder>()
                descriptor.relationshipKeyPathsForPrefetching = [\.notes]
                return try context.fetch(descriptor).reduce(0) { $0 + $1.notes.count }
            },
            row("read a list") { store, count in
                try store.unreadFolder(notes: count)
            } work: { _, folder in
                folder.notes.count { $0.number >= 0 }
            },
            row("read the parent of fetched models") { store, count in
                try foldersOf10(store, count)
            } work: { context, folders in
                try context.fetch(FetchDescriptor<Note>()).count { $0.folder?.name.isEmpty == false }
            },
            row("fetch again, lists read") { store, count in
                let folders = try foldersOf10(store, count)
                precondition(folders.reduce(0) { $0 + $1.notes.count } == count, "not every note is there")
                return folders
            } work: { context, _ in
                try context.fetch(FetchDescriptor<Folder>()).count * 10
            },
            row("fetch children again, list read") { store, count in
                try store.readFolder(notes: count)
            } work: { context, models in
                try context.fetch(FetchDescriptor<Note>()).count
            },
        ]
    }

    /// Folders of ten notes each, with the given total number of notes; no list was read.
    private static func foldersOf10(_ store: NoteStore, _ count: Int) throws -> [Folder] {
        try store.save { writer in
            for index in 0..<count / 10 {
                let folder = Folder("\(index)")
                folder.notes = (0..<10).map(Note.init)
                writer.insert(folder)
            }
        }
        return try store.folders()
    }

    /// A folder whose list of pages was read, and the pages.
    private static func folderOfPages(_ store: NoteStore, _ count: Int) throws -> (Folder, [Page]) {
        try store.save { writer in
            let folder = Folder()
            folder.pages = (0..<count).map(Page.init)
            writer.insert(folder)
        }
        let folder = try store.folders()[0]
        let pages = folder.pages
        precondition(pages.count == count, "not every page is there")
        return (folder, pages)
    }
}
