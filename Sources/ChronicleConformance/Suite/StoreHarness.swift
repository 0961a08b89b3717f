public import Chronicle

/// A new store for one rule, opened with the models of the rules.
///
/// The harness retains every context that it creates, because models need their context to fetch relationships. Rules that
/// use several threads create separate contexts on them.
public final class StoreHarness<Store: DataStore> {
    /// The configuration of the store.
    public let configuration: Store.Configuration
    /// The container of the store.
    public let container: ModelContainer
    /// The features that the store supports. Rules use it to check more of a store that supports more.
    public let features: StoreFeatures
    let fixture: StoreFixture<Store.Configuration>
    private let make: () throws -> Store.Configuration
    private var contexts: [ModelContext] = []

    /// Opens a new store.
    ///
    /// - Parameters:
    ///   - features: The features that the store supports.
    ///   - fixture: The operations that only the store's author can provide.
    ///   - make: Returns the configuration of a new, empty store, different for each call.
    /// - Throws: The error that `make` throws, or the store's error, such as `SwiftDataError.loadIssueModelContainer`.
    public convenience init(
        supporting features: StoreFeatures = .all, fixture: StoreFixture<Store.Configuration> = StoreFixture(),
        _ make: @escaping () throws -> Store.Configuration
    ) throws {
        try self.init(make(), features, fixture, make)
    }

    private init(
        _ configuration: Store.Configuration, _ features: StoreFeatures, _ fixture: StoreFixture<Store.Configuration>,
        _ make: @escaping () throws -> Store.Configuration, with models: [any PersistentModel.Type] = []
    ) throws {
        (self.configuration, self.features, self.fixture, self.make) = (configuration, features, fixture, make)
        container = try Self.open(configuration, with: models)
    }

    static func open(
        _ configuration: Store.Configuration, with models: [any PersistentModel.Type] = []
    ) throws -> ModelContainer {
        let all: [any PersistentModel.Type] = [
            Specimen.self, Shelf.self, Stamp.self, Topic.self, Loan.self, Chapter.self,
        ]
        return try ModelContainer(for: Schema(all + models), configurations: [configuration])
    }

    /// The store of the container.
    ///
    /// - Throws: ``ConformanceFailure`` if it is not of the `Store` type of the configuration.
    public var store: Store {
        get throws {
            guard let store = container.stores.first as? Store else {
                throw ConformanceFailure("a container with a store of type \(Store.self)")
            }
            return store
        }
    }

    /// Creates a context and retains it as long as the harness exists.
    ///
    /// - Parameter author: The author of the context's transactions.
    /// - Returns: A context without fetched models or changes.
    public func context(_ author: String? = nil) -> ModelContext {
        let context = ModelContext(container)
        context.author = author
        contexts.append(context)
        return context
    }

    // MARK: Other stores

    /// Opens another new store with the same features and fixture.
    ///
    /// - Returns: The harness of the other store.
    /// - Throws: The errors that the initializer throws, such as `SwiftDataError.loadIssueModelContainer`.
    public func another() throws -> StoreHarness { try StoreHarness(supporting: features, fixture: fixture, make) }

    func another(with models: [any PersistentModel.Type]) throws -> StoreHarness {
        try StoreHarness(make(), features, fixture, make, with: models)
    }

    /// Returns the configuration of another new store, for example for ``opening(_:_:)``, without opening it.
    ///
    /// - Returns: The configuration.
    /// - Throws: The error that the closure passed to the initializer throws.
    public func newConfiguration() throws -> Store.Configuration { try make() }

    /// Opens a store, runs `body`, and releases the store.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the store, new or already used.
    ///   - body: A closure that uses the store.
    /// - Returns: The result of `body`.
    /// - Throws: The error that `body` throws, or the store's error, such as `SwiftDataError.loadIssueModelContainer`.
    @discardableResult
    public func opening<Result>(
        _ configuration: Store.Configuration, _ body: (StoreHarness) throws -> Result
    ) throws -> Result {
        let harness = try opened(configuration)
        return try withExtendedLifetime(harness) { try body(harness) }
    }

    /// The store stays open as long as the harness exists.
    func opened(_ configuration: Store.Configuration) throws -> StoreHarness {
        try StoreHarness(configuration, features, fixture, make)
    }

    /// The store is not open.
    func copy(_ configuration: Store.Configuration) throws -> Store.Configuration {
        try require(fixture.copy, "a fixture that copies stores")(configuration)
    }

    func recording(_ configuration: Store.Configuration, _ isOn: Bool) throws -> Store.Configuration {
        try require(fixture.recording, "a fixture that disables the history")(configuration, isOn)
    }
}
