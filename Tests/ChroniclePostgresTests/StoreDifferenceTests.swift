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

        @Test(arguments: 0..<4) func storesHaveTheSameModelsAndHistory(_ number: Int) throws {
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
            for step in 0..<40 {
                let first = random
                let outcome = try sqlite.step(&random)
                var again = first
                #expect(try postgres.step(&again) == outcome, "step \(step): \(outcome), \(TestSeed.description)")
                try #require(
                    difference(sqlite.content(), postgres.content()) == "",
                    "step \(step): \(outcome), \(TestSeed.description)")
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
                for _ in 0..<3 {
                    var again = random
                    let request = try sqlite.request(&random, past[0], codes[0], deletes: number.isMultiple(of: 2))
                    let answer = try postgres.request(
                        &again, past[1], codes[1], deletes: number.isMultiple(of: 2))
                    try #require(
                        difference(request, answer) == "",
                        "step \(step): \(request[0]), \(TestSeed.description)")
                }
            }
        }
    }
#endif
