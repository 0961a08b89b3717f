#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Testing

    /// Programs that share a store, change their models independently of each other, and return to earlier versions.
    ///
    /// `CHRONICLE_SCHEMA_SEQUENCES=500` runs more sequences than usual.
    @Suite("PostgreSQL schema sequences", .requiresPostgres) struct PostgresSchemaSequenceTests {
        @Test(arguments: SchemaSequenceNumbers.value(2))
        func contentIsKeptOrTheVersionIsRejected(_ number: Int) throws {
            do {
                _ = try SchemaSequence<SharedTables>.run(using: SchemaSequenceNumbers.generator(number)) {
                    SharedTables(try PostgresCluster.shared.get(), try .testing())
                }
            } catch let failure as SchemaSequence<SharedTables>.Failure {
                Issue.record("\(failure)\n\(SchemaSequenceNumbers.description(number))")
            }
        }

        @Test(arguments: SchemaScenario.all) func scenarios(_ scenario: SchemaScenario) throws {
            let store = SharedTables(try PostgresCluster.shared.get(), try .testing())
            let differences = try scenario.differences(in: store)
            #expect(differences == [])
        }
    }
#endif
