#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Foundation
    import Testing

    /// Saves that exchange unique values between rows.
    @Suite("PostgreSQL exchanges", .requiresPostgres) struct ExchangeTests {
        @Test(arguments: TestSeed.rounds(1)) func rowsExchangeUniqueValues(_ number: Int) throws {
            let configuration = try PostgresConfiguration.testing { $0.preservesValues = true }
            let container = try ModelContainer(for: Schema(RandomExchange.models), configurations: [configuration])
            var exchange = try RandomExchange(container, TestSeed.generator(number))
            for step in 0..<40 {
                #expect(try exchange.step() == [], "step \(step), \(TestSeed.description)")
            }
        }

        @Test(arguments: TestSeed.rounds(1)) func batchUpdatesExchangeUniqueValues(_ number: Int) throws {
            let configuration = try PostgresConfiguration.testing { $0.preservesValues = true }
            let container = try ModelContainer(for: Schema(RandomExchange.models), configurations: [configuration])
            var exchange = try RandomExchange(container, TestSeed.generator(number))
            for step in 0..<40 {
                let problems = try exchange.batchStep()
                #expect(problems == [], "step \(step), \(TestSeed.description)")
            }
        }

        /// Rows take each other's place in a unique constraint, and the owner that one of them leaves is deleted.
        @Test func requiredReferenceLeavesADeletedOwner() throws {
            let configuration = try PostgresConfiguration.testing()
            let container = try ModelContainer(for: Schema(Tray.self, Slip.self), configurations: [configuration])
            #expect(try Tray.moveSlips(container) == ["1:1 1:2 2:1, 2 updates", "2:1 2:2 2:3, 3 updates"])
        }
    }
#endif
