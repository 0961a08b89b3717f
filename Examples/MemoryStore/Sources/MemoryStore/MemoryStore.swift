import Chronicle
import Foundation
import Synchronization

/// The smallest complete store, which keeps models in memory. Copy it to start your own.
///
/// ```swift
/// let container = try ModelContainer(for: Trip.self, configurations: MemoryStoreConfiguration())
/// ```
///
/// The store does not filter or sort; it leaves that to the context. It does what only a store can do: saving all changes
/// or none, assigning each new model a permanent identifier that is never reused, and writing only the changed values of
/// a changed model.
///
/// It has no foreign keys: if a context deletes a model while another one saves a reference to it, the reference has no
/// destination, and reads as `nil`.
public final class MemoryStore: DataStore {
    public typealias Snapshot = DefaultSnapshot

    public let configuration: MemoryStoreConfiguration
    public let schema: Schema
    public var identifier: String { configuration.memory.identifier }

    public init(_ configuration: MemoryStoreConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        let schema = try configuration.validatedSchema()
        self.configuration = configuration
        self.schema = schema
        try configuration.memory.change { try $0.createTables(schema) }
    }

    // MARK: Fetching

    /// Returns rows in the order of their keys: all, or those of a lookup. The context filters and sorts them.
    public func fetch<Model>(
        _ request: DataStoreFetchRequest<Model>
    ) throws -> DataStoreFetchResult<Model, DefaultSnapshot> {
        let descriptor = request.descriptor
        if descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
        if !descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }

        let table = try configuration.memory.contents.table(Model.entityName)
        let origin = PersistentIdentifier.Origin(storeIdentifier: identifier, entityName: Model.entityName)
        let keys: [Int64] =
            switch request.lookup {
            case .identifiers(let identifiers)?:
                identifiers.filter { origin.identifier($0.integerPrimaryKey ?? 0) == $0 }
                    .compactMap(\.integerPrimaryKey).sorted()
            case .references(let property, let identifiers)?:
                table.rows.filter { _, row in
                    if case .reference(let identifier) = row[property.slot] {
                        identifiers.contains(identifier)
                    } else {
                        false
                    }
                }.keys.sorted()
            case .values(let properties, let combinations)?:
                table.rows.filter { _, row in combinations.contains(properties.map { row[$0.slot] }) }.keys.sorted()
            case nil: table.rows.keys.sorted()
            }
        let page = keys.dropFirst(max(descriptor.fetchOffset ?? 0, 0)).prefix(max(descriptor.fetchLimit ?? .max, 0))
        return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: table.snapshots(page, origin))
    }

    // MARK: Saving

    /// Saves to a copy, which replaces the contents if the whole save succeeds.
    public func save(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        try configuration.memory.change { contents in
            var save = MemorySave(contents, schema, identifier)
            try save.write(request)
            contents = save.contents
            // Consumers: moves the position of a consumer. Remove this if your store does not keep consumers.
            if let acknowledgement = request.acknowledgement {
                try acknowledgement.apply(to: &contents.consumers[acknowledgement.consumerName])
            }
            // History: records the changes as a transaction. Remove this, and the token, if your store has no history.
            let token = contents.history.record(save.written, request.editingState, storeIdentifier: identifier)
            return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: save.permanent, historyToken: token)
        }
    }
}

extension MemoryStore {
    /// Deletes the rows and the history. The tables keep their last keys, so that no identifier is used twice.
    public func erase() throws {
        try configuration.memory.change { contents in
            for name in contents.tables.keys { contents.tables[name]?.rows = [:] }
            contents.links = []
            // History: remove this if your store has no history.
            contents.history.erase()
        }
    }
}

/// The memory in which a store keeps its models.
public struct MemoryStoreConfiguration: DataStoreConfiguration {
    public typealias Store = MemoryStore

    public var name: String
    public var schema: Schema?
    /// Two configurations with the same memory open the same store.
    public var memory: Memory

    public init(_ name: String = "memory", schema: Schema? = nil, memory: Memory = Memory()) {
        self.name = name
        self.schema = schema
        self.memory = memory
    }
}

/// The equivalent of a file: it outlives the store that opens it, and has an identifier.
public final class Memory: Sendable {
    public let identifier = UUID().uuidString
    private let state = Mutex(MemoryContents())

    public init() {}

    /// A consistent copy of the contents, for a reader.
    var contents: MemoryContents { state.withLock { $0 } }

    /// Runs writers one at a time. If `body` throws, the contents do not change.
    func change<Result: Sendable>(_ body: (inout MemoryContents) throws -> Result) throws -> Result {
        try state.withLock { state in
            var contents = state
            let result = try body(&contents)
            state = contents
            return result
        }
    }
}

extension Memory: Hashable {
    public static func == (lhs: Memory, rhs: Memory) -> Bool { lhs === rhs }

    public func hash(into hasher: inout Hasher) { hasher.combine(identifier) }
}

/// The rows of all entities. A value type, so that a copy is an unchanging snapshot.
struct MemoryContents: Sendable {
    struct Table: Sendable {
        /// The names of the columns.
        let properties: [String]
        /// The stored values by primary key.
        var rows: [Int64: [PropertyValue]] = [:]
        /// The highest key of any row, deleted or not: keys are never reused, because identifiers outlive their rows.
        var lastKey: Int64 = 0

        func snapshots(_ keys: some Sequence<Int64>, _ origin: PersistentIdentifier.Origin) -> [DefaultSnapshot] {
            keys.compactMap { key in
                rows[key].map {
                    DefaultSnapshot(persistentIdentifier: origin.identifier(key), values: $0, changed: PropertySet())
                }
            }
        }
    }

    var tables: [String: Table] = [:]
    /// Links: the pairs of models of all relationships that are not stored in a row.
    var links: Set<DataStoreLink> = []
    var history = MemoryHistory()
    /// Consumers: their records by name.
    var consumers: [String: HistoryConsumerRecord<DefaultHistoryToken>] = [:]
    /// Tags: the named positions of the history.
    var tags: [String: HistoryTag<DefaultHistoryToken>] = [:]

    /// Creates the tables of a schema. Rows do not contain property names, so a class with other properties would read
    /// wrong values and is rejected.
    mutating func createTables(_ schema: Schema) throws {
        for entity in schema.entities {
            let table = Table(properties: entity.storedProperties.map(\.name))
            let known = tables[entity.name, default: table]
            guard known.properties == table.properties else {
                throw DataStoreError.unsupportedFeature.with(detail: "a change of the class \(entity.name)")
            }
            tables[entity.name] = known
        }
    }

    func table(_ entityName: String) throws -> Table {
        guard let table = tables[entityName] else { throw SwiftDataError.unknownSchema.with(entityName: entityName) }
        return table
    }
}

/// One save, which changes a copy of the contents.
struct MemorySave {
    var contents: MemoryContents
    private(set) var permanent: [PersistentIdentifier: PersistentIdentifier] = [:]
    /// History: the changes, in order.
    var written: [MemoryChange] = []
    /// Links: the models whose links were added or removed, with the properties of these links.
    var linked: [PersistentIdentifier: Set<String>] = [:]
    let schema: Schema
    private let storeIdentifier: String

    init(_ contents: MemoryContents, _ schema: Schema, _ storeIdentifier: String) {
        self.contents = contents
        self.schema = schema
        self.storeIdentifier = storeIdentifier
    }

    mutating func write(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>) throws {
        // Assign keys first, because new models may reference each other in any order.
        for snapshot in request.inserted { try assignKey(snapshot.persistentIdentifier) }
        for snapshot in request.inserted { try insert(snapshot) }
        for snapshot in request.updated { try update(snapshot) }
        for snapshot in request.deleted { try delete(snapshot) }
        // Links. Remove this, and the file about links, if your store does not support them.
        try writeLinks(request)
        // Last, because the save may release unique values that it also uses.
        for name in Set((request.inserted + request.updated).map(\.persistentIdentifier.entityName)) {
            for properties in try entity(name).uniqueProperties { try checkUniqueness(properties, of: name) }
        }
    }

    private mutating func assignKey(_ identifier: PersistentIdentifier) throws {
        let name = identifier.entityName
        let key = try contents.table(name).lastKey + 1
        contents.tables[name]?.lastKey = key
        permanent[identifier] = try .identifier(for: storeIdentifier, entityName: name, primaryKey: key)
    }

    private mutating func insert(_ snapshot: DefaultSnapshot) throws {
        guard let identifier = permanent[snapshot.persistentIdentifier] else { return }
        let row = snapshot.copy(persistentIdentifier: identifier, remappedIdentifiers: permanent)
        try set(row.values, identifier)
        written.append(.insert(identifier))
    }

    private mutating func update(_ snapshot: DefaultSnapshot) throws {
        let identifier = snapshot.persistentIdentifier
        guard let old = try row(identifier) else {
            throw SwiftDataError.modelNotFound.with(persistentIdentifier: identifier)
        }
        let new = snapshot.copy(persistentIdentifier: identifier, remappedIdentifiers: permanent).values
        // Another context may have saved other properties of the same model in the meantime.
        let changed = snapshot.changed.filter { new[$0] != old[$0] }
        guard !changed.isEmpty else { return }
        var row = old
        for slot in changed { row[slot] = new[slot] }
        try set(row, identifier)
        let properties = try entity(identifier.entityName).storedProperties
        written.append(.update(identifier, names: changed.map { properties[$0].name }))
    }

    private mutating func delete(_ snapshot: DefaultSnapshot) throws {
        let identifier = snapshot.persistentIdentifier
        // Another writer has already deleted the row.
        guard let row = try row(identifier) else { return }
        try set(nil, identifier)
        removeLinks(of: identifier)
        let kept = try entity(identifier.entityName).preservedProperties.map { ($0.name, row[$0.slot]) }
        written.append(.delete(identifier, kept: kept))
    }

    // MARK: Parts

    private func entity(_ name: String) throws -> Schema.Entity {
        guard let entity = schema.entitiesByName[name] else {
            throw SwiftDataError.unknownSchema.with(entityName: name)
        }
        return entity
    }

    func row(_ identifier: PersistentIdentifier) throws -> [PropertyValue]? {
        try contents.table(identifier.entityName).rows[key(identifier)]
    }

    private mutating func set(_ row: [PropertyValue]?, _ identifier: PersistentIdentifier) throws {
        let key = try key(identifier)
        contents.tables[identifier.entityName]?.rows[key] = row
    }

    private func key(_ identifier: PersistentIdentifier) throws -> Int64 {
        guard let key = identifier.integerPrimaryKey, identifier.storeIdentifier == storeIdentifier else {
            throw SwiftDataError.modelNotFound.with(
                detail: "the model belongs to another store", persistentIdentifier: identifier)
        }
        return key
    }

    private func checkUniqueness(_ properties: [Schema.Property], of name: String) throws {
        var seen = Set<[PropertyValue]>()
        for row in try contents.table(name).rows.values {
            let values = properties.map { row[$0.slot] }
            // Null is not equal to null.
            if values.contains(where: \.isNull) || seen.insert(values).inserted { continue }
            throw SwiftDataError.uniquenessViolation.with(
                detail: properties.map(\.name).joined(separator: ", "), entityName: name)
        }
    }
}
