/// The validation of relationships before a save: the `deny` delete rule and the number of destinations.
///
/// It validates the models whose relationships the save changes, with their destinations as they are stored now.
/// Concurrent changes by other writers are not detected.
struct RelationshipCheck {
    private let context: ModelContext
    private var seen: Set<Owner> = []
    /// Retains the models, because another one could otherwise get the address of one that was validated.
    private var models: [any PersistentModel] = []

    private struct Owner: Hashable {
        let model: ObjectIdentifier
        let index: Int
    }

    init(_ context: ModelContext) { self.context = context }

    /// Throws ``SwiftDataError/deleteDenied`` or ``SwiftDataError/modelValidationFailure``.
    mutating func check(_ models: [PendingModel]) throws {
        // The changes of a missing model are dropped.
        for listed in models where listed.backing.hasChanges && listed.backing.state != .missing {
            guard let entity = listed.backing.membership?.entity else { continue }
            if listed.backing.state == .deleted {
                for property in entity.denying { try checkDelete(listed.backing, property) }
            } else {
                try checkCounts(listed.backing, entity)
            }
            try checkCountsOfOthers(listed.backing, entity)
        }
    }

    // MARK: Deny

    private func checkDelete(_ backing: AnyBackingData, _ property: Schema.Property) throws {
        guard let relationship = ManagedRelationship(context, backing, property) else { return }
        let destinations = try relationship.loadAgain()
        // Another writer may have deleted the row of a model whose reference is unsaved.
        let edited = destinations.filter { $0.persistentBackingData.isEdited }
        try context.readRows(of: edited, relationship.relationship.destination)
        guard let other = destinations.first(where: { $0.persistentBackingData.state != .missing }) else { return }
        throw Self.denied(property, backing.identifier, referencedBy: other.persistentModelID)
    }

    static func denied(
        _ property: Schema.Property, _ deleted: PersistentIdentifier, referencedBy other: PersistentIdentifier
    ) -> SwiftDataError {
        SwiftDataError.deleteDenied.with(
            detail: "the delete rule is deny and the model still references \(other); delete that model as well",
            entityName: deleted.entityName, propertyName: property.name, persistentIdentifier: deleted)
    }

    // MARK: Counts

    private mutating func checkCounts(_ backing: AnyBackingData, _ entity: Schema.Entity) throws {
        for property in entity.counted where backing.state.isInserted || property.isChanged(in: backing) {
            try checkCount(backing, property)
        }
    }

    private mutating func checkCountsOfOthers(_ backing: AnyBackingData, _ entity: Schema.Entity) throws {
        for property in entity.relationshipProperties where property.isChanged(in: backing) || backing.state != .saved {
            guard let relationship = property.relationship,
                let inverse = context.coordinator.schema.inverse(of: relationship),
                inverse.relationship?.hasCounts == true
            else { continue }
            if relationship.isLinked, backing.state == .deleted {
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

    private func owner(_ identifier: PersistentIdentifier, _ entityName: String) throws -> AnyBackingData? {
        if let known = context.registeredBacking(identifier) { return known }
        return identifier.isTemporary ? nil : try context.load(identifier, entityName)?.persistentBackingData
    }

    private mutating func checkCount(_ backing: AnyBackingData, _ property: Schema.Property) throws {
        guard backing.state.isInContext, let model = backing.model, let relationship = property.relationship,
            seen.insert(Owner(model: ObjectIdentifier(model), index: property.index)).inserted,
            let count = try ManagedRelationship(context, backing, property)?.loadAgain().count
        else { return }
        models.append(model)
        guard !relationship.allows(count) else { return }
        // Another writer may have deleted the row; the save then drops the changes of the model.
        if backing.state == .saved, let entity = backing.membership?.entity {
            try context.readRows(of: [model], entity.name)
            if backing.state != .saved { return }
        }
        throw relationship.countError(count)
            .with(
                entityName: backing.entityName, propertyName: property.name, persistentIdentifier: backing.identifier)
    }
}

extension Schema.Relationship {
    func allows(_ count: Int) -> Bool {
        count >= minimumModelCount && (maximumModelCount <= 0 || count <= maximumModelCount)
    }

    func countError(_ count: Int) -> SwiftDataError {
        .modelValidationFailure.with(
            detail: "the relationship has \(count) \(count == 1 ? "destination" : "destinations") but "
                + (count < minimumModelCount
                    ? "requires at least \(minimumModelCount)" : "allows at most \(maximumModelCount)"))
    }
}

extension AnyBackingData {
    fileprivate var entityName: String? { membership?.entity.name }
}

extension Schema.Property {
    /// For other to-many relationships, the inverse records the change.
    fileprivate func isChanged(in backing: AnyBackingData) -> Bool { mark >= 0 && backing.changed.contains(mark) }
}
