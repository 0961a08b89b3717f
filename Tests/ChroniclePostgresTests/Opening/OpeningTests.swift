#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Foundation
    import Testing

    @Suite("PostgreSQL opening", .requiresPostgres) struct PostgresOpeningTests {
        private let cluster: PostgresCluster
        private let configuration: PostgresConfiguration
        private var schemaName: String { configuration.schemaName ?? "" }

        init() throws {
            cluster = try PostgresCluster.shared.get()
            configuration = try .testing()
        }

        private func open(
            _ change: (inout PostgresConfiguration) -> Void = { _ in }
        ) throws -> ModelContext {
            var configuration = configuration
            change(&configuration)
            return ModelContext(try ModelContainer(for: Trip.self, configurations: configuration))
        }

        private func sql(_ statement: String, user: String? = nil) throws -> String {
            try cluster.psql("SET search_path = \(schemaName); \(statement)", user: user)
        }

        private func openingError(_ change: (inout PostgresConfiguration) -> Void = { _ in }) throws -> SwiftDataError {
            let error = try #require(throws: SwiftDataError.self) { try open(change) }
            #expect(SwiftDataError.loadIssueModelContainer ~= error || error == .backwardMigration)
            return error
        }

        /// Opening is not canceled with its task: it can create the schema and the tables, or migrate them.
        @Test func storeIsOpenedInACanceledTask() async throws {
            try cluster.psql("DROP SCHEMA \(schemaName)")
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                _ = try open()
            }
            try await task.value
            #expect(try sql("SELECT count(*) FROM \"Trip\"") == "0")
        }

        @Test func valuesThatTheTablesDoNotPreserveAreLogged() throws {
            let logger = TestLogger()
            _ = try open { $0.logger = logger }
            _ = try open { ($0.logger, $0.allowsSave, $0.preservesValues) = (logger, false, true) }
            #expect(logger.entries.isEmpty)
            _ = try open { ($0.logger, $0.preservesValues) = (logger, true) }
            #expect(logger.entries.map(\.event) == ["valuesNotPreserved"])
            #expect(logger.entries.first?.metadata["schemaName"] == schemaName)
        }

        // MARK: Places

        @Test func schemasAreSeparateStores() throws {
            let other = try PostgresConfiguration.testing()
            let (first, second) = (try open(), try open { $0.schemaName = other.schemaName })
            first.insert(Trip(name: "a", destination: "Rome"))
            try first.save()
            #expect(try second.fetchCount(FetchDescriptor<Trip>()) == 0)
            #expect(first.container.stores[0].identifier != second.container.stores[0].identifier)
        }

        @Test func missingSchemaIsCreated() throws {
            let name = "chronicle \"\(UInt32.random(in: .min ... .max))\""
            let context = try open { $0.schemaName = name }
            context.insert(Trip(name: "a", destination: "Rome"))
            try context.save()
            #expect(try open { $0.schemaName = name }.fetchCount(FetchDescriptor<Trip>()) == 1)
        }

        @Test func defaultSchemaIsTheFirstOfTheSearchPath() throws {
            let database = try cluster.makeDatabase()
            try cluster.psql(
                "CREATE SCHEMA chosen; ALTER DATABASE \(database) SET search_path = missing, chosen, public",
                database: database)
            let context = try open {
                $0 = PostgresConfiguration(cluster.connectionString(database: database))
            }
            context.insert(Trip(name: "a", destination: "Rome"))
            try context.save()
            #expect(try cluster.psql("SELECT name FROM chosen.\"Trip\"", database: database) == "a")
        }

        // MARK: Errors

        @Test func serverThatIsNotThere() throws {
            let error = try openingError { $0.connectionString = "host=/nonexistent password=secret" }
            #expect(error == .storeUnavailable)
            #expect(!error.description.contains("secret"))
        }

        @Test func wrongDatabaseAndRole() throws {
            #expect(
                try openingError { $0.connectionString = cluster.connectionString(database: "none") }
                    == .storeUnavailable)
            #expect(
                try openingError { $0.connectionString = cluster.connectionString(user: "none") } == .storeUnavailable)
        }

        @Test func invalidConnectionString() throws {
            let error = try openingError { $0.connectionString = "postgresql://user:secret@host:notaport/x" }
            #expect(error == .storeUnavailable)
            #expect(!error.description.contains("secret"))
        }

        @Test(arguments: ["", "a\0b", String(repeating: "x", count: 64)])
        func invalidSchemaName(_ name: String) throws {
            #expect(try openingError { $0.schemaName = name } == .loadIssueModelContainer)
        }

        @Test func newerFormat() throws {
            _ = try open()
            _ = try sql("UPDATE chronicle_meta SET value = '99' WHERE name = 'format'")
            #expect(try openingError() == .unsupportedFileVersion)
            #expect(try openingError { $0.allowsSave = false } == .unsupportedFileVersion)
        }

        @Test func tableOfAnotherProgram() throws {
            _ = try sql("CREATE TABLE \"Trip\"(id int)")
            let error = try openingError()
            #expect(error == .notAChronicleStore)
            #expect(error.entityName == "Trip")
            #expect(try sql("SELECT to_regclass('chronicle_meta') IS NULL") == "t")
        }

        @Test(arguments: [
            ("DROP TABLE \"Trip\" CASCADE", nil), ("ALTER TABLE \"Trip\" DROP COLUMN name", "name"),
            ("ALTER TABLE \"Trip\" RENAME COLUMN note TO remark", "note"),
            ("ALTER TABLE \"Trip\" DROP COLUMN _rowid_ CASCADE", "_rowid_"),
        ])
        func tableThatAnotherProgramChanged(_ change: String, _ property: String?) throws {
            _ = try open()
            _ = try sql(change)
            let error = try openingError()
            #expect(error == .damagedFile)
            #expect(error.propertyName == property)
            #expect(error.entityName == "Trip")
        }

        /// What can be restored without loss is restored.
        @Test func missingIndexesAndForeignKeysAreRestored() throws {
            _ = try open()
            let count = "SELECT count(*) FROM pg_indexes WHERE schemaname = current_schema()"
            let keys =
                "SELECT count(*) FROM pg_constraint WHERE connamespace = quote_ident(current_schema())::regnamespace"
            let before = try (sql(count), sql(keys))
            _ = try sql(
                "DROP INDEX \"chronicle_unique_Trip_name,startDate,endDate\"; "
                    + "ALTER TABLE \"BucketListItem\" DROP CONSTRAINT \"chronicle_reference_BucketListItem_trip\"")
            _ = try open()
            #expect(try (sql(count), sql(keys)) == before)
        }

        @Test func tableChangedWhileTheStoreIsOpen() throws {
            let context = try open()
            _ = try sql("ALTER TABLE \"Trip\" DROP COLUMN note")
            #expect(throws: SwiftDataError.damagedFile) { try context.fetch(FetchDescriptor<Trip>()) }
            context.insert(Trip(name: "a", destination: "Rome"))
            #expect(throws: SwiftDataError.damagedFile) { try context.save() }
        }

        enum Models {
            @Model final class System {
                var ctid = 0
                init() {}
            }
            @Model final class Long {
                var aNameThatIsLongerThanSixtyThreeBytesWhichPostgreSQLWouldTruncate = 0
                init() {}
            }
        }

        @Test func namesThatPostgreSQLCannotKeep() throws {
            for model in [Models.System.self, Models.Long.self] as [any PersistentModel.Type] {
                let error = try #require(throws: SwiftDataError.self) {
                    try ModelContainer(for: Schema([model]), configurations: configuration)
                }
                #expect(error == .invalidModel)
                #expect(error.propertyName != nil)
            }
        }

        // MARK: Privileges

        @Test func readOnlyStoreMustExist() throws {
            #expect(try openingError { $0.allowsSave = false } == .loadIssueModelContainer)
            let writer = try open()
            writer.insert(Trip(name: "a", destination: "Rome"))
            try writer.save()
            let reader = try open { $0.allowsSave = false }
            #expect(try reader.fetch(FetchDescriptor<Trip>()).map(\.name) == ["a"])
            reader.insert(Trip(name: "b", destination: "Rome"))
            #expect(throws: SwiftDataError.storeReadOnly) { try reader.save() }
        }

        @Test func roleWithoutThePrivilegeToCreateTables() throws {
            let role = "role_\(schemaName)"
            _ = try cluster.psql("CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA \(schemaName) TO \(role)")
            let connectionString = cluster.connectionString(user: role)
            #expect(try openingError { $0.connectionString = connectionString } == .loadIssueModelContainer)
            _ = try open()
            _ = try sql(
                "GRANT SELECT ON ALL TABLES IN SCHEMA \(schemaName) TO \(role); "
                    + "GRANT INSERT, UPDATE, DELETE ON \"Trip\", \"BucketListItem\" TO \(role)")
            let context = try open { $0.connectionString = connectionString }
            context.insert(Trip(name: "a", destination: "Rome"))
            try context.save()
            #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1)
            // A table that the role may only read.
            context.insert(LivingAccommodation(placeName: "Hotel"))
            #expect(throws: SwiftDataError.storeReadOnly) { try context.save() }
        }

        @Test func roleThatMayOnlyRead() throws {
            let role = "reader_\(schemaName)"
            _ = try open()
            _ = try sql(
                "CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA \(schemaName) TO \(role); "
                    + "GRANT SELECT ON ALL TABLES IN SCHEMA \(schemaName) TO \(role)")
            let context = try open { $0.connectionString = cluster.connectionString(user: role) }
            #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 0)
            context.insert(Trip(name: "a", destination: "Rome"))
            #expect(throws: SwiftDataError.storeReadOnly) { try context.save() }
        }

        @Test func eraseDeletesEverything() throws {
            let context = try open()
            let trip = Trip(name: "a", destination: "Rome")
            context.insert(trip)
            try context.save()
            let identifier = trip.persistentModelID
            try context.container.stores[0].erase()
            #expect(try open().fetchCount(FetchDescriptor<Trip>()) == 0)
            let new = Trip(name: "b", destination: "Rome")
            let second = try open()
            second.insert(new)
            try second.save()
            #expect(new.persistentModelID > identifier)
            _ = try sql("CREATE TABLE other(trip bigint REFERENCES \"Trip\")")
            #expect(throws: SwiftDataError.deleteDenied) { try second.container.stores[0].erase() }
        }
    }
#endif
