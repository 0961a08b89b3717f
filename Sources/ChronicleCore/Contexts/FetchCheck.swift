/// Looks at the identifiers of a fetch: rows of the entity that was asked for, in the store that was asked, each once.
///
/// Where identifiers have their origin in common and come in the order of their keys, a row costs a comparison of
/// addresses and one of numbers. Whether a row comes twice is looked for only where they come in another order.
struct FetchCheck {
    private let entityName: String
    private let storeIdentifier: String
    /// Of the latest row, held so that no other origin gets its address; and the address, which is compared without
    /// counting references.
    private var origin: PersistentIdentifier.Origin?
    private var address: ObjectIdentifier?
    private var number: Int64 = 0
    private var mayRepeat = false
    private var hasManyOrigins = false

    init(entityName: String, storeIdentifier: String) {
        self.entityName = entityName
        self.storeIdentifier = storeIdentifier
    }

    /// - Throws: ``SwiftDataError/invalidStoreResponse`` for a row that the store should not have answered with.
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
        try identifier.require(entityName: entityName, storeIdentifier: storeIdentifier, in: "a fetch")
        if origin != nil { (mayRepeat, hasManyOrigins) = (true, true) }
        origin = identifier.origin
        address = ObjectIdentifier(identifier.origin)
    }

    /// - Parameter known: How many models the context knew before the fetch.
    /// - Throws: ``SwiftDataError/invalidStoreResponse`` for a row that came twice.
    func requireDistinct<Model: PersistentModel>(_ models: [Model], in context: ModelContext, known: Int) throws {
        // A row that comes twice finds its model the second time: as many more models as rows, and there is none.
        guard mayRepeat, context.registry.count - known != models.count else { return }
        // A model would have to sleep through four billion of these to be taken for one that was just found.
        context.storage.fetchNumber &+= 1
        for model in models {
            let backing = model.persistentBackingData
            guard backing.fetchNumber != context.storage.fetchNumber else { throw repeated(backing.identifier) }
            backing.fetchNumber = context.storage.fetchNumber
        }
    }

    /// - Throws: ``SwiftDataError/invalidStoreResponse`` for an identifier that came twice.
    func requireDistinct(_ identifiers: [PersistentIdentifier]) throws {
        guard mayRepeat else { return }
        if !hasManyOrigins, areDistinct(identifiers.map(\.number)) { return }
        var seen = Set<PersistentIdentifier>(minimumCapacity: identifiers.count)
        for identifier in identifiers where !seen.insert(identifier).inserted { throw repeated(identifier) }
    }

    /// Whether keys that are close together are known to be distinct: a bit for each between the lowest and the highest
    /// takes a tenth of the time of a set.
    private func areDistinct(_ keys: [Int64]) -> Bool {
        guard let lowest = keys.min(), let highest = keys.max() else { return true }
        let (span, isTooLong) = highest.subtractingReportingOverflow(lowest)
        guard !isTooLong, span / 64 <= keys.count else { return false }
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
            detail: "a fetch has no row twice", entityName: entityName, persistentIdentifier: identifier,
            storeIdentifier: storeIdentifier)
    }
}

extension PersistentIdentifier {
    /// Makes sure that an identifier that a store gave is one of a row of its own.
    ///
    /// - Parameter answer: What the store was asked for, for the message.
    func require(entityName: String, storeIdentifier: String, in answer: String) throws {
        let rule: String
        if isTemporary {
            rule = "the identifiers in \(answer) are permanent"
        } else if self.entityName != entityName {
            rule = "the identifiers in \(answer) are of the entity that was asked for, and not of \(self.entityName)"
        } else if self.storeIdentifier != storeIdentifier {
            rule = "the identifiers in \(answer) are of the store that gave them"
        } else {
            return
        }
        throw SwiftDataError.invalidStoreResponse.with(
            detail: rule, entityName: entityName, persistentIdentifier: self, storeIdentifier: storeIdentifier)
    }
}
