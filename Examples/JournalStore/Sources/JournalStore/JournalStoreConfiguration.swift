import Chronicle
import Foundation

/// The file of a ``JournalStore``, and the durability of its saves.
public struct JournalStoreConfiguration: DataStoreConfiguration {
    public typealias Store = JournalStore

    /// When a save returns.
    public enum Durability: Sendable {
        /// When it is on the disk. It survives a power failure; each save waits for the disk.
        case full
        /// When the system has it. It survives the end of the process, however it ends. A power failure may undo the
        /// latest saves, and leave the end of the journal damaged if the system wrote its pages in another order.
        case relaxed
    }

    public var name: String
    public var schema: Schema?
    /// The journal file. Its directory has to exist; the file is created if it does not exist.
    public var url: URL
    public var durability: Durability
    /// How long to wait for other processes before throwing `SwiftDataError.storeBusy`.
    public var busyTimeout: Duration

    public init(
        _ name: String = "journal", schema: Schema? = nil, url: URL, durability: Durability = .full,
        busyTimeout: Duration = .seconds(5)
    ) {
        self.name = name
        self.schema = schema
        self.url = url
        self.durability = durability
        self.busyTimeout = busyTimeout
    }
}
