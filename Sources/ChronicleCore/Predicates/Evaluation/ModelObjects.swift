public import Foundation

/// The properties of models in memory, with their current values.
struct ModelObjects: EvaluatedObjects {
    typealias Object = any PersistentModel

    func value(of property: ModelProperty, in model: Object) throws -> EvaluatedValue<Object> {
        switch property {
        case .identifier: .value(.reference(model.persistentModelID))
        case .stored(let property):
            if let access = property.relationshipAccess {
                try Self.destinations(of: property, access, in: model).first.map { .object($0) } ?? .value(.null)
            } else {
                .value(try Self.value(of: property, in: model))
            }
        case .entityName: .value(.text(Self.entity(of: model)?.name ?? type(of: model).entityName))
        case .cast(let entityName):
            Self.entity(of: model)?.isKind(of: entityName) == true ? .object(model) : .value(.null)
        case .member: .value(.null)
        }
    }

    private static func entity(of model: any PersistentModel) -> Schema.Entity? {
        model.persistentBackingData.membership?.entity
    }

    /// Does not call the getter of a model in a context: if the row of a required destination is gone, the getter returns a model
    /// with sample values.
    private static func destinations(
        of property: Schema.Property, _ access: any RelationshipAccess, in model: any PersistentModel
    ) throws -> [any PersistentModel] {
        guard let context = model.modelContext,
            let relationship = ManagedRelationship(context, model.persistentBackingData, property)
        else { return access.destinations(of: model) }
        return try relationship.modelsForEvaluation()
    }

    private static func value(of property: Schema.Property, in model: any PersistentModel) throws -> PropertyValue {
        let backing = model.persistentBackingData
        // A getter cannot report that the attribute has no value.
        if property.isRequired, backing.state.isInserted, let entity = backing.membership?.entity {
            do { try ModelContext.checkComplete(backing, entity, [property]) } catch {
                throw IncompleteModel(error: error)
            }
        }
        // The getter loads the row of a model that is not loaded.
        guard backing.membership == nil || backing.isUnloaded, let access = property.attributeAccess else {
            return try backing.currentValue(of: property)
        }
        return try access.encode(model, property)
    }

    func value(of members: ArraySlice<ModelProperty>, in value: PropertyValue) throws -> PropertyValue {
        var current = value
        var form = JSONForm.json
        for case .member(let member) in members {
            guard form == .json, case .text(let json) = current.asText else { return .null }
            form = member.form
            // An object that was encoded before its type had the member has no key for it.
            let found = JSONText(json)[member.key]?.value(form) ?? .null
            current = found.isNull ? member.missingValue ?? .null : found
        }
        return current
    }

    func elements(of property: ModelProperty, in model: Object) throws -> [EvaluatedValue<Object>] {
        guard case .stored(let property) = property, let access = property.relationshipAccess else { return [] }
        return try Self.destinations(of: property, access, in: model).map { .object($0) }
    }

    func elements(of property: ModelProperty, in value: PropertyValue) throws -> [PropertyValue] {
        guard let form = property.elementForm, case .text(let json) = value.asText else { return [] }
        return JSONText(json).elements.map { $0.value(form) }
    }

    func identifier(of model: any PersistentModel) -> PropertyValue { .reference(model.persistentModelID) }
}

/// An attribute of a new model has no value. No other evaluation of the model is tried, because its getter cannot throw.
struct IncompleteModel: Error {
    let error: any Error
}

extension PropertyValue {
    fileprivate var asText: PropertyValue {
        if case .blob(let data) = self { .text(String(decoding: data, as: UTF8.self)) } else { self }
    }
}

/// A sort of models in memory, with the order in which stores return them.
struct ModelOrder<Model: PersistentModel> {
    private let comparators: [(Model, Model) -> ComparisonResult]

    /// Descriptors that stores cannot translate compare the values of the models.
    init(_ descriptors: [SortDescriptor<Model>], _ entity: Schema.Entity, _ schema: Schema) {
        comparators = descriptors.map { Self.comparator($0, entity, schema) }
    }

    func compare(_ a: Model, _ b: Model) -> ComparisonResult {
        for comparator in comparators {
            let order = comparator(a, b)
            if order != .orderedSame { return order }
        }
        return .orderedSame
    }

    private static func comparator(
        _ descriptor: SortDescriptor<Model>, _ entity: Schema.Entity, _ schema: Schema
    ) -> (Model, Model) -> ComparisonResult {
        guard descriptor.isLexical, let keyPath = descriptor.keyPath,
            let path = schema.storedPath(of: keyPath, from: entity), let order = path.last?.storedOrder
        else { return descriptor.compare }
        let evaluator = TreeEvaluator(objects: ModelObjects())
        func value(of model: Model) throws -> PropertyValue {
            switch try evaluator.value(at: path[...], from: .object(model)) {
            case .value(let value): value
            case .object(let object): ModelObjects().identifier(of: object)
            case .foreign: .null
            }
        }
        let isAscending = descriptor.order == .forward
        return { a, b in
            do {
                let (first, second) = (try value(of: a), try value(of: b))
                let result =
                    switch order {
                    case .plain: first.sortOrder(to: second)
                    case .decimal: first.decimalSortOrder(to: second)
                    }
                return isAscending ? result : result.reversed
            } catch let incomplete as IncompleteModel {
                let key = ContextFailures.Key(identifier: a.persistentModelID, propertyName: path.first?.name)
                a.modelContext?.storage.failures.addRead(key, incomplete.error)
                return .orderedSame
            } catch {
                // A value that cannot be stored has no stored order; saving it throws an error.
                return descriptor.compare(a, b)
            }
        }
    }
}

extension PropertyValue {
    fileprivate func decimalSortOrder(to other: PropertyValue) -> ComparisonResult {
        guard let first = decimal, let second = other.decimal else { return sortOrder(to: other) }
        return ComparisonResult(first, second)
    }
}

extension SortDescriptor {
    /// Whether the descriptor orders texts as Swift's `<` does, by their Unicode scalars, which a database can reproduce. `true`
    /// for properties of other types.
    public var isLexical: Bool {
        stringComparator.map { $0 == .lexical || $0 == .init(.lexical, order: .reverse) } ?? true
    }
}
