import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

@Model private final class Note {
    var text: String
    init(_ text: String) { self.text = text }
}

@Model private final class Alpha {
    var text = ""
    init() {}
}

@Model private final class Beta {
    var text = ""
    init() {}
}

/// Backups that another program restores into the file of open stores give the numbers of sources, entities, rows and
/// consumers to others.
@Suite struct RestoredBackupTests {
    /// What the history contains about a transaction.
    private struct Line: Equatable {
        let author: String?
        let entity: String
    }

    private static func container(
        _ url: URL, _ recorder: ModelConfiguration.Recorder, _ models: [any PersistentModel.Type] = [Note.self]
    ) throws -> ModelContainer {
        var configuration = ModelConfiguration(url: url, durability: .relaxed)
        configuration.recorder = recorder
        return try ModelContainer(for: Schema(models), configurations: [configuration])
    }

    private static func save(
        _ author: String, _ container: ModelContainer, count: Int = 1, _ model: () -> any PersistentModel
    ) throws {
        let context = ModelContext(container)
        context.author = author
        for _ in 0..<count {
            context.insert(model())
            try context.save()
        }
    }

    private static func lines(_ container: ModelContainer) throws -> [Line] {
        try ModelContext(container).fetchHistory(Descriptor()).map { transaction in
            Line(
                author: transaction.author,
                entity: transaction.changes.map(\.changedPersistentIdentifier.entityName).joined(separator: ","))
        }
    }

    private static func count(ofEntity name: String, _ container: ModelContainer) throws -> Int {
        try ModelContext(container).fetchHistoryCount(
            Descriptor(
                predicate: #Predicate { $0.changes.contains { $0.changedPersistentIdentifier.entityName == name } }))
    }

    /// After 20 saves, a store reserves keys. The others save as often, so that the newest position is the same.
    @Test(arguments: [ModelConfiguration.Recorder.triggers, .automatic], [1, 20])
    func authorsAndKeysAreNotConfused(_ recorder: ModelConfiguration.Recorder, _ count: Int) throws {
        let directory = try TemporaryDirectory()
        let (url, copy) = (directory.file("test.store"), directory.file("copy.store"))
        let container = try Self.container(url, recorder)
        try Self.save("a", container) { Note("a") }
        _ = try Shell.sqlite3(url, "VACUUM INTO '\(copy.path)'")
        try Self.save("b", container, count: count) { Note("b") }
        _ = try Self.lines(container)
        _ = try Shell.sqlite3(url, ".restore '\(copy.path)'")
        let other = try Self.container(url, recorder)
        try Self.save("z", other, count: count) { Note("z") }
        try Self.save("b", container) { Note("b") }
        let expected = (["a"] + Array(repeating: "z", count: count) + ["b"]).map { Line(author: $0, entity: "Note") }
        for reader in [container, other, try Self.container(url, recorder)] {
            #expect(try Self.lines(reader) == expected)
            #expect(try ModelContext(reader).fetch(FetchDescriptor<Note>()).count == count + 2)
        }
        #expect(try VerificationTests.problems(in: url) == [])
    }

    /// Two stores that remain open, and others that add an entity, while backups are made and restored.
    @Test(arguments: [ModelConfiguration.Recorder.triggers, .automatic], 0..<4)
    func openStoresNoticeBackups(_ recorder: ModelConfiguration.Recorder, _ number: Int) throws {
        let directory = try TemporaryDirectory()
        let url = directory.file("test.store")
        var random = TestSeed.generator(number)
        let open = try [Self.container(url, recorder), Self.container(url, recorder)]
        var expected: [Line] = []
        var backups: [(file: URL, content: [Line])] = []
        for step in 0..<60 {
            let (container, author) = (random.pick(open), random.pick(["a", "b", "c", "d"]))
            switch random.below(9) {
            case 0, 1:
                let file = directory.file("backup \(step).store")
                _ = try Shell.sqlite3(url, ".backup '\(file.path)'")
                backups.append((file, expected))
            case 2, 3:
                guard !backups.isEmpty else { continue }
                let backup = random.pick(backups)
                _ = try Shell.sqlite3(url, ".restore '\(backup.file.path)'")
                expected = backup.content
            case 4:
                let isAlpha = random.below(2) == 0
                let models: [any PersistentModel.Type] = isAlpha ? [Note.self, Alpha.self] : [Beta.self, Note.self]
                try Self.save(author, Self.container(url, recorder, models)) {
                    isAlpha ? Alpha() as any PersistentModel : Beta()
                }
                expected.append(Line(author: author, entity: isAlpha ? "Alpha" : "Beta"))
            case 5:
                #expect(try Self.lines(container) == expected)
                for name in ["Alpha", "Beta", "Note"] {
                    let count = expected.count { $0.entity == name }
                    #expect(try Self.count(ofEntity: name, container) == count)
                }
            default:
                let count = random.pick([1, 1, 2, 20])
                try Self.save(author, container, count: count) { Note("\(step)") }
                expected += Array(repeating: Line(author: author, entity: "Note"), count: count)
            }
        }
        for container in open + [try Self.container(url, recorder)] {
            #expect(try Self.lines(container) == expected)
            let notes = try ModelContext(container).fetchCount(FetchDescriptor<Note>())
            #expect(notes == expected.count { $0.entity == "Note" })
        }
        #expect(try VerificationTests.problems(in: url) == [])
    }

    /// A consumer that a backup undid has its lock, which does not prevent a new consumer from reading.
    @Test func locksOfUndoneConsumersAreNotThoseOfOthers() throws {
        let store = try TestStore(.file)
        try store.add("a")
        let backup = store.directory.file("backup.store")
        _ = try Shell.sqlite3(store.url, ".backup '\(backup.path)'")
        let undone = try store.consumer("undone")
        #expect(try undone.take() == ["insert Trip/1"])
        _ = try Shell.sqlite3(store.url, ".restore '\(backup.path)'")
        let consumer = try store.consumer("new")
        #expect(try consumer.take() == ["insert Trip/1"])
        #expect(try failure { _ = try undone.nextBatch() } == .historyConsumerNotFound)
    }
}
