import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Seals in the background, after commits.
@Suite struct AutomaticSealingTests {
    private func opened(
        _ kind: StoreKind, _ directory: TemporaryDirectory, every interval: Duration, _ logger: (any StoreLogger)? = nil
    ) throws -> (store: DefaultStore, context: ModelContext) {
        var configuration =
            kind == .file
            ? ModelConfiguration(url: directory.file("sealed.store")) : ModelConfiguration(isStoredInMemoryOnly: true)
        configuration.historySealing = HistorySealingSchedule(interval: interval, hashing: ReferenceHashing())
        configuration.logger = logger
        configuration.logLevel = .debug
        let container = try ModelContainer(for: Schema([Trip.self]), configurations: [configuration])
        return (try #require(container.stores.first as? DefaultStore), ModelContext(container))
    }

    private func save(_ names: String..., in context: ModelContext) throws {
        for name in names {
            context.insert(Trip(name: name, destination: "somewhere"))
            try context.save()
        }
    }

    /// Waits for the first result that fulfills a condition.
    private func outcome(
        _ store: DefaultStore, _ isExpected: (Result<HistorySeal, any Error>) throws -> Bool
    ) async throws -> Result<HistorySeal, any Error> {
        while true {
            if let outcome = store.automaticSealing.outcome, try isExpected(outcome) { return outcome }
            await Task.yield()
        }
    }

    @Test(arguments: StoreKind.allCases) func everyCommitIsSealed(_ kind: StoreKind) async throws {
        let directory = try TemporaryDirectory()
        let logger = TestLogger()
        let (store, context) = try opened(kind, directory, every: .zero, logger)
        for number in 0..<5 {
            try save("\(number)", in: context)
            let newest = try #require(try store.fetchHistory(Descriptor()).last?.transactionIdentifier)
            _ = try await outcome(store) { try $0.get().position == newest }
        }
        #expect(Set(logger.entries.map(\.event)) == ["sealed"])
    }

    /// The newest seal is too new for another one.
    @Test(arguments: StoreKind.allCases) func aDeletionSealsFirst(_ kind: StoreKind) async throws {
        let directory = try TemporaryDirectory()
        let (store, context) = try opened(kind, directory, every: .seconds(3_600))
        try save("a", in: context)
        let first = try await outcome(store) { _ in true }.get()
        try save("b", "c", in: context)
        #expect(try store.automaticSealing.outcome?.get() == first)
        try context.deleteHistory()
        let kinds = try store.database.write { connection in
            let statement = try connection.prepare("SELECT kind FROM chronicle_event ORDER BY id")
            var kinds: [String] = []
            while try statement.step() { kinds.append(statement.text(0)) }
            return kinds
        }
        #expect(kinds == ["begun", "deletion"])
    }

    @Test func errorsAreReported() async throws {
        let directory = try TemporaryDirectory()
        let logger = TestLogger()
        let (store, context) = try opened(.file, directory, every: .zero, logger)
        try save("a", in: context)
        _ = try await outcome(store) { _ in true }
        _ = try Shell.sqlite3(directory.file("sealed.store"), "UPDATE chronicle_seal SET hash = randomblob(32)")
        try save("b", in: context)
        let failed = try await outcome(store) { if case .failure = $0 { true } else { false } }
        #expect(throws: SwiftDataError.damagedFile) { try failed.get() }
        #expect(logger.entries.map(\.event).contains("sealingFailed"))
    }
}
