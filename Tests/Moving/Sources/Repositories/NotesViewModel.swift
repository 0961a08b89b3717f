import Foundation
import Observation
import SwiftData

/// The state of a list of notes.
@MainActor @Observable
public final class NotesViewModel {
    public private(set) var notes: [Note] = []
    public private(set) var message: String?
    private let repository: any Repository<Note>

    public init(repository: any Repository<Note>) {
        self.repository = repository
    }

    public func load() {
        do {
            notes = try repository.all(sortedBy: [SortDescriptor(\.createdAt, order: .reverse)])
            message = nil
        } catch {
            message = error.localizedDescription
        }
    }

    public func pin(_ note: Note) {
        perform { try repository.update(note) { $0.isPinned.toggle() } }
    }

    public func add(title: String, labels: [Label]) {
        let note = Note(title: title)
        note.labels = labels
        perform { try repository.add([note]) }
    }

    public func remove(at offsets: IndexSet) {
        perform {
            for offset in offsets { try repository.remove(notes[offset]) }
        }
    }

    private func perform(_ work: () throws -> Void) {
        do {
            try work()
            load()
        } catch {
            message = error.localizedDescription
        }
    }
}
