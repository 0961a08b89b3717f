/// Looks before a save at what relationships ask for: that a delete is not denied, and how many models they lead to.
///
/// It looks at the models whose relationships the save changes, with their destinations as the store has them now; who
/// changes them at the same time is not seen.
struct RelationshipCheck {
    private let context: ModelContext
    /// Models with their relationships, each once.
    private var seen: Set<Owner> = []

    private struct Owner: Hashable {
        let model: ObjectIdentifier
        let index: Int
    }

    init(_ context: ModelContext) { self.context = context }

    /// - Throws: ``SwiftDataError/deleteDenied``, ``SwiftDataError/modelValidationFailure``, and what reading a relationship
    ///   could not throw.
    mutating func check(_ models: [PendingModel]) throws {
        for listed in models where listed.backing.hasChanges {
            guard let entity = listed.backing.membership?.entity else { continue }
            if listed.backing.status == .deleted {
                for property in entity.denying { try checkDelete(listed.backing, property) }
            } else {
                try checkCounts(listed.backing, entity)
            }
            try checkCountsOfOthers(listed.backing, entity)
        }
    }

    // MARK: Deny

    private func checkDelete(_ backing: BackingData, _ property: Schema.Property) throws {
        guard let relationship = ManagedRelationship(context, backing, property),
            let other = try relationship.loadAgain().first
        else { return }
        throw SwiftDataError.deleteDenied.with(
            detail: "it leads to \(other.persistentModelID), which is to stay", entityName: backing.entityName,
            propertyName: property.name, persistentIdentifier: backing.identifier)
    }

    // MARK: Counts

    private mutating func checkCounts(_ backing: BackingData, _ entity: Schema.Entity) throws {
        for property in entity.counted where backing.status == .inserted || property.isChanged(in: backing) {
            try checkCount(backing, property)
        }
    }

    /// The lists that the model came to, or left.
    private mutating func checkCountsOfOthers(_ backing: BackingData, _ entity: Schema.Entity) throws {
        for property in entity.relationshipProperties where property.isChanged(in: backing) || backing.status != .saved
        {
            guard let relationship = property.relationship,
                let inverse = context.coordinator.schema.inverse(of: relationship),
                inverse.relationship?.hasCounts == true
            else { continue }
            if relationship.isLinked, backing.status == .deleted {
                for owner in try ManagedRelationship(context, backing, property)?.loadAgain() ?? [] {
                    try checkCount(owner.persistentBackingData, inverse)
                }
            }
            guard property.slot >= 0 else { continue }
            for identifier in Set([backing.reference(property), backing.savedReference(property)].compactMap { $0 }) {
                guard let owner = try owner(identifier, relationship.destination) else { continue }
                try checkCount(owner, inverse)
            }
        }
    }

    private func owner(_ identifier: PersistentIdentifier, _ entityName: String) throws -> BackingData? {
        if let known = context.registeredBacking(identifier) { return known }
        return identifier.isTemporary ? nil : try context.load(identifier, entityName)?.persistentBackingData
    }

    private mutating func checkCount(_ backing: BackingData, _ property: Schema.Property) throws {
        guard backing.status == .inserted || backing.status == .saved,
            let model = backing.model, let relationship = property.relationship,
            seen.insert(Owner(model: ObjectIdentifier(model), index: property.index)).inserted,
            let count = try ManagedRelationship(context, backing, property)?.loadAgain().count
        else { return }
        let (minimum, maximum) = (relationship.minimumModelCount, relationship.maximumModelCount)
        guard count < minimum || (maximum > 0 && count > maximum) else { return }
        throw SwiftDataError.modelValidationFailure.with(
            detail: "it leads to \(count) \(count == 1 ? "model" : "models"), and has to lead to "
                + (count < minimum ? "\(minimum) at least" : "\(maximum) at most"),
            entityName: backing.entityName, propertyName: property.name, persistentIdentifier: backing.identifier)
    }
}

extension BackingData {
    fileprivate var entityName: String? { membership?.entity.name }
}

extension Schema.Property {
    /// Whether the destination of a to-one relationship was set, or links. Another list says nothing of that itself.
    fileprivate func isChanged(in backing: BackingData) -> Bool { mark >= 0 && backing.changed.contains(mark) }
}
