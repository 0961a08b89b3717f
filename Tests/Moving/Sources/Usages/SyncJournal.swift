import Foundation
import SwiftData

// Synchronization with a server: local changes are sent, and those of the server have an author.

@Model
public final class Member {
    @Attribute(.unique, .preserveValueOnDeletion) public var serverID: UUID?
    public var name: String { willSet { updated = Date() } }
    public var updated = Date.distantPast
    @Relationship(deleteRule: .cascade, inverse: \Badge.member) public var badges: [Badge]? = []

    public init(name: String, serverID: UUID? = nil) {
        self.name = name
        self.serverID = serverID
    }
}

@Model
public final class Badge {
    @Attribute(.preserveValueOnDeletion) public var serverID: UUID?
    public var title: String = ""
    public var member: Member?

    public init(title: String, serverID: UUID? = nil) {
        self.title = title
        self.serverID = serverID
    }
}

public enum SyncJournal {
    public static let inboundAuthor = "server"

    public static func apply(_ names: [UUID: String], in container: ModelContainer) throws {
        let context = ModelContext(container)
        context.author = inboundAuthor
        for (id, name) in names {
            let wanted: UUID? = id
            var descriptor = FetchDescriptor<Member>(predicate: #Predicate { $0.serverID == wanted })
            descriptor.fetchLimit = 1
            descriptor.propertiesToFetch = [\.serverID, \.name]
            if let known = try context.fetch(descriptor).first {
                known.name = name
            } else {
                context.insert(Member(name: name, serverID: id))
            }
        }
        if context.hasChanges { try context.save() }
    }

    public static func localTransactions(
        since token: DefaultHistoryToken?, in context: ModelContext
    ) throws -> [DefaultHistoryTransaction] {
        let inbound = inboundAuthor
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
        if let token {
            descriptor.predicate = #Predicate {
                $0.token > token && ($0.author == nil || $0.author != inbound)
            }
        } else {
            descriptor.predicate = #Predicate { $0.author == nil || $0.author != inbound }
        }
        return try context.fetchHistory(descriptor)
    }

    public static func trimInbound(through token: DefaultHistoryToken, in context: ModelContext) throws {
        let inbound = inboundAuthor
        try context.deleteHistory(
            HistoryDescriptor<DefaultHistoryTransaction>(
                predicate: #Predicate { $0.token <= token && $0.author == inbound }))
    }

    public static func newestToken(in context: ModelContext) throws -> DefaultHistoryToken? {
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
        descriptor.sortBy = [.init(\.transactionIdentifier, order: .reverse)]
        descriptor.fetchLimit = 1
        return try context.fetchHistory(descriptor).last?.token
    }

    public static func transactions(
        after date: Date, changing types: [any PersistentModel.Type], in context: ModelContext
    ) throws -> [DefaultHistoryTransaction] {
        let names = types.map { Schema.entityName(for: $0) }
        return try context.fetchHistory(
            HistoryDescriptor<DefaultHistoryTransaction>(
                predicate: #Predicate { transaction in
                    transaction.timestamp > date
                        && transaction.changes.contains { change in
                            names.contains(change.changedPersistentIdentifier.entityName)
                        }
                }))
    }

    /// The preserved identifiers of deleted models of one class.
    public static func deleted<T: PersistentModel>(
        _: T.Type, _ keyPath: KeyPath<T, UUID?>, in context: ModelContext
    ) throws -> [UUID] {
        var found: [UUID] = []
        for transaction in try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()) {
            for change in transaction.changes {
                if case .delete(let anyDelete) = change, let delete = anyDelete as? DefaultHistoryDelete<T>,
                    let id = delete.tombstone[keyPath] as? UUID
                {
                    found.append(id)
                }
            }
        }
        return found
    }
}

/// What a program does with the files of its stores.
public enum StoreFiles {
    public static func clean(_ context: ModelContext) throws -> [URL] {
        try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        return context.container.configurations.map(\.url).filter { url in
            url.isFileURL && url.path(percentEncoded: false) != "/dev/null"
                && FileManager.default.fileExists(atPath: url.path(percentEncoded: false))
        }
    }

    public static func isRelevant(_ notification: Notification) -> Bool {
        guard notification.name == ModelContext.didSave, let info = notification.userInfo else { return true }
        let keys: [ModelContext.NotificationKey] = [.insertedIdentifiers, .updatedIdentifiers, .deletedIdentifiers]
        let identifiers = keys.compactMap { info[$0.rawValue] as? [PersistentIdentifier] }.joined()
        return identifiers.isEmpty || identifiers.contains { $0.entityName == Schema.entityName(for: Member.self) }
    }
}

@ModelActor
public actor MemberStore {
    /// Renames, deletes and counts members in one pass.
    public func tidy() throws -> Int {
        var kept = 0
        try modelContext.transaction {
            try modelContext.enumerate(FetchDescriptor<Member>(), batchSize: 2, allowEscapingMutations: true) {
                member in
                if member.name.isEmpty {
                    modelContext.delete(member)
                } else {
                    member.name = member.name.capitalized
                    kept += 1
                }
            }
        }
        return kept
    }

    public func name(of identifier: PersistentIdentifier) -> String? {
        self[identifier, as: Member.self]?.name
    }

    public func upsert(_ names: [String]) throws -> [PersistentIdentifier] {
        let members = names.map { Member(name: $0, serverID: UUID()) }
        members.forEach(modelContext.insert)
        try modelContext.save()
        return members.map(\.persistentModelID)
    }
}
