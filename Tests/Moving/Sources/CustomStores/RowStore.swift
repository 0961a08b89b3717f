import Foundation
import SwiftData

// A store that counts, limits and lists identifiers itself, reads values of snapshots through their encoding, and can fail.

@Model
public final class Sample {
    public var number: Int
    public var label: String

    public init(number: Int, label: String) {
        self.number = number
        self.label = label
    }
}

public struct SampleSnapshot: DataStoreSnapshot {
    public let persistentIdentifier: PersistentIdentifier
    private var number: Int
    private var label: String

    public init(
        from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
    ) {
        let data = backingData as! any BackingData<Sample>
        self.init(data.persistentModelID!, data.getValue(forKey: \.number), data.getValue(forKey: \.label))
    }

    private init(_ identifier: PersistentIdentifier, _ number: Int, _ label: String) {
        persistentIdentifier = identifier
        self.number = number
        self.label = label
    }

    public func copy(
        persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
    ) -> SampleSnapshot {
        SampleSnapshot(persistentIdentifier, number, label)
    }
}

public final class RowStoreConfiguration: DataStoreConfiguration {
    public typealias Store = RowStore

    public enum Failure: Error { case offline }

    public let name: String
    public var schema: Schema?
    /// Whether the store cannot be reached.
    public var isOffline = false
    public var requests: [String] = []

    public init(name: String, schema: Schema? = nil) {
        self.name = name
        self.schema = schema
    }

    public func validate() throws {
        if name.isEmpty { throw Failure.offline }
    }

    public static func == (lhs: RowStoreConfiguration, rhs: RowStoreConfiguration) -> Bool { lhs === rhs }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    fileprivate func begin(_ request: String) throws {
        if isOffline { throw Failure.offline }
        requests.append(request)
    }
}

public final class RowStore: DataStore {
    public typealias Configuration = RowStoreConfiguration
    public typealias Snapshot = SampleSnapshot

    private struct Row: Decodable {
        var number: Int
    }

    public let configuration: RowStoreConfiguration
    public let schema: Schema
    public let identifier: String
    private var snapshots: [PersistentIdentifier: SampleSnapshot] = [:]
    private var numbers: [PersistentIdentifier: Int] = [:]

    public init(_ configuration: RowStoreConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        self.configuration = configuration
        schema = configuration.schema!
        identifier = "rows:\(configuration.name)"
    }

    public func fetch<T>(
        _ request: DataStoreFetchRequest<T>
    ) throws -> DataStoreFetchResult<T, SampleSnapshot> where T: PersistentModel {
        try configuration.begin("fetch")
        if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
        if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
        let rows = snapshots.values
            .sorted { numbers[$0.persistentIdentifier]! < numbers[$1.persistentIdentifier]! }
            .dropFirst(request.descriptor.fetchOffset ?? 0)
            .prefix(request.descriptor.fetchLimit ?? .max)
        return DataStoreFetchResult(
            descriptor: request.descriptor, fetchedSnapshots: Array(rows), relatedSnapshots: snapshots)
    }

    public func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel {
        try configuration.begin("count")
        if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
        return snapshots.count
    }

    public func fetchIdentifiers<T>(
        _ request: DataStoreFetchRequest<T>
    ) throws -> [PersistentIdentifier] where T: PersistentModel {
        try configuration.begin("identifiers")
        return try fetch(request).fetchedSnapshots.map(\.persistentIdentifier)
    }

    public func save(
        _ request: DataStoreSaveChangesRequest<SampleSnapshot>
    ) throws -> DataStoreSaveChangesResult<SampleSnapshot> {
        try configuration.begin("save by \(request.editingState.author ?? "nobody")")
        var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
        var registered: [PersistentIdentifier: SampleSnapshot] = [:]
        for snapshot in request.inserted {
            let permanent = try PersistentIdentifier.identifier(
                for: identifier, entityName: snapshot.persistentIdentifier.entityName, primaryKey: UUID().uuidString)
            remapped[snapshot.persistentIdentifier] = permanent
            registered[permanent] = snapshot.copy(persistentIdentifier: permanent, remappedIdentifiers: remapped)
        }
        for snapshot in request.updated { registered[snapshot.persistentIdentifier] = snapshot }
        for (identifier, snapshot) in registered {
            snapshots[identifier] = snapshot
            numbers[identifier] = try JSONDecoder().decode(Row.self, from: JSONEncoder().encode(snapshot)).number
        }
        for snapshot in request.deleted { snapshots[snapshot.persistentIdentifier] = nil }
        return DataStoreSaveChangesResult(
            for: identifier, remappedIdentifiers: remapped, snapshotsToReregister: registered)
    }

    public func erase() throws { snapshots = [:] }
}
