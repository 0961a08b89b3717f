import Chronicle
import ChronicleTestSupport
import ExampleStore
import Foundation
import Testing

#if Postgres
    import ChroniclePostgres
#endif

/// A kind of store whose predicates, order and counts are compared with Foundation's.
///
/// Add a fixture to ``all`` to run every differential test of predicates on another kind of store.
struct PredicateFixture: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Whether texts can contain U+0000. If not, the tests store texts without it; predicates contain it all the same.
    var storesNUL = true
    /// Opens an empty store for a schema.
    let open: @Sendable (Schema) throws -> OpenStore

    /// A container and the objects, such as a temporary directory, that have to exist as long as the container.
    struct OpenStore {
        let container: ModelContainer
        var resources: [Any] = []

        func context() -> ModelContext { ModelContext(container) }

        /// What a new context reads; it exists until the end of the body.
        func read<Result>(_ body: (ModelContext) throws -> Result) rethrows -> Result {
            let context = context()
            return try withExtendedLifetime(context) { try body(context) }
        }
    }

    static let inMemory = PredicateFixture(testDescription: "in memory") { schema in
        OpenStore(
            container: try ModelContainer(
                for: schema, configurations: [ModelConfiguration(isStoredInMemoryOnly: true)]))
    }

    static let file = PredicateFixture(testDescription: "file") { schema in
        let directory = try TemporaryDirectory()
        let configuration = ModelConfiguration(url: directory.file("test.store"), durability: .relaxed)
        return OpenStore(
            container: try ModelContainer(for: schema, configurations: [configuration]), resources: [directory])
    }

    /// The example store, for which the context evaluates predicates. It has no links.
    static let memoryStore = PredicateFixture(testDescription: "example store") { schema in
        OpenStore(container: try ModelContainer(for: schema, configurations: [MemoryStoreConfiguration()]))
    }

    #if Postgres
        /// PostgreSQL, if there is a server.
        static let postgres = PredicateFixture(testDescription: "PostgreSQL", storesNUL: false) { schema in
            let cluster = try PostgresCluster.shared.get()
            let configuration = PostgresConfiguration(
                cluster.connectionString(), schemaName: try cluster.makeSchema(), connectionLimit: 2)
            return OpenStore(container: try ModelContainer(for: schema, configurations: [configuration]))
        }

        static let all: [PredicateFixture] =
            [.inMemory, .file] + (PostgresCluster.unavailability == nil ? [.postgres] : [])
    #else
        static let all: [PredicateFixture] = [.inMemory, .file]
    #endif

    /// Returns a text that the store can contain.
    func text(_ text: String) -> String { storesNUL ? text : text.replacing("\0", with: "\u{1}") }
}
