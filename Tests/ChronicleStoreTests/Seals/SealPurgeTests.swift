import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Purges of a sealed history end with a seal, and are events.
@Suite struct SealPurgeTests {
    /// A seal for each number of transactions. These have two rows, and more with preserved values.
    private func filled(
        _ kind: StoreKind, _ counts: [Int], preservesValues: Bool = false
    ) throws -> (store: TestStore, all: [Transaction]) {
        let store = try TestStore(kind, preservesValues: preservesValues)
        try store.beginSealing()
        for count in counts {
            for number in 0..<count { try store.add("\(number)", author: "app") }
            try store.seal()
        }
        return (store, try store.history())
    }

    private func purge(_ store: TestStore, _ retention: HistoryRetention) async throws -> HistoryPurgeResult {
        try #require(try await store.container.purgeHistory(retention).first)
    }

    @Test(arguments: StoreKind.allCases) func aPurgeEndsWithASeal(_ kind: StoreKind) async throws {
        let (store, all) = try filled(kind, [2, 2, 2])
        // The limit is exceeded by the transaction 3.
        let plan = try store.store.planHistoryPurge(HistoryRetention(maximumChanges: 3), at: .now)
        #expect(plan.newest == all[1].token)
        let result = try await purge(store, HistoryRetention(maximumChanges: 3))
        #expect(result.transactions == 2 && result.keptFor.isEmpty)
        #expect(try store.history() == Array(all.suffix(4)))
        #expect(
            try store.events() == [
                .init(
                    kind: "purge",
                    detail: """
                        {"boundary":1,"reason":{"kind":"call","maximumChanges":3},"through":4,"transactions":2}
                        """)
            ])
        // Nothing is deleted before the end of the next seal.
        #expect(try await purge(store, HistoryRetention(maximumChanges: 3)).transactions == 0)
        #expect(try store.seals == [1, 2, 3])
        #expect(try store.problems().isEmpty)
    }

    /// What a purge plans is deleted, although the last transaction of the seal is missing already.
    @Test(arguments: StoreKind.allCases) func aPurgeReachesASealWithoutItsLastTransaction(_ kind: StoreKind)
        async throws
    {
        let store = try TestStore(kind)
        try store.beginSealing()
        for author in ["first", "last", "first", "first"] {
            try store.add(author, author: author)
            if author != "first" { try store.seal() }
        }
        try store.seal()
        let all = try store.history()
        try store.context().deleteHistory(
            HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.author == "last" }))
        let retention = HistoryRetention(maximumChanges: 2)
        #expect(try store.store.planHistoryPurge(retention, at: .now).newest == all[0].token)
        #expect(try await purge(store, retention).transactions == 1)
        #expect(try store.history() == Array(all.suffix(2)))
        #expect(try store.problems().isEmpty)
    }

    @Test(arguments: StoreKind.allCases) func whatIsNotSealedIsKept(_ kind: StoreKind) async throws {
        let (store, _) = try filled(kind, [2])
        try store.add("new", "newer", "newest")
        let result = try await purge(store, HistoryRetention(maximumChanges: 1))
        #expect(result.transactions == 2 && result.keptFor == ["chronicle.seals"])
        #expect(try store.history().count == 3)
        #expect(try store.store.historyStatistics().holds.map(\.consumer) == ["chronicle.seals"])
        try store.seal()
        // The newest transaction is kept, so the purge waits for the next seal.
        #expect(try await purge(store, HistoryRetention(maximumChanges: 1)).keptFor.isEmpty)
        #expect(try store.history().count == 3)
        try store.add("last")
        try store.seal()
        #expect(try await purge(store, HistoryRetention(maximumChanges: 1)).transactions == 3)
        #expect(try store.history().count == 1)
    }

    @Test(arguments: StoreKind.allCases) func nothingIsPurgedBeforeTheFirstSeal(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        try store.add("a", "b", "c")
        try store.beginSealing()
        #expect(try await purge(store, HistoryRetention(maximumChanges: 1)).transactions == 0)
        // A plan of a time when the history was not sealed.
        let plan = HistoryPurgePlan(newest: try store.history()[1].token)
        #expect(try store.store.purgeHistory(plan).transactions == 0)
        #expect(try store.history().count == 3)
    }

    @Test(arguments: StoreKind.allCases) func theBoundaryRemains(_ kind: StoreKind) async throws {
        let (store, all) = try filled(kind, [2, 2, 2], preservesValues: true)
        try store.context().deleteHistory(.before(all[0].token))
        try store.seal()
        let commitments = "SELECT count(*) FROM chronicle_commitment"
        let before = try #require(try store.number(commitments))
        let retention = HistoryRetention(maximumChanges: 2)
        #expect(try await purge(store, retention).transactions == 3)
        #expect(try store.seals == [2, 3, 4])
        #expect(try store.integers("SELECT catalog IS NOT NULL FROM chronicle_seal ORDER BY number") == [1, 0, 0])
        // The event *begun* was in the first seal. The deletion in the last one remains, with its part.
        #expect(try store.events(sealed: true).map(\.kind) == ["deletion", "purge"])
        #expect(try store.events(sealed: true)[0].parts == [1: "01"])
        let floor = try #require(try store.number("SELECT value FROM chronicle_meta WHERE name = 'floor'"))
        #expect(try store.number("SELECT min(position) FROM chronicle_commitment") ?? 0 > floor)
        #expect(try #require(try store.number(commitments)) < before)
        #expect(try store.problems().isEmpty)
    }

    /// Its number would be used again. All other events are in the seals that are deleted.
    @Test(arguments: StoreKind.allCases) func theNewestEventIsNotDeleted(_ kind: StoreKind) async throws {
        let (store, _) = try filled(kind, [1, 1, 1])
        _ = try await purge(store, HistoryRetention(maximumChanges: 1))
        #expect(try store.seals == [2, 3])
        #expect(try store.integers("SELECT id FROM chronicle_event") == [2])
    }

    @Test(arguments: StoreKind.allCases) func theHoldsOfConsumersAreRounded(_ kind: StoreKind) async throws {
        let (store, all) = try filled(kind, [2, 2, 2])
        _ = try store.consumer("reader", at: .token(all[2].token))
        let result = try await purge(store, HistoryRetention(maximumChanges: 1))
        #expect(result.transactions == 2 && result.keptFor == ["reader"])
        #expect(try store.history() == Array(all.suffix(4)))
    }

    /// The chain holds the history, not the record of the sealer, which only says when it was seen.
    @Test(arguments: StoreKind.allCases, [true, false])
    func aSilentSealerIsEvicted(_ kind: StoreKind, _ hasRecord: Bool) async throws {
        let (store, _) = try filled(kind, [2])
        try store.add("a", "b", "c")
        let day = HistoryRetention(maximumChanges: 1, maximumSilence: .seconds(86_400))
        if hasRecord {
            let token = try #require(try store.history().first?.token)
            try store.store.updateConsumer(named: "chronicle.seals", isDurable: true) { record in
                record = HistoryConsumerRecord(
                    name: "chronicle.seals", place: HistoryConsumerPlace(position: token), fence: 1, attempts: 0,
                    acknowledged: nil, seen: .now, skipCount: 0, skips: [])
            }
        }
        #expect(try await purge(store, day).transactions == 2, "the newest seal is new")
        if hasRecord {
            // The run that made the newest seal was killed.
            try store.foreign("UPDATE chronicle_consumer SET seen = 0")
            #expect(try await purge(store, day).transactions == 0)
        }
        try store.foreign("UPDATE chronicle_seal SET sealed = 0")
        let result = try await purge(store, day)
        #expect(result.transactions == 2 && result.evicted == ["chronicle.seals"])
        #expect(try store.history().count == 1)
        let reason = #"{"kind":"call","maximumChanges":1}"#
        #expect(
            try store.events() == [
                .init(
                    kind: "purge",
                    detail: #"{"boundary":1,"reason":\#(reason),"through":4,"transactions":2}"#),
                .init(kind: "unproven", detail: #"{"ranges":[[5,8]],"reason":\#(reason),"transactions":2}"#),
            ])
        #expect(try store.seals == [1], "the chain continues")
        #expect(try store.problems().isEmpty)
    }

    /// The chain continues with the next seal, and holds the history again.
    @Test(arguments: StoreKind.allCases) func afterTheLastSealNothingIsHeld(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        try store.add("a")
        _ = try store.sealChain()
        let last = try store.store.endSealing(ReferenceHashing(), signedBy: nil)
        #expect(try store.events(sealed: true).map(\.kind) == ["begun", "ended"] && store.seals == [1, 2])
        #expect(try store.store.endSealing(ReferenceHashing(), signedBy: nil) == last)
        #expect(try store.sealChain() == last)
        try store.add("b", "c")
        let result = try await purge(store, HistoryRetention(maximumChanges: 1))
        #expect(result.transactions == 2 && result.keptFor.isEmpty)
        #expect(try store.store.historyStatistics().holds.isEmpty)
        #expect(try store.events().map(\.kind) == ["purge", "unproven"])
        _ = try store.sealChain()
        try store.expectIntact()
        try store.add("d", "e")
        #expect(try await purge(store, HistoryRetention(maximumChanges: 1)).keptFor == ["chronicle.seals"])
        #expect(try store.problems().isEmpty)
    }

    /// The header of the newest transaction remains as a void one, and is sealed, so it is not unproven.
    @Test(arguments: StoreKind.allCases) func theNewestHeaderIsNotUnproven(_ kind: StoreKind) async throws {
        let (store, _) = try filled(kind, [1])
        try store.add("a", "b")
        let retention = HistoryRetention(maximumAge: .zero, maximumSilence: .zero)
        #expect(try await purge(store, retention).transactions == 3)
        let newest = try #require(try store.number("SELECT max(id) FROM chronicle_change"))
        #expect(try store.integers("SELECT id FROM chronicle_change") == [newest])
        #expect(try store.events().last?.detail.contains("\"ranges\":[[3,\(newest - 1)]]") == true)
    }

    /// An editor, or a later version, wrote the newest event, which the purge would extend otherwise.
    @Test(arguments: [
        #"json_set(detail, '$.transactions', 9223372036854775807)"#, #"json_set(detail, '$.reason.kind', 'other')"#,
        "'{}'", "''", "x'00'", "1",
    ])
    func anEventOfAnotherProgramIsNotExtended(_ detail: String) async throws {
        let (store, _) = try filled(.file, [1, 1, 1])
        _ = try await purge(store, HistoryRetention(maximumChanges: 2))
        try store.shell("UPDATE chronicle_event SET detail = \(detail) WHERE kind = 'purge'")
        #expect(try await purge(store, HistoryRetention(maximumChanges: 1)).transactions == 1)
        #expect(try store.number("SELECT count(*) FROM chronicle_event WHERE kind = 'purge'") == 2)
        #expect(try store.events().last?.detail.contains("\"transactions\":1") == true)
    }

    @Test func aNumberThatIsTooHighIsReported() async throws {
        let (store, _) = try filled(.file, [1, 1])
        try store.shell("UPDATE chronicle_event SET id = 9223372036854775807")
        await #expect(throws: SwiftDataError.damagedFile) {
            try await purge(store, HistoryRetention(maximumChanges: 1))
        }
        #expect(try store.history().count == 2)
    }

    /// The steps of a purge extend one event, unless another one follows or it was sealed.
    @Test(arguments: StoreKind.allCases) func stepsExtendTheEvent(_ kind: StoreKind) throws {
        let (store, all) = try filled(kind, [400, 400, 400])
        let retention = HistoryRetention(maximumChanges: 390)
        let plan = try store.store.planHistoryPurge(retention, at: .now)
        #expect(plan.newest == all[799].token)
        var steps = 0
        while try !store.store.purgeHistory(plan).isLast {
            steps += 1
            let floor = try #require(try store.number("SELECT value FROM chronicle_meta WHERE name = 'floor'"))
            let event = try #require(try store.events().last)
            #expect(event.detail.contains("\"through\":\(floor),\"transactions\":\(floor / 2)"))
            #expect(event.detail.contains("boundary") == (floor >= 800))
        }
        #expect(steps > 1)
        #expect(try store.events().count == 1 && store.seals == [2, 3])
        #expect(try store.number("SELECT min(last) FROM chronicle_seal") == 1_600)
    }

    /// A purge by the limits of the configuration, of a transaction with more rows than a step.
    @Test(arguments: StoreKind.allCases) func aTransactionInSeveralStepsIsPurged(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.beginSealing()
        let context = store.context()
        for number in 0..<3_000 { context.insert(Trip(name: "\(number)", destination: "somewhere")) }
        try context.save()
        try store.seal()
        try store.add("a")
        try store.seal()
        let plan = try store.store.planHistoryPurge(HistoryRetention(maximumChanges: 1), at: .now)
        #expect(try store.store.purgeHistory(plan).transactions == 0)
        let reason = #""reason":{"kind":"call","maximumChanges":1}"#
        #expect(
            try store.events().map(\.detail) == [
                #"{"purged":3001,\#(reason),"through":3001,"transactions":0}"#
            ])
        #expect(try store.seals == [1, 2])
        while try !store.store.purgeHistory(plan).isLast {}
        #expect(
            try store.events().map(\.detail) == [
                #"{"boundary":1,\#(reason),"through":3001,"transactions":1}"#
            ])
    }

    @Test(arguments: StoreKind.allCases) func aSealedEventDoesNotChange(_ kind: StoreKind) async throws {
        let (store, _) = try filled(kind, [1, 1])
        _ = try await purge(store, HistoryRetention(maximumChanges: 1))
        try store.seal()
        let sealed = try store.events(sealed: true)
        try store.add("a")
        try store.seal()
        _ = try await HistoryAuthor.withValue("ann") {
            try await store.container.purgeHistory(HistoryRetention(maximumChanges: 1))
        }
        let events = try store.events(sealed: true)
        #expect(events.contains(try #require(sealed.last)))
        #expect(try store.events().map(\.author) == ["ann"])
    }
}
