/// Validates the identifiers that a fetch returns: each must belong to the requested entity and store and occur only once.
///
/// If identifiers share their origin object and come in the order of their keys, a row costs one comparison of addresses and one of
/// numbers. Repeated rows are only searched for if the keys come in another order.
struct FetchCheck {
    private let entityName: String
    private let kinds: Set<String>
    private let storeIdentifier: String
    /// The origin of the latest row, which is retained so that no other origin gets its address, and its address, which can be
    /// compared without reference counting.
    private var origin: PersistentIdentifier.Origin?
    private var address: ObjectIdentifier?
    private var number: Int64 = 0
    private var mayRepeat = false
    private var hasManyOrigins = false

    init(_ entity: Schema.Entity, _ schema: Schema, storeIdentifier: String) {
        entityName = entity.name
        kinds = schema.hasSubentities(entity) ? schema.kinds(of: entity.name) : []
        self.storeIdentifier = storeIdentifier
    }

    /// Throws ``SwiftDataError/invalidStoreResponse`` if the row is not of the requested entity and store.
    @inline(__always)
    mutating func row(_ identifier: PersistentIdentifier) throws {
        if ObjectIdentifier(identifier.origin) != address {
            try examine(identifier)
        } else if identifier.number <= number {
            mayRepeat = true
        }
        number = identifier.number
    }

    private mutating func examine(_ identifier: PersistentIdentifier) throws {
        let name = kinds.contains(identifier.entityName) ? identifier.entityName : entityName
        try identifier.require(entityName: name, storeIdentifier: storeIdentifier, in: "a fetch")
        if origin != nil { (mayRepeat, hasManyOrigins) = (true, true) }
        origin = identifier.origin
        address = ObjectIdentifier(identifier.origin)
    }

    /// Throws ``SwiftDataError/invalidStoreResponse`` if a row occurs twice.
    ///
    /// - Parameter known: The number of models in the registry before the fetch.
    func requireDistinct<Model: PersistentModel>(_ models: [Model], in context: ModelContext, known: Int) throws {
        // If the registry grew by the number of rows, every row created a model, so none was repeated.
        guard mayRepeat, context.registry.count - known != models.count else { return }
        // The number wraps around after four billion fetches, which is long enough to identify a fetch.
        context.storage.fetchNumber &+= 1
        for model in models {
            let backing = model.persistentBackingData
            guard backing.fetchNumber != context.storage.fetchNumber else { throw repeated(backing.identifier) }
            backing.fetchNumber = context.storage.fetchNumber
        }
    }

    func requireDistinct(_ identifiers: [PersistentIdentifier]) throws {
        guard mayRepeat else { return }
        if !hasManyOrigins, areDistinct(identifiers.map(\.number)) { return }
        var seen = Set<PersistentIdentifier>(minimumCapacity: identifiers.count)
        for identifier in identifiers where !seen.insert(identifier).inserted { throw repeated(identifier) }
    }

    /// A bit set from the lowest to the highest key takes a tenth of the time of a `Set`. Returns `false` if the keys are not close
    /// together.
    private func areDistinct(_ keys: [Int64]) -> Bool {
        guard let lowest = keys.min(), let highest = keys.max() else { return true }
        let (span, overflow) = highest.subtractingReportingOverflow(lowest)
        guard !overflow, span / 64 <= keys.count else { return false }
        var bits = [UInt64](repeating: 0, count: Int(span / 64) + 1)
        for key in keys {
            let (word, bit) = Int(key - lowest).quotientAndRemainder(dividingBy: 64)
            guard bits[word] & 1 << UInt64(bit) == 0 else { return false }
            bits[word] |= 1 << UInt64(bit)
        }
        return true
    }

    private func repeated(_ identifier: PersistentIdentifier) -> SwiftDataError {
        .invalidStoreResponse.with(
            detail: "the store returned a row more than once", entityName: entityName, persistentIdentifier: identifier,
            storeIdentifier: storeIdentifier)
    }
}

extension PersistentIdentifier {
    /// - Parameter operation: The operation that returned the identifier, for the error message.
    func require(entityName: String, storeIdentifier: String, in operation: String) throws {
        let detail: String
        if isTemporary {
            detail = "\(operation) returned a temporary identifier instead of a permanent one"
        } else if self.entityName != entityName {
            detail = "\(operation) returned an identifier of the entity \(self.entityName) instead of \(entityName)"
        } else if self.storeIdentifier != storeIdentifier {
            detail = "\(operation) returned an identifier of another store"
        } else {
            return
        }
        throw SwiftDataError.invalidStoreResponse.with(
            detail: detail, entityName: entityName, persistentIdentifier: self, storeIdentifier: storeIdentifier)
    }
}
