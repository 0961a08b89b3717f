import Chronicle
import ChronicleTestSupport
import Foundation

@testable import ChronicleCore

#if Postgres
    import ChroniclePostgres
#endif

/// A store that calls a logger, and another program that writes to it.
struct CallbackFixture {
    enum Kind: String, CaseIterable, Sendable {
        case inMemory, file, postgres

        #if Postgres
            static let available = allCases.filter { $0 != .postgres || PostgresCluster.unavailability == nil }
        #else
            static let available: [Kind] = [.inMemory, .file]
        #endif

        /// Whether other programs can write to the store.
        var isShared: Bool { self != .inMemory }
    }

    let container: ModelContainer
    private let directory: TemporaryDirectory
    private let execute: (String) throws -> Void

    init(_ kind: Kind, logger: (any StoreLogger)? = nil) throws {
        let schema = Schema([Trip.self])
        directory = try TemporaryDirectory()
        guard kind == .postgres else {
            let url = directory.file("test.store")
            var configuration =
                kind == .file
                ? ModelConfiguration(url: url, durability: .relaxed) : ModelConfiguration(isStoredInMemoryOnly: true)
            (configuration.logger, configuration.logLevel) = (logger, .debug)
            container = try ModelContainer(for: schema, configurations: [configuration])
            execute = { _ = try Shell.sqlite3(url, $0) }
            return
        }
        #if Postgres
            let cluster = try PostgresCluster.shared.get()
            let name = try cluster.makeSchema()
            var configuration = PostgresConfiguration(
                cluster.connectionString(), schemaName: name, connectionLimit: 8)
            (configuration.logger, configuration.logLevel) = (logger, .debug)
            container = try ModelContainer(for: schema, configurations: [configuration])
            execute = { _ = try cluster.psql("SET search_path = \(name); \($0)") }
        #else
            throw SwiftDataError.unsupportedFeature
        #endif
    }

    var store: any DataStoreNotifying {
        get throws {
            guard let store = container.stores.first as? any DataStoreNotifying else {
                throw SwiftDataError.unsupportedFeature
            }
            return store
        }
    }

    func context(_ author: String? = nil) -> ModelContext {
        let context = ModelContext(container)
        context.author = author
        return context
    }

    /// Changes all trips like a program without Chronicle.
    func changeTrips() throws { try execute("UPDATE \"Trip\" SET \"note\" = 'changed'") }
}

extension DispatchSemaphore {
    /// Returns `false` if nothing has signalled for a minute, as after a deadlock.
    func waitForSignal() -> Bool { wait(timeout: .now() + 60) == .success }

    /// Waits for a signal that is for all threads.
    func pass() {
        wait()
        signal()
    }
}
