import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Synchronization
import Testing

@testable import ChronicleStore

/// A save reads the end of the history only if another transaction may have written to the file.
@Suite(.enabled(if: Connection.reportsRowChanges)) struct NewestHeaderTests {
    private static let types: [any PersistentModel.Type] = [GraphSeat.self, GraphNode.self]

    /// The steps of the statement that reads the newest row of the history.
    private func steps(_ store: TestStore) throws -> Int {
        try store.database.write { _ in try #require(store.store.recorder.hook).newest.steps }
    }

    private func knowsOpenRange(_ store: TestStore) throws -> Bool {
        try store.database.write { _ in try store.store.recorder.division != nil }
    }

    private func add(_ number: Int, in context: ModelContext) throws {
        context.insert(GraphSeat(number))
        try context.save()
    }

    @Test(arguments: StoreKind.allCases)
    func successiveSavesDoNotReadTheHistory(_ kind: StoreKind) throws {
        let store = try TestStore(kind, Self.types)
        let context = store.context(author: "first")
        try add(0, in: context)
        let before = try steps(store)
        for number in 1..<20 { try add(number, in: context) }
        // Other contexts, updates, deletes, batches, and reads.
        let other = store.context(author: "second")
        for seat in try other.fetch(FetchDescriptor<GraphSeat>(predicate: #Predicate { $0.number < 5 })) {
            if seat.number < 3 { other.delete(seat) } else { seat.number += 100 }
        }
        try other.save()
        try other.delete(model: GraphSeat.self, where: #Predicate { $0.number < 8 })
        try other.save()
        #expect(try store.history().count == 22)
        try add(200, in: context)
        #expect(try steps(store) == before)
        #expect(try store.historyFailures() == [])
    }

    @Test(arguments: StoreKind.allCases)
    func changesWithoutAHeaderAreRead(_ kind: StoreKind) throws {
        let store = try TestStore(kind, Self.types)
        let context = store.context()
        for number in 0..<10 {
            try add(2 * number, in: context)
            let before = try steps(store)
            try store.foreign("INSERT INTO GraphSeat(number) VALUES (\(2 * number + 1))")
            try add(100 + number, in: context)
            #expect(try steps(store) > before)
        }
        #expect(try store.history().map(\.isExternal) == (0..<30).map { $0 % 3 == 1 })
        #expect(try store.historyFailures() == [])
    }

    @Test func transactionsOfAnotherStoreAreRead() throws {
        let store = try TestStore(.file, Self.types)
        let context = store.context(author: "first")
        let other = try ModelContext(store.reopened(Self.types))
        other.author = "second"
        for number in 0..<10 {
            try add(2 * number, in: context)
            try add(2 * number + 1, in: other)
        }
        #expect(try store.history().map(\.author) == (0..<20).map { $0.isMultiple(of: 2) ? "first" : "second" })
        // The other store has deleted the newest transaction.
        try add(50, in: context)
        try #require(other.container.stores.first as? DefaultStore).deleteHistory(Descriptor())
        try add(51, in: context)
        #expect(try store.history().count == 1)
        #expect(try store.historyFailures() == [])
    }

    /// The save of the handler is the latest transaction, although the other save ends later.
    @Test(arguments: StoreKind.allCases)
    func aHandlerOfCommitsSaves(_ kind: StoreKind) throws {
        let store = try TestStore(kind, Self.types)
        let (context, container) = (store.context(author: "first"), store.container)
        let next = Mutex(1_000)
        let isSaving = Mutex(false)
        let observation = try store.store.observeCommits {
            // The handler is also called for its own save.
            let wasSaving = isSaving.withLock { isSaving in
                defer { isSaving = true }
                return isSaving
            }
            if wasSaving { return }
            defer { isSaving.withLock { $0 = false } }
            let number = next.withLock {
                $0 += 1
                return $0
            }
            let other = ModelContext(container)
            other.insert(GraphSeat(number))
            #expect(throws: Never.self) { try other.save() }
        }
        for number in 0..<600 { try add(number, in: context) }
        observation.cancel()
        try add(600, in: context)
        #expect(try store.historyFailures() == [])
        let history = try store.history()
        #expect(history.allSatisfy { $0.changes.count == 1 && !$0.isExternal })
        #expect(history.filter { $0.author == "first" }.count == 601)
        // In memory, the handler is only called for commits of this store.
        #expect(kind == .file ? history.count > 601 : history.count == 1_201)
    }

    /// A trigger of another program on the history changes a model after the header was written.
    @Test(arguments: StoreKind.allCases)
    func aTriggerChangesAModelAfterTheHeader(_ kind: StoreKind) throws {
        let store = try TestStore(kind, Self.types)
        let context = store.context(author: "first")
        try add(0, in: context)
        try store.foreign(
            """
            CREATE TRIGGER count AFTER INSERT ON chronicle_change WHEN NEW.kind < -1 BEGIN
            INSERT INTO GraphSeat(number) VALUES (1000 + NEW.id); END
            """)
        for number in 1..<20 { try add(number, in: context) }
        let history = try store.history()
        #expect(history.map(\.isExternal) == (0..<39).map { $0 > 0 && $0.isMultiple(of: 2) })
        #expect(history.allSatisfy { $0.changes.count == 1 })
        #expect(try store.historyFailures() == [])
    }

    /// A failed save leaves nothing behind that a later one would use, whether it fails before or after its header.
    @Test(arguments: StoreKind.allCases, ["constraint", "metadata"])
    func failedSavesAreForgotten(_ kind: StoreKind, _ failure: String) throws {
        let store = try TestStore(kind, Self.types)
        let context = store.context()
        context.mergePolicy = .error
        try add(0, in: context)
        if failure == "metadata" {
            try store.foreign(
                """
                CREATE TRIGGER reject BEFORE INSERT ON chronicle_metadata BEGIN SELECT RAISE(ABORT, 'rejected'); END
                """)
        }
        var random = TestSeed.generator(0)
        for number in 1..<1_600 {
            if random.below(50) == 0 {
                context.insert(GraphSeat(failure == "metadata" ? -1 : 0))
                context.transactionMetadata = ["reason": "test"]
                #expect(throws: SwiftDataError.self) { try context.save() }
                context.transactionMetadata = [:]
                context.rollback()
            }
            try add(number, in: context)
        }
        #expect(try store.number("SELECT count(*) FROM chronicle_summary") == 4)
        #expect(try store.historyFailures() == [], "\(TestSeed.description)")
        #expect(try store.history().count == 1_600)
    }

    /// The ranges of a known open range are those that a store finds which reads the headers.
    @Test(arguments: TestSeed.rounds(2))
    func knownHeadersAreDividedLikeOthers(_ number: Int) throws {
        let comment: Comment = "\(TestSeed.description), \(number)"
        let stores = try [TestStore(.inMemory, Self.types), TestStore(.file, Self.types)]
        var random = TestSeed.generator(number)
        var next = 0
        for _ in 0..<400 {
            let count = random.pick([1, 1, 1, 2, 3, 30, 31, 32, 33, 100, 400])
            let author = "author \(random.below(5))"
            for store in stores {
                let context = store.context(author: author)
                for number in next..<next + count { context.insert(GraphSeat(number)) }
                try context.save()
            }
            // Only the second store has to read.
            try stores[1].database.write { connection in try connection.immediate {} }
            next += count
        }
        let isKnown = try knowsOpenRange(stores[0])
        #expect(isKnown, comment)
        let counts = try stores.map(steps)
        #expect(counts[0] < counts[1], comment)
        for query in [
            "SELECT group_concat(first || '-' || last || ':' || sources || ',' || transactions, ' ') FROM chronicle_summary",
            "SELECT group_concat(author || ':' || ifnull(newest, ''), ' ') FROM chronicle_source",
        ] {
            let results = try stores.map { try $0.database.write { try $0.scalarText(query) } }
            #expect(results[0] == results[1], comment)
        }
        for store in stores { #expect(try store.historyFailures() == [], comment) }
    }
}
