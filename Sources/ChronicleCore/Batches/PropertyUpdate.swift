public import Foundation

/// The new value of a property in a batch update: a constant, or an expression that is evaluated for each row.
///
/// ```swift
/// try context.update(
///     model: Trip.self, where: #Predicate { $0.isArchived },
///     set: [
///         PropertyUpdate(\.rating, to: \.rating + 1),
///         PropertyUpdate(\.note, to: "archived"),
///         PropertyUpdate(\.isLong, to: #Expression { $0.nights > 7 }),
///     ])
/// ```
///
/// All expressions of a batch update read the values from before the update.
public struct PropertyUpdate<Model: PersistentModel>: Sendable {
    /// The key path of the property.
    public let keyPath: any PartialKeyPath<Model> & Sendable
    /// Returns the new value as a tree.
    private let makeTree: @Sendable (Schema, Schema.Property) throws -> PredicateTree<ModelProperty>
    /// Returns a closure that sets the property of a model to the value for its current values.
    private let makeSetter: @Sendable (Model, Schema, Schema.Property) throws -> () -> Void

    /// Creates an update that sets a property to a value.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of an attribute.
    ///   - value: The new value.
    public init<Value: Sendable>(
        _ keyPath: any ReferenceWritableKeyPath<Model, Value> & Sendable, to value: Value
    ) {
        self.keyPath = keyPath
        makeTree = { _, property in .constant(try Self.encode(value, property)) }
        makeSetter = { model, _, property in
            _ = try Self.encode(value, property)
            return { model[keyPath: keyPath] = value }
        }
    }

    /// Creates an update that sets a property to the value of an expression.
    ///
    /// Operators on key paths create simple expressions: `\.rating + 1`. The macro `#Expression` creates all others. A
    /// store can evaluate what it can evaluate in a predicate; otherwise, the context fetches the models.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of an attribute.
    ///   - expression: The new value, calculated from the stored values of a model.
    public init<Value>(
        _ keyPath: any ReferenceWritableKeyPath<Model, Value> & Sendable, to expression: Expression<Model, Value>
    ) {
        self.init(keyPath, expression) { $0 }
    }

    /// Creates an update that sets an optional property to the value of an expression that is never nil.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of an optional attribute.
    ///   - expression: The new value, calculated from the stored values of a model.
    public init<Value>(
        _ keyPath: any ReferenceWritableKeyPath<Model, Value?> & Sendable, to expression: Expression<Model, Value>
    ) {
        self.init(keyPath, expression) { $0 }
    }

    private init<Value, Output>(
        _ keyPath: any ReferenceWritableKeyPath<Model, Value> & Sendable, _ expression: Expression<Model, Output>,
        _ convert: @escaping @Sendable (Output) -> Value
    ) {
        self.keyPath = keyPath
        makeTree = { schema, _ in try PredicateTree(expression, schema: schema) }
        makeSetter = { model, schema, property in
            let value = try Self.value(of: expression, for: model, schema, property, convert)
            return { model[keyPath: keyPath] = value }
        }
    }
}

extension PropertyUpdate {
    /// The attribute and its new value.
    func value(in entity: Schema.Entity, _ schema: Schema) throws -> DataStoreBatchValue {
        let property = try attribute(in: entity)
        do { return DataStoreBatchValue(property: property, value: try makeTree(schema, property)) } catch let error
            as SwiftDataError
        {
            throw error.with(entityName: entity.name, propertyName: property.name)
        }
    }

    /// Returns a closure that sets the property of a model to the value for its current values.
    func setter(for model: Model, in entity: Schema.Entity, _ schema: Schema) throws -> () -> Void {
        let property = try attribute(in: entity)
        do { return try makeSetter(model, schema, property) } catch let error as SwiftDataError {
            throw error.with(
                entityName: entity.name, propertyName: property.name, persistentIdentifier: model.persistentModelID)
        }
    }

    /// Returns the attribute.
    ///
    /// - Throws: ``SwiftDataError/unsupportedKeyPath`` if the key path is not an attribute of the entity.
    func attribute(in entity: Schema.Entity) throws -> Schema.Property {
        guard let property = entity.property(at: keyPath), property.slot >= 0 else {
            throw SwiftDataError.unsupportedKeyPath.with(
                detail: "a batch update can only set stored attributes; fetch the models to set other properties",
                entityName: entity.name)
        }
        guard property.isAttribute else {
            throw SwiftDataError.unsupportedKeyPath.with(
                detail: "a batch update cannot set relationships; fetch the models and set \(property.name)",
                entityName: entity.name, propertyName: property.name)
        }
        return property
    }

    private static func encode<Value>(_ value: Value, _ property: Schema.Property) throws -> PropertyValue {
        do {
            guard let encoded = try property.codec?.encodeAny(value) else {
                throw SwiftDataError.modelValidationFailure.with(
                    detail: "the value has another type than the property", propertyName: property.name)
            }
            return encoded
        } catch let error as SwiftDataError { throw error } catch {
            throw SwiftDataError.modelValidationFailure.with(
                detail: "the value cannot be encoded", propertyName: property.name, underlying: error)
        }
    }

    /// Returns the value of an expression for a model.
    private static func value<Value, Output>(
        of expression: Expression<Model, Output>, for model: Model, _ schema: Schema, _ property: Schema.Property,
        _ convert: (Output) -> Value
    ) throws -> Value {
        let tree: PredicateTree<ModelProperty>
        do { tree = try PredicateTree(expression, schema: schema) } catch let error as SwiftDataError
            where SwiftDataError.unsupportedPredicate ~= error
        {
            return convert(try expression.evaluate(model))
        }
        // Swift stops the program when an operation on integers overflows.
        guard tree.calculatesIntegers else { return convert(try expression.evaluate(model)) }
        let result = try tree.value(for: model)
        guard let value = property.codec?.decodeAny(result) as? Value else {
            throw SwiftDataError.valueOutOfRange.with(
                detail: "the new value exceeds the range of \(property.valueType); exclude the row with the predicate")
        }
        return value
    }
}

extension PredicateTree where Property == ModelProperty {
    /// Creates the tree of an expression on models.
    ///
    /// - Parameters:
    ///   - expression: The expression to translate.
    ///   - schema: The schema that contains the model and the models related to it.
    /// - Throws: ``SwiftDataError/unsupportedPredicate`` if a part cannot be translated; the error's detail names it.
    ///   Rewrite the expression, or evaluate it for fetched models.
    public init<Model: PersistentModel, Output>(_ expression: Expression<Model, Output>, schema: Schema) throws {
        self = try PredicateWalker.tree(of: expression, ModelKeyPaths(schema: schema))
    }

    /// Whether the tree contains a calculation with integers, outside of conditions.
    fileprivate var calculatesIntegers: Bool {
        switch self {
        case .arithmetic(_, .integer, _, _), .negative(.integer, _): true
        case .arithmetic(_, .real, let a, let b), .coalesce(let a, let b), .ifPresent(let a, then: let b):
            a.calculatesIntegers || b.calculatesIntegers
        case .negative(.real, let a), .unwrapped(let a): a.calculatesIntegers
        case .conditional(_, then: let a, else: let b): a.calculatesIntegers || b.calculatesIntegers
        default: false
        }
    }

    /// Returns the value of a calculation for a model in memory.
    ///
    /// - Throws: ``SwiftDataError/valueOutOfRange`` if it overflows, divides by zero or unwraps nil.
    ///   ``SwiftDataError/unsupportedPredicate`` for expressions that contain conditions or closures.
    fileprivate func value(for model: any PersistentModel) throws -> PropertyValue {
        switch self {
        case .constant(let value): return value
        case .path(let path):
            guard let (owner, property) = Self.end(of: path, model) else { break }
            guard let owner else { return .null }
            guard let access = property.attributeAccess else { break }
            return try access.encode(owner, property)
        case .count(let elements):
            guard elements.filter == nil, let (owner, property) = Self.end(of: elements.path, model) else { break }
            guard let owner else { return .integer(0) }
            if let access = property.relationshipAccess { return .integer(Int64(access.destinations(of: owner).count)) }
            guard case .text(let json)? = try property.attributeAccess?.encode(owner, property),
                let values = JSONCoding.decode([JSONFragment].self, Data(json.utf8))
            else { break }
            return .integer(Int64(values.count))
        case .characterCount(let text):
            guard case .text(let text) = try text.value(for: model) else { throw Self.outOfRange }
            return .integer(Int64(text.count))
        case .unwrapped(let value):
            let result = try value.value(for: model)
            if result.isNull { throw Self.outOfRange }
            return result
        case .coalesce(let value, let other):
            let result = try value.value(for: model)
            return result.isNull ? try other.value(for: model) : result
        case .ifPresent(let value, then: let result):
            return try value.value(for: model).isNull ? .null : result.value(for: model)
        case .negative(.integer, let value):
            return try Self.constant(.integer(0)).calculate(.subtract, value, model)
        case .arithmetic(let operation, .integer, let a, let b): return try a.calculate(operation, b, model)
        default: break
        }
        throw SwiftDataError.unsupportedPredicate.with(
            detail: "the store cannot evaluate this expression in a batch update; fetch the models")
    }

    /// Returns the last property of a path and the model that has it, or `nil` instead of the model if a relationship
    /// has no destination. Returns `nil` for members of an attribute.
    private static func end(
        of path: Path, _ model: any PersistentModel
    ) -> (model: (any PersistentModel)?, Schema.Property)? {
        guard path.variable == .subject, case .stored(let last) = path.properties.last else { return nil }
        var owner: (any PersistentModel)? = model
        for case .stored(let property) in path.properties.dropLast() {
            owner = owner.flatMap { property.relationshipAccess?.destinations(of: $0).first }
        }
        return (owner, last)
    }

    private func calculate(
        _ operation: Arithmetic, _ other: PredicateTree, _ model: any PersistentModel
    ) throws -> PropertyValue {
        guard case .integer(let a) = try value(for: model), case .integer(let b) = try other.value(for: model) else {
            throw Self.outOfRange
        }
        let (result, overflows) =
            switch operation {
            case .add: a.addingReportingOverflow(b)
            case .subtract: a.subtractingReportingOverflow(b)
            case .multiply: a.multipliedReportingOverflow(by: b)
            case .divide: a.dividedReportingOverflow(by: b)
            case .remainder: a.remainderReportingOverflow(dividingBy: b)
            }
        guard !overflows else { throw Self.outOfRange }
        return .integer(result)
    }

    private static var outOfRange: SwiftDataError {
        .valueOutOfRange.with(detail: "the new value cannot be calculated; exclude the row with the predicate")
    }
}
