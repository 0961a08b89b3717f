import Chronicle
import Foundation

// The hub was replaced by a backup.
extension SyncSession {
    /// Returns whether the hub lost transactions that the device received.
    func hubIsRestored(_ state: DeviceState) throws -> Bool {
        guard !state.isRebuilding, let token = try DefaultHistoryToken(state.hubToken) else { return false }
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>.after(token)
        descriptor.fetchLimit = 1
        do {
            _ = try ModelContext(hub).fetchHistoryIdentifiers(descriptor)
            return false
        } catch SwiftDataError.historyTokenAhead, SwiftDataError.historyTokenForked {
            return true
        } catch SwiftDataError.historyTokenExpired {
            return false
        }
    }

    /// Restores on the hub what it lost and the device still contains, in one transaction.
    ///
    /// The state that the hub lost precedes everything that the hub received since it was restored. A value on the hub that
    /// the device had before is therefore replaced by that of the device, unless the hub received it since. Any other value
    /// is newer, and conflicts with it.
    /// A model that the hub lacks is inserted unless the hub's history contains its delete, and a model that the device
    /// saw being deleted is deleted. Sending the lost transactions again would make older values replace newer ones that
    /// depend on them, and lose what the device received from others.
    func restoreHub(_ state: DeviceState) throws {
        let local = ModelContext(device)
        let token = try local.currentHistoryToken()
        var unsent = PendingChanges(after: try DefaultHistoryToken(state.includedToken), local)
        try unsent.update(local)
        let known = try KnownValues(local)
        let deleted = try KnownValues(ModelContext(hub)).deleted
        try saveOnHub(token, isForced: true) { context in
            context.transactionMetadata[LaterChanges.restored] =
                unsent.changedProperties.map(\.text).sorted().joined(separator: "\n")
            let later = try laterChanges(state)
            // The device's last values that the hub does not contain.
            var lost = PendingChanges(after: try sentToken(context), local)
            try lost.update(local)
            let own = lost.remove(through: token)
            let restorer = HubRestorer(
                context, local, known: known, later: later, deletedOnHub: deleted, unsent: unsent, own: own,
                deviceName: deviceName, rule: rule)
            for model in SyncedSchema.models { try restorer.insertMissing(model) }
            for model in SyncedSchema.models { try restorer.reconcile(model) }
        }
    }

    /// Returns what other devices changed on the hub after the last transaction that the device received and the hub still
    /// contains.
    private func laterChanges(_ state: DeviceState) throws -> LaterChanges {
        let context = ModelContext(hub)
        // The device saves the position of each transaction with its changes.
        for entry in try ModelContext(device).history(of: state.persistentModelID, order: .reverse) {
            let data = entry.change.preservedValues.first { $0.name == "hubToken" }?.value as? Data
            guard let token = try DefaultHistoryToken(data) else { continue }
            do {
                return try LaterChanges(context, .after(token), exceptOf: deviceName)
            } catch SwiftDataError.historyTokenAhead, SwiftDataError.historyTokenForked,
                SwiftDataError.historyTokenStoreMismatch
            {
                continue
            } catch SwiftDataError.historyTokenExpired {
                return LaterChanges()
            }
        }
        return try LaterChanges(context, HistoryDescriptor(), exceptOf: deviceName)
    }
}

/// The properties that other devices changed on a hub since it was restored.
struct LaterChanges {
    /// The key of the metadata of a transaction that restores what the hub lost. The value contains the properties that the
    /// device had not sent before. All others precede what the hub received since it was restored.
    static let restored = "restored"

    /// `nil` if they are not known, because the hub deleted its history.
    private var properties: Set<String>?

    /// Any property may have been changed.
    init() {}

    init(
        _ context: ModelContext, _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>, exceptOf deviceName: String
    ) throws {
        var (reader, found) = (ChangeReader(context), Set<String>())
        for transaction in try context.fetchHistory(descriptor) where transaction.author != deviceName {
            if let unsent = transaction.metadata[Self.restored] {
                found.formUnion(unsent.split(separator: "\n").map(String.init))
                continue
            }
            for change in try reader.changes(transaction.changes) {
                found.formUnion(change.values.map { PropertyKey(uuid: change.uuid, name: $0.name).text })
            }
        }
        properties = found
    }

    func contains(_ key: PropertyKey) -> Bool { properties?.contains(key.text) ?? true }
}

/// The values that the history of a store contains, and the models that were deleted.
struct KnownValues {
    private(set) var values: [PropertyKey: Set<SyncedValue>] = [:]
    private(set) var deleted: Set<UUID> = []

    init(_ context: ModelContext) throws {
        var reader = ChangeReader(context)
        for transaction in try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()) {
            for change in try reader.changes(transaction.changes) {
                if change.kind == .delete { deleted.insert(change.uuid) }
                if change.kind == .insert { deleted.remove(change.uuid) }
                for value in change.values {
                    let key = PropertyKey(uuid: change.uuid, name: value.name)
                    values[key, default: []].insert(value.value)
                    if change.kind == .update { values[key, default: []].insert(value.previous) }
                }
            }
        }
    }
}

/// Applies the state of a device to a hub that was restored from a backup.
struct HubRestorer {
    private let context: ModelContext
    private let local: ModelContext
    private let known: KnownValues
    private let later: LaterChanges
    private let deletedOnHub: Set<UUID>
    private let unsent: PendingChanges
    private let own: [PropertyKey: (entityName: String, value: SyncedValue)]
    private let deviceName: String
    private let rule: ConflictRule?
    private var destinations: Destinations { Destinations(context: context) }

    init(
        _ context: ModelContext, _ local: ModelContext, known: KnownValues, later: LaterChanges,
        deletedOnHub: Set<UUID>, unsent: PendingChanges, own: [PropertyKey: (entityName: String, value: SyncedValue)],
        deviceName: String,
        rule: ConflictRule?
    ) {
        (self.context, self.local, self.known, self.deletedOnHub) = (context, local, known, deletedOnHub)
        self.later = later
        (self.unsent, self.own, self.deviceName, self.rule) = (unsent, own, deviceName, rule)
    }

    /// Inserts the models that the hub lost.
    func insertMissing<Model: SyncedModel>(_ type: Model.Type) throws {
        let present = Set(try context.fetch(FetchDescriptor<Model>()).map(\.uuid))
        for model in try local.fetch(FetchDescriptor<Model>()) where !present.contains(model.uuid) {
            guard !deletedOnHub.contains(model.uuid) else {
                try recordLoss(of: model)
                continue
            }
            let inserted = Model(uuid: model.uuid)
            context.insert(inserted)
            for property in Model.syncedProperties { try property.set(inserted, property.value(model), destinations) }
        }
    }

    /// Makes the models of the hub agree with those of the device, and deletes those that the device saw being deleted.
    func reconcile<Model: SyncedModel>(_ type: Model.Type) throws {
        let models = Dictionary(uniqueKeysWithValues: try local.fetch(FetchDescriptor<Model>()).map { ($0.uuid, $0) })
        for model in try context.fetch(FetchDescriptor<Model>()) {
            guard let other = models[model.uuid] else {
                guard known.deleted.contains(model.uuid) else { continue }
                for property in Model.syncedProperties where isNew(property.value(model), property.name, model.uuid) {
                    record(Model.entityName, model.uuid, property.name, hub: "\(property.value(model))", "deleted")
                }
                context.delete(model)
                continue
            }
            for property in Model.syncedProperties {
                try reconcile(property, of: model, property.value(other))
                try recordLoss(of: property, model)
            }
        }
    }

    private func reconcile<Model: SyncedModel>(
        _ property: SyncedProperty<Model>, of model: Model, _ value: SyncedValue
    ) throws {
        let current = property.value(model)
        if current == value { return }
        guard isNew(current, property.name, model.uuid) else {
            return try property.set(model, value, destinations)
        }
        // What the device has not sent yet arrives last. Everything else was on the hub before.
        let isUnsent = unsent.contains(model.uuid, property.name)
        let (first, last) = isUnsent ? (current, value) : (value, current)
        let result = (rule ?? property.rule).resolve(
            Conflict(
                entityName: Model.entityName, uuid: model.uuid, propertyName: property.name, base: nil, hubValue: first,
                deviceValue: last, device: deviceName))
        context.insert(
            try ConflictRecord(
                Conflict(
                    entityName: Model.entityName, uuid: model.uuid, propertyName: property.name, base: nil,
                    hubValue: current, deviceValue: value, device: deviceName), result: result))
        if result != current { try property.set(model, result, destinations) }
    }

    /// Whether the hub received a value since it was restored: the device never had it, or the hub returned to it.
    private func isNew(_ value: SyncedValue, _ name: String, _ uuid: UUID) -> Bool {
        let key = PropertyKey(uuid: uuid, name: name)
        return known.values[key]?.contains(value) != true || later.contains(key)
    }

    /// Records the device's own last value of a property if the hub lost it and has another one now.
    private func recordLoss<Model: SyncedModel>(of property: SyncedProperty<Model>, _ model: Model) throws {
        guard let value = own[PropertyKey(uuid: model.uuid, name: property.name)]?.value else { return }
        let current = property.value(model)
        if value != current {
            record(Model.entityName, model.uuid, property.name, hub: "\(current)", "\(value)", result: "\(current)")
        }
    }

    /// Records a model that the hub deleted since it was restored.
    private func recordLoss<Model: SyncedModel>(of model: Model) throws {
        for property in Model.syncedProperties {
            record(Model.entityName, model.uuid, property.name, hub: "deleted", "\(property.value(model))")
        }
    }

    private func record(
        _ entityName: String, _ uuid: UUID, _ name: String, hub: String, _ device: String, result: String = "deleted"
    ) {
        context.insert(
            ConflictRecord(
                entityName: entityName, uuid: uuid, propertyName: name, device: deviceName, hubValue: hub,
                deviceValue: device, result: result, resultData: nil))
    }
}
