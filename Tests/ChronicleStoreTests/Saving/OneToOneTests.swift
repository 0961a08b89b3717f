import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Both sides of a one-to-one relationship agree after each save, whatever the saving context knows.
@Suite("One-to-one relationships")
struct OneToOneTests {
    private static let recorders = [ModelConfiguration.Recorder.triggers, .automatic]

    private struct Store {
        let directory: TemporaryDirectory
        let container: ModelContainer
        private let configuration: ModelConfiguration
        var url: URL { configuration.url }

        init(_ kind: StoreKind, _ recorder: ModelConfiguration.Recorder) throws {
            directory = try TemporaryDirectory()
            var configuration =
                kind == .file
                ? ModelConfiguration(url: directory.file("test.store"), durability: .relaxed, preservesValues: true)
                : ModelConfiguration(isStoredInMemoryOnly: true, preservesValues: true)
            configuration.recorder = recorder
            self.configuration = configuration
            container = try ModelContainer(for: Schema(pairModels), configurations: [configuration])
        }

        func reopened() throws -> ModelContainer {
            try ModelContainer(for: Schema(pairModels), configurations: [configuration])
        }
    }

    // MARK: Two contexts

    private struct Contexts {
        let (first, second, reader): (ModelContext, ModelContext, ModelContext)

        init(_ container: ModelContainer) throws {
            first = ModelContext(container)
            second = ModelContext(container)
            reader = ModelContext(container)
            for name in ["ann", "bob"] { first.insert(Resident(name)) }
            for number in 1...2 { first.insert(Locker(number)) }
            try first.save()
        }

        static func resident(_ name: String, _ context: ModelContext) throws -> Resident {
            try #require(try context.fetch(FetchDescriptor<Resident>(predicate: #Predicate { $0.name == name })).first)
        }

        static func locker(_ number: Int, _ context: ModelContext) throws -> Locker {
            try #require(
                try context.fetch(FetchDescriptor<Locker>(predicate: #Predicate { $0.number == number })).first)
        }
    }

    @Test("The later save wins, and the other owner loses the destination", arguments: recorders, [0, 12])
    func laterSaveWins(_ recorder: ModelConfiguration.Recorder, savesBefore count: Int) throws {
        let store = try Store(.inMemory, recorder)
        let contexts = try Contexts(store.container)
        // After several saves in succession, the hook records them.
        for number in 0..<count {
            contexts.first.insert(Locker(10 + number))
            try contexts.first.save()
        }
        let (ann, bob) = (
            try Contexts.resident("ann", contexts.first), try Contexts.resident("bob", contexts.second)
        )
        let annOfSecond = try Contexts.resident("ann", contexts.second)
        ann.locker = try Contexts.locker(1, contexts.first)
        bob.locker = try Contexts.locker(1, contexts.second)
        try contexts.first.save()
        try contexts.second.save()
        #expect(annOfSecond.locker == nil)
        #expect(bob.locker?.holder === bob)
        #expect(try Contexts.resident("ann", contexts.reader).locker == nil)
        #expect(try Contexts.locker(1, contexts.reader).holder?.name == "bob")
        let transactions = try contexts.reader.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        let updated = try #require(transactions.last).changes.map(\.changedPersistentIdentifier)
        #expect(Set(updated).count == updated.count)
        #expect(Set(updated).contains(ann.persistentModelID))
        // A cascade of the former owner leaves the destination alone.
        contexts.reader.delete(try Contexts.resident("ann", contexts.reader))
        try contexts.reader.save()
        #expect(try Contexts.locker(1, ModelContext(store.container)).holder?.name == "bob")
    }

    @Test("A delete includes the destination that others connected over an unsaved change", arguments: recorders)
    func deleteOfChangedOwner(_ recorder: ModelConfiguration.Recorder) throws {
        let contexts = try Contexts(try Store(.inMemory, recorder).container)
        let ann = try Contexts.resident("ann", contexts.first)
        let (locker, other) = (try Contexts.locker(1, contexts.first), try Contexts.locker(2, contexts.first))
        ann.locker = locker
        try contexts.first.save()
        // Clears the side of ann, which is not saved.
        locker.holder = try Contexts.resident("bob", contexts.first)
        try Contexts.locker(2, contexts.second).holder = try Contexts.resident("ann", contexts.second)
        try contexts.second.save()
        try contexts.first.refreshAllModels()
        #expect(other.holder === ann)
        contexts.first.delete(ann)
        #expect(contexts.first.deletedModelsArray.contains { $0 === other })
        try contexts.first.save()
        #expect(try contexts.reader.fetch(FetchDescriptor<Locker>()).map(\.number) == [1])
    }

    @Test("A row that the save updates as well gets one change", arguments: recorders)
    func oneChangeOfEachRow(_ recorder: ModelConfiguration.Recorder) throws {
        let store = try Store(.file, recorder)
        let contexts = try Contexts(store.container)
        for number in 0..<12 {
            contexts.first.insert(Locker(10 + number))
            try contexts.first.save()
        }
        let (ann, other) = (
            try Contexts.resident("ann", contexts.first), try Contexts.resident("ann", contexts.second)
        )
        let bob = try Contexts.resident("bob", contexts.second)
        let locker = try Contexts.locker(1, contexts.second)
        ann.locker = try Contexts.locker(1, contexts.first)
        try contexts.first.save()
        other.name = "anna"
        bob.locker = locker
        try contexts.second.save()
        #expect(other.locker == nil && bob.locker === locker)
        let last = try #require(
            try contexts.reader.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
        #expect(last.changes.filter { $0.changedPersistentIdentifier == ann.persistentModelID }.count == 1)
        #expect(try VerificationTests.problems(in: store.url) == [])
    }

    @Test("A required side that would lose its destination is an error", arguments: recorders)
    func requiredSide(_ recorder: ModelConfiguration.Recorder) throws {
        let store = try Store(.file, recorder)
        let contexts = try Contexts(store.container)
        let ann = try Contexts.resident("ann", contexts.first)
        let stale = try Contexts.resident("ann", contexts.second)
        contexts.first.insert(Permit(1, of: ann))
        try contexts.first.save()
        contexts.second.insert(Permit(2, of: stale))
        let error = try #require(try failure { try contexts.second.save() })
        #expect(error == .modelValidationFailure && error.entityName == "Permit" && error.propertyName == "resident")
        #expect(try contexts.reader.fetch(FetchDescriptor<Permit>()).map(\.number) == [1])
        #expect(try VerificationTests.problems(in: store.url) == [])
    }

    // MARK: Disagreements

    @Test("Verification reports the rows, and the next save of each side repairs them", arguments: 0..<4)
    func repair(_ number: Int) throws {
        let store = try Store(.file, .automatic)
        let contexts = try Contexts(store.container)
        let (ann, bob) = (
            try Contexts.resident("ann", contexts.first), try Contexts.resident("bob", contexts.first)
        )
        let locker = try Contexts.locker(1, contexts.first)
        bob.locker = locker
        try contexts.first.save()
        var sql = "UPDATE Resident SET locker = 1 WHERE name = 'ann'"
        if number == 3 {
            sql += "; UPDATE Locker SET holder = NULL; UPDATE Resident SET locker = NULL WHERE name = 'bob'"
        }
        _ = try Shell.sqlite3(store.url, sql)
        let problem = try #require(try VerificationTests.problems(in: store.url).first)
        #expect(problem.kind == .inverse && problem.table == "Resident")
        switch number {
        case 0: ann.name = "changed"
        case 1: bob.name = "changed"
        default: locker.number = 7
        }
        try contexts.first.save()
        #expect(try VerificationTests.problems(in: store.url) == [])
        // A pair whose models reference each other stays; a destination that was only set on one side is completed.
        let holders = try contexts.reader.fetch(FetchDescriptor<Locker>()).compactMap { $0.holder?.persistentModelID }
        #expect(holders == [(number == 3 ? ann : bob).persistentModelID])
    }

    @Test("Unrelated changes are saved if a required side would lose its destination", arguments: 0..<3)
    func requiredDisagreement(_ number: Int) throws {
        let store = try Store(.file, .automatic)
        let contexts = try Contexts(store.container)
        let (ann, bob) = (
            try Contexts.resident("ann", contexts.first), try Contexts.resident("bob", contexts.first)
        )
        let permits = [Permit(1, of: ann), Permit(2, of: bob)]
        for permit in permits { contexts.first.insert(permit) }
        try contexts.first.save()
        _ = try Shell.sqlite3(
            store.url,
            """
            UPDATE Permit SET resident = (SELECT resident FROM Permit WHERE number = 1);
            UPDATE Resident SET permit = NULL WHERE name = 'bob'
            """)
        let context = ModelContext(store.container)
        if number == 2 {
            try Contexts.resident("ann", context).name = "changed"
        } else {
            let permits = try context.fetch(FetchDescriptor<Permit>(sortBy: [SortDescriptor(\.number)]))
            permits[number].number += 10
        }
        try context.save()
        let rows = try Shell.sqlite3(
            store.url, "SELECT count(*) FROM Permit WHERE resident = (SELECT rowid FROM Resident WHERE name <> 'bob')")
        #expect(rows == "2")
        let problems = try VerificationTests.problems(in: store.url)
        #expect(problems.allSatisfy { $0.kind == .inverse } && !problems.isEmpty)
    }

    /// Others take the destination away, and then delete the row of the owner, which has unsaved changes.
    @Test(arguments: StoreKind.allCases)
    func deletesOfMissingModelsKeepWhatOthersTookAway(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [Trip.self, BucketListItem.self, LivingAccommodation.self])
        let (context, other) = (store.context(), store.context())
        let trip = try store.add("Rome", in: context)[0]
        let hotel = LivingAccommodation(placeName: "Hotel")
        trip.livingAccommodation = hotel
        try context.save()
        let token = try context.currentHistoryToken()
        try #require(try other.fetch(FetchDescriptor<Trip>()).first).livingAccommodation = nil
        try other.save()
        try store.foreign("DELETE FROM Trip")
        trip.note = "unsaved"
        try context.merge(context.fetchHistory(.after(token)))
        context.delete(trip)
        #expect(!hotel.isDeleted && !context.deletedModelsArray.contains { $0 === hotel })
        try context.save()
        #expect(try other.fetchCount(FetchDescriptor<LivingAccommodation>()) == 1)
    }

    // MARK: Random assignments

    @Test("Random assignments in several contexts", arguments: StoreKind.allCases, recorders)
    func random(_ kind: StoreKind, _ recorder: ModelConfiguration.Recorder) throws {
        for number in 0..<6 {
            var random = TestSeed.generator(number)
            let store = try Store(kind, recorder)
            var pairs = try RandomPairs(kind == .file ? [store.container, store.reopened()] : [store.container])
            for step in 0..<80 {
                let done = try pairs.step(&random)
                guard done == "saved" else { continue }
                let description = "\(TestSeed.description), run \(number), step \(step)"
                try #require(try pairs.disagreements() == [], "\(description)")
            }
            if kind == .file { #expect(try VerificationTests.problems(in: store.url) == [], "\(TestSeed.description)") }
        }
    }
}
