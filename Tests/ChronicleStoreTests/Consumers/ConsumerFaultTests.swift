import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Synchronization
import Testing

@testable import ChronicleStore

/// Wrong acknowledgements, and consumers and files that change while they are used.
@Suite struct ConsumerFaultTests {
    // MARK: Acknowledgements

    @Test(arguments: StoreKind.allCases)
    func batchIsAcknowledgedOnce(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.add("a", "b")
        let consumer = try store.consumer()
        let first = try #require(try consumer.nextBatch(limit: 1))
        let redelivered = try #require(try consumer.nextBatch(limit: 1))
        try consumer.acknowledge(redelivered)
        for old in [first, redelivered] {
            #expect(try failure { try consumer.acknowledge(old) } == .invalidHistoryAcknowledgement)
            #expect(try failure { try consumer.skip(old, reason: "old") } == .invalidHistoryAcknowledgement)
        }
        let second = try #require(try consumer.nextBatch(limit: 1))
        try consumer.acknowledge(second)
        // Backward.
        #expect(try failure { try consumer.acknowledge(first) } == .invalidHistoryAcknowledgement)
        #expect(try consumer.nextBatch() == nil)
        #expect(try store.status().skipCount == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func tokenMustBelongToTheBatch(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.add("a", "b", "c")
        let batch = try #require(try store.consumer().nextBatch(limit: 2))
        let tokens = try store.history().map(\.token)
        let foreign = DefaultHistoryToken(storeIdentifier: "another", position: 2)
        // Beyond what was read, before it, and of another store.
        for token in [
            tokens[2], DefaultHistoryToken(storeIdentifier: try store.store.identifier, position: 0), foreign,
        ] {
            #expect(try failure { _ = try batch.prefix(through: token) } == .invalidHistoryAcknowledgement)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func batchOfAnotherConsumerOrStoreIsRejected(_ kind: StoreKind) throws {
        let (store, other) = (try TestStore(kind), try TestStore(kind))
        try store.add("a")
        try other.add("a")
        let (one, two) = (try store.consumer("one"), try store.consumer("two"))
        let batch = try #require(try one.nextBatch())
        #expect(try failure { try two.acknowledge(batch) } == .invalidHistoryAcknowledgement)
        let sameName = try other.consumer("one")
        _ = try sameName.nextBatch()
        #expect(try failure { try sameName.acknowledge(batch) } == .invalidHistoryAcknowledgement)
        try one.acknowledge(batch)
        #expect(try two.take() == ["insert Trip/1"])
    }

    // MARK: Other instances

    @Test(arguments: StoreKind.allCases)
    func oneInstanceReadsAtATime(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.add("a")
        var first: Consumer? = try store.consumer()
        let second = try store.consumer()
        let batch = try #require(try first?.nextBatch())
        #expect(try failure { _ = try second.nextBatch() } == .historyConsumerInUse)
        #expect(try failure { try second.seek(to: .now) } == .historyConsumerInUse)
        // Each consumer has a separate lock.
        #expect(try store.consumer("other").take() == ["insert Trip/1"])
        first = nil
        #expect(try second.nextBatch() != nil)
        #expect(try failure { try store.consumer().acknowledge(batch) } == .historyConsumerEvicted)
    }

    /// One thread releases the lock that another one acquires. An instance never waits for itself.
    @Test(arguments: StoreKind.allCases)
    func instanceIsReleasedWhileItReads(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.add("a")
        let consumer = try store.consumer()
        let errors = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 2) { thread in
            for _ in 0..<200 {
                if thread == 0 {
                    consumer.release()
                } else {
                    do { _ = try consumer.nextBatch() } catch { errors.withLock { $0.append("\(error)") } }
                }
            }
        }
        #expect(errors.withLock { $0 } == [])
    }

    /// Two instances that both have a lock, because the file of the first lock is gone.
    @Test func instanceWithoutItsLockIsEvicted() throws {
        let store = try TestStore(.file)
        try store.add("a")
        let (first, second) = (try store.consumer(), try store.consumer())
        let batch = try #require(try first.nextBatch())
        try FileManager.default.removeItem(atPath: ConsumerLock.path(ofStoreAt: store.url.path))
        let taken = try #require(try second.nextBatch())
        #expect(try failure { try first.acknowledge(batch) } == .historyConsumerEvicted)
        let context = store.context()
        context.insert(Trip(name: "work", destination: "there"))
        #expect(try failure { try context.save(acknowledging: batch) } == .historyConsumerEvicted)
        #expect(try failure { _ = try first.nextBatch() } == .historyConsumerInUse)
        try second.acknowledge(taken)
        #expect(try store.history().count == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func consumerIsRemovedOrRenamedWhileItReads(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.add("a")
        let consumer = try store.consumer()
        let batch = try #require(try consumer.nextBatch())
        try store.container.renameHistoryConsumer(named: "reader", to: "renamed")
        #expect(try failure { try consumer.acknowledge(batch) } == .historyConsumerNotFound)
        #expect(try failure { try store.context().save(acknowledging: batch) } == .historyConsumerNotFound)
        #expect(try failure { _ = try consumer.nextBatch() } == .historyConsumerNotFound)

        let renamed = try store.consumer("renamed")
        let again = try #require(try renamed.nextBatch())
        try store.container.removeHistoryConsumer(named: "renamed")
        #expect(try failure { try renamed.acknowledge(again) } == .historyConsumerNotFound)
        #expect(try failure { _ = try renamed.nextBatch() } == .historyConsumerNotFound)
        // A consumer with the same name is another one.
        let successor = try store.consumer("renamed")
        _ = try successor.nextBatch()
        #expect(try failure { try successor.acknowledge(again) } == .historyConsumerEvicted)
        #expect(try store.container.historyConsumers().map(\.name) == ["renamed"])
    }

    /// The number of the new consumer is random, and in half of the cases lower than that of the instance.
    @Test(arguments: StoreKind.allCases)
    func instanceContinuesWithAConsumerThatReplacedItsOwn(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let consumer = try store.consumer()
        for number in 1...20 {
            _ = try consumer.nextBatch()
            try store.container.removeHistoryConsumer(named: "reader")
            try store.add("\(number)")
            _ = try store.container.historyConsumer(named: "reader", startingNewAt: .now)
            #expect(try consumer.take() == nil)
        }
        try store.add("a")
        #expect(try consumer.take() == ["insert Trip/21"])
    }

    // MARK: Files

    /// The `sqlite3` shell writes an earlier copy over the file that a consumer reads.
    @Test func restoredBackupIsAReset() throws {
        let store = try TestStore(.file)
        try store.add("a")
        let consumer = try store.consumer()
        #expect(try consumer.take() == ["insert Trip/1"])
        let backup = store.directory.file("backup.store")
        _ = try Shell.sqlite3(store.url, ".backup '\(backup.path)'")
        try store.add("b", "c")
        #expect(try consumer.take() == ["insert Trip/2", "insert Trip/3"])
        _ = try Shell.sqlite3(store.url, ".restore '\(backup.path)'")
        #expect(try consumer.take() == ["reset: forked"])
        #expect(try consumer.take() == ["model Trip/1"])
        #expect(try consumer.take() == nil)
        try store.add("d")
        #expect(try consumer.take() == ["insert Trip/2"])
    }

    /// The position is the same on all pages of the models, so only the models show that the file is an earlier copy.
    @Test func backupRestoredWhileModelsAreReadIsAReset() throws {
        let store = try TestStore(.file)
        try store.add("a", "b")
        let consumer = try store.consumer(at: .snapshot)
        #expect(try consumer.take() == ["reset: requested"])
        #expect(try consumer.take(limit: 1) == ["model Trip/1"])
        let backup = store.directory.file("backup.store")
        _ = try Shell.sqlite3(store.url, ".backup '\(backup.path)'")
        try store.add("c")
        #expect(try consumer.take(limit: 1) == ["model Trip/2"])
        #expect(try consumer.take(limit: 1) == ["model Trip/3"])
        _ = try Shell.sqlite3(store.url, ".restore '\(backup.path)'")
        #expect(try consumer.take(limit: 1) == ["reset: forked"])
        #expect(try consumer.take() == ["model Trip/1", "model Trip/2"])
    }

    /// A program that stores its work elsewhere saves a token with it, which detects the backup after a restart.
    @Test func tokenOfTheWorkDetectsARestoredBackup() throws {
        let store = try TestStore(.file)
        try store.add("a")
        let consumer = try store.consumer()
        _ = try consumer.take()
        let backup = store.directory.file("backup.store")
        _ = try Shell.sqlite3(store.url, ".backup '\(backup.path)'")
        try store.add("b")
        let batch = try #require(try consumer.nextBatch())
        try consumer.acknowledge(batch)
        let token = try #require(batch.token)
        consumer.release()
        _ = try Shell.sqlite3(store.url, ".restore '\(backup.path)'")
        let restarted = try store.consumer()
        try restarted.seek(to: .token(token))
        #expect(try restarted.take() == ["reset: ahead"])
    }

    @Test(arguments: StoreKind.allCases)
    func clocksDoNotAffectTheOrder(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.add("a", "b", "c")
        let consumer = try store.consumer()
        #expect(try consumer.take(limit: 1) == ["insert Trip/1"])
        try store.database.write { connection in
            try connection.execute("UPDATE chronicle_consumer SET seen = 1e12, acknowledged = -1e12")
            try connection.execute("UPDATE chronicle_change SET primary_key = -id * 1e6 WHERE kind <= 0")
        }
        #expect(try consumer.take(limit: 1) == ["insert Trip/2"])
        #expect(try consumer.take() == ["insert Trip/3"])
        #expect(try store.status().lastSeen < Date(timeIntervalSinceReferenceDate: 1e12))
    }

    @Test func readOnlyStoreHasNoConsumers() throws {
        let store = try TestStore(.file)
        try store.add("a")
        let configuration = ModelConfiguration(url: store.url, allowsSave: false)
        let container = try ModelContainer(for: Trip.self, configurations: configuration)
        #expect(try container.historyConsumers().isEmpty)
        #expect(try failure { try container.historyConsumer(named: "reader", startingNewAt: .now) } == .storeReadOnly)
        _ = try store.consumer().take()
        #expect(try container.historyConsumers().map(\.name) == ["reader"])
        let reader = try container.historyConsumer(named: "reader", startingNewAt: .now)
        #expect(try failure { _ = try reader.nextBatch() } == .storeReadOnly)
    }
}
