public import ChronicleCore
public import Foundation

/// How to open a file of SwiftData or Core Data for reading.
///
/// ```swift
/// let container = try ModelContainer(for: Trip.self, configurations: AppleStoreConfiguration(url: url))
/// let trips = try ModelContext(container).fetch(FetchDescriptor<Trip>())
/// ```
public struct AppleStoreConfiguration: DataStoreConfiguration {
    public typealias Store = AppleStore

    /// The name of the store in messages.
    public var name: String
    /// The schema of the models to read, or `nil` for all models of the container.
    public var schema: Schema?
    /// The URL of the file, such as that of `default.store`.
    public var url: URL

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - name: See `name`. The name of the file if omitted.
    ///   - schema: See `schema`.
    ///   - url: See `url`.
    public init(_ name: String? = nil, schema: Schema? = nil, url: URL) {
        self.name = name ?? url.lastPathComponent
        self.schema = schema
        self.url = url
    }
}
