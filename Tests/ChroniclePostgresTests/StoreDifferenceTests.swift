#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Foundation
    import Testing

    /// The same random changes in an SQLite file and in a PostgreSQL database, which then have the same models and the same
    /// history, and answer requests about it in the same way.
    @Suite("PostgreSQL and SQLite", .requiresPostgres) struct StoreDifferenceTests {
        /// Returns the lines that only one of the stores has.
        private func difference(_ sqlite: [String], _ postgres: [String]) -> String {
            postgres.difference(from: sqlite)
                .map {
                    switch $0 {
                    case .insert(_, let line, _): "PostgreSQL: \(line)"
                    case .remove(_, let line, _): "SQLite: \(line)"
                    }
                }
                .joined(separator: "\n")
        }

        /// What both stores had in common after a step.
        private struct Kept {
            let step: Int
            /// The position in the SQLite file, and that in the database.
            let tokens: [DefaultHistoryToken]
            let state: [String]
        }

        /// The rows of positions are those that were kept, or both stores have expired the position.
        private func requirePosition(_ kept: Kept, _ stores: [RandomClubs], in contexts: [ModelContext]? = nil) throws {
            var errors: [String] = []
            for (index, store) in stores.enumerated() {
                do {
                    let context = try contexts?[index] ?? ModelContext(store.container, asOf: kept.tokens[index])
                    let difference = try store.state(context).difference(from: kept.state)
                    try #require(
                        difference.isEmpty,
                        "store \(index) as of step \(kept.step): \(difference), \(TestSeed.description)")
                    errors.append("none")
                } catch let error as SwiftDataError { errors.append("\(error)".prefix { $0 != " " } + "") }
            }
            try #require(errors[0] == errors[1], "as of step \(kept.step): \(errors), \(TestSeed.description)")
            try #require(
                ["none", "historyTokenExpired"].contains(errors[0]), "\(errors[0]), \(TestSeed.description)")
        }

        /// An export of each store, replayed to a store of each kind, has the same models.
        private func requireReplicas(_ stores: [RandomClubs]) throws {
            for (index, source) in stores.enumerated() {
                var data = Data()
                let token = try source.container.exportHistory { data.append($0) }
                let configurations: [any DataStoreConfiguration] = [
                    ModelConfiguration(
                        url: try TemporaryDirectory().file("replica.store"), durability: .relaxed, preservesValues: true
                    ),
                    try PostgresConfiguration.testing { $0.preservesValues = true },
                ]
                for configuration in configurations {
                    let replica = try RandomClubs(configuration) { _ in }
                    var rest: Data? = data
                    _ = try replica.container.replayHistory {
                        defer { rest = nil }
                        return rest
                    }
                    let difference = try replica.content().difference(from: source.content())
                    #expect(difference.isEmpty, "export of store \(index): \(difference), \(TestSeed.description)")
                    #expect(try replica.container.replayedHistoryToken() == token)
                }
            }
        }

        /// Random changes in both stores. The history of those with an even number is deleted now and then.
        @Test(arguments: TestSeed.rounds(2)) func storesHaveTheSameModelsAndHistory(_ number: Int) throws {
            var random = TestSeed.generator(number)
            let file = try TemporaryDirectory().file("clubs.store")
            let sqlite = try RandomClubs(
                ModelConfiguration(url: file, durability: .relaxed, preservesValues: true),
                foreign: { _ = try Shell.sqlite3(file, "PRAGMA foreign_keys = ON; \($0)") })
            let cluster = try PostgresCluster.shared.get()
            let configuration = try PostgresConfiguration.testing { $0.preservesValues = true }
            let postgres = try RandomClubs(configuration) {
                _ = try cluster.psql("SET search_path = \(configuration.schemaName ?? ""); \($0)")
            }
            var codes: [[PersistentIdentifier: String]] = [[:], [:]]
            var tokens: [DefaultHistoryToken?] = [nil, nil]
            var past: [[DefaultHistoryToken]] = [[], []]
            var kept: [Kept] = []
            var open: [(kept: Kept, contexts: [ModelContext])] = []
            for step in 0..<40 {
                let first = random
                let outcome = try sqlite.step(&random)
                var again = first
                #expect(try postgres.step(&again) == outcome, "step \(step): \(outcome), \(TestSeed.description)")
                let state = try sqlite.state()
                try #require(
                    difference(state, postgres.state()) == "",
                    "step \(step): \(outcome), \(TestSeed.description)")
                // Before the database has numbered the latest changes.
                for (kept, contexts) in open { try requirePosition(kept, [sqlite, postgres], in: contexts) }
                var lines: [[String]] = []
                for (index, clubs) in [sqlite, postgres].enumerated() {
                    let history = try clubs.history(after: tokens[index], &codes[index])
                    tokens[index] = history.token
                    lines.append(history.lines)
                }
                try #require(difference(lines[0], lines[1]) == "", "step \(step): \(outcome), \(TestSeed.description)")
                // Tokens of deleted transactions expire in both stores.
                for (index, token) in tokens.enumerated() { token.map { past[index].append($0) } }
                guard !past[0].isEmpty else { continue }
                kept.append(Kept(step: step, tokens: tokens.compactMap { $0 }, state: state))
                for _ in 0..<3 {
                    var again = random
                    let request = try sqlite.request(&random, past[0], codes[0], deletes: number.isMultiple(of: 2))
                    let answer = try postgres.request(
                        &again, past[1], codes[1], deletes: number.isMultiple(of: 2))
                    try #require(
                        difference(request, answer) == "",
                        "step \(step): \(request[0]), \(TestSeed.description)")
                }
                let earlier = random.pick(kept)
                try requirePosition(earlier, [sqlite, postgres])
                // A context that is not read before the history is deleted has expired.
                if step % 10 == 5, !number.isMultiple(of: 2) {
                    let contexts = try [sqlite, postgres].enumerated().map {
                        try ModelContext($1.container, asOf: earlier.tokens[$0])
                    }
                    open.append((earlier, contexts))
                }
            }
            for kept in kept { try requirePosition(kept, [sqlite, postgres]) }
            try requireReplicas([sqlite, postgres])
        }
    }
#endif
