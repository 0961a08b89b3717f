import Foundation

/// The models that a fetch reads through relationships, besides those that it returns.
///
/// Their unsaved changes affect models that are not changed themselves. What the context evaluates in memory has to agree with what
/// the store evaluates, so the rows of the models that are read are those that the store has now. A fetch that crosses no
/// relationship needs no request for this.
struct RelatedModels {
    private let context: ModelContext
    private let paths: [[RelationshipStep]]
    /// The models whose rows were read for this fetch. They are retained because the evaluation reads them.
    private var read: [ObjectIdentifier: any PersistentModel] = [:]

    init<Model>(_ context: ModelContext, _ descriptor: FetchDescriptor<Model>) throws {
        self.context = context
        let (entity, schema) = (try context.contextEntity(for: Model.self).entity, context.coordinator.schema)
        // A predicate may cast models to a subclass with relationships.
        guard !entity.relationshipProperties.isEmpty || schema.hasSubentities(entity) else {
            paths = []
            return
        }
        var collector = RelationshipPaths(entity, schema)
        if let predicate = descriptor.predicate {
            do { collector.add(try PredicateTree(predicate, schema: schema)) } catch {
                // A store that evaluates the predicate in memory needs no tree, and its result contains stored values only.
            }
        }
        for descriptor in descriptor.sortBy {
            // A store that cannot sort by the key path throws an error, or sorts the models in memory.
            guard let keyPath = descriptor.keyPath, let path = schema.storedPath(of: keyPath, from: entity) else {
                continue
            }
            collector.add(path)
        }
        paths = collector.longestPaths
    }

    // MARK: Affected models

    /// Returns the models that are not changed themselves, but for which a fetch may have another result because of unsaved changes
    /// of models that they reference.
    ///
    /// Without changes of the classes that the fetch crosses relationships to, this takes no request to the store. Models with a
    /// relationship that is stored as links and has no inverse are found only if they are in memory.
    ///
    /// - Complexity: O(*n*), where *n* is the number of changed models of those classes and of the models that reference them.
    mutating func affectedModels() throws -> [any PersistentModel] {
        var affected: [ObjectIdentifier: any PersistentModel] = [:]
        for path in paths {
            var targets: [any PersistentModel] = []
            for step in path.reversed() {
                targets += try context.pendingModels(of: context.contextEntity(for: step.destination.type)).lazy
                    .filter(\.backing.hasChanges).map(\.model)
                if !targets.isEmpty { targets = try models(referencing: targets, step) }
            }
            for model in targets { affected[ObjectIdentifier(model)] = model }
        }
        return Array(affected.values)
    }

    /// According to the store and to unsaved references.
    private mutating func models(
        referencing targets: [any PersistentModel], _ step: RelationshipStep
    ) throws -> [any PersistentModel] {
        let backings = targets.map { $0.persistentBackingData as AnyBackingData }
        let stored = Set(backings.lazy.filter(\.hasRow).map(\.identifier))
        // A model whose own reference is unsaved is pending.
        if step.property.slot >= 0 {
            return stored.isEmpty ? [] : try load(step.source, .references(step.property, to: stored))
        }
        guard let inverse = context.coordinator.schema.inverse(of: step.property) else {
            return registeredModels(ofKind: step.source)
        }
        if inverse.slot < 0 {
            return try context.loadLinked(stored, inverse).values.joined().compactMap { $0 as? any PersistentModel }
        }
        // Another writer may have changed the references.
        try readRows(of: targets, step.destination)
        let owners = Set(backings.flatMap { [$0.reference(inverse), $0.savedReference(inverse)].compactMap { $0 } })
        let known = owners.compactMap { context.registeredBacking($0)?.model }
        let missing = owners.filter { !$0.isTemporary && context.registeredBacking($0) == nil }
        return missing.isEmpty ? known : try known + load(step.source, .identifiers(missing))
    }

    private func registeredModels(ofKind entity: Schema.Entity) -> [any PersistentModel] {
        var models: [any PersistentModel] = []
        context.registry.forEach { backing in
            if backing.membership?.entity.isKind(of: entity.name) == true, let model = backing.model {
                models.append(model)
            }
        }
        return models
    }

    // MARK: Rows

    /// Reads the rows of models, unless they were read before.
    mutating func readRows(of models: [any PersistentModel], _ entity: Schema.Entity) throws {
        let readable = models.filter { $0.persistentBackingData.canBeRead && read[ObjectIdentifier($0)] == nil }
        for model in readable { read[ObjectIdentifier(model)] = model }
        try context.readRows(of: readable, entity.name)
    }

    /// Reads the rows of all models that the evaluation of some models reads, with one request for each relationship. Those models
    /// were read before.
    mutating func readDestinations<Model: PersistentModel>(of models: some Sequence<Model>) throws {
        for path in paths {
            var owners = models.map { $0.persistentBackingData as AnyBackingData }
            for step in path {
                owners = owners.filter { owner in
                    owner.state.isInContext && owner.membership?.entity.isKind(of: step.source.name) == true
                }
                guard !owners.isEmpty, let relationship = step.property.relationship else { break }
                let destinations =
                    relationship.isToMany
                    ? try members(of: owners, step, relationship) : try destinations(of: owners, step)
                owners = destinations.map { $0.persistentBackingData as AnyBackingData }
            }
        }
    }

    private mutating func destinations(
        of owners: [AnyBackingData], _ step: RelationshipStep
    ) throws -> [any PersistentModel] {
        let references = Set(owners.compactMap { $0.reference(step.property) })
        let known = references.compactMap { context.registeredBacking($0)?.model }
        let missing = references.filter { !$0.isTemporary && context.registeredBacking($0) == nil }
        try readRows(of: known, step.destination)
        return missing.isEmpty ? known : try known + load(step.destination, .identifiers(missing))
    }

    private mutating func members(
        of owners: [AnyBackingData], _ step: RelationshipStep, _ relationship: Schema.Relationship
    ) throws -> [any PersistentModel] {
        // Reading the rows of the owners has removed their lists. Lists of links also depend on those of the other ends.
        let links = context.coordinator.schema.links(of: step.property)
        if let links { context.links.forgetLists(of: links.properties) }
        func prefetch() throws {
            try context.prefetchLists(
                step.property, relationship, of: owners.filter { $0.hasRow && $0.state == .saved },
                step.destination.type)
        }
        try prefetch()
        let members = try owners.flatMap { owner in
            try ManagedRelationship(context, owner, step.property, relationship).models()
        }
        // The request for a list has read the rows that reference its owner.
        try readRows(
            of: members.filter { links != nil || $0.persistentBackingData.mayDifferFromRow }, step.destination)
        for model in members { read[ObjectIdentifier(model)] = model }
        // Reading the rows of the members has removed the lists of links.
        if links != nil { try prefetch() }
        return members
    }

    private mutating func load(
        _ entity: Schema.Entity, _ lookup: DataStoreLookup
    ) throws -> [any PersistentModel] {
        let models = try context.load(entity.name, lookup).compactMap { $0 as? any PersistentModel }
        for model in models { read[ObjectIdentifier(model)] = model }
        return models
    }
}

extension AnyBackingData {
    /// Whether the store may have a row of the model, so that looking for it is an event.
    fileprivate var canBeRead: Bool {
        switch state {
        case .saved, .missing, .restored, .deleted: true
        case .detached, .new, .discarded, .gone, .replaced: false
        }
    }
}

private struct RelationshipStep: Hashable {
    let source: Schema.Entity
    let property: Schema.Property
    let destination: Schema.Entity

    static func == (lhs: Self, rhs: Self) -> Bool { lhs.source === rhs.source && lhs.property === rhs.property }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(property)) }
}

/// Collects the relationships that predicates and sort descriptors cross.
private struct RelationshipPaths {
    private let schema: Schema
    private var paths: Set<[RelationshipStep]> = []
    private var variables: [PredicateTree<ModelProperty>.Variable: (path: [RelationshipStep], entity: Schema.Entity)]

    init(_ entity: Schema.Entity, _ schema: Schema) {
        self.schema = schema
        variables = [.subject: ([], entity)]
    }

    /// A path also covers those that it begins with.
    var longestPaths: [[RelationshipStep]] {
        paths.filter { path in !paths.contains { $0.count > path.count && $0.starts(with: path) } }
    }

    mutating func add(_ properties: [ModelProperty]) {
        add(PredicateTree.Path(variable: .subject, properties: properties), nil)
    }

    /// - Parameter elements: The variable that represents the objects at the end of the path.
    private mutating func add(
        _ path: PredicateTree<ModelProperty>.Path, _ elements: PredicateTree<ModelProperty>.Variable?
    ) {
        // The elements of an attribute are not objects.
        guard var (steps, entity) = variables[path.variable] else { return }
        for property in path.properties {
            switch property {
            case .cast(let name): entity = schema.entitiesByName[name] ?? entity
            case .stored(let property):
                guard let name = property.relationship?.destination, let destination = schema.entitiesByName[name]
                else {
                    continue
                }
                steps.append(RelationshipStep(source: entity, property: property, destination: destination))
                entity = destination
            case .identifier, .entityName, .member: break
            }
        }
        if !steps.isEmpty { paths.insert(steps) }
        if let elements { variables[elements] = (steps, entity) }
    }

    private mutating func add(_ elements: PredicateTree<ModelProperty>.Elements) {
        add(elements.path, elements.variable)
        if let filter = elements.filter { add(filter) }
    }

    mutating func add(_ tree: PredicateTree<ModelProperty>) {
        switch tree {
        case .constant, .foreign: break
        case .path(let path): add(path, nil)
        case .count(let elements), .exists(let elements): add(elements)
        case .characterCount(let value), .decimal(let value), .unwrapped(let value), .not(let value),
            .negative(_, let value), .isOneOf(let value, _):
            add(value)
        case .ifPresent(let a, then: let b), .coalesce(let a, let b), .equal(let a, let b), .compare(let a, _, let b),
            .and(let a, let b), .or(let a, let b), .contains(let a, let b), .starts(let a, with: let b),
            .localizedStandardContains(let a, let b), .arithmetic(_, _, let a, let b):
            add(a)
            add(b)
        case .conditional(let condition, then: let a, else: let b):
            add(condition)
            add(a)
            add(b)
        }
    }
}
