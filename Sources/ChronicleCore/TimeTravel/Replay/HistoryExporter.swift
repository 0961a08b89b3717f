import Foundation

/// Writes the history of a store as lines.
struct HistoryExporter<Store: DataStoreExporting> {
    typealias Token = DefaultHistoryToken

    let store: Store
    let end: Token?
    private let write: (Data) throws -> Void
    private let encoder: JSONEncoder
    private var checksum = HistoryExportChecksum()
    /// Only reads, to find out whether the values of the transactions are complete.
    private let isTrial: Bool

    private static var pageSize: Int { 1_000 }

    init(_ store: Store, through end: Token?, isTrial: Bool = false, _ write: @escaping (Data) throws -> Void) {
        self.store = store
        self.end = end
        self.write = write
        self.isTrial = isTrial
        encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    }

    /// Returns the position that the export reached.
    mutating func run(startingAt start: HistoryStart<Token>) throws -> Token {
        try checkEnd()
        switch start {
        case .beginning:
            let beginning = Token(storeIdentifier: store.identifier, position: 0)
            return try isComplete(after: beginning) ? changes(after: beginning) : snapshot()
        case .now:
            return try changes(
                after: store.currentHistoryToken() ?? Token(storeIdentifier: store.identifier, position: 0))
        case .snapshot: return try snapshot()
        case .token(let token): return try changes(after: token)
        }
    }

    /// The end of the export must be in the store's past. It may have been deleted.
    private func checkEnd() throws {
        guard let end else { return }
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>.after(end).complete
        descriptor.fetchLimit = 1
        do { _ = try store.fetchHistoryWithoutChanges(descriptor) } catch {
            guard let reason = HistoryResetReason(error), reason == .expired || reason == .gap else { throw error }
        }
    }

    private func isComplete(after token: Token) throws -> Bool {
        var trial = HistoryExporter(store, through: end, isTrial: true) { _ in }
        do {
            _ = try trial.transactions(after: token)
            return true
        } catch let error as SwiftDataError
            where SwiftDataError.historyTokenExpired ~= error || SwiftDataError.historyValueMissing ~= error
        {
            return false
        }
    }

    private mutating func changes(after token: Token) throws -> Token {
        try line(HistoryExportLine(header: .init(store, hasSnapshot: false)))
        let (reached, count) = try transactions(after: token)
        try line(HistoryExportLine(complete: .init(transactions: count)))
        return reached
    }

    private mutating func snapshot() throws -> Token {
        try line(HistoryExportLine(header: .init(store, hasSnapshot: true)))
        var count = 0
        let token = try store.exportRows { row in
            count += 1
            switch row {
            case .model(let snapshot): try line(HistoryExportLine(insert: model(snapshot)))
            case .link(let link): try line(HistoryExportLine(link: self.link(link)))
            }
        }
        guard end.map({ $0 >= token }) ?? true else {
            throw SwiftDataError.historyTokenExpired.with(
                detail:
                    "the export has to begin with the present models, which are later than the position at which it "
                    + "ends; export without an end")
        }
        try line(HistoryExportLine(end: .init(token: token, count: count, checksum: checksum.text)))
        let (reached, transactionCount) = try transactions(after: token)
        try line(HistoryExportLine(complete: .init(transactions: transactionCount)))
        return reached
    }

    private mutating func line(_ line: HistoryExportLine) throws {
        if isTrial { return }
        var data = JSONEscaping.escaped(try encoder.encode(line))
        data.append(UInt8(ascii: "\n"))
        checksum.add(data)
        try write(data)
    }

    // MARK: Transactions

    private mutating func transactions(after start: Token) throws -> (Token, count: Int) {
        var (token, count) = (start, 0)
        while true {
            if ReadCancellation.isCancelled { throw CancellationError() }
            var descriptor = HistoryDescriptor<DefaultHistoryTransaction>.after(token).complete
            descriptor.fetchLimit = UInt64(Self.pageSize)
            let page = try store.fetchHistoryWithoutChanges(descriptor)
            for transaction in page {
                if let end, transaction.token > end { return (token, count) }
                try write(transaction, after: token)
                (token, count) = (transaction.token, count + 1)
            }
            if page.count < Self.pageSize { return (token, count) }
        }
    }

    private mutating func write(_ transaction: DefaultHistoryTransaction, after token: Token) throws {
        func nonempty(_ text: String) -> String? { text.isEmpty ? nil : text }
        try line(
            HistoryExportLine(
                begin: .init(
                    after: token, token: transaction.token,
                    timestamp: transaction.timestamp.timeIntervalSinceReferenceDate, author: transaction.author,
                    contextName: transaction.contextName,
                    metadata: transaction.metadata.isEmpty ? nil : transaction.metadata,
                    program: nonempty(transaction.bundleIdentifier),
                    process: nonempty(transaction.processIdentifier))))
        var request = HistoryChangesRequest(transaction, after: token, limit: Self.pageSize)
        request.returnsStoredValues = true
        var count = 0
        while true {
            let page = try store.fetchHistoryChanges(request)
            for change in page {
                guard let line = try self.line(of: change) else { continue }
                count += 1
                try self.line(line)
            }
            guard page.count == request.limit else { break }
            request.lastChange = page.last
        }
        try line(HistoryExportLine(end: .init(token: transaction.token, count: count, checksum: checksum.text)))
    }

    // MARK: Models and changes

    private func model(_ snapshot: Store.Snapshot) throws -> HistoryExportLine.Change {
        let identifier = snapshot.persistentIdentifier
        guard let entity = store.schema.entitiesByName[identifier.entityName] else {
            throw SwiftDataError.invalidStoreResponse.with(
                detail: "the store returned a model of an entity that its schema does not contain",
                entityName: identifier.entityName)
        }
        var values: [String: StoredValue] = [:]
        for (property, value) in zip(entity.storedProperties, try snapshot.row(in: store.schema)) {
            values[property.name] = try stored(value, property, identifier)
        }
        return try change(nil, identifier, values: values)
    }

    private func link(_ link: DataStoreLink) throws -> HistoryExportLine.Link {
        HistoryExportLine.Link(name: link.name, owner: try key(link.owner), destination: try key(link.destination))
    }

    /// Returns `nil` if the schema no longer contains the entity.
    private func line(of change: HistoryChange) throws -> HistoryExportLine? {
        let identifier = change.changedPersistentIdentifier
        guard let entity = store.schema.entitiesByName[identifier.entityName] else { return nil }
        let preserved = change.preservedValues
        switch change {
        case .insert:
            let line = try self.change(
                change, identifier, values: try values(preserved, \.value, entity, identifier),
                added: try destinations(preserved, \.value, entity))
            try require(entity.storedProperties.map(\.name), in: line, identifier)
            return HistoryExportLine(insert: line)
        case .update(let update):
            let line = try self.change(
                change, identifier, old: try values(preserved, \.previousValue, entity, identifier),
                values: try values(preserved, \.value, entity, identifier),
                removed: try destinations(preserved, \.previousValue, entity),
                added: try destinations(preserved, \.value, entity))
            // The names can include those of properties that were removed from the schema.
            let names = update.updatedAttributeNames.filter { entity.propertiesByName[$0] != nil }
            try require(names, in: line, identifier)
            return HistoryExportLine(update: line)
        case .delete:
            let old = try values(preserved, \.previousValue, entity, identifier)
            // If the row is inserted again in the same transaction, it does not have the links.
            let removed = try destinations(preserved, \.previousValue, entity)
            return HistoryExportLine(delete: try self.change(change, identifier, old: old, removed: removed))
        }
    }

    private func change(
        _ change: HistoryChange?, _ identifier: PersistentIdentifier, old: [String: StoredValue] = [:],
        values: [String: StoredValue] = [:],
        removed: [String: [Int64]] = [:], added: [String: [Int64]] = [:]
    ) throws -> HistoryExportLine.Change {
        HistoryExportLine.Change(
            change: change?.integerChangeIdentifier,
            entity: identifier.entityName, key: try key(identifier), old: old.isEmpty ? nil : old,
            values: values.isEmpty ? nil : values, removed: removed.isEmpty ? nil : removed,
            added: added.isEmpty ? nil : added)
    }

    private func require(
        _ names: [String], in change: HistoryExportLine.Change, _ identifier: PersistentIdentifier
    ) throws {
        for name in names
        where change.values?[name] == nil && change.added?[name] == nil && change.removed?[name] == nil {
            throw SwiftDataError.historyValueMissing.with(
                detail: "the history does not preserve the value after the change; begin the export with a snapshot",
                entityName: identifier.entityName, propertyName: name, persistentIdentifier: identifier)
        }
    }

    private func values(
        _ preserved: [PreservedValue], _ side: KeyPath<PreservedValue, (any Sendable)?>, _ entity: Schema.Entity,
        _ identifier: PersistentIdentifier
    ) throws -> [String: StoredValue] {
        var values: [String: StoredValue] = [:]
        for value in preserved {
            guard let property = entity.propertiesByName[value.name], property.slot >= 0 else { continue }
            values[value.name] = try stored(value[keyPath: side] as? PropertyValue ?? .null, property, identifier)
        }
        return values
    }

    private func destinations(
        _ preserved: [PreservedValue], _ side: KeyPath<PreservedValue, (any Sendable)?>, _ entity: Schema.Entity
    ) throws -> [String: [Int64]] {
        var destinations: [String: [Int64]] = [:]
        for value in preserved where entity.propertiesByName[value.name]?.relationship?.isLinked == true {
            guard case .reference(let identifier)? = value[keyPath: side] as? PropertyValue else { continue }
            destinations[value.name, default: []].append(try key(identifier))
        }
        return destinations
    }

    private func stored(
        _ value: PropertyValue, _ property: Schema.Property, _ identifier: PersistentIdentifier
    ) throws -> StoredValue {
        guard let stored = StoredValue(value) else {
            throw SwiftDataError.unsupportedFeature.with(
                detail: "an export supports only references to models with integer primary keys",
                entityName: identifier.entityName, propertyName: property.name, persistentIdentifier: identifier)
        }
        return stored
    }

    private func key(_ identifier: PersistentIdentifier) throws -> Int64 {
        guard let key = identifier.integerPrimaryKey else {
            throw SwiftDataError.unsupportedFeature.with(
                detail: "an export supports only models with integer primary keys", entityName: identifier.entityName,
                persistentIdentifier: identifier)
        }
        return key
    }
}
