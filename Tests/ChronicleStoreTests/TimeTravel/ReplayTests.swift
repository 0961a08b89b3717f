import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// A replica that is made from exports only equals its source.
@Suite struct ReplayTests {
    private func replica(_ kind: StoreKind = .inMemory) throws -> TestStore {
        try TestStore(kind, ReplicaHarness.models, preservesValues: true)
    }

    private func requireEqual(_ replica: TestStore, _ source: TestStore, _ comment: Comment) throws {
        let (copied, expected) = try (ReplicaHarness.contents(replica), ReplicaHarness.contents(source))
        try #require(copied == expected, "\(TestSeed.description), \(comment): \(copied.difference(from: expected))")
    }

    /// Compares the authors of all transactions, except for those of the source without a net change, of which a replay
    /// makes no transaction.
    private func requireSameHistory(_ replica: TestStore, _ source: TestStore) throws {
        let context = source.context()
        var previous = try #require(try source.store.earliestHistoryToken())
        let transactions = try source.history().filter { transaction in
            defer { previous = transaction.token }
            return try !context.changes(between: previous, and: transaction.token).isEmpty
        }
        let key = HistoryReplayStep.MetadataKey.transaction.rawValue
        let comment: Comment = "\(TestSeed.description)"
        #expect(
            try replica.history().map { $0.metadata[key] } == transactions.map { "\($0.transactionIdentifier)" },
            comment)
        #expect(try replica.history().map(\.author) == transactions.map(\.author), comment)
    }

    @Test(arguments: StoreKind.allCases, TestSeed.rounds(2))
    func aReplicaOfRandomChangesEqualsItsSource(_ kind: StoreKind, _ round: Int) throws {
        var harness = try ReplicaHarness(kind, seed: round)
        let replica = try replica(kind)
        var position: DefaultHistoryToken?
        for step in 0..<40 {
            try harness.change()
            guard harness.random.below(3) == 0 else { continue }
            // In pieces, and sometimes with a part that the replica has.
            let isRepeated = harness.random.below(4) == 0
            let start: HistoryStart<DefaultHistoryToken> =
                isRepeated ? .beginning : position.map { .token($0) } ?? .beginning
            let data = try ReplicaHarness.export(harness.source, startingAt: start)
            if isRepeated, step % 2 == 0 { try ReplicaHarness.replay(data, to: replica, partSize: 77) }
            try ReplicaHarness.replay(data, to: replica, partSize: 1 + harness.random.below(3_000))
            position = try replica.container.replayedHistoryToken()
            try requireEqual(replica, harness.source, "step \(step)")
        }
        let whole = try self.replica(kind)
        let data = try ReplicaHarness.export(harness.source)
        let count = try harness.source.history().count
        #expect(try ReplicaHarness.replay(data, to: whole) == count)
        try requireEqual(whole, harness.source, "in one go")
        // It has the history of the source as well, and can itself be exported.
        try requireSameHistory(whole, harness.source)
        let second = try self.replica()
        try ReplicaHarness.replay(try ReplicaHarness.export(whole), to: second)
        try requireEqual(second, harness.source, "replica of the replica")
    }

    @Test(arguments: StoreKind.allCases, TestSeed.rounds(1))
    func anExportAfterAPurgeBeginsWithASnapshot(_ kind: StoreKind, _ round: Int) throws {
        var harness = try ReplicaHarness(kind, seed: 100 + round)
        for _ in 0..<25 { try harness.change() }
        let old = try replica()
        try ReplicaHarness.replay(try ReplicaHarness.export(harness.source), to: old)
        try requireEqual(old, harness.source, "before")
        for _ in 0..<5 { try harness.change() }
        let context = harness.source.context()
        try context.deleteHistory(.before(context.currentHistoryToken()))
        for _ in 0..<10 { try harness.change() }
        let data = try ReplicaHarness.export(harness.source)
        #expect(String(decoding: data.prefix(100_000), as: UTF8.self).contains("\"hasSnapshot\":true"))
        let new = try replica(kind)
        try ReplicaHarness.replay(data, to: new)
        try requireEqual(new, harness.source, "snapshot")
        // A replica that lags behind cannot continue with it.
        let before = try ReplicaHarness.contents(old)
        #expect(try failure { try ReplicaHarness.replay(data, to: old) } == .historyTokenGap)
        #expect(try ReplicaHarness.contents(old) == before)
        let token = try #require(try old.container.replayedHistoryToken())
        #expect(
            try failure { try ReplicaHarness.export(harness.source, startingAt: .token(token)) } == .historyTokenExpired
        )
        // The new one continues.
        for _ in 0..<10 { try harness.change() }
        let next = try #require(try new.container.replayedHistoryToken())
        try ReplicaHarness.replay(try ReplicaHarness.export(harness.source, startingAt: .token(next)), to: new)
        try requireEqual(new, harness.source, "after the snapshot")
    }

    @Test(arguments: StoreKind.allCases)
    func transactionsKeepTheirAuthorsAndNameTheirSource(_ kind: StoreKind) throws {
        let source = try TestStore(kind, [Trip.self], preservesValues: true)
        let context = source.context(author: "ann")
        context.name = "editor"
        context.transactionMetadata = ["reason": "import"]
        context.insert(Trip(name: "Rome", destination: "Italy"))
        try context.save()
        let original = try #require(try source.history().last)
        let replica = try TestStore(kind, [Trip.self])
        #expect(try ReplicaHarness.replay(ReplicaHarness.export(source), to: replica) == 1)
        let copy = try #require(try replica.history().last)
        #expect(copy.author == "ann" && copy.contextName == "editor")
        #expect(
            copy.metadata == [
                "reason": "import", "chronicle.source": try source.store.identifier,
                "chronicle.transaction": "\(original.transactionIdentifier)",
                "chronicle.timestamp": "\(original.timestamp.timeIntervalSinceReferenceDate)",
            ])
        #expect(try replica.container.replayedHistoryToken() == original.token)
        #expect(try replica.context().fetch(FetchDescriptor<Trip>()).map(\.persistentModelID.integerPrimaryKey) == [1])
    }

    @Test func theRangeOfAnExportIsLimited() throws {
        let source = try TestStore(.inMemory, [Trip.self], preservesValues: true)
        try source.add("a", "b", "c", "d")
        let tokens = try source.history().map(\.token)
        let replica = try TestStore(.inMemory, [Trip.self])
        #expect(try ReplicaHarness.replay(ReplicaHarness.export(source, through: tokens[1]), to: replica) == 2)
        let rest = try ReplicaHarness.export(source, startingAt: .token(tokens[1]), through: tokens[2])
        #expect(try ReplicaHarness.replay(rest, to: replica) == 1)
        #expect(try replica.number("SELECT count(*) FROM Trip") == 3)
        #expect(
            try ReplicaHarness.replay(ReplicaHarness.export(source, startingAt: .now), to: try TestStore(.inMemory))
                == 0)
        #expect(
            try failure { try ReplicaHarness.export(source, startingAt: .snapshot, through: tokens[1]) }
                == .historyTokenExpired)
    }

    /// One transaction with more changes than a page.
    @Test func aLargeTransactionIsReplayedAsAWhole() throws {
        let source = try TestStore(.file, [Trip.self], preservesValues: true)
        try source.shell(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
            INSERT INTO Trip(name, destination, startDate, endDate, tags) SELECT 'n' || i, 'd', i, i + 0.5, '[]' FROM n;
            UPDATE Trip SET name = name || 'x' WHERE id % 2; DELETE FROM Trip WHERE id % 3 = 0
            """)
        let replica = try TestStore(.inMemory, [Trip.self])
        #expect(try ReplicaHarness.replay(ReplicaHarness.export(source), to: replica) == 1)
        #expect(try ReplicaHarness.contents(replica) == ReplicaHarness.contents(source))
    }

    // MARK: Values that were not preserved

    @Test func changesWithoutValuesAreReported() throws {
        let source = try TestStore(.inMemory, [Trip.self], preservesValues: true)
        try source.add("kept")
        let token = try source.context().currentHistoryToken()
        let context = source.context()
        let trip = Trip(name: "large", destination: String(repeating: "x", count: 70_000))
        context.insert(trip)
        try context.save()
        let error = try failure { try ReplicaHarness.export(source, startingAt: .token(token)) }
        #expect(error == .historyValueMissing && error?.entityName == "Trip" && error?.propertyName == "destination")
        #expect(error?.persistentIdentifier == trip.persistentModelID)
        // From the beginning, the export has a snapshot instead.
        let replica = try TestStore(.inMemory, [Trip.self])
        #expect(try ReplicaHarness.replay(ReplicaHarness.export(source), to: replica) == 0)
        #expect(try ReplicaHarness.contents(replica) == ReplicaHarness.contents(source))
    }

    @Test func aStoreWithoutValuesIsExportedAsASnapshot() throws {
        let source = try TestStore(.inMemory, [Trip.self])
        try source.add("a", "b")
        let replica = try TestStore(.inMemory, [Trip.self])
        #expect(try ReplicaHarness.replay(ReplicaHarness.export(source), to: replica) == 0)
        #expect(try ReplicaHarness.contents(replica) == ReplicaHarness.contents(source))
    }

    // MARK: Processes

    @Test(arguments: TestSeed.rounds(1))
    func aKilledReplayContinues(_ round: Int) throws {
        var random = TestSeed.generator(round)
        let source = try TestStore(.file, [LinkItem.self], preservesValues: true)
        let context = source.context()
        for number in 0..<60 {
            context.insert(LinkItem("item \(number)", tags: [LinkTag("tag \(number)")]))
            if number % 5 == 4, let item = try context.items().first { context.delete(item) }
            try context.save()
        }
        let directory = try TemporaryDirectory()
        let (export, file) = (directory.file("export.jsonl"), directory.file("replica.store"))
        try ReplicaHarness.export(source).write(to: export)
        for attempt in 0..<15 {
            let worker = try Worker("replay", file.path, export.path)
            try worker.wait(forBytes: 1 + attempt * 3 + random.below(20))
            worker.kill()
            #expect(try Shell.sqlite3(file, "PRAGMA integrity_check") == "ok", "\(TestSeed.description)")
            // Whole transactions only.
            let (items, tags) = ("SELECT count(*) FROM LinkItem", "SELECT count(*) FROM \"LinkItem.tags\"")
            #expect(try Shell.sqlite3(file, items) == Shell.sqlite3(file, tags), "\(TestSeed.description)")
        }
        #expect(try Worker("replay", file.path, export.path).finish().hasSuffix("done\n"))
        for table in ["LinkItem", "LinkTag", "\"LinkItem.tags\""] {
            let rows = "SELECT * FROM \(table) ORDER BY 1, 2"
            #expect(try Shell.sqlite3(file, rows) == source.shell(rows))
        }
        let transactions = "SELECT count(*) FROM chronicle_change WHERE kind < 0"
        #expect(try Shell.sqlite3(file, transactions) == source.shell(transactions))
    }
}
