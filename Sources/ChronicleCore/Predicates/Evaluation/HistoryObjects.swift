import Foundation

/// The properties of transactions and of their changes in memory.
struct HistoryObjects: EvaluatedObjects {
    enum Object {
        case transaction(DefaultHistoryTransaction)
        case change(HistoryChange)
        case identifier(PersistentIdentifier)
    }

    func value(of property: HistoryProperty, in object: Object) throws -> EvaluatedValue<Object> {
        switch object {
        case .transaction(let transaction): value(of: property, in: transaction)
        case .change(let change): value(of: property, in: change.changedPersistentIdentifier)
        case .identifier(let identifier): value(of: property, in: identifier)
        }
    }

    private func value(
        of property: HistoryProperty, in transaction: DefaultHistoryTransaction
    ) -> EvaluatedValue<Object> {
        func text(_ text: String?) -> EvaluatedValue<Object> { .value(text.map { .text($0) } ?? .null) }
        return switch property {
        case .author: text(transaction.author)
        case .contextName: text(transaction.contextName)
        case .metadata(let key): text(transaction.metadata[key])
        case .bundleIdentifier: text(transaction.bundleIdentifier)
        case .processIdentifier: text(transaction.processIdentifier)
        case .storeIdentifier: text(transaction.storeIdentifier)
        case .timestamp: .value(.real(transaction.timestamp.timeIntervalSinceReferenceDate))
        case .token: .foreign(transaction.token)
        case .transactionIdentifier: .value(.integer(Int64(transaction.transactionIdentifier)))
        case .isExternal: .value(.integer(transaction.isExternal ? 1 : 0))
        case .changes, .changedPersistentIdentifier, .changedEntityName, .changedStoreIdentifier: .value(.null)
        }
    }

    private func value(
        of property: HistoryProperty, in identifier: PersistentIdentifier
    ) -> EvaluatedValue<Object> {
        switch property {
        case .changedPersistentIdentifier: .object(.identifier(identifier))
        case .changedEntityName: .value(.text(identifier.entityName))
        case .changedStoreIdentifier: .value(identifier.storeIdentifier.map { .text($0) } ?? .null)
        default: .value(.null)
        }
    }

    func value(of members: ArraySlice<HistoryProperty>, in value: PropertyValue) throws -> PropertyValue { .null }

    func elements(of property: HistoryProperty, in object: Object) throws -> [EvaluatedValue<Object>] {
        guard property == .changes, case .transaction(let transaction) = object else { return [] }
        return transaction.changes.map { .object(.change($0)) }
    }

    func elements(of property: HistoryProperty, in value: PropertyValue) throws -> [PropertyValue] { [] }

    func identifier(of object: Object) -> PropertyValue {
        switch object {
        case .transaction: .null
        case .change(let change): .reference(change.changedPersistentIdentifier)
        case .identifier(let identifier): .reference(identifier)
        }
    }
}
