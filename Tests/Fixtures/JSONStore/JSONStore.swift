import Foundation
import SwiftData

// A store that uses only declarations of SwiftData, in Swift 5 mode: code that was written for SwiftData must compile.

/// The configuration of a store that saves its models in a JSON file.
public final class JSONStoreConfiguration: DataStoreConfiguration {
    public typealias Store = JSONStore

    public var name: String
    public var schema: Schema?
    public var fileURL: URL

    public init(name: String, schema: Schema? = nil, fileURL: URL) {
        self.name = name
        self.schema = schema
        self.fileURL = fileURL
    }

    public static func == (lhs: JSONStoreConfiguration, rhs: JSONStoreConfiguration) -> Bool {
        lhs.name == rhs.name && lhs.fileURL == rhs.fileURL
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
    }
}

/// A store that reads the whole file for a fetch, and writes the whole file for a save.
public final class JSONStore: DataStore {
    public typealias Configuration = JSONStoreConfiguration
    public typealias Snapshot = DefaultSnapshot

    public var configuration: JSONStoreConfiguration
    public var schema: Schema
    public var identifier: String
    private let lock = NSLock()
    private var lastKey = 0

    public init(
        _ configuration: JSONStoreConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?
    ) throws {
        self.configuration = configuration
        schema = configuration.schema!
        identifier = configuration.fileURL.lastPathComponent
    }

    public func fetch<T>(
        _ request: DataStoreFetchRequest<T>
    ) throws -> DataStoreFetchResult<T, DefaultSnapshot> where T: PersistentModel {
        if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
        if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
        let snapshots = try lock.withLock(read)
        let name = Schema.entityName(for: T.self)
        let all = snapshots.values.filter { $0.persistentIdentifier.entityName == name }
            .sorted { $0.persistentIdentifier < $1.persistentIdentifier }
            .dropFirst(max(request.descriptor.fetchOffset ?? 0, 0))
            .prefix(max(request.descriptor.fetchLimit ?? .max, 0))
        return DataStoreFetchResult(
            descriptor: request.descriptor, fetchedSnapshots: Array(all), relatedSnapshots: snapshots)
    }

    public func save(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        lock.lock()
        defer { lock.unlock() }
        var snapshots = try read()
        var remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:]
        // Increasing keys preserve the insertion order, and the timestamp prevents their reuse.
        let first = max(lastKey + 1, Int(Date().timeIntervalSinceReferenceDate * 1_000_000))
        lastKey = first + request.inserted.count
        for (index, snapshot) in request.inserted.enumerated() {
            remappedIdentifiers[snapshot.persistentIdentifier] = try .identifier(
                for: identifier, entityName: snapshot.persistentIdentifier.entityName, primaryKey: first + index)
        }
        for snapshot in request.inserted {
            let identifier = remappedIdentifiers[snapshot.persistentIdentifier]!
            snapshots[identifier] = snapshot.copy(
                persistentIdentifier: identifier, remappedIdentifiers: remappedIdentifiers)
        }
        for snapshot in request.updated {
            guard snapshots[snapshot.persistentIdentifier] != nil else { throw SwiftDataError.modelNotFound }
            snapshots[snapshot.persistentIdentifier] = snapshot.copy(
                persistentIdentifier: snapshot.persistentIdentifier, remappedIdentifiers: remappedIdentifiers)
        }
        for snapshot in request.deleted { snapshots[snapshot.persistentIdentifier] = nil }
        let data = try JSONEncoder().encode(Array(snapshots.values))
        try data.write(to: configuration.fileURL, options: .atomic)
        return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remappedIdentifiers)
    }

    public func erase() throws {
        try lock.withLock { try Data("[]".utf8).write(to: configuration.fileURL, options: .atomic) }
    }

    private func read() throws -> [PersistentIdentifier: DefaultSnapshot] {
        guard FileManager.default.fileExists(atPath: configuration.fileURL.path) else { return [:] }
        let snapshots = try JSONDecoder().decode(
            [DefaultSnapshot].self, from: Data(contentsOf: configuration.fileURL))
        return Dictionary(uniqueKeysWithValues: snapshots.map { ($0.persistentIdentifier, $0) })
    }
}
