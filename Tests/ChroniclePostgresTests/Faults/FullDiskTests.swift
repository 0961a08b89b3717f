#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Foundation
    import Testing

    /// A server whose disk is full: the tables are in a file system of 4 MB.
    @Suite("PostgreSQL full disk", .requiresPostgres) struct PostgresFullDiskTests {
        @Test(.enabled("mounting a small file system needs root and `unshare`") { PostgresCluster.canMount })
        func savesContinueWhenSpaceIsFreed() throws {
            let cluster = try PostgresCluster(smallDisk: 4_000_000)
            try cluster.psql("CREATE TABLESPACE small LOCATION '\(cluster.directory.path)/small'")
            // 600 kB that cannot be compressed.
            try cluster.psql(
                """
                CREATE TABLE filler TABLESPACE small AS SELECT \
                (SELECT string_agg(md5((100 * n + m)::text), '') FROM generate_series(1, 60) AS m) \
                FROM generate_series(1, 300) AS n
                """)
            let configuration = PostgresConfiguration(
                cluster.connectionString() + " options='-c default_tablespace=small'", schemaName: "accounts")
            let fixture = try HistoryFixture(configuration, cluster)
            var random = SplitMix(state: 1)
            let context = fixture.context("app")
            var saved: [String] = []
            var failure: SwiftDataError?
            while failure == nil, saved.count < 1_000 {
                let account = Account("\(saved.count)")
                // It cannot be compressed.
                account.photo = Data((0..<30_000).map { _ in UInt8.random(in: 0...255, using: &random) })
                context.insert(account)
                do {
                    try context.save()
                    saved.append(account.name)
                } catch let error as SwiftDataError { failure = error }
            }
            let error = try #require(failure)
            #expect(error == .storeFull)
            // `disk_full`
            #expect((error.underlying as? PostgresError)?.sqlState == "53100")
            #expect(!saved.isEmpty)
            // Fetches work, and the context has the model that was not saved.
            #expect(context.insertedModelsArray.count == 1)
            #expect(try fixture.context().fetchCount(FetchDescriptor<Account>()) == saved.count)

            try cluster.psql("DROP TABLE filler")
            try context.save()
            saved.append("\(saved.count)")
            let names = try fixture.context().fetch(FetchDescriptor<Account>()).map(\.name)
            #expect(Set(names) == Set(saved))
            // The history has each save once.
            let inserted = try fixture.transactions().flatMap(\.changes).map(\.line)
            #expect(Set(inserted).count == inserted.count)
            #expect(inserted.count == saved.count)
            try cluster.remove()
        }
    }
#endif
