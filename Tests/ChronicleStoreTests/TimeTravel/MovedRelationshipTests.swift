import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Deletes before a relationship without an inverse moved from a column to a table of links.
@Suite struct MovedRelationshipTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func context(_ models: any PersistentModel.Type...) throws -> ModelContext {
        let configuration = ModelConfiguration(
            schema: Schema(models), url: directory.file("moved.store"), preservesValues: true)
        return ModelContext(try ModelContainer(for: Schema(models), configurations: configuration))
    }

    @Test func deletedModelIsRestoredWithItsDestination() throws {
        let (start, end): (DefaultHistoryToken, DefaultHistoryToken)
        do {
            let context = try context(One.Note.self, One.User.self)
            let note = One.Note()
            context.insert(note)
            note.owner = One.User()
            try context.save()
            start = try context.currentHistoryToken()
            context.delete(note)
            try context.save()
            end = try context.currentHistoryToken()
        }
        let context = try context(Many.Note.self, Many.User.self)
        try context.revert(between: start, and: end)
        try context.save()
        #expect(try context.fetch(FetchDescriptor<Many.Note>()).map(\.owner.count) == [1])
    }

    /// The column has no values before, so the revisions begin with the present form.
    @Test func revisionsBeginWithTheFormOfARelationship() throws {
        do {
            let context = try context(Many.Note.self, Many.User.self)
            let note = Many.Note()
            context.insert(note)
            note.owner = [Many.User()]
            try context.save()
        }
        let context = try context(One.Note.self, One.User.self)
        let store = try #require(context.container.stores.first as? DefaultStore)
        var rows: [[PropertyValue]] = []
        try store.query("SELECT \"from\", owner, unknown FROM Note_revisions") { rows.append($0) }
        #expect(rows == [[.null, .integer(1), .null]])
    }
}

private enum One {
    @Model fileprivate final class Note {
        var owner: User?
        init() {}
    }
    @Model fileprivate final class User { init() {} }
}

private enum Many {
    @Model fileprivate final class Note {
        var owner: [User] = []
        init() {}
    }
    @Model fileprivate final class User { init() {} }
}
