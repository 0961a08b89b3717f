public import Chronicle
public import Foundation

/// The stores of a device and of the hub.
public enum Stores {
    /// Opens the store of a device, or creates it.
    public static func device(at url: URL) throws -> ModelContainer {
        try ModelContainer(
            for: SyncedSchema.device, configurations: [ModelConfiguration("device", url: url, preservesValues: true)])
    }

    /// Opens the hub, or creates it.
    ///
    /// - Parameter address: The path of an SQLite file.
    public static func hub(at address: String) throws -> ModelContainer {
        try ModelContainer(
            for: SyncedSchema.hub,
            configurations: [
                ModelConfiguration("hub", url: URL(fileURLWithPath: address), preservesValues: true)
            ])
    }
}
