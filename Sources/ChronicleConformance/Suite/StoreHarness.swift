public import Chronicle

/// A new store for one rule, with the models of the rules.
///
/// A model needs its context to find its relationships: the harness keeps every context that it hands out. A rule that works
/// on several threads makes contexts of its own there.
public final class StoreHarness<Store: DataStore> {
    public let configuration: Store.Configuration
    public let container: ModelContainer
    /// What the store declares, for rules that ask more of a store that does more.
    public let features: StoreFeatures
    let fixture: StoreFixture<Store.Configuration>
    private let make: () throws -> Store.Configuration
    private var contexts: [ModelContext] = []

    /// - Parameters:
    ///   - features: What the store does.
    ///   - fixture: What its author can do to it from outside.
    ///   - make: Makes the configuration of a new, empty store, each time another one.
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
        let all: [any PersistentModel.Type] = [Specimen.self, Shelf.self, Stamp.self, Topic.self, Loan.self]
        return try ModelContainer(for: Schema(all + models), configurations: [configuration])
    }

    /// The store itself.
    public var store: Store {
        get throws {
            guard let store = container.stores.first as? Store else {
                throw ConformanceFailure("the container to have a \(Store.self)")
            }
            return store
        }
    }

    /// A context that has seen nothing yet.
    public func context(_ author: String? = nil) -> ModelContext {
        let context = ModelContext(container)
        context.author = author
        contexts.append(context)
        return context
    }

    // MARK: Other stores

    /// A harness with another store.
    public func another() throws -> StoreHarness { try StoreHarness(supporting: features, fixture: fixture, make) }

    /// A harness with another store that has more models.
    func another(with models: [any PersistentModel.Type]) throws -> StoreHarness {
        try StoreHarness(make(), features, fixture, make, with: models)
    }

    /// The configuration of another store, which nobody has opened yet.
    public func newConfiguration() throws -> Store.Configuration { try make() }

    /// Opens a store for as long as `body` runs, and then lets go of it.
    @discardableResult
    public func opening<Result>(
        _ configuration: Store.Configuration, _ body: (StoreHarness) throws -> Result
    ) throws -> Result {
        let harness = try opened(configuration)
        return try withExtendedLifetime(harness) { try body(harness) }
    }

    /// Opens a store for as long as somebody has the harness.
    func opened(_ configuration: Store.Configuration) throws -> StoreHarness {
        try StoreHarness(configuration, features, fixture, make)
    }

    /// A copy of a store that nobody has open.
    func copy(_ configuration: Store.Configuration) throws -> Store.Configuration {
        try require(fixture.copy, "a way to copy the store")(configuration)
    }

    /// The same store, recording its history or not.
    func recording(_ configuration: Store.Configuration, _ isOn: Bool) throws -> Store.Configuration {
        try require(fixture.recording, "a way to switch the history off")(configuration, isOn)
    }
}
