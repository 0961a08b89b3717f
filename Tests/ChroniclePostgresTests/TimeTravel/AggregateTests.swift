#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Foundation
    import Testing

    /// The history of clubs with their members, compared with contexts as of each transaction.
    @Suite("PostgreSQL: the history of a model and its parts", .requiresPostgres) struct AggregateTests {
        private typealias Models = Set<PersistentIdentifier>

        private static let paths = ["members", "sponsors", "rivals", "captain", "members.idols", "rivals.members"]

        @Test func changesOfSeveralWriters() throws {
            let configuration = try PostgresConfiguration.testing { $0.preservesValues = true }
            let cluster = try PostgresCluster.shared.get()
            let clubs = try RandomClubs(configuration) {
                _ = try cluster.psql("SET search_path = \(configuration.schemaName ?? ""); \($0)")
            }
            var random = TestSeed.generator(15)
            var states = [try state(ModelContext(clubs.container))]
            for _ in 0..<60 { _ = try clubs.step(&random) }
            let context = ModelContext(clubs.container)
            let transactions = try context.fetchHistory()
            for transaction in transactions {
                states.append(try state(ModelContext(clubs.container, asOf: transaction)))
            }
            let roots = states.reduce(into: Models()) { $0.formUnion($1.keys) }
            var count = 0
            for root in roots.sorted() {
                var expected: [String] = []
                for (index, transaction) in transactions.enumerated() {
                    for change in transaction.changes {
                        let model = change.changedPersistentIdentifier
                        let found = Self.paths.filter { path in
                            [states[index], states[index + 1]].contains { $0[root]?[path]?.contains(model) == true }
                        }
                        guard model == root || !found.isEmpty else { continue }
                        expected.append(
                            "\(transaction.transactionIdentifier) \(change.integerChangeIdentifier ?? 0) \(model) \(found)"
                        )
                    }
                }
                let entries = try context.history(of: root, including: Self.paths)
                let found = entries.map { entry in
                    let model = entry.change.changedPersistentIdentifier
                    return
                        "\(entry.transaction.transactionIdentifier) \(entry.change.integerChangeIdentifier ?? 0) \(model) "
                        + "\(entry.paths)"
                }
                #expect(found == expected, "\(root), \(TestSeed.description)")
                count += found.count
            }
            #expect(count > 40, "\(TestSeed.description)")
        }

        /// The models at the end of each path, by club.
        private func state(_ context: ModelContext) throws -> [PersistentIdentifier: [String: Models]] {
            var found: [PersistentIdentifier: [String: Models]] = [:]
            func identifiers(_ models: [any PersistentModel]) -> Models { Set(models.map(\.persistentModelID)) }
            for club in try context.fetch(FetchDescriptor<Club>()) {
                found[club.persistentModelID] = [
                    "members": identifiers(club.members), "sponsors": identifiers(club.sponsors),
                    "rivals": identifiers(club.rivals), "captain": identifiers(club.captain.map { [$0] } ?? []),
                    "members.idols": identifiers(club.members.flatMap { ($0 as? Player)?.idols ?? [] }),
                    "rivals.members": identifiers(club.rivals.flatMap(\.members)),
                ]
            }
            return found
        }
    }
#endif
