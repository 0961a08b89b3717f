import Chronicle
import Foundation

/// How far the hub contains the changes of a device. There is one instance for each device, on the hub only.
///
/// A device sets the position in the transaction that contains its changes, so that a change that is sent twice is
/// applied once.
@Model
final class DeviceProgress {
    #Unique<DeviceProgress>([\.device], [\.number])

    @Attribute(.preserveValueOnDeletion) var device: String
    /// The number of the device's last transaction among those of all devices. Two devices that send at the same time
    /// choose the same number, so that one of them fails and repeats its work with the result of the other.
    var number: Int
    /// The position in the device's history.
    var token: Data

    init(device: String, number: Int, token: Data) {
        self.device = device
        self.number = number
        self.token = token
    }
}

extension ModelContext {
    func progress(of device: String) throws -> DeviceProgress? {
        try fetch(FetchDescriptor<DeviceProgress>(predicate: #Predicate { $0.device == device })).first
    }

    /// Returns the number of the newest transaction that a device sent.
    func newestNumber() throws -> Int {
        var descriptor = FetchDescriptor<DeviceProgress>(sortBy: [SortDescriptor(\.number, order: .reverse)])
        descriptor.fetchLimit = 1
        return try fetch(descriptor).first?.number ?? 0
    }
}
