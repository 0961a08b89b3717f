public import Foundation

extension PredicateTree where Property == ModelProperty {
    /// Creates the tree of an expression on models.
    ///
    /// - Parameters:
    ///   - expression: The expression to translate.
    ///   - schema: The schema that contains the model and the models related to it.
    /// - Throws: ``SwiftDataError/unsupportedPredicate`` if a part, which the detail names, cannot be translated. Rewrite the
    ///   expression, or evaluate it for fetched models.
    public init<Model: PersistentModel, Output>(_ expression: Expression<Model, Output>, schema: Schema) throws {
        self = try PredicateWalker.tree(of: expression, ModelKeyPaths(schema: schema))
    }

    /// Throws ``SwiftDataError/valueOutOfRange`` if the expression overflows, divides by zero or unwraps nil.
    func value(for model: any PersistentModel) throws -> PropertyValue {
        let objects = ModelObjects()
        let evaluator = TreeEvaluator(objects: objects)
        do {
            switch try evaluator.operand(self)(.init(.object(model))) {
            case .value(let value): return value
            case .object(let object): return objects.identifier(of: object)
            case .foreign: return .null
            }
        } catch is UndefinedValue {
            throw SwiftDataError.valueOutOfRange.with(
                detail: "the new value cannot be calculated; exclude the row with the predicate")
        }
    }
}
