import Chronicle
import ChroniclePostgres
import Foundation

/// The temporary server of the rows on PostgreSQL. It waits for the disk at each commit.
enum PostgresServer {
    static let cluster = Result { try PostgresCluster(["fsync": "on", "shared_buffers": "256MB"]) }

    /// Creates a store in a new schema, and a connection of libpq with a table like that of the store.
    static func stores(recordsHistory: Bool = true) throws -> (plain: PlainPostgres, container: ModelContainer) {
        let schema = try cluster.get().makeSchema()
        let container = try container(schema, recordsHistory: recordsHistory)
        return (try PlainPostgres(cluster.get().connectionString(), schema: schema), container)
    }

    /// Opens a store.
    ///
    /// - Parameters:
    ///   - schema: The name of its schema.
    ///   - server: The connection string of the server, or `nil` for that of this process.
    ///   - recordsHistory: Whether it records its history.
    ///   - preservesValues: Whether its history preserves the values of all properties.
    ///   - waitsForDisk: Whether a commit waits for the disk. Stores that are only prepared for a measurement need not.
    static func container(
        _ schema: String, at server: String? = nil, recordsHistory: Bool = true, preservesValues: Bool = false,
        waitsForDisk: Bool = true
    ) throws -> ModelContainer {
        let options = waitsForDisk ? "" : " options='-c synchronous_commit=off'"
        return try ModelContainer(
            for: Trip.self,
            configurations: PostgresConfiguration(
                (server ?? cluster.get().connectionString()) + options, schemaName: schema,
                recordsHistory: recordsHistory, preservesValues: preservesValues))
    }
}

extension PostgresCluster {
    /// Runs statements with `psql`.
    func psql(_ statements: String) throws {
        try run(
            "psql",
            ["--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", "--dbname", "postgres", "--command", statements])
    }

    /// Creates an empty schema with a name that no other row has.
    func makeSchema() throws -> String {
        let name = "bench_\(UInt64.random(in: .min ... .max))"
        try psql("CREATE SCHEMA \(name)")
        return name
    }
}
