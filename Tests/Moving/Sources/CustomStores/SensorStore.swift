import Foundation
import SwiftData

// A store for one class, whose snapshots have a property for each of the model, and nothing but the requirements.

@Model
public final class Sensor {
    public var id: UUID
    public var x: Double
    public var label: String?
    public var measured: Date

    public init(x: Double, label: String? = nil) {
        id = UUID()
        self.x = x
        self.label = label
        measured = .now
    }
}

public struct SensorSnapshot: DataStoreSnapshot {
    public let persistentIdentifier: PersistentIdentifier
    public var id: UUID
    public var x: Double
    public var label: String?
    public var measured: Date

    public init(
        from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
    ) {
        self.init(backingData as! any BackingData<Sensor>)
    }

    private init(_ data: any BackingData<Sensor>) {
        persistentIdentifier = data.persistentModelID!
        id = data.getValue(forKey: \.id)
        x = data.getValue(forKey: \.x)
        label = data.getValue(forKey: \.label)
        measured = data.getValue(forKey: \.measured)
    }

    private init(_ other: SensorSnapshot, _ identifier: PersistentIdentifier) {
        persistentIdentifier = identifier
        (id, x, label, measured) = (other.id, other.x, other.label, other.measured)
    }

    public func copy(
        persistentIdentifier: PersistentIdentifier,
        remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]? = nil
    ) -> SensorSnapshot {
        SensorSnapshot(self, persistentIdentifier)
    }
}

public struct SensorStoreConfiguration: DataStoreConfiguration {
    public typealias Store = SensorStore

    public var name: String
    public var schema: Schema?

    public init(name: String, schema: Schema? = nil) {
        self.name = name
        self.schema = schema
    }

    public static func == (lhs: SensorStoreConfiguration, rhs: SensorStoreConfiguration) -> Bool {
        lhs.name == rhs.name
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

public final class SensorStore: DataStore {
    public typealias Configuration = SensorStoreConfiguration
    public typealias Snapshot = SensorSnapshot

    public let configuration: SensorStoreConfiguration
    public let schema: Schema
    public let identifier: String
    private var sensors: [PersistentIdentifier: SensorSnapshot] = [:]

    public init(_ configuration: SensorStoreConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        self.configuration = configuration
        schema = configuration.schema!
        identifier = configuration.name
    }

    public func fetch<T: PersistentModel>(
        _ request: DataStoreFetchRequest<T>
    ) throws -> DataStoreFetchResult<T, SensorSnapshot> {
        if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
        if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
        return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: Array(sensors.values))
    }

    public func save(
        _ request: DataStoreSaveChangesRequest<SensorSnapshot>
    ) throws -> DataStoreSaveChangesResult<SensorSnapshot> {
        var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
        for snapshot in request.inserted {
            let identifier = try PersistentIdentifier.identifier(
                for: identifier, entityName: snapshot.persistentIdentifier.entityName, primaryKey: snapshot.id)
            remapped[snapshot.persistentIdentifier] = identifier
            sensors[identifier] = snapshot.copy(persistentIdentifier: identifier)
        }
        for snapshot in request.updated { sensors[snapshot.persistentIdentifier] = snapshot }
        for snapshot in request.deleted { sensors[snapshot.persistentIdentifier] = nil }
        return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped, snapshotsToReregister: [:])
    }
}
