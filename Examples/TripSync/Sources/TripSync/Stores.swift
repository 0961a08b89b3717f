public import Chronicle
public import Foundation

#if Postgres
    import ChroniclePostgres
#endif

/// The stores of a device and of the hub.
public enum Stores {
    /// Opens the store of a device, or creates it.
    public static func device(at url: URL) throws -> ModelContainer {
        try ModelContainer(
            for: SyncedSchema.device, configurations: [ModelConfiguration("device", url: url, preservesValues: true)])
    }

    /// Opens the hub, or creates it.
    ///
    /// - Parameter address: The path of an SQLite file; or in a build with the trait `Postgres`, the address of a database:
    ///   `postgresql://…`.
    public static func hub(at address: String) throws -> ModelContainer {
        try ModelContainer(for: SyncedSchema.hub, configurations: [configuration(ofHubAt: address)])
    }

    private static func configuration(ofHubAt address: String) throws -> any DataStoreConfiguration {
        guard address.hasPrefix("postgresql://") else {
            return ModelConfiguration("hub", url: URL(fileURLWithPath: address), preservesValues: true)
        }
        #if Postgres
            return PostgresConfiguration(address, name: "hub", preservesValues: true)
        #else
            throw SyncError("this program was built without PostgreSQL; build it with --traits Postgres")
        #endif
    }
}
