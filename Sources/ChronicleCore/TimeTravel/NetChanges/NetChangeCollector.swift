/// Combines the changes of a range of the history, in the order in which they were made, into one change per model.
///
/// Keeps the first and the last values of each model, so the memory is proportional to the number of models.
struct NetChangeCollector {
    /// As far as the value is known from the changes so far.
    fileprivate enum End {
        /// The model does not exist, or no change has mentioned the property yet.
        case unknown
        /// The history does not preserve the value.
        case missing
        case known((any Sendable)?)
    }

    fileprivate struct Property {
        let name: String
        var first = End.unknown
        var last = End.unknown
        /// The links to destinations that were added or removed; `nil` if the relationship is not stored as links.
        var links: [PersistentIdentifier: Link]?
        /// Whether ``links`` contains all links at the beginning of the range, because a delete preserves them.
        var hasAllLinks = false
    }

    fileprivate struct Link {
        /// `nil` if no change of this model describes it; see ``addingLinksOfReplacedModels()``.
        let existedBefore: Bool?
        var exists: Bool
    }

    fileprivate struct Model {
        let identifier: PersistentIdentifier
        let existedBefore: Bool
        var exists: Bool
        /// Whether the model was deleted and inserted again, so that properties without a value are missing.
        var isReplaced = false
        /// Whether attributes without a value at one end of the range were added later.
        var hasAllFirstValues = false
        /// Whether relationships without an inverse and without links at the beginning of the range were added later.
        var hasAllFirstLinks = false
        var hasAllLastValues = false
        var properties: [Property] = []
    }

    private let schema: Schema
    private var models: [Model] = []
    private var indices: [PersistentIdentifier: Int] = [:]

    init(_ schema: Schema) { self.schema = schema }

    // MARK: Reading changes

    mutating func add(_ change: HistoryChange) {
        let identifier = change.changedPersistentIdentifier
        let index = indices[identifier] ?? models.count
        if index == models.count {
            let existedBefore = if case .insert = change { false } else { true }
            models.append(Model(identifier: identifier, existedBefore: existedBefore, exists: true))
            indices[identifier] = index
        }
        let entity = schema.entitiesByName[identifier.entityName]
        func isLink(_ preserved: PreservedValue) -> Bool {
            // A relationship that the schema does not contain may be of either kind. Its destinations describe both.
            entity?.propertiesByName[preserved.name].map(\.isLinked)
                ?? (preserved.previousValue is PersistentIdentifier || preserved.value is PersistentIdentifier)
        }
        switch change {
        case .insert(let insert):
            models[index].hasAllLastValues = change.hasAllValues
            models[index].insert(insert.preservedValues, isLink: isLink)
        case .update(let update):
            models[index].update(update.updatedAttributeNames, update.preservedValues, isLink: isLink)
        case .delete(let delete):
            let schema = schema
            if models[index].existedBefore, !models[index].isReplaced {
                models[index].hasAllFirstValues = change.hasAllValues
                models[index].hasAllFirstLinks = change.hasAllLinks
            }
            models[index].delete(
                delete.preservedValues, isLink: { entity?.propertiesByName[$0.name]?.isLinked == true },
                hasInverse: { Self.hasInverse($0.name, entity, schema) })
        }
    }

    // MARK: Net changes

    func changes(isReversed: Bool = false) -> [NetChange] {
        var comparison = ValueComparison(schema)
        return addingLinksOfReplacedModels().compactMap { model in
            let change = self.change(of: model, &comparison)
            return isReversed ? change?.inverse : change
        }
    }

    private func change(of model: Model, _ comparison: inout ValueComparison) -> NetChange? {
        func change(_ kind: NetChange.Kind, _ values: [NetValue]) -> NetChange {
            NetChange(persistentIdentifier: model.identifier, kind: kind, values: values)
        }
        switch (model.existedBefore, model.exists) {
        case (false, false): return nil
        case (true, true):
            let values = model.properties.compactMap { property in
                comparison.isSame(property.first.value, property.last.value, property.name, of: model.identifier)
                    ? nil : property.netValue(.update)
            }
            .filter { $0.addedDestinations?.isEmpty != true || $0.removedDestinations?.isEmpty != true }
            return values.isEmpty ? nil : change(.update, values)
        case (false, true): return change(.insert, values(of: model, .insert))
        case (true, false): return change(.delete, values(of: model, .delete))
        }
    }

    /// A delete records the links of its row as updates of the models at their other ends, or preserves them.
    private func addingLinksOfReplacedModels() -> [Model] {
        let replaced = models.filter { $0.isReplaced && $0.exists }
        guard !replaced.isEmpty else { return models }
        let identifiers = Set(replaced.lazy.map(\.identifier))
        var result = models
        for other in models where schema.entitiesByName[other.identifier.entityName] != nil {
            for property in other.properties {
                guard let inverse = inverse(of: property.name, other.identifier) else { continue }
                for (identifier, link) in property.links ?? [:] where identifiers.contains(identifier) {
                    guard let index = indices[identifier] else { continue }
                    // The links of a new model are updates of existing models only.
                    let existedBefore = other.existedBefore && link.existedBefore ?? false
                    result[index].change(inverse) { $0.addLink(of: other.identifier, existedBefore: existedBefore) }
                }
            }
        }
        for identifier in identifiers {
            guard let index = indices[identifier], let entity = schema.entitiesByName[identifier.entityName] else {
                continue
            }
            for property in entity.properties
            where property.isLinked && !Self.hasInverse(property.name, entity, schema) {
                let hasAllLinks = result[index].hasAllFirstLinks
                result[index].change(property.name) { if !$0.hasAllLinks, !hasAllLinks { $0.setMissing() } }
            }
        }
        return result
    }

    private func inverse(of name: String, _ identifier: PersistentIdentifier) -> String? {
        guard let property = schema.entitiesByName[identifier.entityName]?.propertiesByName[name], property.isLinked
        else { return nil }
        return schema.inverse(of: property)?.name
    }

    /// Includes values that the history does not preserve.
    private func values(of model: Model, _ kind: NetChange.Kind) -> [NetValue] {
        let entity = schema.entitiesByName[model.identifier.entityName]
        var values: [NetValue] = []
        var known: Set<String> = []
        for property in model.properties {
            // The links of a new model are not part of its insert.
            if property.links != nil,
                kind == .insert
                    || !property.hasAllLinks && !model.hasAllFirstLinks
                        && !Self.hasInverse(property.name, entity, schema)
            {
                continue
            }
            known.insert(property.name)
            let value = property.netValue(kind)
            if value.removedDestinations?.isEmpty != true { values.append(value) }
        }
        for property in entity?.properties ?? [] where !known.contains(property.name) {
            let isMissing = property.isLinked && (kind == .insert || !Self.hasInverse(property.name, entity, schema))
            guard property.slot >= 0 || isMissing else { continue }
            // A relationship that was added later had no links.
            if property.slot < 0, kind == .delete, model.hasAllFirstLinks { continue }
            let hasAll = kind == .insert ? model.hasAllLastValues : model.hasAllFirstValues
            values.append(
                (hasAll ? laterValue(property, of: model, kind) : nil) ?? Property(name: property.name).netValue(kind))
        }
        return values
    }

    /// For an attribute or a to-one relationship that was added after the change. Returns `nil` if it has no default value.
    private func laterValue(_ property: Schema.Property, of model: Model, _ kind: NetChange.Kind) -> NetValue? {
        guard property.slot >= 0, let form = property.defaultValue ?? (property.isOptional ? .null : nil) else {
            return nil
        }
        let value =
            property.isAttribute
            ? property.decodePreserved(form, entityName: model.identifier.entityName, model: model.identifier) : nil
        return NetValue(
            name: property.name, previousValue: kind == .insert ? nil : .some(value),
            value: kind == .insert ? .some(value) : nil, addedDestinations: nil, removedDestinations: nil,
            isMissing: false, isOfLaterAttribute: true)
    }

    /// Whether a delete of a model updates the inverse of a relationship. The links of another relationship are known only if the
    /// delete preserves them.
    private static func hasInverse(_ name: String, _ entity: Schema.Entity?, _ schema: Schema) -> Bool {
        guard let property = entity?.propertiesByName[name], property.isLinked else { return true }
        return schema.inverse(of: property) != nil
    }
}

extension NetChangeCollector.End {
    fileprivate var value: (any Sendable)?? {
        if case .known(let value) = self { .some(value) } else { nil }
    }
}

extension NetChangeCollector.Property {
    fileprivate func netValue(_ kind: NetChange.Kind) -> NetValue {
        if let links {
            return NetValue(
                name: name, previousValue: nil, value: nil,
                addedDestinations: links.filter { $0.value.exists && $0.value.existedBefore != true }.keys.sorted(),
                removedDestinations: links.filter { !$0.value.exists && $0.value.existedBefore == true }.keys.sorted(),
                isMissing: false)
        }
        let (previous, value) = (kind == .insert ? nil : first.value, kind == .delete ? nil : last.value)
        return NetValue(
            name: name, previousValue: previous, value: value, addedDestinations: nil, removedDestinations: nil,
            isMissing: kind != .insert && previous == nil || kind != .delete && value == nil)
    }
}

extension NetChangeCollector.Model {
    fileprivate mutating func insert(_ values: [PreservedValue], isLink: (PreservedValue) -> Bool) {
        exists = true
        isReplaced = existedBefore
        for index in properties.indices where properties[index].links == nil { properties[index].last = .missing }
        properties.reserveCapacity(values.count)
        for value in values {
            if !isLink(value) {
                change(value.name) { $0.last = .known(value.value) }
            } else if isReplaced {
                change(value.name) { $0.link(value, isReplaced: true) }
            }
        }
    }

    /// - Parameters:
    ///   - isLink: Returns whether a value is a link of a relationship in the schema.
    ///   - hasInverse: Returns whether links to other models are changes of these models.
    fileprivate mutating func delete(
        _ values: [PreservedValue], isLink: (PreservedValue) -> Bool, hasInverse: (PreservedValue) -> Bool
    ) {
        exists = false
        // After the model was inserted again, the values at the beginning of the range are known.
        if existedBefore, !isReplaced {
            let identifier = identifier
            for value in values {
                if !isLink(value) {
                    change(value.name) { $0.setFirst(.known(value.previousValue)) }
                } else if !hasInverse(value) || value.previousValue as? PersistentIdentifier == identifier {
                    change(value.name) { $0.addRemovedLink(value) }
                }
            }
        }
        for index in properties.indices { properties[index].removeLinks() }
    }

    fileprivate mutating func update(
        _ names: [String], _ values: [PreservedValue], isLink: (PreservedValue) -> Bool
    ) {
        let isReplaced = isReplaced
        for value in values {
            if isLink(value) {
                change(value.name) { $0.link(value, isReplaced: isReplaced) }
            } else {
                let isFirst = existedBefore && !isReplaced
                change(value.name) { property in
                    if isFirst { property.setFirst(.known(value.previousValue)) }
                    property.last = .known(value.value)
                }
            }
        }
        for name in names where !values.contains(where: { $0.name == name }) {
            change(name) { $0.setMissing() }
        }
    }

    /// Adds a property that no change has mentioned yet.
    fileprivate mutating func change(_ name: String, _ body: (inout NetChangeCollector.Property) -> Void) {
        if let index = properties.firstIndex(where: { $0.name == name }) {
            body(&properties[index])
        } else {
            var property = NetChangeCollector.Property(name: name)
            if isReplaced { property.first = .missing }
            body(&property)
            properties.append(property)
        }
    }
}

extension NetChangeCollector.Property {
    /// An earlier change wins.
    fileprivate mutating func setFirst(_ end: NetChangeCollector.End) {
        if case .unknown = first { first = end }
    }

    fileprivate mutating func setMissing() {
        setFirst(.missing)
        last = .missing
        links = nil
        hasAllLinks = false
    }

    /// - Parameter isReplaced: Whether the model was deleted and inserted again, so that the first change of a link does not
    ///   describe the beginning of the range.
    fileprivate mutating func link(_ value: PreservedValue, isReplaced: Bool) {
        // Some of its changes were not preserved.
        if case .missing = last, links == nil { return }
        func set(_ destination: PersistentIdentifier, _ exists: Bool) {
            links?[destination, default: .init(existedBefore: isReplaced ? nil : !exists, exists: exists)].exists =
                exists
        }
        links = links ?? [:]
        if let removed = value.previousValue as? PersistentIdentifier { set(removed, false) }
        if let added = value.value as? PersistentIdentifier { set(added, true) }
    }

    /// A delete preserves all links that are left. Those that were not added since existed before. An empty relationship has none.
    fileprivate mutating func addRemovedLink(_ value: PreservedValue) {
        if case .missing = last, links == nil { return }
        links = links ?? [:]
        hasAllLinks = true
        guard let removed = value.previousValue as? PersistentIdentifier, links?[removed] == nil else { return }
        links?[removed] = .init(existedBefore: true, exists: false)
    }

    fileprivate mutating func removeLinks() {
        for destination in links.map({ Array($0.keys) }) ?? [] { links?[destination]?.exists = false }
    }

    /// For a change of the link's other end, unless the state at the beginning of the range is known.
    fileprivate mutating func addLink(of other: PersistentIdentifier, existedBefore: Bool) {
        if case .missing = last, links == nil { return }
        let known = links?[other]
        guard known?.existedBefore == nil else { return }
        links = links ?? [:]
        links?[other] = .init(existedBefore: existedBefore, exists: known?.exists ?? false)
    }
}
