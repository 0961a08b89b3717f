import Chronicle
import ChronicleTestSupport
import Testing

@testable import ChronicleCore

/// The hash table that contains a context's models by identifier.
@Suite struct ModelRegistryTests {
    private let registry = ModelRegistry()
    private static let trips = PersistentIdentifier.Origin(storeIdentifier: "a", entityName: "Trip")
    private static let items = PersistentIdentifier.Origin(storeIdentifier: "a", entityName: "Item")

    /// Returns backing data with this identifier that belongs to no context and does not remove itself from the table
    /// when it is released.
    private func backing(_ identifier: PersistentIdentifier) -> AnyBackingData {
        let backing = AnyBackingData()
        backing.identifier = identifier
        return backing
    }

    private func added(_ identifier: PersistentIdentifier) -> AnyBackingData {
        let backing = backing(identifier)
        registry.add(backing, identifier)
        return backing
    }

    @Test func modelIsFoundByIdentifierUntilRemoved() {
        let (one, two) = (Self.trips.identifier(1), Self.trips.identifier(2))
        #expect(registry[one] == nil && registry.count == 0)
        let (first, second) = (added(one), added(two))
        #expect(registry[one] === first && registry[two] === second && registry.count == 2)
        registry.remove(first)
        #expect(registry[one] == nil && registry[two] === second && registry.count == 1)
        registry.remove(first)
        #expect(registry.count == 1)
    }

    @Test func lookupComparesOriginsByValue() {
        let model = added(Self.trips.identifier(7))
        let equal = PersistentIdentifier.Origin(storeIdentifier: "a", entityName: "Trip")
        #expect(registry[equal.identifier(7)] === model)
        let other = PersistentIdentifier.Origin(storeIdentifier: "b", entityName: "Trip")
        #expect(registry[other.identifier(7)] == nil && registry[Self.items.identifier(7)] == nil)
    }

    @Test func addingReplacesTheModelWithTheSameIdentifier() {
        let identifier = Self.trips.identifier(1)
        let old = added(identifier)
        let new = added(identifier)
        #expect(registry[identifier] === new && registry.count == 1)
        // Removing the old model does not affect the new one.
        registry.remove(old)
        #expect(registry[identifier] === new && registry.count == 1)
    }

    /// Rows of two entities can have the same key in the table.
    @Test func entitiesWithTheSameKeyAreDistinguished() {
        let number = Int64(truncatingIfNeeded: Self.trips.hash &- Self.items.hash)
        // Both keys are 5 and the hash of the trips.
        let (trip, item) = (Self.trips.identifier(5), Self.items.identifier(number &+ 5))
        let models = (added(trip), added(item))
        #expect(registry[trip] === models.0 && registry[item] === models.1 && registry.count == 2)
        registry.remove(models.0)
        #expect(registry[trip] == nil && registry[item] === models.1)
    }

    @Test func firstReturnsTheFirstRegisteredIdentifier() {
        #expect(registry.first(of: [Self.trips.identifier(1)]) == nil)
        let models = [added(Self.trips.identifier(3)), added(Self.trips.identifier(2))]
        #expect(registry.first(of: (1...3).map { Self.trips.identifier($0) }) == Self.trips.identifier(2))
        #expect(registry.first(of: [Self.items.identifier(3), Self.trips.identifier(4)]) == nil)
        withExtendedLifetime(models) {}
    }

    /// Consecutive keys, as rows have them, and keys at distances that would collide in a table whose size is a power
    /// of two.
    @Test(arguments: [1, 8, 64, 1 << 16, 1 << 32])
    func registryGrowsWithManyModels(_ distance: Int64) {
        let identifiers = (0..<20_000).map { Self.trips.identifier(Int64($0) &* distance) }
        let models = identifiers.map { added($0) }
        #expect(registry.count == models.count)
        #expect(zip(identifiers, models).allSatisfy { registry[$0] === $1 })
        #expect(registry[Self.trips.identifier(-1)] == nil)
        for model in models[5_000...] { registry.remove(model) }
        #expect(registry.count == 5_000)
        #expect(zip(identifiers, models).prefix(5_000).allSatisfy { registry[$0] === $1 })
        #expect(identifiers[5_000...].allSatisfy { registry[$0] == nil })
    }

    @Test func reservingCapacityKeepsModels() {
        let identifiers = (1...10).map { Self.trips.identifier($0) }
        let models = identifiers.map { added($0) }
        registry.reserve(100_000)
        #expect(zip(identifiers, models).allSatisfy { registry[$0] === $1 } && registry.count == 10)
    }

    /// Adds, replaces, and removes at random, compared with a dictionary. Small numbers cause many collisions, so that
    /// removing closes many gaps.
    @Test(arguments: 0..<8)
    func randomOperationsMatchADictionary(_ round: Int) throws {
        var random = TestSeed.generator(round)
        let origins = [Self.trips, Self.items]
        // Slots and keys also collide across entities.
        let shift = Int64(truncatingIfNeeded: Self.trips.hash &- Self.items.hash)
        let numbers = (0..<60).map { _ in Int64(random.below(40)) &+ (random.below(3) == 0 ? shift : 0) }
        var expected: [PersistentIdentifier: AnyBackingData] = [:]
        var removed: [AnyBackingData] = []
        for step in 0..<4_000 {
            let identifier = origins[random.below(2)].identifier(numbers[random.below(numbers.count)])
            switch random.below(5) {
            case 0, 1: expected[identifier] = added(identifier)
            case 2, 3:
                guard let model = expected.removeValue(forKey: identifier) else { break }
                registry.remove(model)
                removed.append(model)
            default:
                if let model = removed.popLast() { registry.remove(model) }
            }
            try #require(registry.count == expected.count, "step \(step), \(TestSeed.description)")
            try #require(registry[identifier] === expected[identifier], "step \(step), \(TestSeed.description)")
        }
        for origin in origins {
            for identifier in numbers.map({ origin.identifier($0) }) {
                #expect(registry[identifier] === expected[identifier], "\(TestSeed.description)")
            }
        }
    }

    // MARK: Models of a context

    @Test func releasedModelsAreRemoved() throws {
        let store = try TestStore(.inMemory)
        try store.add("Rome", "Paris", "Bern")
        let context = store.context()
        var trips = try context.fetch(FetchDescriptor<Trip>())
        let identifiers = trips.map(\.persistentModelID)
        #expect(context.registry.count == 3)
        trips.remove(at: 1)
        #expect(context.registry.count == 2 && context.registry[identifiers[1]] == nil)
        #expect(context.registry[identifiers[2]]?.model === trips[1])
        trips = []
        #expect(context.registry.count == 0 && context.registry.first(of: identifiers) == nil)
    }

    @Test func modelsReleasedDuringAnEnumerationAreRemoved() throws {
        let store = try TestStore(.inMemory)
        try store.add("Rome", "Paris", "Bern")
        let context = store.context()
        var trips = try context.fetch(FetchDescriptor<Trip>())
        var visited: Set<PersistentIdentifier> = []
        context.registry.forEach { backing in
            trips = []
            visited.insert(backing.identifier)
        }
        #expect(visited.count == 3 && trips.isEmpty && context.registry.count == 0)
    }
}
