import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// The sealer of files and of stores in memory.
@Suite struct SealerTests {
    private let hashing = ReferenceHashing()

    // MARK: Chains

    @Test(arguments: StoreKind.allCases, ModelConfiguration.Recorder.allCases)
    func sealsContainWhatIsCommitted(_ kind: StoreKind, _ recorder: ModelConfiguration.Recorder) throws {
        let store = try TestStore(kind, [Trip.self, LinkItem.self], preservesValues: true, recorder: recorder)
        let context = store.context(author: "zoë")
        context.transactionMetadata = ["reason": "import", "e\u{301}": "2"]
        let trip = Trip(name: "Oslo", destination: "")
        context.insert(trip)
        let item = LinkItem("a", tags: [LinkTag("red", weight: 1)])
        context.insert(item)
        try context.save()
        trip.note = "note"
        trip.startDate = Date(timeIntervalSinceReferenceDate: -0.0)
        try context.save()
        let first = try store.sealChain()
        #expect(try store.history().last?.id == first.position)
        try store.expectIntact()
        // Nothing has changed.
        #expect(try store.sealChain() == first && store.seals == [1])
        try store.foreign("UPDATE Trip SET destination = 'Bergen'")
        context.delete(item)
        try context.save()
        let second = try store.sealChain()
        #expect(try store.history().last?.id == second.position && second.hash != first.hash)
        #expect(try store.seals == [1, 2])
        #expect(try store.integers("SELECT catalog IS NOT NULL FROM chronicle_seal ORDER BY number") == [1, 0])
        #expect(try store.events().isEmpty)
        #expect(try store.container.historyConsumers().map(\.name) == ["chronicle.seals"])
        try store.expectIntact()
        #expect(try store.problems().isEmpty)
    }

    /// A class is hashed as its number, because a migration that renames it changes the names in the history.
    @Test(arguments: StoreKind.allCases) func classesAreNumbers(_ kind: StoreKind) throws {
        let store = try TestStore(kind, vehicleModels, preservesValues: true)
        let context = store.context()
        context.insert(Taxi("Cab"))
        context.insert(Car("Beetle"))
        try context.save()
        _ = try store.sealChain()
        try store.expectIntact()
    }

    /// Two texts that differ in invalid sequences have different hashes.
    @Test func textsAreBytes() throws {
        let store = try TestStore(.file)
        for (author, byte) in [("a", "ff"), ("b", "fe")] {
            try store.add("trip", author: author)
            try store.shell(
                """
                UPDATE chronicle_change SET new_value = CAST(x'\(byte)' AS TEXT) WHERE kind < 0 AND typeof(new_value) = 'integer'; \
                UPDATE chronicle_source SET program = CAST(x'\(byte)' AS TEXT) WHERE author = '\(author)'
                """)
        }
        _ = try store.sealChain()
        try store.expectIntact()
        let process = try store.database.write { connection in
            try connection.deferredRead {
                try SealBatch(after: 0, hashing, connection).nextHeader(through: .max)?.process
            }
        }
        #expect(process == [0xff])
    }

    @Test(arguments: StoreKind.allCases) func manyTransactionsAreSeveralSeals(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        for number in 0..<20 { try store.add("\(number)") }
        let head = try store.sealChain()
        #expect(head.position == 40)
        #expect(try store.sealedPositions().map(\.positions.count) == [8, 8, 4])
        try store.expectIntact()
    }

    @Test(arguments: StoreKind.allCases) func aLongTransactionIsPrepared(_ kind: StoreKind) throws {
        let store = try TestStore(kind, preservesValues: true)
        let context = store.context()
        for number in 0..<12 { context.insert(Trip(name: "\(number)", destination: "somewhere")) }
        try context.save()
        try store.add("small")
        var steps: [HistorySealer.Step] = []
        _ = try store.sealChain { steps.append($0) }
        #expect(steps.first == .begin && steps.last == .end && steps.count { $0 == .prepare } > 1)
        // It has more rows than a seal should, so it is alone.
        #expect(try store.sealedPositions().map(\.positions.count) == [1, 1])
        try store.expectIntact()
    }

    @Test(arguments: StoreKind.allCases) func deletionsPurgesAndErasuresAreSealed(_ kind: StoreKind) async throws {
        let store = try TestStore(kind, preservesValues: true)
        for author in ["a", "b", "a", "b"] { try store.add(author, author: author) }
        _ = try store.sealChain()
        for author in ["b", "a", "a"] { try store.add(author, author: author) }
        try store.context().deleteHistory(Descriptor(predicate: #Predicate { $0.author == "b" }))
        _ = try store.sealChain()
        try store.store.erasePreservedValues([\Trip.name], of: Trip.self)
        let head = try store.sealChain()
        #expect(try store.sealChain() == head)
        #expect(try store.events(sealed: true).map(\.kind) == ["begun", "deletion", "unproven", "erasure", "emptied"])
        let erasure = try #require(try store.events(sealed: true).first { $0.kind == "erasure" })
        // The number of values as eight bytes, and a hash.
        #expect(erasure.parts.keys.sorted() == [1, 2] && erasure.parts.values.allSatisfy { $0.count == 80 })
        #expect(erasure.parts[1]?.hasPrefix("0000000000000002") == true)
        try store.expectIntact()
        _ = try await store.container.purgeHistory(HistoryRetention(maximumChanges: 1))
        try store.add("last")
        _ = try store.sealChain()
        #expect(try store.seals.first == 1, "the last transaction of the seal 2 is kept")
        try store.expectIntact()
        _ = try await store.container.purgeHistory(HistoryRetention(maximumChanges: 1))
        #expect(try store.seals.first ?? 0 > 1)
        try store.expectIntact()
        try store.container.erase()
        _ = try store.sealChain()
        try store.expectIntact()
        #expect(try store.problems().isEmpty)
    }

    /// Its first rows are unproven, and a later purge deletes the others.
    @Test(arguments: StoreKind.allCases) func whatRemainsOfAPurgedTransactionIsSealed(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        _ = try store.sealChain()
        let context = store.context()
        for number in 0..<3_000 { context.insert(Trip(name: "\(number)", destination: "somewhere")) }
        try context.save()
        try store.add("a")
        let retention = HistoryRetention(maximumChanges: 1, maximumSilence: .zero)
        let plan = try store.store.planHistoryPurge(retention, at: .now)
        #expect(try store.store.purgeHistory(plan).transactions == 0)
        _ = try store.sealChain()
        try store.expectIntact()
        while try !store.store.purgeHistory(plan).isLast {}
        #expect(try store.history().count == 1 && store.events().map(\.kind) == ["purge"])
        try store.expectIntact()
        #expect(try store.problems().isEmpty)
    }

    /// Otherwise, the next save would copy it.
    @Test func theLogIsCopied() throws {
        let store = try TestStore(.file)
        try store.add("a", "b")
        _ = try store.sealChain()
        // In another process, because closing the file in this one would release SQLite's locks on it.
        let copy = store.directory.file("copy")
        _ = try Shell.run("/usr/bin/env", ["cp", store.url.path, copy.path])
        #expect(try Shell.sqlite3(copy, "SELECT count(*) FROM chronicle_seal") == "1")
    }

    /// The parts of an erasure that a purge deletes before the erasure is sealed.
    @Test(arguments: StoreKind.allCases) func partsOfPurgedSealsAreDeleted(_ kind: StoreKind) async throws {
        let store = try TestStore(kind, preservesValues: true)
        for number in 0..<24 { try store.add("\(number)") }
        _ = try store.sealChain()
        try store.store.erasePreservedValues([\Trip.name], of: Trip.self)
        #expect(try store.events()[0].parts.keys.sorted() == store.seals)
        _ = try await store.container.purgeHistory(HistoryRetention(maximumChanges: 8))
        let seals = try store.seals
        #expect(seals.first ?? 0 > 1 && seals.count > 1)
        _ = try store.sealChain()
        let erasure = try #require(try store.events(sealed: true).first { $0.kind == "erasure" })
        // Those of the boundary were deleted as well.
        #expect(erasure.parts.keys.sorted() == Array(seals.dropFirst()))
        #expect(erasure.parts.values.allSatisfy { $0.count == 80 && !$0.hasPrefix("0000000000000000") })
        try store.expectIntact()
    }

    /// A purge deletes an event with its seal. The holes in the seals that remain need it.
    @Test(arguments: StoreKind.allCases) func eventsRemainWithTheHolesThatTheyExplain(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        func fill() throws {
            for number in 0..<40 { try store.add("\(number)", author: number % 3 == 0 ? "b" : "a") }
            try store.context().deleteHistory(Descriptor(predicate: #Predicate { $0.author == "b" }))
        }
        try fill()
        _ = try store.sealChain()
        let last = try #require(try store.seals.last)
        let seals = try store.events(sealed: true).map(\.seal)
        #expect(last > 2 && seals == [last])
        _ = try await store.container.purgeHistory(HistoryRetention(maximumChanges: 4))
        #expect(try store.seals.first ?? 0 > 1 && store.events(sealed: true).map(\.kind) == ["begun", "purge"])
        try fill()
        _ = try store.sealChain()
        let unproven = try #require(try store.events(sealed: true).first { $0.kind == "unproven" })
        #expect(try unproven.seal == store.seals.last)
        try store.expectIntact()
    }

    // MARK: Errors

    @Test(arguments: [
        "UPDATE chronicle_seal SET hash = randomblob(32)", "UPDATE chronicle_seal SET last_check = last_check + 1",
        "UPDATE chronicle_event SET detail = '{}'", "UPDATE chronicle_seal SET previous = x'00'",
        "UPDATE chronicle_seal SET transactions = substr(transactions, 1, 79)",
    ])
    func aChangedSealIsNotContinued(_ sql: String) throws {
        let store = try TestStore(.file)
        try store.add("a", "b")
        _ = try store.sealChain()
        try store.shell(sql)
        try store.add("c")
        #expect(try failure(of: { try store.sealChain() }) == .damagedFile)
        #expect(try store.seals == [1])
    }

    /// The next seal would have the number of a deleted one, and what proves the deletion would be deleted as well.
    @Test(arguments: [1, 2]) func deletedSealsAreNotReplaced(_ first: Int64) throws {
        let store = try TestStore(.file)
        for author in ["a", "b"] {
            try store.add("trip", author: author)
            _ = try store.sealChain()
            try store.context().deleteHistory(Descriptor(predicate: #Predicate { $0.author == "a" }))
        }
        _ = try store.sealChain()
        try store.shell("DELETE FROM chronicle_seal WHERE number >= \(first)")
        let commitments = try store.number("SELECT count(*) FROM chronicle_commitment")
        #expect(try failure(of: { try store.sealChain() }) == .damagedFile)
        #expect(try store.seals.count == Int(first) - 1)
        #expect(try store.number("SELECT count(*) FROM chronicle_commitment") == commitments)
    }

    /// The second transaction has the rows from 4 to 6.
    @Test(arguments: [
        "DELETE FROM chronicle_change WHERE id = 5", "DELETE FROM chronicle_change WHERE id = 4",
        "UPDATE chronicle_change SET old_value = 5 WHERE id = 6",
        "UPDATE chronicle_change SET kind = 0, primary_key = NULL, old_value = NULL, new_value = NULL WHERE id = 6",
    ])
    func aDamagedTransactionIsNotSealed(_ sql: String) throws {
        let store = try TestStore(.file)
        let context = store.context()
        for name in ["a", "b"] {
            for _ in 0..<2 { context.insert(Trip(name: name, destination: "somewhere")) }
            try context.save()
        }
        try store.shell(sql)
        #expect(try failure(of: { try store.sealChain() }) == .damagedFile)
        #expect(try store.seals.isEmpty)
    }

    @Test func storesThatCannotBeSealed() throws {
        let store = try TestStore(.file)
        try store.add("a")
        let reader = try ModelContainer(
            for: Trip.self, configurations: ModelConfiguration(url: store.url, allowsSave: false))
        #expect(
            try failure(of: { try (reader.stores.first as? DefaultStore)?.sealHistory(hashing) }) == .storeReadOnly)
        let silent = try ModelContainer(
            for: Trip.self,
            configurations: ModelConfiguration(url: try TemporaryDirectory().file("a.store"), recordsHistory: false))
        #expect(
            try failure(of: { try (silent.stores.first as? DefaultStore)?.sealHistory(hashing) }) == .historyDisabled)
        #expect(try store.shell("PRAGMA user_version") == "2")
    }

    @Test func theNameOfTheConsumerIsReserved() throws {
        let store = try TestStore(.file)
        try store.add("a")
        #expect(try failure(of: { try store.consumer("chronicle.seals") }) == .valueOutOfRange)
        _ = try store.consumer("reader")
        #expect(
            try failure(of: { try store.container.renameHistoryConsumer(named: "reader", to: "chronicle.seals") })
                == .valueOutOfRange)
        _ = try store.sealChain()
        #expect(try failure(of: { try store.consumer("chronicle.seals") }) == .valueOutOfRange)
        #expect(
            try failure(of: { try store.container.renameHistoryConsumer(named: "chronicle.seals", to: "other") })
                == .valueOutOfRange)
        #expect(
            try failure(of: { try store.container.resetHistoryConsumer(named: "chronicle.seals", to: .beginning) })
                == .valueOutOfRange)
        #expect(try store.container.historyConsumers().map(\.name) == ["chronicle.seals", "reader"])
        // The chain holds the history without the record, which the next run creates again.
        try store.container.removeHistoryConsumer(named: "chronicle.seals")
        try store.add("b")
        _ = try store.sealChain()
        try store.expectIntact()
    }
}
