public import ChronicleCore
public import Foundation

/// Where the default store keeps its models, and how.
///
/// ```swift
/// ModelConfiguration(url: directory.appending(path: "Trips.store"))
/// ModelConfiguration(isStoredInMemoryOnly: true)
/// ```
public struct ModelConfiguration: DataStoreConfiguration, Identifiable, Hashable {
    public typealias Store = DefaultStore

    /// What a save promises when power fails. A crash of the program alone loses nothing in either.
    public enum Durability: Hashable, Sendable {
        /// A save is on the disk when it returns (WAL with `synchronous=FULL`, on Apple platforms with `F_FULLFSYNC`).
        case full
        /// The last saves before a power failure may be taken back, whole and in order (WAL with `synchronous=NORMAL`).
        /// Readers of the history notice: their tokens are forked, or of another store where making the file was one of
        /// these saves. Several times as fast for small saves.
        /// See https://www.sqlite.org/pragma.html#pragma_synchronous
        case relaxed
    }

    /// What the store is called in messages.
    public var name: String
    /// The file, or a symbolic link to it; for a store in memory, a name for it that no file has.
    public var url: URL
    /// Whether the store lives in memory and ends with its container.
    public var isStoredInMemoryOnly: Bool
    /// Whether the store may be written. A store that may not has to exist. One without a log, in a directory that cannot
    /// be written (a program's resources, say), is read as a file that nobody changes meanwhile. One whose last writer was
    /// interrupted while it made the file has to be opened with write access first:
    /// ``SwiftDataError/loadIssueModelContainer``.
    public var allowsSave: Bool
    public var durability: Durability
    /// Whether changes are recorded. Switching this off and on again leaves a gap: tokens from before it expire.
    public var recordsHistory: Bool
    /// How long a read or a save waits for another connection's lock before it throws ``SwiftDataError/storeBusy``.
    public var busyTimeout: Duration
    /// The models that the store keeps; `nil` for all models of the container.
    public var schema: Schema?

    public var id: URL { url }

    /// A store in a file, which is made when it does not exist; its directory has to.
    ///
    /// - Parameters:
    ///   - name: What the store is called in messages; the file's name by default.
    ///   - schema: The models that the store keeps; `nil` for all models of the container.
    ///   - url: The file.
    ///   - cloudKitDatabase: Allowed, and without effect, see ``CloudKitDatabase``.
    public init(
        _ name: String? = nil, schema: Schema? = nil, url: URL, allowsSave: Bool = true,
        cloudKitDatabase: CloudKitDatabase = .automatic, durability: Durability = .full, recordsHistory: Bool = true,
        busyTimeout: Duration = .seconds(5)
    ) {
        self.name = name ?? url.deletingPathExtension().lastPathComponent
        self.schema = schema
        self.url = url
        isStoredInMemoryOnly = false
        self.allowsSave = allowsSave
        self.durability = durability
        self.recordsHistory = recordsHistory
        self.busyTimeout = busyTimeout
    }

    /// A store in memory, or in the file `<name>.store` of the user's application support directory, which is made when it
    /// does not exist. Without a name it is `default`.
    ///
    /// The group container and the CloudKit database are allowed, and without effect: see ``GroupContainer`` and
    /// ``CloudKitDatabase``.
    public init(
        _ name: String? = nil, schema: Schema? = nil, isStoredInMemoryOnly: Bool = false, allowsSave: Bool = true,
        groupContainer: GroupContainer = .automatic, cloudKitDatabase: CloudKitDatabase = .automatic,
        durability: Durability = .full, recordsHistory: Bool = true
    ) {
        let name = name ?? "default"
        let url =
            isStoredInMemoryOnly
            ? URL(fileURLWithPath: "/dev/null/\(name)")
            : Self.defaultDirectory.appending(path: "\(name).store")
        self.init(
            name, schema: schema, url: url, allowsSave: allowsSave, durability: durability,
            recordsHistory: recordsHistory)
        self.isStoredInMemoryOnly = isStoredInMemoryOnly
    }

    /// The default store of these models and those they are related to.
    public init(
        for type: any PersistentModel.Type, _ others: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = false
    ) {
        self.init(schema: Schema([type] + others), isStoredInMemoryOnly: isStoredInMemoryOnly)
    }

    /// The user's application support directory; `~/.local/share` on Linux.
    static var defaultDirectory: URL {
        FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
            ?? URL(fileURLWithPath: NSHomeDirectory())
    }

    public static func == (lhs: ModelConfiguration, rhs: ModelConfiguration) -> Bool {
        lhs.name == rhs.name && lhs.url == rhs.url && lhs.isStoredInMemoryOnly == rhs.isStoredInMemoryOnly
            && lhs.allowsSave == rhs.allowsSave && lhs.durability == rhs.durability
            && lhs.recordsHistory == rhs.recordsHistory && lhs.busyTimeout == rhs.busyTimeout
            && lhs.schema == rhs.schema
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(url)
    }
}
