#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Foundation
    import Testing

    /// Triggers of other programs, which change further values in the transaction of a save.
    @MainActor @Suite("PostgreSQL triggers of other programs", .requiresPostgres, .timeLimit(.minutes(5)))
    struct OtherTriggersTests {
        @Test func mainContextTakesInTheirChanges() async throws {
            let configuration = try PostgresConfiguration.testing()
            func open() throws -> ModelContainer { try ModelContainer(for: Trip.self, configurations: configuration) }
            _ = try open()
            _ = try PostgresCluster.shared.get().psql(
                """
                SET search_path = \(configuration.schemaName ?? "");
                CREATE FUNCTION stamp() RETURNS trigger LANGUAGE plpgsql AS \
                'BEGIN NEW.note := NEW.name || '' stamped''; RETURN NEW; END';
                CREATE TRIGGER stamp BEFORE INSERT OR UPDATE ON "Trip" FOR EACH ROW EXECUTE FUNCTION stamp()
                """)
            let context = try open().mainContext
            let trip = Trip(name: "Rome", destination: "Italy")
            context.insert(trip)
            try context.save()
            while trip.note == nil, !Task.isCancelled { await Task.yield() }
            #expect(trip.note == "Rome stamped")
            trip.name = "Paris"
            try context.save()
            while trip.note != "Paris stamped", !Task.isCancelled { await Task.yield() }
            #expect(trip.name == "Paris")
        }
    }
#endif
