import Foundation
import SwiftData

// A store with a history of its kind: its own tokens, transactions and changes.

@Model
public final class Entry {
    public var text: String

    public init(text: String) { self.text = text }
}

public struct LogToken: HistoryToken {
    public typealias TokenType = Int

    public var tokenValue: Int?

    public init(tokenValue: Int?) { self.tokenValue = tokenValue }

    public var id: Int { tokenValue ?? 0 }

    public static func < (lhs: LogToken, rhs: LogToken) -> Bool { lhs.id < rhs.id }
}

public struct LogInsert<Model: PersistentModel>: HistoryInsert {
    public let changeIdentifier: Int
    public let changedPersistentIdentifier: PersistentIdentifier
    public let transactionIdentifier: Int
}

public struct LogUpdate<Model: PersistentModel>: HistoryUpdate {
    public let changeIdentifier: Int
    public let changedPersistentIdentifier: PersistentIdentifier
    public let transactionIdentifier: Int
    public let updatedAttributes: [any PartialKeyPath<Model> & Sendable]
}

public struct LogTransaction: HistoryTransaction {
    public typealias TokenType = LogToken
    public typealias TransactionIdentifier = Int

    public var author: String?
    public var changes: [HistoryChange]
    public var storeIdentifier: String
    public var timestamp: Date
    public var token: LogToken
    public var transactionIdentifier: Int

    public var id: Int { transactionIdentifier }
}

public struct LogStoreConfiguration: DataStoreConfiguration {
    public typealias Store = LogStore

    public var name: String
    public var schema: Schema?

    public init(name: String, schema: Schema? = nil) {
        self.name = name
        self.schema = schema
    }

    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.name == rhs.name }

    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

public final class LogStore: DataStore, HistoryProviding {
    public typealias Configuration = LogStoreConfiguration
    public typealias Snapshot = DefaultSnapshot
    public typealias HistoryType = LogTransaction

    public let configuration: LogStoreConfiguration
    public let schema: Schema
    public let identifier: String
    private var snapshots: [PersistentIdentifier: DefaultSnapshot] = [:]
    private var log: [LogTransaction] = []
    private var count = 0

    public init(_ configuration: LogStoreConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        self.configuration = configuration
        schema = configuration.schema!
        identifier = configuration.name
    }

    public func fetch<T>(
        _ request: DataStoreFetchRequest<T>
    ) throws -> DataStoreFetchResult<T, DefaultSnapshot> where T: PersistentModel {
        if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
        if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
        return .init(descriptor: request.descriptor, fetchedSnapshots: Array(snapshots.values), relatedSnapshots: [:])
    }

    public func save(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        count += 1
        var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
        var changes: [HistoryChange] = []
        for snapshot in request.inserted {
            let permanent = try PersistentIdentifier.identifier(
                for: identifier, entityName: snapshot.persistentIdentifier.entityName, primaryKey: UUID())
            remapped[snapshot.persistentIdentifier] = permanent
            snapshots[permanent] = snapshot.copy(persistentIdentifier: permanent)
            changes.append(
                .insert(
                    LogInsert<Entry>(
                        changeIdentifier: changes.count, changedPersistentIdentifier: permanent,
                        transactionIdentifier: count)))
        }
        for snapshot in request.updated {
            snapshots[snapshot.persistentIdentifier] = snapshot
            changes.append(
                .update(
                    LogUpdate<Entry>(
                        changeIdentifier: changes.count, changedPersistentIdentifier: snapshot.persistentIdentifier,
                        transactionIdentifier: count, updatedAttributes: [\.text])))
        }
        for snapshot in request.deleted { snapshots[snapshot.persistentIdentifier] = nil }
        log.append(
            LogTransaction(
                author: request.editingState.author, changes: changes, storeIdentifier: identifier, timestamp: .now,
                token: LogToken(tokenValue: count), transactionIdentifier: count))
        return .init(for: identifier, remappedIdentifiers: remapped)
    }

    public func fetchHistory(_ descriptor: HistoryDescriptor<LogTransaction>) throws -> [LogTransaction] {
        let found = try log.filter { try descriptor.predicate?.evaluate($0) ?? true }
        return descriptor.fetchLimit == 0 ? found : Array(found.prefix(Int(descriptor.fetchLimit)))
    }

    public func deleteHistory(_ descriptor: HistoryDescriptor<LogTransaction>) throws {
        log = try log.filter { try !(descriptor.predicate?.evaluate($0) ?? true) }
    }
}
