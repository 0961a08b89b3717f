import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// A store that `DefaultStore.convert(_:to:progress:)` writes from another one equals its source.
@Suite struct ConversionTests {
    private let directory: TemporaryDirectory
    private let url: URL

    init() throws {
        directory = try TemporaryDirectory()
        url = directory.file("new.store")
    }

    private func open(_ types: [any PersistentModel.Type] = ReplicaHarness.models) throws -> DefaultStore {
        try DefaultStore(ModelConfiguration(schema: Schema(types), url: url), migrationPlan: nil)
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: directory.url.path) }
    }

    /// The transactions, without what differs between two stores.
    private func history(_ store: DefaultStore) throws -> [(text: String, time: Date, isGrouped: Bool)] {
        let added = Set(HistoryReplayStep.MetadataKey.allCases.map(\.rawValue))
        return try store.fetchHistory(HistoryDescriptor()).map { transaction in
            let metadata = transaction.metadata.filter { !added.contains($0.key) }.sorted { $0.key < $1.key }
            var request = HistoryChangesRequest(transaction, after: nil, limit: .max)
            request.returnsStoredValues = true
            let changes = try store.fetchHistoryChanges(request).map { change in
                let names = if case .update(let update) = change { update.updatedAttributeNames.sorted() } else { [""] }
                let values = change.preservedValues.map { "\($0.name) \(text($0.previousValue)) \(text($0.value))" }
                return "\(change.kind) \(change.changedPersistentIdentifier) \(names) \(values.sorted())"
            }
            let line =
                "\(transaction.author ?? "-") \(transaction.contextName ?? "-") \(transaction.bundleIdentifier) "
                + "\(transaction.processIdentifier) \(metadata) \(changes)"
            return (line, transaction.timestamp, transaction.token.checkValue(in: store.identifier) != nil)
        }
    }

    private func text(_ value: (any Sendable)?) -> String {
        switch value as? PropertyValue {
        case .real(let real): "\(real.bitPattern)"
        case .reference(let model): "\(model)"
        case let value: "\(value ?? .null)"
        }
    }

    // MARK: Content

    @Test(arguments: StoreKind.allCases, TestSeed.rounds(2))
    func aCopyOfRandomChangesEqualsItsSource(_ kind: StoreKind, _ round: Int) throws {
        var harness = try ReplicaHarness(kind, seed: round)
        for _ in 0..<60 { try harness.change() }
        let source = try harness.source.store
        let sourceHistory = try history(source)
        let conversion = try DefaultStore.convert(source, to: url)
        #expect(conversion.omissions.isEmpty, "\(TestSeed.description): \(conversion.omissions)")
        #expect(conversion.transactionCount == sourceHistory.count)
        let copy = try open()
        #expect(copy.identifier != source.identifier)
        let comment: Comment = "\(TestSeed.description)"
        #expect(try ReplicaHarness.contents(copy) == ReplicaHarness.contents(source), comment)
        let copiedHistory = try history(copy)
        #expect(copiedHistory.map(\.text) == sourceHistory.map(\.text), comment)
        for (copied, expected) in zip(copiedHistory, sourceHistory) where expected.isGrouped {
            // That of changes that no save has grouped is the present time.
            #expect(copied.time == expected.time, comment)
        }
        #expect(try VerificationTests.problems(in: url).isEmpty, comment)
        // New changes continue the history, with keys that were never used.
        let context = ModelContext(
            try ModelContainer(for: Schema(ReplicaHarness.models), configurations: [copy.configuration]))
        context.author = "later"
        context.insert(LinkItem("new", tags: [LinkTag("new")]))
        try context.save()
        let last = try #require(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
        #expect(last.author == "later")
        #expect(try VerificationTests.problems(in: url).isEmpty, comment)
        #expect(try names.allSatisfy { $0.hasPrefix("new.store") })
    }

    @Test(arguments: StoreKind.allCases) func namesTheTransactionsOfTheSource(_ kind: StoreKind) throws {
        let source = try TestStore(kind)
        for name in ["Rome", "Oslo"] {
            let context = source.context(author: name)
            context.insert(Trip(name: name, destination: ""))
            try context.save()
        }
        let conversion = try DefaultStore.convert(source.store, to: url)
        #expect(conversion.tables.map(\.name) == ["Trip"])
        #expect(conversion.tables.map(\.count) == [2])
        #expect(conversion.transactionCount == 2)
        #expect(conversion.changeCount == 2)
        let copy = try open([Trip.self])
        let transactions = try copy.fetchHistory(HistoryDescriptor())
        let keys = [HistoryReplayStep.MetadataKey.source, .transaction]
        let found = transactions.map { transaction in keys.map { transaction.metadata[$0.rawValue] ?? "" } }
        let identifier = try source.store.identifier
        let expected = try source.history().map { [identifier, "\($0.transactionIdentifier)"] }
        #expect(found == expected)
        // The history before its first transaction is not known.
        let beginning = DefaultHistoryToken(storeIdentifier: copy.identifier, position: 0)
        #expect(throws: SwiftDataError.historyTokenGap) { try copy.fetchHistory(.after(beginning)) }
        #expect(transactions.allSatisfy { !$0.followsDeletion })
        let earliest = try #require(try copy.earliestHistoryToken())
        #expect(try copy.fetchHistory(.after(earliest)).count == 2)
    }

    @Test func copiesManyTransactions() throws {
        let source = try TestStore(.file, [LinkTag.self])
        try source.database.write { connection in
            try connection.setTriggersEnabled(true)
            try connection.immediate {
                // More transactions than a page, one of which has more changes than a page.
                for number in 1...2_300 {
                    try connection.execute("INSERT INTO LinkTag(name, weight) VALUES ('tag \(number)', 1)")
                    if number > 1_200 { try source.store.recorder.groupExternalChanges(connection) }
                }
            }
        }
        let conversion = try DefaultStore.convert(source.store, to: url)
        #expect(conversion.transactionCount == 1_100)
        #expect(conversion.changeCount == 2_300)
        let copy = try open([LinkTag.self])
        #expect(try copy.fetchHistoryCount(HistoryDescriptor()) == 1_100)
        var newest = HistoryDescriptor<DefaultHistoryTransaction>(sortBy: [SortDescriptor(\.token, order: .reverse)])
        newest.fetchLimit = 1
        let last = try #require(try copy.fetchHistory(newest).first)
        #expect(last.changes.first?.changedPersistentIdentifier.integerPrimaryKey == 2_300)
        #expect(try VerificationTests.problems(in: url).isEmpty)
    }

    // MARK: Errors

    @Test(arguments: ["", "-wal", "-journal", "-shm"]) func refusesExistingFiles(_ suffix: String) throws {
        let source = try TestStore(.inMemory)
        let other = directory.file("new.store\(suffix)")
        try Data("other".utf8).write(to: other)
        #expect(throws: SwiftDataError.storeFailure) { try DefaultStore.convert(source.store, to: url) }
        #expect(try Data(contentsOf: other) == Data("other".utf8))
        #expect(try names == ["new.store\(suffix)"])
    }

    @Test func refusesALinkWithoutATarget() throws {
        let source = try TestStore(.inMemory)
        try FileManager.default.createSymbolicLink(at: url, withDestinationURL: directory.file("missing/a"))
        #expect(throws: SwiftDataError.storeFailure) { try DefaultStore.convert(source.store, to: url) }
        #expect(try names == ["new.store"])
    }

    @Test func requiresADirectory() throws {
        let source = try TestStore(.inMemory)
        #expect(throws: SwiftDataError.storeFailure) {
            try DefaultStore.convert(source.store, to: directory.file("missing/new.store"))
        }
        #expect(try names.isEmpty)
    }

    private func source() throws -> TestStore {
        let source = try TestStore(.file)
        for name in ["Rome", "Oslo", "Bonn"] {
            let context = source.context()
            context.insert(Trip(name: name, destination: ""))
            try context.save()
        }
        return source
    }

    /// The rows are written when the history turns out to be damaged.
    @Test func removesTheFileAfterAFailure() throws {
        let source = try source()
        try source.shell("UPDATE chronicle_change SET primary_key = 'x' WHERE kind < 0 AND id > 2")
        #expect(throws: SwiftDataError.damagedFile) { try DefaultStore.convert(source.store, to: url) }
        #expect(try names.isEmpty)
    }

    /// Another program creates a file meanwhile.
    @Test func replacesNoFile() throws {
        let source = try source()
        #expect(throws: SwiftDataError.storeFailure) {
            try DefaultStore.convert(source.store, to: url) { _ in
                // The error of the conversion is the one to test.
                try? Data("other".utf8).write(to: url)
            }
        }
        #expect(try Data(contentsOf: url) == Data("other".utf8))
        #expect(try names == ["new.store"])
    }

    @Test func canBeCancelled() async throws {
        let source = try source().store
        let url = url
        let task = Task {
            try DefaultStore.convert(source, to: url) { _ in withUnsafeCurrentTask { $0?.cancel() } }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try names.isEmpty)
    }

    /// A reference that nothing enforced, in a history that does not explain the row.
    @Test func listsMissingDestinations() throws {
        let source = try TestStore(
            .file, [LinkItem.self, LinkTag.self, LinkPhoto.self, GraphNode.self, GraphGroup.self])
        let context = source.context()
        let (node, parent) = (GraphNode("a"), GraphNode("b"))
        context.insert(node)
        node.parent = parent
        context.insert(LinkItem("c", tags: [LinkTag("d")]))
        try context.save()
        try source.shell(
            """
            PRAGMA foreign_keys = OFF; UPDATE GraphNode SET parent = 99 WHERE parent IS NOT NULL; \
            INSERT INTO "LinkItem.tags"(owner, destination) VALUES (1, 77)
            """)
        let conversion = try DefaultStore.convert(source.store, to: url)
        #expect(conversion.omissions.map(\.subject) == ["GraphNode.parent", "LinkItem.tags"])
        #expect(conversion.omissions.map(\.count) == [1, 1])
        #expect(try VerificationTests.problems(in: url).isEmpty)
    }

    /// A program deleted a row without a record.
    @Test func endsAHistoryThatContradictsItsRowsWithAGap() throws {
        let source = try source()
        let token = try #require(try source.store.currentHistoryToken())
        try source.database.write { connection in
            try connection.setTriggersEnabled(false)
            try connection.execute("DELETE FROM Trip WHERE name = 'Rome'")
            try connection.setTriggersEnabled(true)
        }
        let conversion = try DefaultStore.convert(source.store, to: url)
        #expect(conversion.omissions.count == 1)
        #expect(conversion.omissions.first?.detail.contains("contradicts") == true, "\(conversion.omissions)")
        let copy = try open([Trip.self])
        let transactions = try copy.fetchHistory(HistoryDescriptor())
        #expect(transactions.count == 3)
        #expect(throws: SwiftDataError.historyTokenGap) { try copy.fetchHistory(.after(transactions[0].token)) }
        #expect(try VerificationTests.problems(in: url).isEmpty)
        #expect(try source.store.currentHistoryToken() == token)
    }
}

extension HistoryChange {
    fileprivate var kind: String {
        switch self {
        case .insert: "insert"
        case .update: "update"
        case .delete: "delete"
        }
    }
}
