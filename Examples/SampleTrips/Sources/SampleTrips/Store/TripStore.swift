import Chronicle
import Foundation

/// The file or the database that the app and its widget share.
public struct TripStore: Sendable {
    /// The authors of saves, which distinguish the processes in the history.
    public enum Author {
        public static let app = "app"
        public static let widget = "widget"
    }

    /// The file, or the address of the database.
    public let url: URL
    public let kind: StoreKind
    private let configuration: (@Sendable () throws -> any DataStoreConfiguration)

    /// The default store: `SampleTrips.store` in the user's application support directory (`~/.local/share` on Linux).
    public static var standard: TripStore {
        let configuration = ModelConfiguration(
            "SampleTrips", isStoredInMemoryOnly: false, preservesValues: true,
            historyRetention: StoreKind.historyRetention)
        return TripStore(configuration.url, .sqlite) { configuration }
    }

    /// Makes a store for a file, whose name determines its kind, or for a database.
    public init(_ url: URL) {
        let kind = StoreKind(of: url)
        self.init(url, kind) { try kind.configuration(url) }
    }

    /// Makes a store for the address in a command line: `postgresql://…`, or the path of a file.
    public init(_ address: String) {
        let database = URL(string: address).flatMap { StoreKind(of: $0) == .postgres ? $0 : nil }
        self.init(database ?? URL(fileURLWithPath: address))
    }

    private init(
        _ url: URL, _ kind: StoreKind, _ configuration: @escaping @Sendable () throws -> any DataStoreConfiguration
    ) {
        (self.url, self.kind, self.configuration) = (url, kind, configuration)
    }

    /// What the programs call the store. It never contains a password.
    public var name: String {
        if url.isFileURL { return url.path }
        return "the database \(url.host ?? "")\(url.path)"
    }

    /// Opens the store.
    ///
    /// - Parameters:
    ///   - author: The author of what the context saves, or `nil`.
    ///   - creating: Whether to create the file if it does not exist. Only few commands do, so that a mistyped path is an
    ///     error. The tables of a database are always created.
    public func open(author: String?, creating: Bool = false) throws -> ModelContext {
        if !creating, url.isFileURL, !FileManager.default.fileExists(atPath: url.path) {
            throw Failure("there is no store at \(url.path). `app seed` makes one with a few trips.")
        }
        let context = ModelContext(try ModelContainer(for: Trip.self, configurations: configuration()))
        context.author = author
        return context
    }
}
