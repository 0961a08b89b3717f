import Chronicle
import Foundation

/// Lists whose inverse is a to-one relationship.
extension RelationshipRows {
    static var lists: [Row] {
        [
            row("append to a read list", prepare: emptyFolder) { _, models in
                let (folder, notes) = models
                for note in notes { folder.notes.append(note) }
                return folder.notes.count
            },
            row("append to a read list, counting") { store, count in
                try emptyFolder(store, count)
            } work: { _, models in
                let (folder, notes) = models
                for (index, note) in notes.enumerated() {
                    folder.notes.append(note)
                    guard folder.notes.count == index + 1, note.folder === folder else { return index }
                }
                return folder.notes.count
            },
            row("append to an unread list", prepare: unreadFolder) { _, models in
                let (folder, notes) = models
                for note in notes { folder.notes.append(note) }
                return folder.notes.count - notes.count
            },
            row("append new models") { store, count in
                (try store.readFolder(notes: 0).folder, (0..<count).map(Note.init))
            } work: { _, models in
                let (folder, notes) = models
                for note in notes { folder.notes.append(note) }
                return notes.count { $0.modelContext != nil }
            },
            row("append many at once", prepare: emptyFolder) { _, models in
                let (folder, notes) = models
                folder.notes.append(contentsOf: notes)
                return notes.count { $0.folder === folder }
            },
            // `Array.removeFirst` moves all other elements.
            row("remove the first of a list", limit: 25, prepare: readFolder) { _, models in
                let (folder, notes) = models
                while !folder.notes.isEmpty { folder.notes.removeFirst() }
                return notes.count { $0.folder == nil }
            },
            row("remove the last of a list", prepare: readFolder) { _, models in
                let (folder, notes) = models
                while !folder.notes.isEmpty { folder.notes.removeLast() }
                return notes.count { $0.folder == nil }
            },
            row("remove half of a list", prepare: readFolder) { _, models in
                let (folder, notes) = models
                folder.notes.removeAll { $0.number.isMultiple(of: 2) }
                return 2 * notes.count { $0.folder == nil }
            },
            row("set a list", prepare: emptyFolder) { _, models in
                let (folder, notes) = models
                folder.notes = notes
                return notes.count { $0.folder === folder }
            },
            row("replace a list", prepare: unreadFolder) { _, models in
                let (folder, notes) = models
                folder.notes = notes
                return notes.count { $0.folder === folder }
            },
            row("set a list to [] and back", prepare: readFolder) { _, models in
                let (folder, notes) = models
                folder.notes = []
                folder.notes = notes
                return notes.count { $0.folder === folder }
            },
            // Each operation creates an array of the whole list, so their number is the same for both sizes.
            row("set list + [model], 100 times") { store, count in
                (try store.readFolder(notes: count).folder, (0..<100).map(Note.init))
            } work: { _, models in
                let (folder, notes) = models
                for note in notes { folder.notes = folder.notes + [note] }
                return folder.notes.count - notes.count
            },
            row("set a list with one less, 100 times") { store, count in
                try store.readFolder(notes: count + 100).folder
            } work: { _, folder in
                for _ in 0..<100 { folder.notes = Array(folder.notes.dropFirst()) }
                return folder.notes.count
            },
        ]
    }

    /// A folder whose empty list was read, and notes for it.
    private static func emptyFolder(_ store: NoteStore, _ count: Int) throws -> (Folder, [Note]) {
        (try store.readFolder(notes: 0).folder, try store.notes(count))
    }

    /// A folder whose list was read, and its notes.
    private static func readFolder(_ store: NoteStore, _ count: Int) throws -> (Folder, [Note]) {
        let (folder, notes) = try store.readFolder(notes: count)
        return (folder, notes)
    }

    /// A folder with the given number of notes, whose list was not read, and notes without a folder.
    private static func unreadFolder(_ store: NoteStore, _ count: Int) throws -> (Folder, [Note]) {
        let notes = try store.notes(count)
        return (try store.unreadFolder(notes: count), notes)
    }
}
