/// The models of a completed fetch, loaded in batches when they are accessed.
///
/// ``ModelContext/fetch(_:batchSize:)`` returns this collection, for results that are too large to be kept in memory:
///
/// ```swift
/// let trips = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]), batchSize: 100)
/// for trip in trips.prefix(20) { print(trip.name) }
/// ```
///
/// The collection consists of the identifiers that the fetch found. Later changes of the store change neither its count nor its
/// order. Accessing an element loads its batch, with the values of the rows at that time; the two batches that were used last stay
/// in memory.
///
/// An access cannot throw. The elements of a batch that cannot be loaded, and those whose rows were deleted in the meantime, are
/// like the result of ``ModelContext/model(for:)``: properties read as empty values, and if loading fails, the next `fetch` or
/// `save` of the context throws the error. To skip deleted rows and to get errors at once, use
/// ``ModelContext/enumerate(_:batchSize:allowEscapingMutations:block:)``.
///
/// The collection retains the context and is confined to its task or actor.
public struct FetchResultsCollection<Element>: RandomAccessCollection {
    /// The number of elements.
    public let endIndex: Int
    private let element: (Int) -> Element

    init(count: Int, _ element: @escaping (Int) -> Element) {
        endIndex = count
        self.element = element
    }

    public var startIndex: Int { 0 }

    /// The element at a position.
    ///
    /// - Parameter position: A position from 0 up to, but not including, the number of elements.
    /// - Complexity: O(1) if the batch of the element is in memory; otherwise that of loading the batch.
    public subscript(position: Int) -> Element { element(position) }
}

final class FetchedBatches<Model: PersistentModel> {
    let identifiers: [PersistentIdentifier]
    private let context: ModelContext
    private let descriptor: FetchDescriptor<Model>
    private let batchSize: Int
    /// The new models by their temporary identifiers, which a save replaces.
    private let inserted: [PersistentIdentifier: Model]
    /// The batches in memory, the one that was used last at the end.
    private var recent: [(number: Int, models: [Model])] = []

    private static var capacity: Int { 2 }

    init(
        _ identifiers: [PersistentIdentifier], _ descriptor: FetchDescriptor<Model>, batchSize: Int,
        _ context: ModelContext
    ) {
        self.identifiers = identifiers
        self.context = context
        self.descriptor = descriptor
        // A batch is not larger than the result, so that positions cannot overflow.
        self.batchSize = batchSize > 0 ? min(batchSize, max(identifiers.count, 1)) : max(identifiers.count, 1)
        inserted = Dictionary(
            identifiers.lazy.filter(\.isTemporary).compactMap { identifier in
                (context.registeredModel(for: identifier) as Model?).map { (identifier, $0) }
            }, uniquingKeysWith: { first, _ in first })
    }

    /// The fetch can throw errors of the first batch.
    func loadFirst() throws {
        if !identifiers.isEmpty { keep(try load(0), number: 0) }
    }

    func model(at position: Int) -> Model {
        let (number, offset) = position.quotientAndRemainder(dividingBy: batchSize)
        if let last = recent.last, last.number == number { return last.models[offset] }
        if let index = recent.firstIndex(where: { $0.number == number }) {
            recent.append(recent.remove(at: index))
            return recent[recent.endIndex - 1].models[offset]
        }
        // A subscript cannot throw. Reading a property of an unloaded model loads its row again, and records the error for
        // the next fetch or save if that fails as well.
        guard let models = try? ReadCancellation.suspended({ try load(number) }) else {
            return unloadedModel(identifiers[position])
        }
        keep(models, number: number)
        return models[offset]
    }

    private func keep(_ models: [Model], number: Int) {
        if recent.count == Self.capacity { recent.removeFirst() }
        recent.append((number, models))
    }

    private func load(_ number: Int) throws -> [Model] {
        let start = number * batchSize
        let batch = identifiers[start..<min(start + batchSize, identifiers.count)]
        context.checkIsolation()
        return zip(batch, try context.models(batch, descriptor)).map { $1 ?? unloadedModel($0) }
    }

    private func unloadedModel(_ identifier: PersistentIdentifier) -> Model {
        if let known = inserted[identifier] ?? context.registeredModel(for: identifier) { return known }
        guard let model = context.unloadedModel(for: identifier) as? Model else {
            // ``FetchCheck`` has rejected the identifiers of other entities, so that the fetch has thrown.
            preconditionFailure("a fetch returned an identifier of another class")
        }
        return model
    }
}

extension ModelContext {
    /// Returns the models that match a descriptor in a collection that loads them in batches, the first of them immediately.
    ///
    /// - Parameters:
    ///   - descriptor: The models to fetch, their order, and the relationships to prefetch for each batch.
    ///   - batchSize: The number of models to load at a time. With 0 or less, all models are one batch.
    /// - Returns: The collection of models.
    /// - Throws: The errors of ``fetch(_:)``, for example ``SwiftDataError/unsupportedPredicate``.
    /// - Complexity: The same as ``fetchIdentifiers(_:)``, with memory for the identifiers and two batches of models.
    public func fetch<Model>(
        _ descriptor: FetchDescriptor<Model>, batchSize: Int
    ) throws -> FetchResultsCollection<Model> {
        let batches = FetchedBatches(try fetchIdentifiers(descriptor), descriptor, batchSize: batchSize, self)
        try batches.loadFirst()
        return FetchResultsCollection(count: batches.identifiers.count, batches.model)
    }

    /// Returns the identifiers of the models that match a descriptor in a collection, for compatibility with SwiftData. All of them
    /// are in memory, with 16 bytes each.
    ///
    /// - Parameters:
    ///   - descriptor: The models to find, and their order.
    ///   - batchSize: Without effect.
    /// - Returns: The identifiers.
    /// - Throws: The errors of ``fetch(_:)``, for example ``SwiftDataError/unsupportedPredicate``.
    /// - Complexity: The same as ``fetchIdentifiers(_:)``.
    public func fetchIdentifiers<Model>(
        _ descriptor: FetchDescriptor<Model>, batchSize: Int
    ) throws -> FetchResultsCollection<PersistentIdentifier> {
        let identifiers = try fetchIdentifiers(descriptor)
        return FetchResultsCollection(count: identifiers.count) { identifiers[$0] }
    }
}
