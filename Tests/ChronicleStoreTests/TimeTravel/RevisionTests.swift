import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Revisions at the limits of what the history contains, and the errors beyond them.
@Suite struct RevisionTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func container(
        preservesValues: Bool = true, _ types: any PersistentModel.Type...
    ) throws -> ModelContainer {
        try ModelContainer(
            for: Schema(types),
            configurations: [
                ModelConfiguration(
                    url: directory.file("test.store"), durability: .relaxed, preservesValues: preservesValues)
            ])
    }

    @Test func attributesWereRenamedAddedAndRemoved() throws {
        do {
            let context = ModelContext(try container(Before.Note.self))
            let notes = ["a", "b", "c"].map(Before.Note.init)
            for note in notes { context.insert(note) }
            try context.save()
            notes[0].title = "z"
            try context.save()
            context.delete(notes[1])
            try context.save()
        }
        let context = ModelContext(try container(After.Note.self))
        for note in try context.fetch(FetchDescriptor<After.Note>()) where note.heading == "c" {
            (note.heading, note.stars) = ("d", 4)
        }
        try context.save()
        for note in try context.fetch(FetchDescriptor<After.Note>()) { context.delete(note) }
        try context.save()

        let all = try context.fetchRevisions(
            RevisionDescriptor<After.Note>(sortBy: [SortDescriptor(\.heading)]))
        #expect(try all.map { try $0[\.heading] } == ["a", "b", "c", "d", "z"])
        #expect(try all.map { try $0[\.stars] } == [3, 3, 3, 4, 3])
        #expect(all.allSatisfy { !$0.isCurrent && $0.missingPropertyNames.isEmpty })
        // A model has several revisions, so the order within each of them matters.
        let ofModels = RevisionDescriptor<After.Note>(
            sortBy: [SortDescriptor(\.persistentModelID), SortDescriptor(\.heading, order: .reverse)])
        #expect(try context.fetchRevisions(ofModels).map { try $0[\.heading] } == ["z", "a", "b", "d", "c"])
        let three = RevisionDescriptor<After.Note>(predicate: #Predicate { $0.stars == 3 && $0.heading != "z" })
        #expect(try context.fetchRevisionsCount(three) == 3)
        #expect(try all[3].model().heading == "d")
    }

    @Test func theHistoryWasDeleted() throws {
        let context = ModelContext(try container(Before.Note.self))
        let notes = ["a", "b"].map(Before.Note.init)
        for note in notes { context.insert(note) }
        try context.save()
        let token = try context.currentHistoryToken()
        notes[0].title = "c"
        try context.save()
        notes[0].title = "d"
        try context.save()
        try context.deleteHistory(
            HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token <= token }))

        let all = try context.fetchRevisions(RevisionDescriptor<Before.Note>())
        #expect(try all.map { try $0[\.title] } == ["a", "b", "c", "d"])
        #expect(all.map(\.changeKind) == [nil, nil, .update, .update])
        #expect(all.map(\.isCurrent) == [false, true, false, true])
        #expect(try all[0].model().title == "a" && all[1].model().title == "b")
        let known = RevisionDescriptor<Before.Note>(transactions: #Predicate { $0.author == nil })
        #expect(try context.fetchRevisionsCount(known) == 2)
        var later = RevisionDescriptor<Before.Note>()
        later.lowerBound = all[2].begin
        #expect(try context.fetchRevisions(later).map { try $0[\.title] } == ["b", "c", "d"])
    }

    @Test func valuesAreMissing() throws {
        do {
            let context = ModelContext(try container(preservesValues: false, Before.Note.self))
            context.insert(Before.Note("a"))
            context.insert(Before.Note("b"))
            try context.save()
            try #require(try context.fetch(FetchDescriptor<Before.Note>()).first).title = "c"
            try context.save()
            #expect(throws: SwiftDataError.unsupportedFeature) {
                try context.fetchRevisions(RevisionDescriptor<Before.Note>())
            }
            let error = try failure { try context.fetchRevisionsCount(RevisionDescriptor<Before.Note>()) }
            #expect(error?.detail?.contains("preservesValues: true") == true)
        }
        let container = try container(Before.Note.self)
        for case let store as DefaultStore in container.stores { try store.setPreservesValues(true) }
        let context = ModelContext(container)
        let token = try context.currentHistoryToken()
        let note = try #require(
            try context.fetch(FetchDescriptor<Before.Note>(predicate: #Predicate { $0.title == "c" })).first)
        note.title = "d"
        context.author = "late"
        try context.save()

        let all = try context.fetchRevisions(RevisionDescriptor<Before.Note>(of: [note.persistentModelID]))
        #expect(all.map(\.missingPropertyNames) == [["title"], [], []])
        #expect(try all.dropFirst().map { try $0[\.title] } == ["c", "d"])
        #expect(try all[0][\.text] == "text")
        #expect(throws: SwiftDataError.historyValueMissing) { try all[0][\.title] }
        #expect(throws: SwiftDataError.historyValueMissing) { try all[0].model() }
        // A condition that needs the value fails, whether it would match or not.
        let predicates = [
            #Predicate<Before.Note> { $0.title == "c" }, #Predicate<Before.Note> { $0.title != "c" },
        ]
        for predicate in predicates {
            let error = try failure { try context.fetchRevisions(RevisionDescriptor(predicate: predicate)) }
            #expect(error == .historyValueMissing && error?.propertyName == "title")
            #expect(throws: SwiftDataError.historyValueMissing) {
                try context.fetchRevisionsCount(RevisionDescriptor(predicate: predicate))
            }
        }
        #expect(throws: SwiftDataError.historyValueMissing) {
            try context.fetchRevisions(RevisionDescriptor<Before.Note>(sortBy: [SortDescriptor(\.title)]))
        }
        let known = RevisionDescriptor<Before.Note>(predicate: #Predicate { $0.text == "text" })
        #expect(try context.fetchRevisionsCount(known) == 4)
        var later = RevisionDescriptor<Before.Note>(predicate: #Predicate { $0.title == "c" })
        later.lowerBound = token
        #expect(try context.fetchRevisions(later).map(\.id) == [all[1].id])
        // The missing values are those of other transactions.
        let ofAuthor = RevisionDescriptor<Before.Note>(
            predicate: #Predicate { $0.title == "d" }, transactions: #Predicate { $0.author == "late" })
        #expect(try context.fetchRevisions(ofAuthor).map(\.id) == [all[2].id])
        // Values that were preserved remain available.
        for case let store as DefaultStore in container.stores { try store.setPreservesValues(false) }
        #expect(try context.fetchRevisions(ofAuthor).map(\.id) == [all[2].id])
    }

    @Test func aPositionWithoutTheRowsBeforeItIsDamage() throws {
        let context = ModelContext(try container(Before.Note.self))
        context.insert(Before.Note("a"))
        try context.save()
        _ = try Shell.sqlite3(
            directory.file("test.store"), "INSERT INTO chronicle_change(id, kind) VALUES (4000000000000000000, 0)")
        #expect(throws: SwiftDataError.damagedFile) { try context.fetchRevisions(RevisionDescriptor<Before.Note>()) }
    }

    @Test func unsupportedDescriptorsThrow() throws {
        let test = try TestStore(
            .file, [Journey.self, GuidedJourney.self, Traveler.self, Topic.self], preservesValues: true)
        let container = test.container
        let context = ModelContext(container)
        context.insert(Journey(code: "a", title: "b"))
        try context.save()
        let predicates = [
            #Predicate<Journey> { $0.traveler?.name == "t" },
            #Predicate<Journey> { $0.topics.contains { $0.name == "o" } }, #Predicate<Journey> { $0.topics.isEmpty },
        ]
        for predicate in predicates {
            #expect(throws: SwiftDataError.unsupportedFeature) {
                try context.fetchRevisions(RevisionDescriptor(predicate: predicate))
            }
        }
        #expect(throws: SwiftDataError.unsupportedFeature) {
            try context.fetchRevisions(RevisionDescriptor<Journey>(sortBy: [SortDescriptor(\.traveler?.name)]))
        }
        let token = try context.currentHistoryToken()
        #expect(throws: SwiftDataError.unsupportedPredicate) {
            try context.fetchRevisions(RevisionDescriptor<Journey>(transactions: #Predicate { $0.token > token }))
        }
        #expect(throws: SwiftDataError.unsupportedFeature) {
            try ModelContext(container, asOf: token).fetchRevisions(RevisionDescriptor<Journey>())
        }
        #expect(throws: SwiftDataError.unknownSchema) {
            try context.fetchRevisions(RevisionDescriptor<Trip>())
        }
        let revision = try #require(try context.fetchRevisions(RevisionDescriptor<Journey>()).first)
        #expect(throws: SwiftDataError.unsupportedKeyPath) { try revision[\.traveler] }
        #expect(throws: SwiftDataError.unsupportedKeyPath) { try revision[\.topics] }
        var descriptor = RevisionDescriptor<Traveler>()
        descriptor.changedProperties = [\.journeys]
        #expect(throws: SwiftDataError.unsupportedKeyPath) { try context.fetchRevisions(descriptor) }
    }

    @Test func rowsOfTrackedTablesHaveRevisions() throws {
        let fixture = try TrackedFixture(
            """
            CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, price REAL);
            CREATE TABLE pair(a TEXT, b TEXT, v, PRIMARY KEY (a, b)) WITHOUT ROWID;
            INSERT INTO item VALUES (1, 'old', 1.5); INSERT INTO pair VALUES ('x', 'y', 1);
            """)
        try fixture.app.execute("UPDATE item SET price = 2.5; UPDATE pair SET v = 2")
        try fixture.app.execute("INSERT INTO item VALUES (2, 'new', 3); DELETE FROM item WHERE id = 1")
        try fixture.app.execute("DELETE FROM pair; INSERT INTO pair VALUES ('x', 'y', 3)")
        let context = ModelContext(ModelContainer(forHistoryOf: try fixture.store()))
        let items = try context.fetchRevisions(RevisionDescriptor(entityName: "item"))
        // The statements follow each other without a header, and are one transaction.
        #expect(try items.map { try $0.value(named: "price") as? Double } == [1.5, 3])
        #expect(items.first?.changeKind == nil && items.first?.isCurrent == false)
        #expect(try items.last?.value(named: "name") as? String == "new" && items.last?.isCurrent == true)
        let pairs = try context.fetchRevisions(RevisionDescriptor(entityName: "pair"))
        #expect(pairs.count >= 2 && pairs.last?.isCurrent == true)
        #expect(throws: SwiftDataError.unknownSchema) {
            try context.fetchRevisions(RevisionDescriptor(entityName: "other"))
        }
    }

    /// The headers are found in a bitmap, of which the changes of a transaction take many words.
    @Test func transactionsAreLong() throws {
        let context = ModelContext(try container(Before.Note.self))
        for number in 0..<1_000 { context.insert(Before.Note("\(number)")) }
        try context.save()
        var tokens = [try context.currentHistoryToken()]
        for title in ["b", "c"] {
            try context.update(model: Before.Note.self, set: \.title, to: title)
            tokens.append(try context.currentHistoryToken())
        }
        _ = try Shell.sqlite3(directory.file("test.store"), "UPDATE Note SET title = 'd'")
        let revisions = try context.fetchRevisions(RevisionDescriptor<Before.Note>())
        #expect(revisions.count == 4_000)
        for (index, title) in ["b", "c"].enumerated() {
            let found = try revisions.filter { try $0[\.title] == title }
            #expect(found.count == 1_000)
            #expect(found.allSatisfy { $0.begin == tokens[index + 1] && $0.end != nil })
        }
        let last = revisions.filter(\.isCurrent)
        #expect(try last.count == 1_000 && last.allSatisfy { try $0[\.title] == "d" && $0.begin > tokens[2] })
    }

    private func failure<Result>(_ body: () throws -> Result) throws -> SwiftDataError? {
        do {
            _ = try body()
            return nil
        } catch let error as SwiftDataError { return error }
    }
}

private enum Before {
    @Model fileprivate final class Note {
        var title: String
        var text: String?
        init(_ title: String) { (self.title, text) = (title, "text") }
    }
}

private enum After {
    @Model fileprivate final class Note {
        @Attribute(originalName: "title") var heading: String
        var stars = 3
        init(heading: String) { self.heading = heading }
    }
}
