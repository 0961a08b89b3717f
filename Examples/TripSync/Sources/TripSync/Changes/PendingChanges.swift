import Chronicle
import Foundation

/// The changes of a device that the hub does not include at a position.
struct PendingChanges {
    private struct Transaction {
        let token: DefaultHistoryToken
        let changes: [SyncedChange]
    }

    private var transactions: [Transaction] = []
    private var counts: [PropertyKey: Int] = [:]
    private var reader: ChangeReader
    private var position: DefaultHistoryToken?
    /// Whether the history does not contain all changes after the position that the hub includes.
    private(set) var isUnknown = false

    init(after position: DefaultHistoryToken?, _ context: ModelContext) {
        reader = ChangeReader(context)
        self.position = position
    }

    /// Adds what was committed on the device since the last time.
    mutating func update(_ context: ModelContext) throws {
        if isUnknown { return }
        do {
            var descriptor = position.map { HistoryDescriptor.after($0) } ?? HistoryDescriptor()
            descriptor.requiresCompleteHistory = true
            for transaction in try context.fetchHistory(descriptor) {
                position = transaction.token
                guard transaction.author != SyncSession.author else { continue }
                let changes = try reader.changes(transaction.changes)
                transactions.append(Transaction(token: transaction.token, changes: changes))
                changes.flatMap(\.keys).forEach { counts[$0, default: 0] += 1 }
            }
        } catch SwiftDataError.historyTokenExpired {
            self = PendingChanges(after: nil, context)
            isUnknown = true
        }
    }

    /// Removes the transactions up to a position, and returns their last values of properties that are not pending any
    /// more.
    mutating func remove(through token: DefaultHistoryToken) -> [PropertyKey: (entityName: String, value: SyncedValue)]
    {
        let included = transactions.prefix { $0.token <= token }
        transactions.removeFirst(included.count)
        var values: [PropertyKey: (entityName: String, value: SyncedValue)] = [:]
        for change in included.lazy.flatMap(\.changes) {
            for key in change.keys { counts[key] = counts[key].flatMap { $0 > 1 ? $0 - 1 : nil } }
            for value in change.values {
                values[PropertyKey(uuid: change.uuid, name: value.name)] = (change.entityName, value.value)
            }
        }
        return values.filter { counts[$0.key] == nil }
    }

    /// The properties that the device changed.
    var changedProperties: [PropertyKey] {
        counts.keys.filter { ![SyncedChange.insertion, SyncedChange.deletion].contains($0.name) }
    }

    /// Whether the device changed the property.
    func contains(_ uuid: UUID, _ name: String) -> Bool { counts[PropertyKey(uuid: uuid, name: name)] != nil }

    /// Whether the device inserted the model.
    func containsInsert(of uuid: UUID) -> Bool { counts[PropertyKey(uuid: uuid, name: SyncedChange.insertion)] != nil }

    /// Whether the device deleted the model.
    func containsDelete(of uuid: UUID) -> Bool { counts[PropertyKey(uuid: uuid, name: SyncedChange.deletion)] != nil }
}

extension SyncedChange {
    /// Names in place of a property's, for the model as a whole.
    fileprivate static let insertion = "+"
    fileprivate static let deletion = "-"

    fileprivate var keys: [PropertyKey] {
        let names =
            switch kind {
            case .insert: [Self.insertion]
            case .update: [] as [String]
            case .delete: [Self.deletion]
            }
        return (names + values.map(\.name)).map { PropertyKey(uuid: uuid, name: $0) }
    }
}
