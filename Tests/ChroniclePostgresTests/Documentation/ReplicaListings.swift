// The listings of the guide about read replicas.
#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Testing

    @Suite(.requiresPostgres) struct ReplicaListings {
        @Test func readingYourOwnWrites() async throws {
            let primary = try PostgresCluster()
            let container = try ModelContainer(
                for: Trip.self, configurations: PostgresConfiguration(primary.connectionString(), schemaName: "trips"))
            let standby = try PostgresCluster(standbyOf: primary)
            let replicaString = standby.connectionString()
            let replica = try ModelContainer(
                for: Trip.self, configurations: PostgresConfiguration(replicaString, schemaName: "trips"))
            let context = ModelContext(container)
            context.insert(Trip(name: "Honeymoon", destination: "Rome"))
            try context.save()
            let token = try context.currentHistoryToken()
            try await replica.waitUntilVisible(token, timeout: .seconds(10))
            let trips = try ModelContext(replica).fetch(FetchDescriptor<Trip>())
            #expect(trips.map(\.name) == ["Honeymoon"])
            for cluster in [standby, primary] { try cluster.remove() }
        }
    }
#endif
