import Foundation
import SwiftData

// Sends changes of several classes to a server: what the history says is turned into rows, whose columns the classes name.

public protocol Syncable: PersistentModel {
    static var table: String { get }
    static var identity: KeyPath<Self, UUID> & Sendable { get }
    static var columns: [PartialKeyPath<Self>: String] { get }
}

@Model
public final class Task {
    @Attribute(.preserveValueOnDeletion) public var syncID: UUID
    public var title: String
    public var due: Date?
    public var list: TaskList?

    public init(title: String, due: Date? = nil) {
        syncID = UUID()
        self.title = title
        self.due = due
    }
}

@Model
public final class TaskList {
    @Attribute(.preserveValueOnDeletion) public var syncID: UUID
    public var name: String
    @Relationship(deleteRule: .cascade, inverse: \Task.list) public var tasks: [Task] = []

    public init(name: String) {
        syncID = UUID()
        self.name = name
    }
}

extension Task: Syncable {
    public static var table: String { "tasks" }
    public static var identity: KeyPath<Task, UUID> & Sendable { \.syncID }
    public static var columns: [PartialKeyPath<Task>: String] {
        [\.title: "title", \.due: "due_at", \.list: "list_id"]
    }
}

extension TaskList: Syncable {
    public static var table: String { "lists" }
    public static var identity: KeyPath<TaskList, UUID> & Sendable { \.syncID }
    public static var columns: [PartialKeyPath<TaskList>: String] { [\.name: "name"] }
}

public struct Row: Equatable, Sendable {
    public enum Operation: Sendable { case insert, update, delete }

    public var operation: Operation
    public var table: String
    public var id: UUID
    public var columns: Set<String> = []

    public init(operation: Operation, table: String, id: UUID, columns: Set<String> = []) {
        self.operation = operation
        self.table = table
        self.id = id
        self.columns = columns
    }
}

/// The position of the outbox, which is kept between launches.
public struct Cursor: Codable, Sendable {
    fileprivate var token: Data?
    fileprivate var since: Date

    public init(since: Date = .distantPast) { self.since = since }
}

public struct ChangeOutbox {
    public static let serverAuthor = "server"

    private let container: ModelContainer
    public var limit = 100

    public init(container: ModelContainer) { self.container = container }

    /// Returns the rows of the next transactions, and moves the cursor.
    public func next(_ cursor: inout Cursor) throws -> [Row] {
        let context = ModelContext(container)
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(sortBy: [SortDescriptor(\.transactionIdentifier)])
        if let data = cursor.token {
            let token = try PropertyListDecoder().decode(DefaultHistoryToken.self, from: data)
            descriptor.predicate = #Predicate { $0.token > token }
        } else {
            let since = cursor.since
            descriptor.predicate = #Predicate { $0.timestamp > since }
        }
        descriptor.fetchLimit = UInt64(limit)
        let transactions = try context.fetchHistory(descriptor)
        if let newest = transactions.map(\.token).max() { cursor.token = try PropertyListEncoder().encode(newest) }

        var rows: [Row] = []
        for transaction in transactions where transaction.author != Self.serverAuthor {
            for change in transaction.changes {
                switch change.changedPersistentIdentifier.entityName {
                case Schema.entityName(for: Task.self): try append(change, Task.self, context, &rows)
                case Schema.entityName(for: TaskList.self): try append(change, TaskList.self, context, &rows)
                default: continue
                }
            }
        }
        return rows
    }

    public func newestToken() throws -> DefaultHistoryToken? {
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
            sortBy: [SortDescriptor(\.transactionIdentifier, order: .reverse)])
        descriptor.fetchLimit = 1
        return try ModelContext(container).fetchHistory(descriptor).first?.token
    }

    private func append<T: Syncable>(
        _ change: HistoryChange, _ type: T.Type, _ context: ModelContext, _ rows: inout [Row]
    ) throws {
        func model() throws -> T? {
            let identifier = change.changedPersistentIdentifier
            return try context.fetch(
                FetchDescriptor<T>(predicate: #Predicate { $0.persistentModelID == identifier })
            ).first
        }
        switch change {
        case .insert(let insert):
            guard insert is DefaultHistoryInsert<T>, let id = try model()?[keyPath: T.identity] else { return }
            rows.append(Row(operation: .insert, table: T.table, id: id))
        case .update(let update):
            guard let update = update as? DefaultHistoryUpdate<T>, let id = try model()?[keyPath: T.identity] else {
                return
            }
            let names = update.updatedAttributes.compactMap { T.columns[$0 as PartialKeyPath<T>] }
            guard !names.isEmpty else { return }
            rows.append(Row(operation: .update, table: T.table, id: id, columns: Set(names)))
        case .delete(let delete):
            guard let id = (delete as? DefaultHistoryDelete<T>)?.tombstone[T.identity] as? UUID else { return }
            rows.append(Row(operation: .delete, table: T.table, id: id))
        @unknown default:
            return
        }
    }
}

/// Identifiers of models in files, links and settings.
extension PersistentIdentifier {
    public init(link: String) throws {
        guard let data = Data(base64Encoded: link) else { throw CocoaError(.coderInvalidValue) }
        self = try JSONDecoder().decode(PersistentIdentifier.self, from: data)
    }

    public var link: String {
        get throws { try JSONEncoder().encode(self).base64EncodedString() }
    }

    public var propertyList: Data {
        get throws { try PropertyListEncoder().encode(self) }
    }

    public static func fromPropertyList(_ data: Data) throws -> Self {
        try PropertyListDecoder().decode(PersistentIdentifier.self, from: data)
    }

    /// A text for a log, the same for the same model.
    public var logText: String { String(describing: self) }
}

/// What a program keeps of models in its settings.
public struct Settings: Codable, Equatable, Sendable {
    public var unread: [PersistentIdentifier] = []
    public var positions: [PersistentIdentifier: Double] = [:]
    public var selection: PersistentIdentifier?

    public init() {}
}
