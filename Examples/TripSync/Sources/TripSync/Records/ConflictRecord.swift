import Chronicle
public import Foundation

/// A conflict and its result, on the hub. Nothing is lost without a record.
@Model
public final class ConflictRecord {
    public var entityName: String
    public var uuid: UUID
    /// The property, or `nil` if the device changed a model that no longer existed.
    public var propertyName: String?
    public var device: String
    /// The values as text, for people.
    public var hubValue: String
    public var deviceValue: String
    public var result: String
    /// The result as JSON, for the device.
    var resultData: Data?

    init(
        entityName: String, uuid: UUID, propertyName: String?, device: String, hubValue: String, deviceValue: String,
        result: String, resultData: Data?
    ) {
        self.entityName = entityName
        self.uuid = uuid
        self.propertyName = propertyName
        self.device = device
        self.hubValue = hubValue
        self.deviceValue = deviceValue
        self.result = result
        self.resultData = resultData
    }
}

extension ConflictRecord {
    convenience init(_ conflict: Conflict, result: SyncedValue) throws {
        self.init(
            entityName: conflict.entityName, uuid: conflict.uuid, propertyName: conflict.propertyName,
            device: conflict.device, hubValue: "\(conflict.hubValue)", deviceValue: "\(conflict.deviceValue)",
            result: "\(result)", resultData: try JSONEncoder().encode(result))
    }

    /// Creates the record of a change to a model that was deleted.
    convenience init(deleted change: SyncedChange, device: String) {
        let values = change.values.map { "\($0.name): \($0.value)" }.joined(separator: ", ")
        self.init(
            entityName: change.entityName, uuid: change.uuid, propertyName: nil, device: device, hubValue: "deleted",
            deviceValue: values, result: "deleted", resultData: nil)
    }
}
