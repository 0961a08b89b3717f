import Chronicle
import Foundation

// From the hub to the device.
extension SyncSession {
    func download() throws -> Int {
        var count = 0
        var pending = try pendingChanges()
        var reader = ChangeReader(ModelContext(hub))
        while let batch = try downloader.nextBatch(limit: 500) {
            switch batch.content {
            case .changes(let transactions):
                try completeRebuild(&pending)
                for transaction in transactions {
                    if try receive(transaction.token, transaction.changes, &reader, &pending) { count += 1 }
                }
            case .largeTransaction(let transaction):
                try completeRebuild(&pending)
                if try receive(transaction.token, batch.changes, &reader, &pending) { count += 1 }
            case .reset(let reason):
                try beginRebuild(reason)
                pending = try pendingChanges()
            case .snapshot(let identifiers):
                try receive(identifiers, batch.token, &pending)
                count += 1
            }
            try downloader.acknowledge(batch)
        }
        try completeRebuild(&pending)
        return count
    }

    /// Returns the changes of the device that its state of the hub does not include.
    private func pendingChanges() throws -> PendingChanges {
        let context = ModelContext(device)
        var pending = PendingChanges(after: try DefaultHistoryToken(context.deviceState()?.includedToken), context)
        try pending.update(context)
        return pending
    }

    /// Applies a transaction of the hub to the device.
    ///
    /// - Returns: Whether the device did not contain it.
    private func receive(
        _ token: DefaultHistoryToken, _ changes: [HistoryChange], _ reader: inout ChangeReader,
        _ pending: inout PendingChanges
    ) throws -> Bool {
        let changes = (all: changes, synced: try reader.changes(changes))
        for attempt in 1... {
            let context = deviceContext()
            guard let state = try context.deviceState() else { return false }
            if let known = try DefaultHistoryToken(state.hubToken), known >= token { return false }
            try pending.update(ModelContext(device))
            let writer = DeviceWriter(context)
            // The transaction may be one of the device itself. The properties in it that the device has not changed
            // again receive the hub's values: those of the changes below, or that of a conflict. If the hub had the
            // value already, the transaction contains neither.
            var stillPending = pending
            if let included = try includedToken(in: changes.all, after: DefaultHistoryToken(state.includedToken)) {
                state.includedToken = try included.encoded()
                for (key, last) in stillPending.remove(through: included) {
                    try writer.set(key.name, of: last.entityName, key.uuid, last.value)
                }
            }
            try writer.apply(changes.synced, except: stillPending)
            for result in try conflictResults(in: changes.all) where !stillPending.contains(result.uuid, result.name) {
                try writer.set(result.name, of: result.entityName, result.uuid, result.value)
            }
            state.hubToken = try token.encoded()
            try checkpoint(.beforeDeviceSave)
            guard try save(context, attempt: attempt) else { continue }
            pending = stillPending
            try checkpoint(.afterDeviceSave)
            return true
        }
        return false
    }

    /// Returns the position of the device that a transaction of the hub contains.
    ///
    /// If the device was restored from a backup, the hub also contains positions that are not part of its history, and
    /// earlier ones to which the hub returned.
    private func includedToken(
        in changes: [HistoryChange], after known: DefaultHistoryToken?
    ) throws -> DefaultHistoryToken? {
        guard let token = try progressToken(in: changes), known.map({ $0 < token }) != false,
            try deviceHistoryContains(token)
        else { return nil }
        return token
    }

    /// Returns the position of this device that a transaction of the hub sets.
    private func progressToken(in changes: [HistoryChange]) throws -> DefaultHistoryToken? {
        for change in changes {
            switch change {
            case .insert(let insert as DefaultHistoryInsert<DeviceProgress>):
                guard insert.value(\.device) == deviceName else { continue }
                return try DefaultHistoryToken(insert.value(\.token))
            case .update(let update as DefaultHistoryUpdate<DeviceProgress>):
                let context = ModelContext(hub)
                let identifier = update.changedPersistentIdentifier
                let progress = try context.fetch(
                    FetchDescriptor<DeviceProgress>(predicate: #Predicate { $0.persistentModelID == identifier }))
                guard progress.first?.device == deviceName else { continue }
                return try DefaultHistoryToken(update.value(\.token))
            default: continue
            }
        }
        return nil
    }

    private struct ConflictResult {
        let entityName: String
        let uuid: UUID
        let name: String
        let value: SyncedValue
    }

    /// Returns the results of the conflicts of this device that a transaction contains.
    private func conflictResults(in changes: [HistoryChange]) throws -> [ConflictResult] {
        try changes.compactMap { change in
            guard case .insert(let insert as DefaultHistoryInsert<ConflictRecord>) = change,
                insert.value(\.device) == deviceName, let entityName = insert.value(\.entityName),
                let uuid = insert.value(\.uuid), case let name?? = insert.value(\.propertyName),
                case let data?? = insert.value(\.resultData)
            else { return nil }
            let value = try JSONDecoder().decode(SyncedValue.self, from: data)
            return ConflictResult(entityName: entityName, uuid: uuid, name: name, value: value)
        }
    }

    // MARK: Snapshots

    /// Begins to read all models of the hub, because the device does not know its changes.
    private func beginRebuild(_ reason: HistoryResetReason) throws {
        let context = deviceContext()
        guard let state = try context.deviceState() else { return }
        state.isRebuilding = true
        state.hubToken = nil
        // The models are read afterwards, so they include at least this position.
        let sent = try sentToken(ModelContext(hub))
        let isRestored = try sent == nil && ModelContext(hub).progress(of: deviceName) != nil
        // For a device that was restored, the hub still contains what it contained before, unless it was restored, too.
        if !isRestored || [.ahead, .forked].contains(reason) { state.includedToken = try sent?.encoded() }
        try context.save()
    }

    /// Replaces models of the device with those of the hub, except for what the device changed.
    private func receive(
        _ identifiers: [PersistentIdentifier], _ token: DefaultHistoryToken?, _ pending: inout PendingChanges
    ) throws {
        for attempt in 1... {
            let context = deviceContext()
            guard let state = try context.deviceState() else { return }
            try pending.update(ModelContext(device))
            let writer = DeviceWriter(context)
            let hub = ModelContext(hub)
            for model in SyncedSchema.models {
                let identifiers = identifiers.filter { $0.entityName == model.entityName }
                if !identifiers.isEmpty { try writer.replace(model, identifiers, hub, except: pending) }
            }
            state.hubToken = try token?.encoded()
            try checkpoint(.beforeDeviceSave)
            guard try save(context, attempt: attempt) else { continue }
            return try checkpoint(.afterDeviceSave)
        }
    }

    /// Deletes the models that the hub does not contain, after all its models were read.
    private func completeRebuild(_ pending: inout PendingChanges) throws {
        for attempt in 1... {
            let context = deviceContext()
            guard let state = try context.deviceState(), state.isRebuilding else { return }
            for model in SyncedSchema.models { try deleteMissing(model, context, &pending) }
            state.isRebuilding = false
            if try save(context, attempt: attempt) { return }
        }
    }

    private func deleteMissing<Model: SyncedModel>(
        _ type: Model.Type, _ context: ModelContext, _ pending: inout PendingChanges
    ) throws {
        let known = Set(try ModelContext(hub).fetch(FetchDescriptor<Model>()).map(\.uuid))
        let missing = try context.fetch(FetchDescriptor<Model>()).filter { !known.contains($0.uuid) }
        // Afterwards, so that the changes include the insert of every model that was fetched.
        try pending.update(ModelContext(device))
        // Without knowledge of its own changes, the device keeps all its models and sends them.
        for model in missing where !pending.isUnknown && !pending.containsInsert(of: model.uuid) {
            model.detachDependents(except: [])
            context.delete(model)
        }
    }
}
