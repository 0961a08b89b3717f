import Chronicle
import Foundation

/// The file that the app and its widget share.
public struct TripStore: Sendable {
    /// Who signs the saves: what a reader of the history tells the processes apart by.
    public enum Author {
        public static let app = "app"
        public static let widget = "widget"
    }

    public let url: URL
    public let kind: StoreKind
    private let configuration: any DataStoreConfiguration

    /// The store that is used when nobody names another: `SampleTrips.store` in the user's application support directory
    /// (`~/.local/share` on Linux).
    public static var standard: TripStore {
        let configuration = ModelConfiguration("SampleTrips", isStoredInMemoryOnly: false)
        return TripStore(configuration.url, .sqlite, configuration)
    }

    /// The store in a file, whose name says of which kind it is.
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
    ///   - author: Who signs what the context saves; `nil` for who does not.
    ///   - creating: Whether to make the file when there is none. A mistyped path should not, so only few commands do.
    public func open(author: String?, creating: Bool = false) throws -> ModelContext {
        if !creating, !FileManager.default.fileExists(atPath: url.path) {
            throw Failure("there is no store at \(url.path). `app seed` makes one with a few trips.")
        }
        let context = ModelContext(try ModelContainer(for: Trip.self, configurations: configuration))
        context.author = author
        return context
    }
}
