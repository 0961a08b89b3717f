import Chronicle
import Foundation

/// The file that the app and its widget share.
public struct TripStore: Sendable {
    /// The authors of saves, which distinguish the processes in the history.
    public enum Author {
        public static let app = "app"
        public static let widget = "widget"
    }

    public let url: URL
    public let kind: StoreKind
    private let configuration: any DataStoreConfiguration

    /// The default store: `SampleTrips.store` in the user's application support directory (`~/.local/share` on Linux).
    public static var standard: TripStore {
        let configuration = ModelConfiguration(
            "SampleTrips", isStoredInMemoryOnly: false, preservesValues: true,
            historyRetention: StoreKind.historyRetention)
        return TripStore(configuration.url, .sqlite, configuration)
    }

    /// Makes a store for a file, whose name determines its kind.
    public init(_ url: URL) {
        let kind = StoreKind(of: url)
        self.init(url, kind, kind.configuration(url))
    }

    private init(_ url: URL, _ kind: StoreKind, _ configuration: any DataStoreConfiguration) {
        (self.url, self.kind, self.configuration) = (url, kind, configuration)
    }

    /// Opens the store.
    ///
    /// - Parameters:
    ///   - author: The author of what the context saves, or `nil`.
    ///   - creating: Whether to create the file if it does not exist. Only few commands do, so that a mistyped path is an error.
    public func open(author: String?, creating: Bool = false) throws -> ModelContext {
        if !creating, !FileManager.default.fileExists(atPath: url.path) {
            throw Failure("there is no store at \(url.path). `app seed` makes one with a few trips.")
        }
        let context = ModelContext(try ModelContainer(for: Trip.self, configurations: configuration))
        context.author = author
        return context
    }
}
