public import Chronicle
public import Foundation

/// A model that exists on every device and on the hub, identified by a UUID.
///
/// A `PersistentIdentifier` is valid in one store. The UUID is the same in all of them.
public protocol SyncedModel: PersistentModel {
    /// The identity of the model in all stores.
    var uuid: UUID { get }
    /// Creates a model without content.
    init(uuid: UUID)

    /// The properties that are synchronised, in any order.
    static var syncedProperties: [SyncedProperty<Self>] { get }
    /// Returns a descriptor that fetches the models with the given UUIDs.
    static func descriptor(for uuids: [UUID]) -> FetchDescriptor<Self>

    /// Removes the references that would delete other models together with this one.
    ///
    /// The hub decides what is deleted: a model that a device moved to this one, or inserted for it, may remain.
    ///
    /// - Parameter deleted: The models that are deleted in the same transaction.
    func detachDependents(except deleted: Set<UUID>)
}

extension SyncedModel {
    public func detachDependents(except deleted: Set<UUID>) {}
}

/// The models of the schema.
public enum SyncedSchema {
    /// The synchronised models. A model follows those that it references.
    public static let models: [any SyncedModel.Type] = [Trip.self, BucketListItem.self]

    /// The schema of a device.
    public static var device: Schema { Schema([Trip.self, BucketListItem.self, DeviceState.self]) }
    /// The schema of the hub.
    public static var hub: Schema {
        Schema([Trip.self, BucketListItem.self, DeviceProgress.self, ConflictRecord.self])
    }

    static func model(named entityName: String) -> (any SyncedModel.Type)? {
        models.first { $0.entityName == entityName }
    }
}
