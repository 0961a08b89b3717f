import Foundation
import Repositories
import SwiftData
import Testing

/// Repositories that are generic over models, and a view model that uses one.
@MainActor @Suite struct RepositoryTests {
    private let container: ModelContainer
    private let notes: ModelRepository<Note>

    init() throws {
        container = try ModelContainer(
            for: Note.self, Label.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        notes = ModelRepository(container: container)
    }

    @Test func modelsAreAddedFoundAndRemoved() throws {
        let labels = ModelRepository<Label>(container: container)
        let home = Label(name: "home")
        try labels.add([home])
        let notes = ["b", "a", "c"].map { Note(title: $0) }
        notes[0].labels = [home]
        try self.notes.add(notes)

        #expect(try self.notes.all(sortedBy: [SortDescriptor(\.title)]).map(\.title) == ["a", "b", "c"])
        #expect(try self.notes.titles() == ["a", "b", "c"])
        #expect(try self.notes.find(#Predicate { $0.title > "a" }, limit: 1).count == 1)
        #expect(try self.notes.first(where: #Predicate { $0.labels.contains { $0.name == "home" } }) === notes[0])
        #expect(self.notes.model(with: notes[1].persistentModelID) === notes[1])
        #expect(home.notes?.map(\.title) == ["b"])

        try self.notes.remove(notes[0])
        #expect(home.notes?.isEmpty == true)
        try self.notes.removeAll(where: #Predicate { $0.title == "c" })
        #expect(try self.notes.count() == 1)
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Note>()) == 1)
    }

    @Test func aFailedChangeIsRolledBack() throws {
        struct Refusal: Error {}
        let note = Note(title: "a")
        try notes.add([note])
        #expect(throws: Refusal.self) {
            try notes.update(note) { note in
                note.title = "b"
                throw Refusal()
            }
        }
        #expect(note.title == "a" && !note.hasChanges)
    }

    @Test func aViewModelShowsTheNotes() throws {
        let viewModel = NotesViewModel(repository: notes)
        viewModel.add(title: "a", labels: [Label(name: "home")])
        viewModel.add(title: "b", labels: [])
        viewModel.pin(viewModel.notes[0])
        #expect(viewModel.message == nil)
        #expect(viewModel.notes.map(\.title) == ["b", "a"])
        #expect(try notes.count(where: #Predicate { $0.isPinned }) == 1)
        viewModel.remove(at: [0])
        #expect(viewModel.notes.map(\.title) == ["a"])
    }
}
