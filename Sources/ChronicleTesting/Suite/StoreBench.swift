public import Chronicle

/// A new store for one rule, with the models of the rules.
///
/// A model needs its context to find its relationships: the bench keeps every context that it hands out. A rule that works
/// on several threads makes contexts of its own there.
public final class StoreBench<Store: DataStore> {
    public let configuration: Store.Configuration
    public let container: ModelContainer
    private let make: () throws -> Store.Configuration
    private var contexts: [ModelContext] = []

    /// - Parameter make: Makes the configuration of a new, empty store, each time another one.
    public init(_ make: @escaping () throws -> Store.Configuration) throws {
        self.make = make
        configuration = try make()
        container = try Self.open(configuration)
    }

    private static func open(_ configuration: Store.Configuration) throws -> ModelContainer {
        try ModelContainer(for: Specimen.self, Shelf.self, Stamp.self, configurations: configuration)
    }

    /// The store itself.
    public var store: Store {
        get throws {
            guard let store = container.stores.first as? Store else {
                throw BrokenRule("the container to have a \(Store.self)")
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

    /// A context of the same store in another container.
    public func reopened() throws -> ModelContext {
        let context = ModelContext(try Self.open(configuration))
        contexts.append(context)
        return context
    }

    /// A bench with another store.
    public func another() throws -> StoreBench { try StoreBench(make) }
}

/// Goes on when a condition holds.
func expect(_ condition: Bool, _ expected: @autoclosure () -> String) throws {
    if !condition { throw BrokenRule(expected()) }
}

/// Goes on when something is as it should be.
func expect<Value: Equatable>(_ found: Value, is expected: Value, _ what: @autoclosure () -> String) throws {
    if found != expected { throw BrokenRule("\(what()) to be \(expected), found \(found)") }
}

/// Goes on when some code throws an error of a kind.
func expect<Result>(_ kind: SwiftDataError, of what: String, _ body: () throws -> Result) throws {
    do { _ = try body() } catch {
        try expect(kind ~= error, "\(what) to throw \(kind), and not \(error)")
        return
    }
    throw BrokenRule("\(what) to throw \(kind)")
}

/// What there has to be.
func require<Value>(_ value: Value?, _ expected: @autoclosure () -> String) throws -> Value {
    guard let value else { throw BrokenRule(expected()) }
    return value
}
