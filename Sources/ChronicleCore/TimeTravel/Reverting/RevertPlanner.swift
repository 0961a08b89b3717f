/// Compares the inverse of some changes with the current models, and finds the steps and conflicts of a revert.
struct RevertPlanner {
    let context: ModelContext
    let changes: NetChanges
    private let decided: [RevertConflict.ID: RevertConflict]
    private let kept: [PersistentIdentifier: Set<String>]
    let skipped: Set<PersistentIdentifier>
    private(set) var models: [PersistentIdentifier: any PersistentModel] = [:]
    private var destinations: Set<PersistentIdentifier> = []
    var steps: [RevertPlan.Step] = []
    private var conflicts: [RevertConflict] = []
    private var conflictIDs: Set<RevertConflict.ID> = []

    /// - Parameters:
    ///   - changes: The inverse of the changes to revert.
    ///   - decisions: Conflicts of an earlier plan, with their resolutions.
    init(_ context: ModelContext, _ changes: NetChanges, _ decisions: [RevertConflict] = []) {
        self.context = context
        self.changes = changes
        decided = Dictionary(
            decisions.lazy.filter { $0.resolution != nil }.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        kept = decisions.reduce(into: [:]) { kept, conflict in
            guard conflict.resolution == .keepCurrent, let name = conflict.propertyName else { return }
            kept[conflict.persistentIdentifier, default: []].insert(name)
        }
        skipped = Set(decisions.lazy.filter { $0.resolution == .skipModel }.map(\.persistentIdentifier))
    }

    var schema: Schema { context.coordinator.schema }

    mutating func plan() throws -> RevertPlan {
        try loadModels()
        try findDestinations()
        for change in changes { try add(change) }
        try findTakenValues()
        return RevertPlan(changes, steps, conflicts)
    }

    // MARK: Loading

    /// Marks the models in memory whose rows no longer exist.
    private mutating func loadModels() throws {
        let identifiers = Dictionary(grouping: changes.lazy.map(\.persistentIdentifier), by: \.entityName)
            .filter { schema.entitiesByName[$0.key] != nil }
        try context.mergeRows(identifiers.values.joined())
        for (entityName, identifiers) in identifiers {
            for model in try context.loadModels(entityName, identifiers) { models[model.persistentModelID] = model }
        }
    }

    private mutating func findDestinations() throws {
        var sought: Set<PersistentIdentifier> = []
        for change in changes where change.kind != .delete {
            let properties = schema.entitiesByName[change.persistentIdentifier.entityName]?.propertiesByName
            // An identifier in an attribute refers to no row.
            for value in change.values where properties?[value.name]?.isAttribute != true {
                if let identifier = value.value as? PersistentIdentifier { sought.insert(identifier) }
                sought.formUnion(value.addedDestinations ?? [])
            }
        }
        destinations = sought.filter { models[$0] != nil }
        sought.subtract(destinations)
        for (entityName, identifiers) in Dictionary(grouping: sought, by: \.entityName) {
            for model in try context.loadModels(entityName, identifiers) {
                destinations.insert(model.persistentModelID)
                // Kept in memory, because applying the plan needs it.
                models[model.persistentModelID] = model
            }
        }
    }

    func willExist(_ identifier: PersistentIdentifier) -> Bool {
        guard let change = changes.change(of: identifier), !skipped.contains(identifier) else {
            return destinations.contains(identifier)
        }
        return change.kind != .delete && (change.kind == .insert || destinations.contains(identifier))
    }

    func willDelete(_ identifier: PersistentIdentifier) -> Bool {
        !skipped.contains(identifier) && changes.change(of: identifier)?.kind == .delete
    }

    func isKept(_ name: String, of identifier: PersistentIdentifier) -> Bool {
        kept[identifier]?.contains(name) == true
    }

    // MARK: Conflicts

    mutating func conflict(
        _ kind: RevertConflict.Kind, _ change: NetChange, _ name: String? = nil, _ value: NetValue? = nil,
        current: PropertyValue? = nil, _ property: Schema.Property? = nil, related: [PersistentIdentifier] = [],
        allows: [RevertConflict.Resolution]
    ) {
        let id = RevertConflict.ID(
            persistentIdentifier: change.persistentIdentifier, propertyName: name, kind: kind)
        guard conflictIDs.insert(id).inserted else { return }
        let plain: (any Sendable)?? = current.map { current in
            if property?.isAttribute == true {
                return property?.decodePreserved(current, entityName: change.persistentIdentifier.entityName)
            }
            return current.plainValue
        }
        // A decision about another value is not one about this value.
        let earlier = decided[id].flatMap { $0.currentForm == current && $0.relatedModels == related ? $0 : nil }
        conflicts.append(
            RevertConflict(
                id: id, expectedValue: value?.previousValue ?? nil, currentValue: plain, oldValue: value?.value ?? nil,
                relatedModels: related, allowedResolutions: allows,
                resolution: earlier?.resolution.flatMap { allows.contains($0) ? $0 : nil }, currentForm: current))
    }

    private mutating func add(_ change: NetChange) throws {
        let identifier = change.persistentIdentifier
        if skipped.contains(identifier) { return }
        guard let entity = schema.entitiesByName[identifier.entityName] else {
            return conflict(.unknownEntity, change, allows: [.skipModel])
        }
        let backing = models[identifier]?.persistentBackingData
        switch (change.kind, backing) {
        // The row of a class that the schema lacks would be restored as one of the root class.
        case (.insert, nil) where change.value(named: Schema.entityAttribute) != nil:
            conflict(.unknownEntity, change, allows: [.skipModel])
        case (.insert, nil): try addRestore(change, entity)
        case (.insert, _?): conflict(.modelExists, change, allows: [.skipModel])
        case (.update, let backing?): try addUpdate(change, entity, backing)
        case (.update, nil): conflict(.modelDeleted, change, allows: [.skipModel])
        case (.delete, let backing?): try addDelete(change, entity, backing)
        // The model that would be deleted does not exist.
        case (.delete, nil): break
        }
    }
}
