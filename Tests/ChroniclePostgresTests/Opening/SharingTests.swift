#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Foundation
    import Testing

    /// Programs with different models that share a store.
    @Suite("PostgreSQL sharing", .requiresPostgres) struct PostgresSharingTests {
        private let store: SharedStore
        private let sql: (String) throws -> String

        init() throws {
            let configuration = try PostgresConfiguration.testing { $0.preservesValues = true }
            let cluster = try PostgresCluster.shared.get()
            let sql = { (statements: String) in
                try cluster.psql("SET search_path = \(configuration.schemaName ?? ""); \(statements)")
            }
            self.sql = sql
            store = SharedStore(
                open: { try ModelContainer(for: Schema($0), configurations: [configuration]) }, sql: sql)
        }

        /// The definitions of the tables, and what the store describes.
        private func definitions() throws -> Set<String> {
            let text = try sql(
                """
                SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema();
                SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint \
                WHERE connamespace = current_schema()::regnamespace;
                SELECT proname, prosrc FROM pg_proc WHERE pronamespace = current_schema()::regnamespace;
                SELECT name, definition FROM chronicle_entity
                """)
            return Set(text.split(separator: "\n").map(String.init))
        }

        private func expect(_ earlier: Set<String>) throws {
            let changes = try definitions().symmetricDifference(earlier)
            #expect(changes == [])
        }

        @Test func theTablesServeAllPrograms() throws {
            let app = ModelContext(try store.open(SharingApp.models, as: "app", isNew: true))
            let journey = SharingApp.Journey("Ring Road", code: "a")
            journey.stops = [SharingApp.Stop("Vík")]
            let (crew, vessel) = (SharingApp.Crew("night"), SharingApp.Vessel("Edda"))
            for model in [journey, crew, vessel] as [any PersistentModel] { app.insert(model) }
            try app.save()
            let before = try definitions()
            for _ in 0..<2 {
                let widget = ModelContext(try store.open(SharingWidget.models, as: "widget"))
                try expect(before)
                widget.insert(SharingWidget.Vessel("Gullfoss"))
                try widget.save()
                _ = try store.open(SharingApp.models, as: "app")
                try expect(before)
            }
            app.insert(SharingApp.Journey("Westfjords", code: "a"))
            try app.save()
            #expect(try app.fetchCount(FetchDescriptor<SharingApp.Journey>()) == 1)
            let token = try app.currentHistoryToken()
            crew.vessels.append(vessel)
            try app.save()
            let changes = try app.fetchHistory(.after(token)).flatMap(\.changes)
            #expect(Set(changes.map(\.changedPersistentIdentifier.entityName)) == ["Crew", "Vessel"])
            try app.delete(model: SharingApp.Journey.self)
            try app.delete(model: SharingApp.Crew.self)
            try app.save()
            #expect(try app.fetchCount(FetchDescriptor<SharingApp.Stop>()) == 0)
            #expect(try app.fetch(FetchDescriptor<SharingApp.Vessel>()).map(\.name) == ["Gullfoss", "Gullfoss"])
        }

        @Test(arguments: [SharingClash.toMany, SharingClash.links])
        func relationshipsRemainWhereOtherProgramsStoreThem(_ models: [any PersistentModel.Type]) throws {
            let app = ModelContext(try store.open(SharingApp.models, as: "app", isNew: true))
            let journey = SharingApp.Journey("Ring Road", code: "a")
            journey.stops = [SharingApp.Stop("Vík"), SharingApp.Stop("Höfn")]
            app.insert(journey)
            try app.save()
            let before = try definitions()
            #expect(throws: SwiftDataError.backwardMigration) { try store.open(models, as: "other") }
            try expect(before)
            let context = ModelContext(try store.open(SharingApp.models, as: "app"))
            let found = try #require(try context.fetch(FetchDescriptor<SharingApp.Journey>()).first)
            #expect(Set(found.stops.map(\.label)) == ["Vík", "Höfn"])
        }

        /// A program that removes an inverse in an update moves the relationship, and the program that has not been updated
        /// yet moves it back.
        @Test func updatesMoveRelationships() throws {
            let app = ModelContext(try store.open(SharingApp.models, as: "app", isNew: true))
            let journey = SharingApp.Journey("Ring Road", code: "a")
            journey.stops = [SharingApp.Stop("Vík"), SharingApp.Stop("Höfn")]
            app.insert(journey)
            try app.save()
            _ = try store.open(SharingApp.models, as: "extension")
            let updated = ModelContext(try store.open(SharingClash.toMany, as: "app"))
            #expect(
                Set(try updated.fetch(FetchDescriptor<SharingClash.Journey>()).first?.stops.map(\.label) ?? [])
                    == ["Vík", "Höfn"])
            let older = ModelContext(try store.open(SharingApp.models, as: "extension"))
            #expect(
                Set(try older.fetch(FetchDescriptor<SharingApp.Journey>()).first?.stops.map(\.label) ?? [])
                    == ["Vík", "Höfn"])
        }
    }
#endif
