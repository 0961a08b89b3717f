import Chronicle
import Foundation

/// Many-to-many relationships.
extension RelationshipRows {
    static var links: [Row] {
        [
            row("append links", prepare: unlinked) { _, models in
                let (note, tags) = models
                for tag in tags { note.tags.append(tag) }
                return note.tags.count
            },
            // A context keeps the 1,024 lists of links that were read last; of 10,000 lists, each is read twice.
            row("append links to both lists", limit: 20, prepare: unlinked) { _, models in
                let (note, tags) = models
                // Reads the other sides as well.
                guard tags.allSatisfy(\.notes.isEmpty) else { return -1 }
                for tag in tags { tag.notes.append(note) }
                return note.tags.count
            },
            row("append links and save", prepare: unlinked) { context, models in
                let (note, tags) = models
                for tag in tags { note.tags.append(tag) }
                try context.save()
                return note.tags.count
            },
            // Like `remove the first of a list`.
            row("remove the first link", limit: 25, prepare: linked) { _, models in
                let (note, tags) = models
                while !note.tags.isEmpty { note.tags.removeFirst() }
                return tags.count { $0.notes.isEmpty }
            },
            row("remove the last link", prepare: linked) { _, models in
                let (note, tags) = models
                while !note.tags.isEmpty { note.tags.removeLast() }
                return tags.count
            },
            row("set links", prepare: unlinked) { _, models in
                let (note, tags) = models
                note.tags = tags
                return note.tags.count
            },
            row("remove all links and save", prepare: linked) { context, models in
                let (note, tags) = models
                note.tags = []
                try context.save()
                return note.tags.isEmpty ? tags.count : -1
            },
            row("roll back links", prepare: unlinked) { context, models in
                let (note, tags) = models
                for tag in tags { note.tags.append(tag) }
                context.rollback()
                return note.tags.isEmpty ? tags.count : -1
            },
            row("delete the owner of links", prepare: linked) { context, models in
                let (note, tags) = models
                context.delete(note)
                try context.save()
                return tags.count
            },
            row("delete the owner of unread links") { store, count in
                try store.save { writer in
                    let note = Note(0)
                    note.tags = (0..<count).map(Tag.init)
                    writer.insert(note)
                }
                return try store.context.fetch(FetchDescriptor<Note>())[0]
            } work: { context, note in
                context.delete(note)
                try context.save()
                return try context.fetchCount(FetchDescriptor<Tag>(predicate: #Predicate { $0.notes.isEmpty }))
            },
            row("delete linked models one by one", prepare: linked) { context, models in
                let (note, tags) = models
                for tag in tags { context.delete(tag) }
                try context.save()
                return note.tags.isEmpty ? tags.count : -1
            },
            row("read lists of 10 links") { store, count in
                try store.save { writer in
                    let tags = (0..<count).map(Tag.init)
                    for tag in tags { writer.insert(tag) }
                    for index in 0..<count / 10 {
                        let note = Note(index)
                        note.tags = Array(tags[10 * index..<10 * index + 10])
                        writer.insert(note)
                    }
                }
                return try store.context.fetch(FetchDescriptor<Note>())
            } work: { _, notes in
                notes.reduce(0) { $0 + $1.tags.count }
            },
        ]
    }

    /// A note whose empty list of tags was read, and tags for it.
    private static func unlinked(_ store: NoteStore, _ count: Int) throws -> (Note, [Tag]) {
        let (note, tags) = (try store.notes(1)[0], try store.saved(count, Tag.init))
        precondition(note.tags.isEmpty, "a new note has tags")
        return (note, tags)
    }

    /// A note whose list of tags was read, and its tags.
    private static func linked(_ store: NoteStore, _ count: Int) throws -> (Note, [Tag]) {
        try store.save { writer in
            let note = Note(0)
            note.tags = (0..<count).map(Tag.init)
            writer.insert(note)
        }
        let note = try store.context.fetch(FetchDescriptor<Note>())[0]
        let tags = note.tags
        precondition(tags.count == count, "not every tag is there")
        return (note, tags)
    }
}
