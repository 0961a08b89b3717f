import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Saves that exchange unique values between rows.
@Suite struct ExchangeTests {
    @Test(arguments: StoreKind.allCases, ModelConfiguration.Recorder.allCases)
    func rowsExchangeUniqueValues(_ kind: StoreKind, _ recorder: ModelConfiguration.Recorder) throws {
        try exchange(kind, recorder, seed: kind == .file ? 1 : 2) { try $0.step() }
    }

    @Test(arguments: StoreKind.allCases, ModelConfiguration.Recorder.allCases)
    func batchUpdatesExchangeUniqueValues(_ kind: StoreKind, _ recorder: ModelConfiguration.Recorder) throws {
        try exchange(kind, recorder, seed: kind == .file ? 3 : 4) { try $0.batchStep() }
    }

    private func exchange(
        _ kind: StoreKind, _ recorder: ModelConfiguration.Recorder, seed: Int,
        _ step: (inout RandomExchange) throws -> [String]
    ) throws {
        let directory = try TemporaryDirectory()
        var configuration =
            kind == .file
            ? ModelConfiguration(url: directory.file("test.store"), durability: .relaxed, preservesValues: true)
            : ModelConfiguration(isStoredInMemoryOnly: true, preservesValues: true)
        configuration.recorder = recorder
        let container = try ModelContainer(for: Schema(RandomExchange.models), configurations: [configuration])
        var exchange = try RandomExchange(container, TestSeed.generator(seed))
        for number in 0..<60 {
            #expect(try step(&exchange) == [], "step \(number), \(TestSeed.description)")
        }
        guard kind == .file else { return }
        var problems: [String] = []
        try DefaultStore.verify(fileAt: directory.file("test.store")) { problems.append("\($0)") }
        #expect(problems.isEmpty)
    }

    /// A value that a row outside of the save has is still an error, which changes nothing.
    @Test(arguments: StoreKind.allCases) func aTakenValueIsAnError(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [UniqueCode.self])
        let context = store.context()
        let codes = ["a", "b", "c"].map { UniqueCode($0) }
        for code in codes { context.insert(code) }
        try context.save()
        (codes[0].code, codes[1].code) = ("b", "c")
        #expect(throws: SwiftDataError.uniquenessViolation) { try context.save() }
        #expect(try store.context().fetch(FetchDescriptor<UniqueCode>()).map(\.code).sorted() == ["a", "b", "c"])
        codes[2].code = "a"
        try context.save()
        #expect(try store.history().last?.changes.count == 3)
    }

    /// Another program exchanges values. A replica makes the same change, and it can be reverted.
    @Test(arguments: StoreKind.allCases) func anExchangeByAnotherProgramIsReplayedAndReverted(_ kind: StoreKind) throws
    {
        let source = try TestStore(.file, [UniqueCode.self], preservesValues: true)
        let context = source.context()
        for code in ["a", "b", "c"] {
            context.insert(UniqueCode(code))
            try context.save()
        }
        try source.shell(
            """
            BEGIN; UPDATE UniqueCode SET code = 't' WHERE id = 1; UPDATE UniqueCode SET code = 'a' WHERE id = 3; \
            UPDATE UniqueCode SET code = 'c' WHERE id = 2; UPDATE UniqueCode SET code = 'b' WHERE id = 1; COMMIT;
            """)
        func codes(_ store: TestStore) throws -> [String] {
            try store.context().fetch(FetchDescriptor<UniqueCode>())
                .sorted { $0.persistentModelID < $1.persistentModelID }.map(\.code)
        }
        #expect(try codes(source) == ["b", "c", "a"])
        let replica = try TestStore(kind, [UniqueCode.self], preservesValues: true)
        try ReplicaHarness.replay(ReplicaHarness.export(source), to: replica)
        #expect(try codes(replica) == ["b", "c", "a"])
        let transaction = try #require(try source.history().last)
        try context.revert(transaction)
        try context.save()
        #expect(try codes(source) == ["a", "b", "c"])
    }
}

@Model private final class UniqueCode {
    @Attribute(.unique) var code: String
    init(_ code: String) { self.code = code }
}
