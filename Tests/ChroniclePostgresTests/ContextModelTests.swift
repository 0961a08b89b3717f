#if Postgres
    import Chronicle
    import ChronicleContextModel
    import ChroniclePostgres
    import ChronicleTestSupport
    import Foundation
    import Testing

    /// Random operations on contexts with a database, compared with a reference.
    @Suite(.requiresPostgres) struct PostgresContextModelTests {
        @Test func randomSequences() async throws {
            let cluster = try PostgresCluster.shared.get()
            let configuration = try PostgresConfiguration.testing { $0.preservesValues = true }
            let containers = try (0..<2).map { _ in
                try ModelContainer(for: Schema(Environment.types), configurations: [configuration])
            }
            let environment = Environment(.postgres, containers: containers) {
                _ = try cluster.psql("SET search_path = \(configuration.schemaName ?? ""); \($0)")
            }
            let runner = SequenceRunner(environment)
            var random = TestSeed.generator()
            for _ in 0..<20 {
                if let failure = try await runner.run(seed: random.next()) {
                    Issue.record("\(TestSeed.description): \(try await runner.shrink(failure))")
                    return
                }
            }
        }
    }
#endif
