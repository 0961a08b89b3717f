import Foundation

// Fetches whose predicate or order reads other models through relationships. Unsaved changes of these models affect models that
// are not changed themselves.
extension ModelContext {
    /// Returns the models that are not changed themselves, but for which a fetch may have another result because of unsaved changes
    /// of models that they reference.
    ///
    /// Without changes of the classes that the fetch crosses relationships to, this takes no request to the store. Models with a
    /// relationship that is stored as links and has no inverse are found only if they are in memory.
    ///
    /// - Complexity: O(*n*), where *n* is the number of changed models of those classes and of the models that reference them.
    func modelsAffectedByRelatedChanges<Model>(of descriptor: FetchDescriptor<Model>) throws -> AffectedModels {
        let entity = try contextEntity(for: Model.self).entity
        guard !pendingModels.isEmpty, !entity.relationshipProperties.isEmpty else { return AffectedModels() }
        var affected: [ObjectIdentifier: any PersistentModel] = [:]
        var lists: [AffectedModels.Lists] = []
        for path in try relationshipPaths(of: descriptor, entity) {
            var targets: [any PersistentModel] = []
            for step in path.reversed() {
                targets += try pendingModels(of: contextEntity(for: step.destination.type)).lazy
                    .filter(\.backing.hasChanges).map(\.model)
                targets =
                    try targets.isEmpty ? [] : models(of: step.source, referencing: targets, through: step.property)
                if step.property.slot < 0, targets.count > 1 {
                    lists.append(AffectedModels.Lists(property: step.property, owners: targets))
                }
            }
            for model in targets { affected[ObjectIdentifier(model)] = model }
        }
        return AffectedModels(models: Array(affected.values), lists: lists)
    }

    /// Takes one request for each relationship.
    func prefetch(_ lists: [AffectedModels.Lists]) throws {
        for list in lists {
            guard let relationship = list.property.relationship,
                let destination = coordinator.schema.entitiesByName[relationship.destination]
            else { continue }
            let owners = list.owners.map { $0.persistentBackingData as AnyBackingData }
            try prefetchLists(
                list.property, relationship, of: owners.filter { $0.hasRow && $0.state == .saved }, destination.type)
        }
    }

    private func relationshipPaths<Model>(
        of descriptor: FetchDescriptor<Model>, _ entity: Schema.Entity
    ) throws -> Set<[RelationshipStep]> {
        var collector = RelationshipPaths(entity, coordinator.schema)
        if let predicate = descriptor.predicate {
            do { collector.add(try PredicateTree(predicate, schema: coordinator.schema)) } catch {
                // A store that evaluates the predicate in memory needs no tree, and its result contains stored values only.
            }
        }
        for descriptor in descriptor.sortBy {
            guard let keyPath = descriptor.keyPath else { continue }
            if let path = try coordinator.schema.path(of: keyPath, from: entity) { collector.add(path) }
        }
        return collector.paths
    }

    /// According to the store and to unsaved references.
    private func models(
        of source: Schema.Entity, referencing targets: [any PersistentModel], through property: Schema.Property
    ) throws -> [any PersistentModel] {
        let backings = targets.map { $0.persistentBackingData as AnyBackingData }
        let stored = Set(backings.lazy.filter(\.hasRow).map(\.identifier))
        func load(_ lookup: DataStoreLookup) throws -> [any PersistentModel] {
            try self.load(source.name, lookup).compactMap { $0 as? any PersistentModel }
        }
        // A model whose own reference is unsaved is pending.
        if property.slot >= 0 { return stored.isEmpty ? [] : try load(.references(property, to: stored)) }
        guard let inverse = coordinator.schema.inverse(of: property) else { return registeredModels(ofKind: source) }
        if inverse.slot < 0 {
            let linked = try loadLinked(stored, inverse).values.joined()
            return linked.compactMap { $0 as? any PersistentModel }
        }
        let owners = Set(backings.flatMap { [$0.reference(inverse), $0.savedReference(inverse)].compactMap { $0 } })
        let known = owners.compactMap { registeredBacking($0)?.model }
        let missing = owners.filter { !$0.isTemporary && registeredBacking($0) == nil }
        return missing.isEmpty ? known : try known + load(.identifiers(missing))
    }

    private func registeredModels(ofKind entity: Schema.Entity) -> [any PersistentModel] {
        var models: [any PersistentModel] = []
        registry.forEach { backing in
            if backing.membership?.entity.isKind(of: entity.name) == true, let model = backing.model {
                models.append(model)
            }
        }
        return models
    }
}

struct AffectedModels {
    /// The lists of some models that the evaluation in memory reads.
    struct Lists {
        let property: Schema.Property
        let owners: [any PersistentModel]
    }

    var models: [any PersistentModel] = []
    var lists: [Lists] = []
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
    private(set) var paths: Set<[RelationshipStep]> = []
    private var variables: [PredicateTree<ModelProperty>.Variable: (path: [RelationshipStep], entity: Schema.Entity)]

    init(_ entity: Schema.Entity, _ schema: Schema) {
        self.schema = schema
        variables = [.subject: ([], entity)]
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
