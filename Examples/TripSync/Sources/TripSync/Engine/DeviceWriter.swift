import Chronicle
import Foundation

/// Applies changes of the hub to a context of a device.
struct DeviceWriter {
    private let context: ModelContext

    init(_ context: ModelContext) { self.context = context }

    /// Applies the changes of a transaction, except to what the device has changed itself.
    func apply(_ changes: [SyncedChange], except pending: PendingChanges) throws {
        // First, because other models may reference them. A model that the device deleted is deleted on the hub as well,
        // when the delete arrives there.
        var inserted: Set<UUID> = []
        for change in changes where change.kind == .insert && !pending.containsDelete(of: change.uuid) {
            if let model = SyncedSchema.model(named: change.entityName), try context.insertIfMissing(model, change.uuid)
            {
                inserted.insert(change.uuid)
            }
        }
        let deleted = Set(changes.lazy.filter { $0.kind == .delete }.map(\.uuid))
        for change in changes {
            guard let model = SyncedSchema.model(named: change.entityName) else { continue }
            try apply(change, model, pending, deleted, isNew: inserted.contains(change.uuid))
        }
    }

    private func apply<Model: SyncedModel>(
        _ change: SyncedChange, _ type: Model.Type, _ pending: PendingChanges, _ deleted: Set<UUID>, isNew: Bool
    ) throws {
        guard let model = try context.model(Model.self, change.uuid) else { return }
        if change.kind == .delete {
            model.detachDependents(except: deleted)
            return context.delete(model)
        }
        for value in change.values where !pending.contains(change.uuid, value.name) {
            // Without knowledge of its own changes, the device keeps what differs from the hub's value before the change,
            // and sends it.
            if pending.isUnknown, !isNew, self.value(value.name, of: model) != value.previous { continue }
            try set(value.name, of: model, value.value)
        }
    }

    /// Sets a property, if the model exists.
    func set(_ name: String, of entityName: String, _ uuid: UUID, _ value: SyncedValue) throws {
        func set<Model: SyncedModel>(_ type: Model.Type) throws {
            if let model = try context.model(Model.self, uuid) { try self.set(name, of: model, value) }
        }
        if let model = SyncedSchema.model(named: entityName) { try set(model) }
    }

    private func value<Model: SyncedModel>(_ name: String, of model: Model) -> SyncedValue? {
        Model.property(name)?.value(model)
    }

    private func set<Model: SyncedModel>(_ name: String, of model: Model, _ value: SyncedValue) throws {
        guard let property = Model.property(name), property.value(model) != value else { return }
        try property.set(model, value, Destinations(context: context))
    }

    /// Replaces models with those of the hub, except for what the device has changed itself.
    func replace<Model: SyncedModel>(
        _ type: Model.Type, _ identifiers: [PersistentIdentifier], _ hub: ModelContext, except pending: PendingChanges
    ) throws {
        let models = try hub.fetch(
            FetchDescriptor<Model>(predicate: #Predicate { identifiers.contains($0.persistentModelID) }))
        let known = Dictionary(
            uniqueKeysWithValues: try context.fetch(Model.descriptor(for: models.map(\.uuid))).map { ($0.uuid, $0) })
        // The pages of a snapshot are in no particular order, so the destination may follow.
        let destinations = Destinations(context: context) { !pending.containsDelete(of: $0) }
        for model in models where !pending.containsDelete(of: model.uuid) {
            let local = known[model.uuid]
            // Which of the two values is newer is unknown. The device sends its value.
            if local != nil, pending.isUnknown { continue }
            let target = local ?? Model(uuid: model.uuid)
            if local == nil { context.insert(target) }
            for property in Model.syncedProperties where !pending.contains(model.uuid, property.name) {
                let value = property.value(model)
                if property.value(target) != value { try property.set(target, value, destinations) }
            }
        }
    }
}
