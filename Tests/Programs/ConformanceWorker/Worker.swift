import Chronicle
import ChronicleConformance
import Foundation

#if Postgres
    import ChroniclePostgres
#endif

/// The process that the rules kill. It uses the default store, one with a fault, or one on PostgreSQL.
@main
struct Worker {
    static func main() throws {
        #if Postgres
            // `postgres SCHEMA CONNECTION STRING`, or `pooled` for a proxy
            let isOnServer = CommandLine.arguments.contains { $0.hasPrefix("postgres ") || $0.hasPrefix("pooled ") }
            if isOnServer {
                return try runStoreWorker { place in
                    let words = place.split(separator: " ", maxSplits: 2).map(String.init)
                    // On a busy computer, processes wait for each other longer than the default.
                    return PostgresConfiguration(
                        words[2], schemaName: words[1], lockTimeout: .seconds(60),
                        usesTransactionPooling: words[0] == "pooled")
                }
            }
        #endif
        if CommandLine.arguments.contains(where: FaultyFileStore.Configuration.isPlace) {
            try runStoreWorker { place in try FaultyFileStore.Configuration(place: place) }
        } else {
            try runStoreWorker { path in ModelConfiguration(url: URL(fileURLWithPath: path), durability: .relaxed) }
        }
    }
}
