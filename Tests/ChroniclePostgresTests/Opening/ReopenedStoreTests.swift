#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Foundation
    import Testing

    /// Stores that are opened with versions of models whose classes, relationships or superclasses change.
    @Suite("PostgreSQL reopened stores", .requiresPostgres) struct PostgresReopenedStoreTests {
        private let cluster: PostgresCluster
        private let configuration: PostgresConfiguration
        private let store: ReopenedStore

        init() throws {
            let configuration = try PostgresConfiguration.testing { $0.preservesValues = true }
            let cluster = try PostgresCluster.shared.get()
            (self.cluster, self.configuration) = (cluster, configuration)
            store = ReopenedStore { schema, plan, allowsSave in
                var configuration = configuration
                configuration.allowsSave = allowsSave
                return try ModelContainer(for: schema, migrationPlan: plan, configurations: configuration)
            } sql: {
                try cluster.psql("SET search_path = \(configuration.schemaName ?? ""); \($0)")
            }
        }

        @Test(arguments: ReopenedStore.Change.allCases) func valuesAndLinksRemain(
            _ change: ReopenedStore.Change
        ) throws {
            #expect(try store.check(change) == [])
        }

        /// The functions of a removed symmetric relationship contain the name of the schema.
        @Test(arguments: [true, false]) func rowsCanBeDeletedAfterTheSchemaWasRenamed(removes: Bool) throws {
            let first = try store.open(FriendlyTrip.First.Trip.self)
            let trip = FriendlyTrip.First.Trip()
            trip.friends = [FriendlyTrip.First.Trip()]
            first.insert(trip)
            try first.save()
            if removes { _ = try store.open(FriendlyTrip.Removed.Trip.self) }
            let name = try #require(configuration.schemaName)
            _ = try cluster.psql("ALTER SCHEMA \(name) RENAME TO \(name)_renamed")
            var renamed = configuration
            renamed.schemaName = "\(name)_renamed"
            if removes {
                let context = ModelContext(
                    try ModelContainer(for: FriendlyTrip.Removed.Trip.self, configurations: renamed))
                for trip in try context.fetch(FetchDescriptor<FriendlyTrip.Removed.Trip>()) { context.delete(trip) }
                try context.save()
            } else {
                // Another program uses the class.
                _ = try ModelContainer(for: WidgetItem.App.Item.self, configurations: renamed)
                _ = try cluster.psql("DELETE FROM \(name)_renamed.\"Trip\"")
            }
        }

        // MARK: A program that is open while a type changes

        enum Integers {
            @Model final class Counter {
                var name = ""
                var count = 0
                var parts: [Part] = []
                init() {}
            }
            @Model final class Part {
                var count = 0
                init() {}
            }
        }

        enum Reals {
            @Model final class Counter {
                var name = ""
                var count = 0.0
                var parts: [Part] = []
                init() {}
            }
            @Model final class Part {
                var count = 0
                init() {}
            }
        }

        enum Decimals {
            @Model final class Counter {
                var name = ""
                var count = Decimal(0)
                var parts: [Part] = []
                init() {}
            }
            @Model final class Part {
                var count = 0
                init() {}
            }
        }

        enum First: VersionedSchema {
            static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
            static var models: [any PersistentModel.Type] { [Integers.Counter.self, Integers.Part.self] }
        }

        enum Second: VersionedSchema {
            static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
            static var models: [any PersistentModel.Type] { [Counter.self, Part.self] }

            @Model final class Counter {
                var name = ""
                var count = "many"
                var parts: [Part] = []
                init() {}
            }
            @Model final class Part {
                var count = 0
                init() {}
            }
        }

        enum Plan: SchemaMigrationPlan {
            static var schemas: [any VersionedSchema.Type] { [First.self, Second.self] }
            static var stages: [MigrationStage] {
                [.custom(fromVersion: First.self, toVersion: Second.self, willMigrate: nil, didMigrate: { _ in })]
            }
        }

        enum Later: CaseIterable, Sendable { case real, decimal, customStage }

        /// - Parameter hasFetched: Whether the statement was prepared before.
        @Test(arguments: Later.allCases, [true, false]) func openProgramDoesNotReadOrWriteOtherTypes(
            _ later: Later, hasFetched: Bool
        ) throws {
            typealias Counter = Integers.Counter
            let container = try ModelContainer(
                for: Schema(versionedSchema: First.self), configurations: configuration)
            let old = ModelContext(container)
            let (counter, second) = (Counter(), Counter())
            (counter.name, counter.count, second.count, counter.parts) = ("a", 5, 6, [Integers.Part()])
            old.insert(counter)
            old.insert(second)
            try old.save()
            let descriptor = FetchDescriptor<Counter>(predicate: #Predicate { $0.name == "a" })
            if hasFetched { #expect(try ModelContext(container).fetch(descriptor).map(\.parts.count) == [1]) }
            switch later {
            case .real: _ = try store.open(Reals.Counter.self, Reals.Part.self)
            case .decimal: _ = try store.open(Decimals.Counter.self, Decimals.Part.self)
            case .customStage:
                _ = try ModelContainer(
                    for: Schema(versionedSchema: Second.self), migrationPlan: Plan.self, configurations: configuration)
            }
            let other = ModelContext(container)
            #expect(throws: SwiftDataError.newerSchemaVersion) { try other.fetch(descriptor) }
            #expect(throws: SwiftDataError.newerSchemaVersion) { try ModelContext(container).fetch(descriptor) }
            counter.count += 1
            #expect(throws: SwiftDataError.newerSchemaVersion) { try old.save() }
            other.insert(Counter())
            #expect(throws: SwiftDataError.newerSchemaVersion) { try other.save() }
            let values = try cluster.psql(
                "SELECT count FROM \(configuration.schemaName ?? "").\"Counter\" ORDER BY count")
            #expect(values == (later == .customStage ? "many\nmany" : "5\n6"))
        }

        /// Other changes of the tables do not concern an open program.
        @Test func openProgramContinuesAfterOtherChanges() throws {
            let container = try ModelContainer(for: FriendlyTrip.Removed.Trip.self, configurations: configuration)
            let context = ModelContext(container)
            let trip = FriendlyTrip.Removed.Trip()
            context.insert(trip)
            try context.save()
            let descriptor = FetchDescriptor<FriendlyTrip.Removed.Trip>()
            #expect(try ModelContext(container).fetch(descriptor).count == 1)
            _ = try cluster.psql(
                """
                ALTER TABLE \(configuration.schemaName ?? "")."Trip" ADD other integer, \
                ALTER name TYPE varchar(20)
                """)
            let names = try ModelContext(container).fetch(descriptor).map(\.name)
            #expect(names == [""])
            trip.name = "a"
            try context.save()
            #expect(try ModelContext(container).fetch(descriptor).map(\.name) == ["a"])
        }
    }
#endif
