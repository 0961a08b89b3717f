#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Testing

    /// Stores in which later versions of the models, or other programs, rename or remove classes and properties.
    @Suite("PostgreSQL renamed and removed models", .requiresPostgres) struct PostgresRenamedStoreTests {
        @Test(arguments: RenamedStore.Change.allCases) func valuesAndRulesRemain(
            _ change: RenamedStore.Change
        ) throws {
            let configuration = try PostgresConfiguration.testing { $0.preservesValues = true }
            let cluster = try PostgresCluster.shared.get()
            let store = RenamedStore(
                indexQuery: "SELECT indexname FROM pg_indexes WHERE schemaname = current_schema()"
            ) { schema, plan in
                try ModelContainer(for: schema, migrationPlan: plan, configurations: configuration)
            } sql: {
                try cluster.psql("SET search_path = \(configuration.schemaName ?? ""); \($0)")
            } inspect: { entity in
                let store = try PostgresStore(inspecting: configuration)
                var rows: [[String: PropertyValue]] = []
                try store.fetchRows(ofEntity: entity) { row in
                    let properties = store.schema.entitiesByName[entity]?.storedProperties ?? []
                    rows.append(
                        Dictionary(uniqueKeysWithValues: properties.map { ($0.name, row.values[$0.slot]) }))
                }
                return (store.schema, rows)
            }
            #expect(try store.check(change) == [])
        }
    }
#endif
