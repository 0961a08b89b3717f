import Foundation

/// The net changes of a transaction that is replayed. A transaction of another program can change a model several times, but a save
/// writes each model once, so only the values before the first and after the last change are kept.
struct ReplayedChanges {
    private struct Model {
        let identifier: PersistentIdentifier
        /// `nil` if the model did not exist.
        var before: Schema.Entity?
        /// `nil` if the model no longer exists.
        var after: Schema.Entity?
        /// As far as they are known.
        var old: [PropertyValue?]
        var values: [PropertyValue?]
    }

    private let schema: Schema
    private let storeIdentifier: String
    private var origins: [String: PersistentIdentifier.Origin] = [:]
    private var models: [Model] = []
    private var places: [PersistentIdentifier: Int] = [:]
    /// Whether a link exists after the transaction.
    private var links: [DataStoreLink: Bool] = [:]
    /// The models whose own updates removed a link. A delete also removes links, as updates of the models at their other ends.
    private var unlinked: [DataStoreLink: Set<PersistentIdentifier>] = [:]

    init(_ schema: Schema, storeIdentifier: String) {
        self.schema = schema
        self.storeIdentifier = storeIdentifier
    }

    struct Invalid: Error {
        let detail: String
        let property: (entityName: String, name: String)?

        init(_ detail: String, _ property: (entityName: String, name: String)? = nil) {
            (self.detail, self.property) = (detail, property)
        }
    }

    // MARK: Lines

    mutating func insert(_ change: HistoryExportLine.Change) throws {
        let (entity, identifier) = try entity(change)
        let values = try values(change.values, entity)
        if let place = places[identifier] {
            guard models[place].after == nil else { throw Invalid("a model is inserted twice") }
            (models[place].after, models[place].values) = (entity, values)
        } else {
            add(Model(identifier: identifier, before: nil, after: entity, old: [], values: values))
        }
        try addLinks(change, entity, identifier)
    }

    mutating func update(_ change: HistoryExportLine.Change) throws {
        let (entity, identifier) = try entity(change)
        let (old, values) = (try values(change.old, entity, areNew: false), try values(change.values, entity))
        if let place = places[identifier] {
            guard models[place].after === entity else { throw Invalid("a model is updated that does not exist") }
            for (slot, value) in values.enumerated() where value != nil {
                if models[place].values[slot] == nil, models[place].before === entity {
                    models[place].old[slot] = old[slot]
                }
                models[place].values[slot] = value
            }
        } else {
            add(Model(identifier: identifier, before: entity, after: entity, old: old, values: values))
        }
        try addLinks(change, entity, identifier, isUpdate: true)
    }

    mutating func delete(_ change: HistoryExportLine.Change) throws {
        let (entity, identifier) = try entity(change)
        let old = try values(change.old, entity, areNew: false)
        try addLinks(change, entity, identifier)
        guard let place = places[identifier] else {
            return add(Model(identifier: identifier, before: entity, after: nil, old: old, values: []))
        }
        guard models[place].after === entity else { throw Invalid("a model is deleted that does not exist") }
        if models[place].before === entity {
            for slot in old.indices where models[place].values[slot] == nil { models[place].old[slot] = old[slot] }
        }
        (models[place].after, models[place].values) = (nil, [])
    }

    mutating func add(_ link: HistoryExportLine.Link) throws {
        guard let found = schema.links.first(where: { $0.name == link.name }) else {
            throw Invalid("the relationship \(link.name) is not in the schema")
        }
        links[
            DataStoreLink(
                found, owner: try identifier(found.owner, link.owner),
                destination: try identifier(found.destination, link.destination))] = true
    }

    private mutating func add(_ model: Model) {
        places[model.identifier] = models.count
        models.append(model)
    }

    private mutating func addLinks(
        _ change: HistoryExportLine.Change, _ entity: Schema.Entity, _ identifier: PersistentIdentifier,
        isUpdate: Bool = false
    ) throws {
        for (keys, exists) in [(change.removed, false), (change.added, true)] {
            for (name, keys) in keys ?? [:] {
                guard let property = entity.propertiesByName[name], let found = schema.links(of: property) else {
                    throw Invalid("\(entity.name).\(name) is not stored as links")
                }
                let isOwner = found.property === property
                for key in keys {
                    let other = try self.identifier(isOwner ? found.destination : found.owner, key)
                    let link = DataStoreLink(
                        found, owner: isOwner ? identifier : other, destination: isOwner ? other : identifier)
                    links[link] = exists
                    if exists {
                        unlinked[link] = nil
                    } else if isUpdate {
                        unlinked[link, default: []].insert(identifier)
                    }
                }
            }
        }
    }

    // MARK: Values

    private mutating func entity(
        _ change: HistoryExportLine.Change
    ) throws -> (Schema.Entity, PersistentIdentifier) {
        guard let entity = schema.entitiesByName[change.entity] else {
            throw Invalid("the entity \(change.entity) is not in the schema")
        }
        return (entity, try identifier(change.entity, change.key))
    }

    private mutating func identifier(_ entityName: String, _ key: Int64) throws -> PersistentIdentifier {
        if let origin = origins[entityName] { return origin.identifier(key) }
        guard let entity = schema.entitiesByName[entityName] else {
            throw Invalid("the entity \(entityName) is not in the schema")
        }
        let origin = PersistentIdentifier.Origin(
            storeIdentifier: storeIdentifier, entityName: entityName, rootEntityName: entity.rootName)
        origins[entityName] = origin
        return origin.identifier(key)
    }

    /// - Parameter areNew: Whether the replica will have the values, which a fetch must be able to decode. Previous values are only
    ///   compared.
    private mutating func values(
        _ named: [String: StoredValue]?, _ entity: Schema.Entity, areNew: Bool = true
    ) throws -> [PropertyValue?] {
        var values = [PropertyValue?](repeating: nil, count: entity.storedProperties.count)
        for (name, value) in named ?? [:] {
            guard let property = entity.propertiesByName[name], property.slot >= 0 else {
                throw Invalid("\(entity.name).\(name) is not a stored property")
            }
            switch value.form {
            case .plain(let value):
                let isMissing = value.isNull && !property.isOptional && property.defaultValue == nil
                let isValid = value.isNull ? !isMissing : property.codec?.isStoredForm(value) == true
                guard !areNew || isValid else {
                    let expected = property.attribute.map { "a value of type \($0.valueTypeName)" } ?? "a reference"
                    throw Invalid("\(value.formName) is not \(expected)", (entity.name, name))
                }
                // A migration replaced null by the default value when the property became required. The replica has the
                // same classes, so it had the same migration.
                values[property.slot] = value.isNull && !property.isOptional ? property.defaultValue ?? .null : value
            case .reference(let key):
                guard let destination = property.relationship?.destination else {
                    throw Invalid("\(entity.name).\(name) is not a relationship")
                }
                values[property.slot] = .reference(try identifier(destination, key))
            }
        }
        return values
    }

    // MARK: The request

    struct Parts {
        var inserted: [DefaultSnapshot] = []
        var updated: [DefaultSnapshot] = []
        var deleted: [DefaultSnapshot] = []
        var linked: [DataStoreLink] = []
        var unlinked: [DataStoreLink] = []
        /// See ``HistoryReplayStep/expected``.
        var expected: [DefaultSnapshot] = []
    }

    func parts() throws -> Parts {
        var parts = Parts()
        for model in models {
            if model.before != nil { parts.expected.append(snapshot(model.identifier, model.old)) }
            let isReplaced = model.before !== model.after
            if model.before != nil, isReplaced { parts.deleted.append(snapshot(model.identifier, [])) }
            guard let entity = model.after else { continue }
            if !isReplaced {
                if model.values.contains(where: { $0 != nil }) {
                    parts.updated.append(snapshot(model.identifier, model.values))
                }
                continue
            }
            if let slot = model.values.firstIndex(where: { $0 == nil }) {
                throw Invalid("\(entity.name).\(entity.storedProperties[slot].name) of a new model has no value")
            }
            parts.inserted.append(snapshot(model.identifier, model.values))
        }
        func isDeleted(_ identifier: PersistentIdentifier) -> Bool {
            places[identifier].map { models[$0].after == nil } ?? false
        }
        for (link, exists) in links {
            let deleted = [link.owner, link.destination].filter(isDeleted)
            if deleted.isEmpty {
                if exists { parts.linked.append(link) } else { parts.unlinked.append(link) }
            } else if deleted.count == 1, unlinked[link]?.contains(deleted[0]) == true {
                // Deleting a row deletes its links. A link that an update removed before must not cascade, so remove it first.
                parts.unlinked.append(link)
            }
        }
        parts.linked.sort(by: DataStoreLink.precedes)
        parts.unlinked.sort(by: DataStoreLink.precedes)
        return parts
    }

    private func snapshot(_ identifier: PersistentIdentifier, _ values: [PropertyValue?]) -> DefaultSnapshot {
        var changed = PropertySet()
        for (slot, value) in values.enumerated() where value != nil { changed.insert(slot) }
        return DefaultSnapshot(
            persistentIdentifier: identifier, values: values.map { $0 ?? .null }, changed: changed)
    }
}

extension DataStoreLink {
    fileprivate static func precedes(_ a: DataStoreLink, _ b: DataStoreLink) -> Bool {
        if a.name != b.name { return a.name < b.name }
        return a.owner == b.owner ? a.destination < b.destination : a.owner < b.owner
    }
}
