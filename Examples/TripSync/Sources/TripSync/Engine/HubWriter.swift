import Chronicle
import Foundation

/// Applies changes of a device to a context of the hub.
struct HubWriter {
    private let context: ModelContext
    private let deviceName: String
    private let rule: ConflictRule?
    private var destinations: Destinations { Destinations(context: context) }

    init(_ context: ModelContext, deviceName: String, rule: ConflictRule?) {
        (self.context, self.deviceName, self.rule) = (context, deviceName, rule)
    }

    /// Applies the changes of a transaction.
    func apply(_ changes: [SyncedChange]) throws {
        // First, because other models may reference them.
        var inserted: Set<UUID> = []
        for change in changes where change.kind == .insert {
            if let model = SyncedSchema.model(named: change.entityName), try context.insertIfMissing(model, change.uuid)
            {
                inserted.insert(change.uuid)
            }
        }
        for change in changes {
            guard let model = SyncedSchema.model(named: change.entityName) else { continue }
            try apply(change, model, isNew: inserted.contains(change.uuid))
        }
    }

    private func apply<Model: SyncedModel>(_ change: SyncedChange, _ type: Model.Type, isNew: Bool) throws {
        guard let model = try context.model(Model.self, change.uuid) else {
            if change.kind == .update { context.insert(ConflictRecord(deleted: change, device: deviceName)) }
            return
        }
        switch change.kind {
        case .delete: context.delete(model)
        case .insert where isNew:
            for value in change.values { try Model.property(value.name)?.set(model, value.value, destinations) }
        // The model was restored, or sent by a device that had to send all its models.
        case .insert:
            for value in change.values { try set(value.name, of: model, base: nil, value.value) }
        case .update:
            for value in change.values { try set(value.name, of: model, base: value.previous, value.value) }
        }
    }

    /// Sets a property that the device changed.
    ///
    /// - Parameter base: The value before the change, or `nil` if it is unknown.
    private func set<Model: SyncedModel>(
        _ name: String, of model: Model, base: SyncedValue?, _ value: SyncedValue
    ) throws {
        guard let property = Model.property(name) else { return }
        let current = property.value(model)
        if current == value { return }
        if current == base { return try property.set(model, value, destinations) }
        let conflict = Conflict(
            entityName: Model.entityName, uuid: model.uuid, propertyName: name, base: base, hubValue: current,
            deviceValue: value, device: deviceName)
        let result = (rule ?? property.rule).resolve(conflict)
        context.insert(try ConflictRecord(conflict, result: result))
        if result != current { try property.set(model, result, destinations) }
    }

    // MARK: Differences

    /// Inserts the models of a device that the hub does not contain.
    func insertMissing<Model: SyncedModel>(_ type: Model.Type, _ local: ModelContext) throws {
        let known = Set(try context.fetch(FetchDescriptor<Model>()).map(\.uuid))
        for model in try local.fetch(FetchDescriptor<Model>()) where !known.contains(model.uuid) {
            let inserted = Model(uuid: model.uuid)
            context.insert(inserted)
            // The values of a new model are no conflicts.
            for property in Model.syncedProperties { try property.set(inserted, property.value(model), destinations) }
        }
    }

    /// Changes the models of the hub that differ from those of a device, and deletes those that the device does not
    /// contain.
    func applyDifferences<Model: SyncedModel>(_ type: Model.Type, _ local: ModelContext) throws {
        let models = Dictionary(uniqueKeysWithValues: try local.fetch(FetchDescriptor<Model>()).map { ($0.uuid, $0) })
        for model in try context.fetch(FetchDescriptor<Model>()) {
            guard let other = models[model.uuid] else {
                context.delete(model)
                continue
            }
            for property in Model.syncedProperties {
                try set(property.name, of: model, base: nil, property.value(other))
            }
        }
    }
}

extension SyncedModel {
    static func property(_ name: String) -> SyncedProperty<Self>? { syncedProperties.first { $0.name == name } }
}

extension ModelContext {
    /// Inserts a model without content, unless the UUID exists.
    ///
    /// - Returns: Whether it was inserted.
    func insertIfMissing<Model: SyncedModel>(_ type: Model.Type, _ uuid: UUID) throws -> Bool {
        guard try model(type, uuid) == nil else { return false }
        insert(Model(uuid: uuid))
        return true
    }
}
