public import ChronicleCore
public import Foundation

/// The location and the options of a default store.
///
/// ```swift
/// ModelConfiguration(url: directory.appending(path: "Trips.store"))
/// ModelConfiguration(isStoredInMemoryOnly: true)
/// ```
///
/// SwiftData's `ModelConfiguration` has no options for durability, history, preserved values, and the busy timeout.
public struct ModelConfiguration: DataStoreConfiguration, Identifiable, Hashable {
    public typealias Store = DefaultStore

    /// The durability of saves across power failures. With either option, a crash of the program alone loses no saves.
    public enum Durability: Hashable, Sendable {
        /// A save is on disk when it returns (WAL mode with `synchronous=FULL`, and `F_FULLFSYNC` on Apple platforms).
        case full
        /// A power failure may undo the most recent saves, but never a part of a save (WAL mode with `synchronous=NORMAL`;
        /// https://www.sqlite.org/pragma.html#pragma_synchronous). Small saves are several times as fast as with ``full``.
        ///
        /// Fetching the history after the tokens of undone saves throws ``SwiftDataError/historyTokenForked`` or, if the
        /// creation of the file was undone, ``SwiftDataError/historyTokenStoreMismatch``.
        case relaxed
    }

    /// The name of the store in error messages.
    public var name: String
    /// The URL of the file, or of a symbolic link to it. For a store in memory, a URL at which no file exists.
    public var url: URL
    /// A Boolean value that indicates whether the store is kept in memory and discarded with its container.
    public var isStoredInMemoryOnly: Bool
    /// A Boolean value that indicates whether the store can be written.
    ///
    /// A read-only store must exist. Without a writable directory and a write-ahead log, like a file in an app's resources,
    /// the file is opened as immutable. If the program that created the file was interrupted, opening it read-only throws
    /// ``SwiftDataError/loadIssueModelContainer``; open it once with write access first.
    public var allowsSave: Bool
    /// The durability of saves across power failures.
    public var durability: Durability
    /// A Boolean value that indicates whether the store records its history.
    ///
    /// Disabling and enabling the history leaves a gap: fetching after an earlier token throws
    /// ``SwiftDataError/historyTokenGap``.
    public var recordsHistory: Bool
    /// A Boolean value that indicates whether the history preserves the values of all properties.
    ///
    /// An update then contains the values of the changed properties before and after it, an insert the initial values, and
    /// a delete the last ones; see ``PreservedValue``. Text and binary data of more than 65,536 bytes are not preserved.
    /// For single attributes, of any size, use the options ``Schema/Attribute/Option/preserveValueOnUpdate`` and
    /// ``Schema/Attribute/Option/preserveValueOnDeletion``.
    ///
    /// The setting belongs to the file, and applies to all programs that write it. If an existing file is opened for
    /// writing with `true`, its history preserves the values from then on, and the ``logger`` receives the message
    /// `valuesPreserved`. `false` has no effect on an existing file; use ``DefaultStore/setPreservesValues(_:)`` for it,
    /// and for a ``TrackedDatabase``.
    public var preservesValues: Bool
    /// How much of its history the store keeps; everything by default.
    ///
    /// The setting applies to the purges of this store object. Several processes that use a file should have the same.
    public var historyRetention: HistoryRetention
    /// When the store seals its history in the background, or `nil` if it does not.
    ///
    /// A save starts a task with the priority *utility*, unless one is running. It does not keep the store open. Set the same in all
    /// programs that write the file: one of them seals at a time. ``DefaultStore/deleteHistory(_:)`` then seals what it deletes
    /// first. The ``logger`` receives the messages `sealed` and `sealingFailed`.
    ///
    /// The product `ChronicleSeals` creates schedules. Nothing is sealed if the history is not recorded, or if the file is a
    /// ``TrackedDatabase``, whose programs save without the store; call `sealHistory(storeName:signedBy:)` from time to time.
    public var historySealing: HistorySealingSchedule?
    /// How long a read or a save waits for another connection's lock before it throws ``SwiftDataError/storeBusy``.
    public var busyTimeout: Duration
    /// The directory of the file, for a configuration that was created without a URL.
    public let groupContainer: GroupContainer
    /// An option without effect; see ``CloudKitDatabase``.
    public let cloudKitDatabase: CloudKitDatabase
    let namesFile: Bool
    /// What receives messages for a log, or `nil` for no messages. Equality of configurations ignores it.
    public var logger: (any StoreLogger)?
    /// The lowest level of the messages that the ``logger`` receives.
    public var logLevel = StoreLogLevel.notice
    /// A closure that receives the progress of a migration while the store is opened, or `nil`. Equality of configurations
    /// ignores it. It is called on the thread that opens the store, within the transaction of a stage. Do not use the store
    /// in it.
    public var migrationProgress: (@Sendable (MigrationProgress) -> Void)?
    /// How commits are noticed, for tests.
    var watching = Watching.automatic
    /// The command-line tool opens the file with the classes that the file describes, and is no program that uses the
    /// models.
    package var isInspector = false
    /// What records changes, for tests and measurements.
    package var recorder = Recorder.automatic

    enum Watching: Hashable, Sendable {
        /// By events of the file system, and otherwise by regular checks.
        case automatic
        /// By regular checks, as if watching the files failed with this error code.
        case failing(Int32)
        /// By events without regular checks, which would conceal a missed event.
        case eventsOnly
    }

    package enum Recorder: String, CaseIterable, Hashable, Sendable {
        /// SQLite's pre-update hook where possible, and triggers otherwise.
        case automatic
        case triggers

        var allowsHook: Bool { self == .automatic }
    }
    /// The models of the store, or `nil` for all models of the container.
    public var schema: Schema?

    /// The URL of the store.
    public var id: URL { url }

    /// Creates the configuration of a store in a file.
    ///
    /// The file is created if it does not exist; its directory must exist.
    ///
    /// - Parameters:
    ///   - name: The name of the store in error messages; by default the file name without its extension.
    ///   - schema: See `schema`.
    ///   - url: The URL of the file.
    ///   - allowsSave: See `allowsSave`.
    ///   - cloudKitDatabase: See `cloudKitDatabase`.
    ///   - durability: See `durability`.
    ///   - recordsHistory: See `recordsHistory`.
    ///   - preservesValues: See `preservesValues`.
    ///   - historyRetention: See `historyRetention`.
    ///   - busyTimeout: See `busyTimeout`.
    public init(
        _ name: String? = nil, schema: Schema? = nil, url: URL, allowsSave: Bool = true,
        cloudKitDatabase: CloudKitDatabase = .automatic, durability: Durability = .full, recordsHistory: Bool = true,
        preservesValues: Bool = false, historyRetention: HistoryRetention = .unlimited,
        busyTimeout: Duration = .seconds(5)
    ) {
        self.name = name ?? url.deletingPathExtension().lastPathComponent
        self.schema = schema
        self.url = url
        isStoredInMemoryOnly = false
        self.allowsSave = allowsSave
        self.durability = durability
        self.recordsHistory = recordsHistory
        self.preservesValues = preservesValues
        self.historyRetention = historyRetention
        self.busyTimeout = busyTimeout
        self.cloudKitDatabase = cloudKitDatabase
        groupContainer = .none
        namesFile = false
    }

    /// Creates the configuration of a store in memory, or in the file `<name>.store` of the program's directory or of a
    /// group container. The directory is created if it does not exist.
    ///
    /// The program's directory is `~/.local/share/<executable>` or `$XDG_DATA_HOME/<executable>` on Linux, and
    /// `~/Library/Application Support/<bundle identifier>` on Apple systems, or the executable without an identifier. A
    /// renamed executable has another directory; pass a URL to a program whose name changes. ``url`` is the path, and
    /// `debugDescription` contains it.
    ///
    /// Earlier versions of Chronicle used `<name>.store` in the application support directory itself, for all programs of
    /// the user. If such a file contains models of this program, and there is no file in the program's directory, the file
    /// is used and is not moved. The ``logger`` then receives the message `sharedFile`, and
    /// ``ModelContainer/configurations`` have the URL. To use the new directory, move the file and those beside it while no
    /// program uses it.
    ///
    /// - Parameters:
    ///   - name: The name of the store and of its file; `default` if `nil`.
    ///   - schema: See `schema`.
    ///   - isStoredInMemoryOnly: See `isStoredInMemoryOnly`.
    ///   - allowsSave: See `allowsSave`.
    ///   - groupContainer: See `groupContainer`.
    ///   - cloudKitDatabase: See `cloudKitDatabase`.
    ///   - durability: See `durability`.
    ///   - recordsHistory: See `recordsHistory`.
    ///   - preservesValues: See `preservesValues`.
    ///   - historyRetention: See `historyRetention`.
    ///   - busyTimeout: See `busyTimeout`.
    public init(
        _ name: String? = nil, schema: Schema? = nil, isStoredInMemoryOnly: Bool = false, allowsSave: Bool = true,
        groupContainer: GroupContainer = .automatic, cloudKitDatabase: CloudKitDatabase = .automatic,
        durability: Durability = .full, recordsHistory: Bool = true, preservesValues: Bool = false,
        historyRetention: HistoryRetention = .unlimited, busyTimeout: Duration = .seconds(5)
    ) {
        let name = name ?? "default"
        let url =
            isStoredInMemoryOnly
            ? URL(fileURLWithPath: "/dev/null/\(name)")
            : groupContainer.directory.appending(path: "\(name).store")
        self.name = name
        self.schema = schema
        self.url = url
        self.isStoredInMemoryOnly = isStoredInMemoryOnly
        self.allowsSave = allowsSave
        self.durability = durability
        self.recordsHistory = recordsHistory
        self.preservesValues = preservesValues
        self.historyRetention = historyRetention
        self.busyTimeout = busyTimeout
        self.groupContainer = groupContainer
        self.cloudKitDatabase = cloudKitDatabase
        namesFile = !isStoredInMemoryOnly
    }

    /// Creates the configuration of the default store for the given models and the destinations of their relationships.
    ///
    /// - Parameters:
    ///   - type: A model of the store.
    ///   - others: Further models of the store.
    ///   - isStoredInMemoryOnly: Whether the store is kept in memory.
    public init(
        for type: any PersistentModel.Type, _ others: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = false
    ) {
        self.init(schema: Schema([type] + others), isStoredInMemoryOnly: isStoredInMemoryOnly)
    }

    /// Returns whether two configurations have equal options and the same schema instance.
    public static func == (lhs: ModelConfiguration, rhs: ModelConfiguration) -> Bool {
        lhs.name == rhs.name && lhs.url == rhs.url && lhs.isStoredInMemoryOnly == rhs.isStoredInMemoryOnly
            && lhs.allowsSave == rhs.allowsSave && lhs.durability == rhs.durability
            && lhs.recordsHistory == rhs.recordsHistory && lhs.busyTimeout == rhs.busyTimeout
            && lhs.preservesValues == rhs.preservesValues && lhs.historyRetention == rhs.historyRetention
            && lhs.historySealing == rhs.historySealing && lhs.schema == rhs.schema
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(url)
    }
}
