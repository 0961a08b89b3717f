import Chronicle
import Foundation

/// The file that the app and its widget share.
public enum TripStore {
    /// Who signs the saves: what a reader of the history tells the processes apart by.
    public enum Author {
        public static let app = "app"
        public static let widget = "widget"
    }

    /// `SampleTrips.store` in the user's application support directory (`~/.local/share` on Linux).
    public static var defaultURL: URL { configuration.url }

    private static var configuration: ModelConfiguration {
        ModelConfiguration("SampleTrips", isStoredInMemoryOnly: false)
    }

    /// Opens the store.
    ///
    /// - Parameters:
    ///   - url: The file; `nil` for the one at ``defaultURL``.
    ///   - author: Who signs what the context saves.
    ///   - creating: Whether to make the file when there is none. A mistyped path should not, so only few commands do.
    public static func open(_ url: URL?, author: String, creating: Bool = false) throws -> ModelContext {
        let file = url ?? defaultURL
        if !creating, !FileManager.default.fileExists(atPath: file.path) {
            throw Failure("there is no store at \(file.path). `app seed` makes one with a few trips.")
        }
        let container = try ModelContainer(
            for: Trip.self, configurations: url.map { ModelConfiguration(url: $0) } ?? configuration)
        let context = ModelContext(container)
        context.author = author
        return context
    }
}
