import Chronicle
import Foundation

/// An attribute or a reference that is synchronised, and the rule for its conflicts.
public struct SyncedProperty<Model: SyncedModel>: Sendable {
    /// The name of the property in the schema.
    public let name: String
    /// The value that remains if two devices changed the property.
    public let rule: ConflictRule
    let value: @Sendable (Model) -> SyncedValue
    let set: @Sendable (Model, SyncedValue, Destinations) throws -> Void

    /// Creates a property with a value.
    public static func attribute<Value: SyncableValue>(
        _ name: String, _ keyPath: any ReferenceWritableKeyPath<Model, Value> & Sendable,
        rule: ConflictRule = .lastChange
    ) -> SyncedProperty {
        SyncedProperty(name: name, rule: rule) { model in
            model[keyPath: keyPath].synced
        } set: { model, value, _ in
            model[keyPath: keyPath] = try Value.decoded(value, of: name)
        }
    }

    /// Creates a property that references another model.
    public static func reference<Destination: SyncedModel>(
        _ name: String, _ keyPath: any ReferenceWritableKeyPath<Model, Destination?> & Sendable,
        rule: ConflictRule = .lastChange
    ) -> SyncedProperty {
        SyncedProperty(name: name, rule: rule) { model in
            model[keyPath: keyPath].map { .model($0.uuid) } ?? .none
        } set: { model, value, destinations in
            guard case .model(let uuid) = value else {
                model[keyPath: keyPath] = nil
                return
            }
            // `nil` if the destination was deleted meanwhile.
            model[keyPath: keyPath] = try destinations.model(Destination.self, uuid)
        }
    }
}

/// The models that references can be set to.
struct Destinations {
    let context: ModelContext
    /// Returns whether a model that does not exist yet is inserted without content, because its values follow.
    var insertsMissing: (UUID) -> Bool = { _ in false }

    func model<Model: SyncedModel>(_ type: Model.Type, _ uuid: UUID) throws -> Model? {
        if let model = try context.model(type, uuid) { return model }
        guard insertsMissing(uuid) else { return nil }
        let model = Model(uuid: uuid)
        context.insert(model)
        return model
    }
}

extension ModelContext {
    /// Returns the model with a UUID, also one that was inserted and is not saved yet.
    func model<Model: SyncedModel>(_ type: Model.Type, _ uuid: UUID) throws -> Model? {
        try fetch(Model.descriptor(for: [uuid])).first
    }
}
