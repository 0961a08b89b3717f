// The listings of the guide about PostgreSQL.
#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Testing

    @Suite(.requiresPostgres) struct PostgresListings {
        @Test func configurationOfTheOverview() throws {
            let configuration = PostgresConfiguration(
                "postgresql://app@db.example.org/travel?sslmode=verify-full", schemaName: "trips")
            try configuration.validate()
            #expect(configuration.schemaName == "trips")
            // The name of the server is in the messages of libpq, but the connection string is not in those of Chronicle.
            #expect(
                !"\(SwiftDataError.storeUnavailable.with(storeName: configuration.name))".contains("db.example.org"))
        }

        @Test func openingASavingStore() throws {
            let configuration = try PostgresConfiguration.testing()
            let container = try ModelContainer(for: Trip.self, configurations: configuration)
            let context = ModelContext(container)
            context.insert(Trip(name: "Honeymoon", destination: "Rome"))
            try context.save()
            #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1)
        }

        @Test func handlingErrors() throws {
            let configuration = try PostgresConfiguration.testing()
            let context = ModelContext(try ModelContainer(for: Trip.self, configurations: configuration))
            context.insert(Trip(name: "Honeymoon", destination: "Rome"))
            try save(context)
            #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1)
        }

        private func save(_ context: ModelContext) throws {
            do {
                try context.save()
            } catch SwiftDataError.storeUnavailable {
                // Nothing was saved. The next request connects again.
            } catch SwiftDataError.saveOutcomeUnknown {
                // The changes may have been saved: fetch the models to find out.
            } catch let error as SwiftDataError {
                if let error = error.underlying as? PostgresError { print(error.sqlState ?? "-", error.message) }
                throw error
            }
        }
    }
#endif
