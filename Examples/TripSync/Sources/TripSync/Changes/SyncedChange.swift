import Chronicle
import Foundation

/// A change of the history, with UUIDs in place of identifiers.
struct SyncedChange {
    enum Kind {
        case insert
        case update
        case delete
    }

    struct Value {
        let name: String
        /// The value before an update.
        let previous: SyncedValue
        let value: SyncedValue
    }

    let entityName: String
    let uuid: UUID
    let kind: Kind
    /// The synchronised properties that an insert set, or that an update changed; empty for a delete.
    let values: [Value]
}

/// A property of a model, in all stores.
struct PropertyKey: Hashable {
    let uuid: UUID
    let name: String

    var text: String { "\(uuid) \(name)" }
}

/// Converts the changes of a store's history.
struct ChangeReader {
    private let context: ModelContext
    private var uuids: [PersistentIdentifier: UUID] = [:]

    /// - Parameter context: A context of the store whose history is read.
    init(_ context: ModelContext) { self.context = context }

    /// Returns the changes of synchronised models in a transaction, in order.
    ///
    /// - Throws: ``SyncError`` if the history does not preserve a value.
    mutating func changes(_ changes: [HistoryChange]) throws -> [SyncedChange] {
        // Before the references to them are converted.
        for case .insert(let insert) in changes {
            if let uuid = insert.preservedValues.uuid { uuids[insert.changedPersistentIdentifier] = uuid }
        }
        return try changes.compactMap { try self.change($0) }
    }

    private mutating func change(_ change: HistoryChange) throws -> SyncedChange? {
        let identifier = change.changedPersistentIdentifier
        guard let model = SyncedSchema.model(named: identifier.entityName) else { return nil }
        guard let uuid = try change.preservedValues.uuid ?? uuid(of: identifier) else {
            throw SyncError(
                "the history does not contain the UUID of \(identifier.entityName) \(identifier); "
                    + "create the store with preservesValues: true")
        }
        let names = model.syncedNames
        let values: [SyncedChange.Value]
        let kind: SyncedChange.Kind
        switch change {
        case .insert(let insert): (kind, values) = (.insert, try self.values(insert.preservedValues, names))
        case .update(let update):
            kind = .update
            values = try self.values(update.preservedValues, names)
            // Identifiers and links of other properties are not synchronised.
            let missing = Set(update.updatedAttributeNames).intersection(names).subtracting(values.map(\.name))
            guard missing.isEmpty else {
                throw SyncError(
                    "the history does not contain the value of \(identifier.entityName).\(missing.sorted()[0]): "
                        + "it exceeds 65,536 bytes, or the store was created without preservesValues")
            }
            if values.isEmpty { return nil }
        case .delete: (kind, values) = (.delete, [])
        }
        return SyncedChange(entityName: identifier.entityName, uuid: uuid, kind: kind, values: values)
    }

    private mutating func values(_ values: [PreservedValue], _ names: Set<String>) throws -> [SyncedChange.Value] {
        try values.filter { names.contains($0.name) }.map {
            SyncedChange.Value(
                name: $0.name, previous: try syncedValue($0.previousValue, of: $0.name),
                value: try syncedValue($0.value, of: $0.name))
        }
    }

    private mutating func syncedValue(_ value: (any Sendable)?, of name: String) throws -> SyncedValue {
        switch value {
        case nil: return .none
        // A reference to a model that was deleted has no meaning in another store.
        case let identifier as PersistentIdentifier: return try uuid(of: identifier).map(SyncedValue.model) ?? .none
        case let value as any SyncableValue: return value.synced
        case let value as UndecodableValue: throw value.error
        case let value?: throw SyncError("\(name) is of the type \(type(of: value)), which cannot be synchronised")
        }
    }

    /// Returns the UUID of a model that exists, or that was deleted since.
    mutating func uuid(of identifier: PersistentIdentifier) throws -> UUID? {
        if let known = uuids[identifier] { return known }
        guard let model = SyncedSchema.model(named: identifier.entityName) else { return nil }
        let found = try context.uuid(of: identifier, model) ?? uuidOfDeleted(identifier)
        uuids[identifier] = found
        return found
    }

    private func uuidOfDeleted(_ identifier: PersistentIdentifier) throws -> UUID? {
        try context.history(of: identifier, order: .reverse).lazy.compactMap(\.change.preservedValues.uuid).first
    }
}

extension ModelContext {
    fileprivate func uuid<Model: SyncedModel>(of identifier: PersistentIdentifier, _ type: Model.Type) throws -> UUID? {
        try fetch(FetchDescriptor<Model>(predicate: #Predicate { $0.persistentModelID == identifier })).first?.uuid
    }
}

extension [PreservedValue] {
    fileprivate var uuid: UUID? {
        first { $0.name == "uuid" }.flatMap { $0.value as? UUID ?? $0.previousValue as? UUID }
    }
}

extension SyncedModel {
    fileprivate static var syncedNames: Set<String> { Set(syncedProperties.map(\.name)) }
}
