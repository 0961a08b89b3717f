public import Foundation

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
    var calculatesIntegers: Bool {
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
    func value(for model: any PersistentModel) throws -> PropertyValue {
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
