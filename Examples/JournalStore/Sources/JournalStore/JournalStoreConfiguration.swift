import Chronicle
import Foundation

/// Which file a ``JournalStore`` keeps its models in, and how carefully.
public struct JournalStoreConfiguration: DataStoreConfiguration {
    public typealias Store = JournalStore

    /// When a save is done.
    public enum Durability: Sendable {
        /// When it is on the disk: it survives a power cut. Each save waits for the disk.
        case full
        /// When the system has it: it survives the end of the process, however it ends. A power cut may take back the
        /// latest saves, and leave the end of the journal damaged where the system wrote its pages in another order.
        case relaxed
    }

    public var name: String
    public var schema: Schema?
    /// The journal. Its directory has to be there; the file is made when it is not.
    public var url: URL
    public var durability: Durability
    /// How long to wait for other processes before `SwiftDataError.storeBusy`.
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
