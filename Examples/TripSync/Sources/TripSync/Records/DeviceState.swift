import Chronicle
import Foundation

/// What a device knows about the hub. There is one instance on the device, and none on the hub.
@Model
final class DeviceState {
    #Unique<DeviceState>([\.number])

    var number: Int = 1
    /// The identifier of the hub's store; empty if the device shall adopt the next hub.
    var hubIdentifier: String
    /// The position in the hub's history up to which the device contains all changes.
    var hubToken: Data?
    /// The position in the device's history up to which ``hubToken`` includes all changes of the device.
    var includedToken: Data?
    /// Whether the device is reading a snapshot of the hub.
    var isRebuilding: Bool = false

    init(hubIdentifier: String) { self.hubIdentifier = hubIdentifier }
}

extension ModelContext {
    func deviceState() throws -> DeviceState? { try fetch(FetchDescriptor<DeviceState>()).first }
}

extension DefaultHistoryToken {
    /// Decodes a token of a record.
    init?(_ data: Data?) throws {
        guard let data else { return nil }
        self = try JSONDecoder().decode(DefaultHistoryToken.self, from: data)
    }

    func encoded() throws -> Data { try JSONEncoder().encode(self) }
}
