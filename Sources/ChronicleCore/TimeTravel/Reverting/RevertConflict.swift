/// A reason why a part of a revert cannot be made without a decision, which is one of its ``allowedResolutions``; see
/// ``RevertPlan``.
public struct RevertConflict: Sendable, Identifiable {
    /// The reason for a conflict.
    public enum Kind: Sendable, Hashable {
        /// The property was changed again after the changes to revert.
        case changedSince
        /// The row of the model no longer exists.
        case modelDeleted
        /// The deleted model was restored already.
        case modelExists
        /// Another model has the unique value that the property would get again, or the destination of the one-to-one relationship;
        /// it is in ``RevertConflict/relatedModels``.
        case uniqueValueTaken
        /// The schema does not contain the entity of the model, or not the subclass of a deleted row.
        case unknownEntity
        /// The class no longer has the property.
        case unknownProperty
        /// The history does not preserve a value that the revert requires, or the value cannot be converted to the type of the
        /// property.
        case valueMissing
        /// A destination that the relationship would get again, in ``RevertConflict/relatedModels``, does not exist.
        case referenceMissing
        /// Deleting the model would also change or delete the models in ``RevertConflict/relatedModels``, or a *deny* rule forbids
        /// the delete because of them. In the second case, the model can only be skipped.
        case referenced
    }

    /// A decision about a conflict.
    public enum Resolution: Sendable, Hashable {
        /// The property keeps its current value. In a restored model, it gets its default value, or `nil`. The other end of a
        /// one-to-one relationship also keeps its value.
        case keepCurrent
        /// The property gets its old value, or the model is deleted, regardless of what changed since.
        case restoreOld
        /// The revert does not change the model.
        case skipModel
    }

    /// The identity of a conflict in its plan.
    public struct ID: Sendable, Hashable {
        let persistentIdentifier: PersistentIdentifier
        let propertyName: String?
        let kind: Kind
    }

    public let id: ID
    /// The value that the changes to revert left: `.some(nil)` for `nil`, and `nil` if it is not known.
    public let expectedValue: (any Sendable)??
    /// The value that the property has now: `.some(nil)` for `nil`, and `nil` if it is not known.
    public let currentValue: (any Sendable)??
    /// The value that the revert would restore: `.some(nil)` for `nil`, and `nil` if it is not known.
    public let oldValue: (any Sendable)??
    /// The other models that the conflict is about; see ``Kind``.
    public let relatedModels: [PersistentIdentifier]
    /// The decisions that are possible.
    public let allowedResolutions: [Resolution]
    /// The decision, or `nil` if there is none yet; see ``RevertPlan/resolve(_:with:)``.
    public internal(set) var resolution: Resolution?
    /// The stored form of the current value, to detect that it changed after the decision.
    let currentForm: PropertyValue?

    /// The identifier of the model.
    public var persistentIdentifier: PersistentIdentifier { id.persistentIdentifier }
    /// The name of the property, or `nil` if the conflict is about the model.
    public var propertyName: String? { id.propertyName }
    /// The reason for the conflict.
    public var kind: Kind { id.kind }
}

extension RevertConflict: CustomStringConvertible {
    public var description: String {
        "\(persistentIdentifier)\(propertyName.map { ".\($0)" } ?? ""): \(kind)"
            + (resolution.map { " (\($0))" } ?? "")
    }
}

extension RevertConflict.Kind {
    /// For an error that names the model and the property.
    var reason: String {
        switch self {
        case .changedSince: "the property was changed again after the changes to revert"
        case .modelDeleted: "the model no longer exists"
        case .modelExists: "the deleted model was restored already"
        case .uniqueValueTaken: "another model has the unique value to restore"
        case .unknownEntity: "the schema does not contain the entity of the row"
        case .unknownProperty: "the class no longer has the property"
        case .valueMissing:
            "the history does not preserve the value to restore, or the value does not match the type of the property"
        case .referenceMissing: "the destination to restore does not exist"
        case .referenced:
            "deleting the model would also change or delete other models, or a delete rule forbids it because of them"
        }
    }
}
