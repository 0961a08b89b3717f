import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Positions that cannot be read, and values that the history does not contain.
@Suite struct AsOfErrorTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func container(
        _ name: String = "test", recordsHistory: Bool = true, _ types: any PersistentModel.Type...
    ) throws -> ModelContainer {
        try ModelContainer(
            for: Schema(types.isEmpty ? [Letter.self] : types),
            configurations: [
                ModelConfiguration(
                    name, url: directory.file("\(name).store"), recordsHistory: recordsHistory, preservesValues: true)
            ])
    }

    private func text(_ context: ModelContext) throws -> [String] {
        try context.fetch(FetchDescriptor<Letter>(sortBy: [SortDescriptor(\.text)])).map(\.text)
    }

    @Test func disabledHistoryAndGapsThrow() throws {
        let container = try container()
        let context = ModelContext(container)
        context.insert(Letter("a"))
        try context.save()
        let token = try context.currentHistoryToken()
        let open = try ModelContext(container, asOf: token)
        #expect(try text(open) == ["a"])
        do {
            let other = try self.container(recordsHistory: false)
            #expect(throws: SwiftDataError.historyDisabled) { try ModelContext(other, asOf: token) }
            #expect(throws: SwiftDataError.historyDisabled) { try ModelContext(other, asOf: Date.now) }
            #expect(throws: SwiftDataError.historyDisabled) { try text(open) }
            let writer = ModelContext(other)
            for letter in try writer.fetch(FetchDescriptor<Letter>()) { letter.text = "b" }
            try writer.save()
        }
        let again = try self.container()
        #expect(throws: SwiftDataError.historyTokenGap) { try ModelContext(again, asOf: token) }
        #expect(throws: SwiftDataError.historyTokenGap) { try text(open) }
        #expect(try text(ModelContext(again, asOf: Date.distantFuture)) == ["b"])
    }

    @Test func datesWithinAGapThrow() throws {
        let context = ModelContext(try container())
        context.insert(Letter("a"))
        try context.save()
        let recorded = Date()
        let writer = ModelContext(try self.container(recordsHistory: false))
        for letter in try writer.fetch(FetchDescriptor<Letter>()) { letter.text = "b" }
        try writer.save()
        let unrecorded = Date()
        let again = try self.container()
        let resumed = Date()
        for isFollowed in [false, true] {
            if isFollowed {
                let context = ModelContext(again)
                context.insert(Letter("c"))
                try context.save()
            }
            #expect(throws: SwiftDataError.historyTokenGap) { try ModelContext(again, asOf: unrecorded) }
            // The next transaction is recorded, but it changed the state at the end of the gap.
            #expect(throws: SwiftDataError.historyTokenGap) { try ModelContext(again, asOf: recorded) }
            #expect(try text(ModelContext(again, asOf: resumed)) == ["b"])
        }
        // A file of an earlier version lacks the date.
        let file = directory.file("test.store")
        _ = try Shell.sqlite3(file, "DELETE FROM chronicle_meta WHERE name = 'recordedSince'")
        #expect(throws: SwiftDataError.historyTokenGap) { try ModelContext(again, asOf: resumed) }
        #expect(try text(ModelContext(again, asOf: Date())) == ["b", "c"])
        _ = try Shell.sqlite3(file, "INSERT INTO chronicle_meta VALUES ('recordedSince', 'x')")
        #expect(throws: SwiftDataError.damagedFile) { try ModelContext(again, asOf: resumed) }
        var problems: [StoreProblem] = []
        try DefaultStore.verify(fileAt: file) { problems.append($0) }
        #expect(problems.map(\.kind) == [.property])
    }

    /// After everything was deleted, no transaction remains that a date could be before.
    @Test(arguments: [false, true])
    func datesBeforeDeletedTransactionsThrow(_ purges: Bool) async throws {
        let container = try container()
        let context = ModelContext(container)
        let letter = Letter("a")
        context.insert(letter)
        try context.save()
        let first = Date()
        letter.text = "b"
        try context.save()
        let second = Date()
        let statistics = try #require(container.historyStatistics().first)
        #expect(statistics.lastDeletion == nil)
        if purges {
            _ = try await container.purgeHistory(HistoryRetention(maximumAge: .zero))
        } else {
            try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        }
        let deleted = try #require(container.historyStatistics().first?.lastDeletion)
        #expect(deleted >= second && deleted <= Date())
        #expect(throws: SwiftDataError.historyTokenExpired) { try ModelContext(container, asOf: first) }
        #expect(try text(ModelContext(container, asOf: second)) == ["b"])
        #expect(try text(ModelContext(container, asOf: Date.distantFuture)) == ["b"])
        // A later transaction does not change what the dates before it mean.
        letter.text = "c"
        try context.save()
        #expect(throws: SwiftDataError.historyTokenExpired) { try ModelContext(container, asOf: first) }
        #expect(try text(ModelContext(container, asOf: second)) == ["b"])
        #expect(try text(ModelContext(container, asOf: Date())) == ["c"])
        // An earlier version does not write the row.
        let file = directory.file("test.store")
        _ = try Shell.sqlite3(
            file, "UPDATE chronicle_meta SET value = '{\"date\":0,\"floor\":1}' WHERE name = 'lastDeletion'")
        #expect(throws: SwiftDataError.historyTokenExpired) { try ModelContext(container, asOf: second) }
        #expect(try #require(container.historyStatistics().first).lastDeletion == nil)
        _ = try Shell.sqlite3(file, "UPDATE chronicle_meta SET value = 'x' WHERE name = 'lastDeletion'")
        #expect(throws: SwiftDataError.damagedFile) { try ModelContext(container, asOf: second) }
        var problems: [StoreProblem] = []
        try DefaultStore.verify(fileAt: file) { problems.append($0) }
        #expect(problems.map(\.kind) == [.property])
    }

    @Test func datesBeforeAnErasedStoreThrow() throws {
        let container = try container()
        let context = ModelContext(container)
        context.insert(Letter("a"))
        try context.save()
        let before = Date()
        try container.erase()
        #expect(throws: SwiftDataError.historyTokenExpired) { try ModelContext(container, asOf: before) }
        #expect(try text(ModelContext(container, asOf: Date())) == [])
    }

    @Test func erasedAndLargeValuesThrow() throws {
        let container = try container()
        let context = ModelContext(container)
        let store = try #require(container.stores.first as? DefaultStore)
        let (letter, other) = (Letter("a"), Letter("other"))
        for letter in [letter, other] { context.insert(letter) }
        try context.save()
        let first = try context.currentHistoryToken()
        letter.text = String(repeating: "long", count: 20_000)
        try context.save()
        let second = try context.currentHistoryToken()
        letter.text = "b"
        try context.save()
        let third = try context.currentHistoryToken()
        other.text = "changed"
        try context.save()

        // The update to the long text preserves neither value.
        for token in [first, second] {
            let past = try ModelContext(container, asOf: token)
            #expect(throws: SwiftDataError.historyValueMissing) { try text(past) }
            #expect(try past.fetchCount(FetchDescriptor<Letter>()) == 2)
        }
        #expect(try text(ModelContext(container, asOf: third)) == ["b", "other"])
        let open = try ModelContext(container, asOf: third)
        #expect(try text(open) == ["b", "other"])
        try store.erasePreservedValues(of: [other.persistentModelID])
        // The open context has read the value before.
        #expect(try text(open) == ["b", "other"])
        #expect(throws: SwiftDataError.historyValueMissing) { try text(ModelContext(container, asOf: third)) }
    }

    @Test func eachStoreNeedsAPosition() throws {
        func configuration(_ name: String, _ type: any PersistentModel.Type) -> ModelConfiguration {
            ModelConfiguration(
                name, schema: Schema([type]), url: directory.file("\(name).store"), preservesValues: true)
        }
        let configurations = [configuration("a", Letter.self), configuration("b", Stamp.self)]
        let container = try ModelContainer(for: Schema([Letter.self, Stamp.self]), configurations: configurations)
        let context = ModelContext(container)
        let (letter, stamp) = (Letter("a"), Stamp(1))
        context.insert(letter)
        context.insert(stamp)
        try context.save()
        let token = try context.currentHistoryToken()
        (letter.text, stamp.value) = ("b", 2)
        try context.save()
        let past = try ModelContext(container, asOf: token)
        #expect(try text(past) == ["a"])
        #expect(try past.fetch(FetchDescriptor<Stamp>()).map(\.value) == [1])
        #expect(past.asOf == token)
        let store = try #require(container.stores.first)
        let position = try #require(token.position(in: store.identifier))
        let part = DefaultHistoryToken(storeIdentifier: store.identifier, position: position)
        #expect(throws: SwiftDataError.historyTokenStoreMismatch) { try ModelContext(container, asOf: part) }
        #expect(throws: SwiftDataError.historyTokenStoreMismatch) {
            try ModelContext(container, asOf: StrayToken(tokenValue: 1))
        }
    }

    @Test func otherStoresAreUnsupported() throws {
        let scripted = try ScriptedContainer()
        #expect(throws: SwiftDataError.unsupportedFeature) {
            try ModelContext(scripted.container, asOf: Date.now)
        }
    }

    /// A store in memory has one connection, on which the temporary tables of released contexts must not remain.
    @Test func temporaryTablesAreDropped() throws {
        let container = try ModelContainer(
            for: Letter.self,
            configurations: ModelConfiguration(isStoredInMemoryOnly: true, preservesValues: true))
        let context = ModelContext(container)
        let letter = Letter("a")
        context.insert(letter)
        try context.save()
        let token = try context.currentHistoryToken()
        letter.text = "b"
        try context.save()
        let store = try #require(container.stores.first as? DefaultStore)
        func tables() throws -> Int64? {
            try store.database.read { try $0.scalarInt64("SELECT count(*) FROM temp.sqlite_schema") }
        }
        do {
            let past = try ModelContext(container, asOf: token)
            #expect(try text(past) == ["a"])
            #expect(try tables() ?? 0 > 0)
        }
        #expect(try tables() == 0)
        #expect(try text(context) == ["b"])
    }

    @Test func aSnapshotOfThePastIsNotSupported() throws {
        let container = try container()
        let context = ModelContext(container)
        context.insert(Letter("a"))
        try context.save()
        let past = try ModelContext(container, asOf: context.currentHistoryToken())
        #expect(throws: SwiftDataError.unsupportedFeature) {
            try past.container.exportHistory(startingAt: .snapshot) { _ in }
        }
    }

    /// A store in memory has one connection, whose open transaction contains later changes.
    @Test func fetchesWithinATransactionOfAStoreInMemoryThrow() throws {
        let container = try ModelContainer(
            for: Schema([Letter.self]),
            configurations: [ModelConfiguration(isStoredInMemoryOnly: true, preservesValues: true)])
        let context = ModelContext(container)
        let letter = Letter("a")
        context.insert(letter)
        try context.save()
        let past = try ModelContext(container, asOf: context.currentHistoryToken())
        letter.text = "b"
        try context.save()
        let store = try #require(container.stores.first as? DefaultStore)
        _ = try store.exportRows { _ in
            #expect(throws: SwiftDataError.storeBusy) { try text(past) }
        }
        #expect(try text(past) == ["a"])
        _ = try store.exportRows { _ in
            let found = try text(past)
            #expect(found == ["a"])
        }
    }
}

@Model private final class Letter {
    var text: String
    init(_ text: String) { self.text = text }
}

@Model private final class Stamp {
    var value: Int
    init(_ value: Int) { self.value = value }
}
