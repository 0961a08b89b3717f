import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Synchronization
import Testing

@testable import ChronicleStore

/// Other processes change the history between any two steps of a sealer.
@Suite struct SealerConcurrencyTests {
    private let hashing = ReferenceHashing()

    /// Another process erases values between two steps. No key is written for them.
    @Test(arguments: [HistorySealer.Step.begin, .tidy, .prepare, .seal, .end])
    func erasedValuesHaveNoKeys(_ step: HistorySealer.Step) throws {
        let store = try TestStore(.file, preservesValues: true)
        let context = store.context()
        for number in 0..<12 { context.insert(Trip(name: "\(number)", destination: "somewhere")) }
        try context.save()
        try store.beginSealing()
        // What an interrupted run left.
        try store.shell("INSERT INTO chronicle_commitment(position, key) VALUES (5, randomblob(32))")
        let other = try #require(try store.reopened().stores.first as? DefaultStore)
        var isErased = false
        _ = try store.sealChain { next in
            guard next == step, !isErased else { return }
            isErased = true
            try other.erasePreservedValues(ofEntityNamed: "Trip")
        }
        #expect(isErased)
        if step != .end { _ = try store.sealChain() }
        #expect(
            try store.number(
                "SELECT count(*) FROM chronicle_commitment WHERE attribute IS NOT NULL AND key IS NOT NULL") == 0)
        _ = try store.sealChain()
        try store.expectIntact()
        #expect(try store.problems().isEmpty)
    }

    private struct Killed: Error {}

    /// What a killed run has written is completed or deleted by the next one.
    @Test(arguments: 1...40) func aKilledRunIsRepeated(_ number: Int) throws {
        let store = try TestStore(.file, preservesValues: true)
        let context = store.context()
        for size in [12, 1, 1] {
            for number in 0..<size { context.insert(Trip(name: "\(number)", destination: "somewhere")) }
            try context.save()
        }
        var count = 0
        // A run that is killed returns none.
        let head = try? store.sealChain { _ in
            count += 1
            if count == number { throw Killed() }
        }
        #expect((head == nil) == (count == number))
        if number > 1 { try store.expectIntact() }
        _ = try store.sealChain()
        try store.expectIntact()
        #expect(try store.events().isEmpty && store.sealedPositions().flatMap(\.positions).count == 3)
        // One for each value and description.
        #expect(
            try store.number("SELECT count(*) FROM chronicle_commitment")
                == store.number(
                    "SELECT count(*) FROM chronicle_change WHERE kind < 0 OR kind & 15 <> 2 AND attributes IS NOT NULL")
        )
        #expect(try store.problems().isEmpty)
    }

    @Test(arguments: [HistorySealer.Step.tidy, .prepare, .seal])
    func transactionsDeletedMeanwhileAreNotSealed(_ step: HistorySealer.Step) throws {
        let store = try TestStore(.file, preservesValues: true)
        for number in 0..<12 { try store.add("\(number)", author: number % 2 == 0 ? "a" : "b") }
        try store.beginSealing()
        try store.shell("INSERT INTO chronicle_commitment(position, key) VALUES (5, randomblob(32))")
        let other = ModelContext(try store.reopened())
        var isDeleted = false
        let head = try store.sealChain { next in
            guard next == step, !isDeleted else { return }
            isDeleted = true
            try other.deleteHistory(Descriptor(predicate: #Predicate { $0.author == "a" }))
        }
        #expect(isDeleted)
        #expect(try store.number("SELECT max(id) FROM chronicle_change") == head.position)
        #expect(try store.number("SELECT count(*) FROM chronicle_change WHERE kind < 0") == 6)
        try store.expectIntact()
    }

    /// The source of the transactions is deleted with the last of them, between any two reads.
    @Test(arguments: 1...20) func aSourceDeletedMeanwhileIsNoDamage(_ number: Int) throws {
        let store = try TestStore(.file)
        for author in ["a", "a", "b", "b"] { try store.add("trip", author: author) }
        let other = ModelContext(try store.reopened())
        var reads = 0
        let head = try store.sealChain { step in
            guard step == .read else { return }
            reads += 1
            guard reads == number else { return }
            try other.deleteHistory(Descriptor(predicate: #Predicate { $0.author == "a" }))
        }
        #expect(reads >= min(number, 10))
        #expect(try store.number("SELECT max(id) FROM chronicle_change") == head.position)
        try store.expectIntact()
        #expect(try store.problems().isEmpty)
    }

    /// Otherwise, it would add a seal for each step of the purge, and end with the purge.
    @Test func aRunDoesNotWaitForThePurgeOfAnotherProcess() throws {
        let store = try TestStore(.file)
        for number in 0..<400 { try store.add("\(number)") }
        _ = try store.store.sealHistory(hashing)
        try store.add("new")
        let other = try #require(try store.reopened().stores.first as? DefaultStore)
        let plan = try other.planHistoryPurge(HistoryRetention(maximumChanges: 1), at: .now)
        _ = try store.store.sealHistory(hashing) { step in
            guard step == .read else { return }
            // Steps of 64 rows.
            for _ in 0..<3 { other.purgePacing.withLock { $0.deleted(in: .seconds(1)) } }
            _ = try other.purgeHistory(plan)
        }
        #expect(try store.seals.last == 2)
        try store.expectIntact()
    }

    @Test func aProcessThatSealsExcludesOthers() throws {
        let store = try TestStore(.file)
        try store.add("a")
        _ = try store.sealChain()
        var configuration = ModelConfiguration(url: store.url)
        configuration.busyTimeout = .milliseconds(20)
        let container = try ModelContainer(for: Trip.self, configurations: configuration)
        let other = try #require(container.stores.first as? DefaultStore)
        var error: SwiftDataError?
        let head = try store.sealChain { step in
            if step == .end { error = try failure(of: { try other.sealHistory(hashing) }) }
        }
        #expect(error == .historyConsumerInUse)
        #expect(try other.sealHistory(hashing) == head)
    }

    /// The lock of the other run is that of another record. The second step follows a commit of commitments.
    @Test(arguments: zip([HistorySealer.Step.prepare, .seal], [2, 1]))
    func aRunEndsIfAnotherOneHasBegun(_ step: HistorySealer.Step, _ number: Int) throws {
        let store = try TestStore(.file, preservesValues: true)
        let context = store.context()
        for _ in 0..<2 {
            for number in 0..<12 { context.insert(Trip(name: "\(number)", destination: "somewhere")) }
            try context.save()
        }
        let other = try store.reopened()
        let otherStore = try #require(other.stores.first as? DefaultStore)
        var count = 0
        let error = try failure(of: {
            try store.sealChain { next in
                if next == step { count += 1 }
                guard next == step, count == number else { return }
                try other.removeHistoryConsumer(named: "chronicle.seals")
                _ = try otherStore.sealHistory(hashing)
            }
        })
        #expect(error == .historyConsumerInUse)
        try store.expectIntact()
        _ = try store.sealChain()
        try store.expectIntact()
        #expect(try store.problems().isEmpty)
    }

    /// Its commit makes the head durable, so it must write.
    @Test(arguments: [HistorySealer.Step.seal, .end]) func aRecordRemovedMeanwhileIsCreatedAgain(
        _ step: HistorySealer.Step
    ) throws {
        let store = try TestStore(.file)
        try store.add("a")
        let other = try store.reopened()
        var isRemoved = false
        let head = try store.sealChain { next in
            guard next == step, !isRemoved else { return }
            isRemoved = true
            try other.removeHistoryConsumer(named: "chronicle.seals")
        }
        let consumer = try #require(try store.container.historyConsumers().first)
        #expect(isRemoved && consumer.name == "chronicle.seals")
        #expect(try store.number("SELECT position FROM chronicle_consumer") == head.position)
        try store.expectIntact()
    }
}
