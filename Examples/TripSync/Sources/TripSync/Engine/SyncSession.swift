public import Chronicle
import Foundation

/// Synchronises a device with the hub.
///
/// ```swift
/// let session = try SyncSession(device: container, named: "Anna's phone", hub: hub)
/// let summary = try session.synchronize()
/// ```
///
/// The hub determines the order of all changes. The state of a device is always the hub's state at a position, plus the
/// changes of the device that the hub does not include at this position. Each direction is a durable consumer, and
/// every transaction is applied as one transaction, together with its position, so that it is applied exactly once
/// although it may be delivered several times.
public final class SyncSession {
    /// The author of what the session saves on the device. These transactions are not sent to the hub.
    public static let author = "sync"

    let device: ModelContainer
    let deviceName: String
    let hub: ModelContainer
    let hubIdentifier: String
    /// Called before and after each commit. Tests end the process or throw an error there.
    let checkpoint: (SyncStep) throws -> Void
    let rule: ConflictRule?

    let uploader: HistoryConsumer<DefaultHistoryTransaction>
    let downloader: HistoryConsumer<DefaultHistoryTransaction>

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - device: The store of the device, whose history preserves values.
    ///   - name: The name of the device, which no other device may have.
    ///   - hub: The store of the hub, whose history preserves values.
    ///   - rule: A rule for all conflicts, in place of those of the properties.
    /// - Throws: ``SyncError`` if the device was synchronised with another hub.
    public convenience init(
        device: ModelContainer, named name: String, hub: ModelContainer, rule: ConflictRule? = nil
    ) throws {
        try self.init(device: device, named: name, hub: hub, rule: rule) { _ in }
    }

    init(
        device: ModelContainer, named name: String, hub: ModelContainer, rule: ConflictRule?,
        checkpoint: @escaping (SyncStep) throws -> Void
    ) throws {
        (self.device, deviceName, self.hub, self.rule, self.checkpoint) = (device, name, hub, rule, checkpoint)
        hubIdentifier = hub.stores[0].identifier
        let models = SyncedSchema.models.map { $0 as any PersistentModel.Type }
        uploader = try device.historyConsumer(
            named: "upload", filter: HistoryFilter(models: models, authors: .except([Self.author])),
            startingNewAt: .beginning)
        downloader = try hub.historyConsumer(
            named: "device \(name)",
            filter: HistoryFilter(models: models + [DeviceProgress.self, ConflictRecord.self]),
            startingNewAt: .snapshot)
    }

    /// Sends the changes of the device, and then receives those of the hub.
    ///
    /// - Returns: The number of transactions in each direction.
    /// - Throws: ``SyncError``, or an error of one of the stores. In both cases, the next call continues.
    @discardableResult
    public func synchronize() throws -> SyncSummary {
        // Another process may synchronise the device as well, but not at the same time.
        defer {
            uploader.release()
            downloader.release()
        }
        try prepare()
        return SyncSummary(sent: try upload(), received: try download())
    }

    /// Checks that the hub is the one that the device knows, and moves both consumers to the positions that were saved
    /// with the data. The positions of the consumers are behind if the last session was interrupted, and wrong if a
    /// store was restored from a backup.
    private func prepare() throws {
        let context = deviceContext()
        let state = try context.deviceState() ?? DeviceState(hubIdentifier: hubIdentifier)
        if state.modelContext == nil { context.insert(state) }
        guard state.hubIdentifier == hubIdentifier || state.hubIdentifier.isEmpty else {
            throw SyncError(
                "the device was synchronised with another hub; call forgetHub() to send all its models to this one")
        }
        let isFirst = state.hubIdentifier == hubIdentifier && state.hubToken == nil
        state.hubIdentifier = hubIdentifier
        try context.save()
        // A device that was restored as well receives the hub's state first.
        let sent = try ModelContext(hub).progress(of: deviceName) == nil || sentToken(ModelContext(hub)) != nil
        if sent, try hubIsRestored(state) { try restoreHub(state) }
        if !state.isRebuilding {
            try downloader.move(to: DefaultHistoryToken(state.hubToken).map { .token($0) } ?? .snapshot, in: hub)
        }
        let beginning = DefaultHistoryToken(storeIdentifier: device.stores[0].identifier, position: 0)
        if try ModelContext(hub).progress(of: deviceName) == nil {
            if isFirst { try saveOnHub(beginning) { _ in } }
        } else if try sentToken(ModelContext(hub)) == nil {
            // The device was restored. It receives what it lost, and thereby the last of its positions that the hub
            // contains. It sends what follows.
            if state.isRebuilding { try downloader.seek(to: .snapshot) }
            _ = try download()
            let included = try DefaultHistoryToken(ModelContext(device).deviceState()?.includedToken)
            try saveOnHub(included ?? beginning) { _ in }
        }
        // A hub that lost the device, or that is not the device's first one, receives all models in one transaction.
        try uploader.move(to: sentToken(ModelContext(hub)).map { .token($0) } ?? .snapshot, in: device)
    }

    /// Makes the device ready for another hub, which then receives all models of the device.
    public func forgetHub() throws {
        let context = deviceContext()
        guard let state = try context.deviceState() else { return }
        state.hubIdentifier = ""
        (state.hubToken, state.includedToken, state.isRebuilding) = (nil, nil, false)
        try context.save()
    }

    func deviceContext() -> ModelContext {
        let context = ModelContext(device)
        context.author = Self.author
        // Nothing but the records has unique values that could be replaced.
        context.mergePolicy = .error
        return context
    }

    func hubContext() -> ModelContext {
        let context = ModelContext(hub)
        context.author = deviceName
        context.mergePolicy = .error
        return context
    }

    /// Saves a context, unless another writer has changed what the context read: inserted a model with the same unique
    /// value, or deleted a model. PostgreSQL also ends one of two saves that wait for each other.
    ///
    /// - Parameter attempt: The number of the attempt, from 1 on. The error is thrown if it occurs again and again,
    ///   because it then has another cause.
    /// - Returns: Whether the context was saved.
    func save(_ context: ModelContext, attempt: Int) throws -> Bool {
        do {
            try context.save()
            return true
        } catch let error as SwiftDataError where attempt < 20 {
            switch error {
            case .uniquenessViolation, .modelNotFound, .modelValidationFailure: return false
            case .storeBusy where attempt < 5: return false
            default: throw error
            }
        }
    }
}

extension HistoryConsumer<DefaultHistoryTransaction> {
    /// Moves the consumer, unless it is at the position.
    fileprivate func move(to start: HistoryStart<DefaultHistoryToken>, in container: ModelContainer) throws {
        let status = try container.historyConsumers().first { $0.name == name }
        // Moving is a commit.
        if case .token(let token) = start, status?.position == token { return }
        try seek(to: start)
    }
}

/// What a call of ``SyncSession/synchronize()`` did.
public struct SyncSummary: Equatable, Sendable {
    /// The number of transactions of the device that the hub received.
    public let sent: Int
    /// The number of transactions of the hub that the device received.
    public let received: Int
}

/// A moment of a synchronisation.
enum SyncStep: CaseIterable {
    case beforeHubSave
    case afterHubSave
    case beforeDeviceSave
    case afterDeviceSave
}
