import Chronicle
import Foundation

// From the device to the hub.
extension SyncSession {
    func upload() throws -> Int {
        var count = 0
        while let batch = try uploader.nextBatch(limit: 500) {
            switch batch.content {
            case .changes(let transactions):
                var reader = ChangeReader(ModelContext(device))
                for transaction in transactions {
                    if try send(reader.changes(transaction.changes), transaction.token) { count += 1 }
                }
            case .largeTransaction(let transaction):
                var reader = ChangeReader(ModelContext(device))
                if try send(reader.changes(batch.changes), transaction.token) { count += 1 }
            case .reset:
                let token = try batch.token ?? ModelContext(device).currentHistoryToken()
                try sendDifferences(token)
                count += 1
            // The models were sent.
            case .snapshot: break
            }
            try uploader.acknowledge(batch)
        }
        return count
    }

    /// Applies a transaction of the device to the hub.
    ///
    /// - Returns: Whether the hub did not contain it.
    private func send(_ changes: [SyncedChange], _ token: DefaultHistoryToken) throws -> Bool {
        try saveOnHub(token) { context in
            try HubWriter(context, deviceName: deviceName, rule: rule).apply(changes)
        }
    }

    /// Makes changes on the hub and saves them with the position of the device, unless the hub contains that position.
    /// If another device saved at the same time, the changes are made again in a new context.
    ///
    /// - Parameters:
    ///   - token: The position.
    ///   - isForced: Whether to make the changes also if the hub contains the position.
    ///   - change: The changes.
    /// - Returns: Whether the changes were saved.
    @discardableResult
    func saveOnHub(
        _ token: DefaultHistoryToken, isForced: Bool = false, _ change: (ModelContext) throws -> Void
    ) throws -> Bool {
        for attempt in 1... {
            let context = hubContext()
            // First, so that everything that is read afterwards is at least as new.
            let number = try context.newestNumber() + 1
            if !isForced, let sent = try sentToken(context), sent >= token { return false }
            try change(context)
            if let progress = try context.progress(of: deviceName) {
                progress.number = number
                progress.token = try token.encoded()
            } else {
                context.insert(DeviceProgress(device: deviceName, number: number, token: try token.encoded()))
            }
            try checkpoint(.beforeHubSave)
            guard try save(context, attempt: attempt) else { continue }
            try checkpoint(.afterHubSave)
            return true
        }
        return false
    }

    /// Returns the position up to which the hub contains the changes of the device, or `nil` if the hub does not know
    /// the device, or knows a position that the device lost when it was restored from a backup.
    ///
    /// - Throws: ``SyncError`` if the hub knows another device of this name.
    func sentToken(_ context: ModelContext) throws -> DefaultHistoryToken? {
        guard let token = try DefaultHistoryToken(context.progress(of: deviceName)?.token) else { return nil }
        guard token.position(in: device.stores[0].identifier) != nil else {
            throw SyncError("the hub knows another device of the name “\(deviceName)”; choose another name")
        }
        return try deviceHistoryContains(token) ? token : nil
    }

    /// Returns whether a position of the device is part of its history, also if it was deleted there. Positions after a
    /// backup are not, although the device may have others of the same number.
    func deviceHistoryContains(_ token: DefaultHistoryToken) throws -> Bool {
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>.after(token)
        descriptor.fetchLimit = 1
        do {
            _ = try ModelContext(device).fetchHistoryIdentifiers(descriptor)
            return true
        } catch SwiftDataError.historyTokenAhead, SwiftDataError.historyTokenForked {
            return false
        } catch SwiftDataError.historyTokenExpired {
            return true
        }
    }

    /// Sends the differences between the device and the hub, because the hub does not know the device, or because the
    /// device's history is incomplete.
    private func sendDifferences(_ token: DefaultHistoryToken) throws {
        try saveOnHub(token) { context in
            // The device then contains everything that the hub contained when the number was read, except for the
            // changes of the device. A model that is missing on the device was deleted there.
            _ = try download()
            let writer = HubWriter(context, deviceName: deviceName, rule: rule)
            let local = ModelContext(device)
            for model in SyncedSchema.models { try writer.insertMissing(model, local) }
            for model in SyncedSchema.models { try writer.applyDifferences(model, local) }
        }
    }
}
