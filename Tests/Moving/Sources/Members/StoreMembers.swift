import Foundation
import SwiftData

func dataStore<Store: DataStore>(_ type: Store.Type, _ configuration: Store.Configuration) throws {
    use((any DataStore).self)  //= DataStore
    use(Store.Configuration.self)  //= DataStore.Configuration
    use(Store.Snapshot.self)  //= DataStore.Snapshot
    let store: Store = try Store(configuration, migrationPlan: nil)  //= DataStore.init(_:migrationPlan:)
    use(store.configuration)  //= DataStore.configuration
    use(store.identifier)  //= DataStore.identifier
    use(store.schema)  //= DataStore.schema
}

func requests<Store: DataStore>(
    _ store: Store, _ fetch: DataStoreFetchRequest<Trip>, _ save: DataStoreSaveChangesRequest<Store.Snapshot>,
    state: EditingState
) throws {
    let result: DataStoreFetchResult<Trip, Store.Snapshot> = try store.fetch(fetch)  //= DataStore.fetch(_:)
    use(result)
    use(try store.fetchCount(fetch))  //= DataStore.fetchCount(_:)
    let identifiers: [PersistentIdentifier] = try store.fetchIdentifiers(fetch)  //= DataStore.fetchIdentifiers(_:)
    use(identifiers)
    let saved: DataStoreSaveChangesResult<Store.Snapshot> = try store.save(save)  //= DataStore.save(_:)
    use(saved)
    try store.erase()  //= DataStore.erase()
    store.initializeState(for: state)  //= DataStore.initializeState(for:)
    store.invalidateState(for: state)  //= DataStore.invalidateState(for:)
    //= DataStore.cachedSnapshots(for:editingState:)
    let cached: [PersistentIdentifier: Store.Snapshot] = try store.cachedSnapshots(
        for: identifiers, editingState: state)
    use(cached)
}

func configuration<Configuration: DataStoreConfiguration>(_ configuration: Configuration) throws {
    use((any DataStoreConfiguration).self)  //= DataStoreConfiguration
    use(Configuration.Store.self)  //= DataStoreConfiguration.Store
    let name: String = configuration.name  //= DataStoreConfiguration.name
    use(name)
    let schema: Schema? = configuration.schema  //= DataStoreConfiguration.schema
    use(schema)
    try configuration.validate()  //= DataStoreConfiguration.validate()
}

func batching(_ store: any DataStoreBatching, _ request: DataStoreBatchDeleteRequest<Trip>) throws {
    use((any DataStoreBatching).self)  //= DataStoreBatching
    try store.delete(request)  //= DataStoreBatching.delete(_:)
    use(DataStoreBatchDeleteRequest<Trip>.self)  //= DataStoreBatchDeleteRequest
    use(request.editingState)  //= DataStoreBatchDeleteRequest.editingState
    use(request.includeSubclasses)  //= DataStoreBatchDeleteRequest.includeSubclasses
    let predicate: Predicate<Trip>? = request.predicate  //= DataStoreBatchDeleteRequest.predicate
    use(predicate)
}

func fetchRequest(_ request: DataStoreFetchRequest<Trip>, snapshots: [DefaultSnapshot]) {
    use(DataStoreFetchRequest<Trip>.self)  //= DataStoreFetchRequest
    let descriptor: FetchDescriptor<Trip> = request.descriptor  //= DataStoreFetchRequest.descriptor
    use(request.editingState)  //= DataStoreFetchRequest.editingState
    //= DataStoreFetchResult.init(descriptor:fetchedSnapshots:relatedSnapshots:)
    let result = DataStoreFetchResult(descriptor: descriptor, fetchedSnapshots: snapshots, relatedSnapshots: [:])
    use(DataStoreFetchResult<Trip, DefaultSnapshot>.self)  //= DataStoreFetchResult
    use(result.descriptor)  //= DataStoreFetchResult.descriptor
    use(result.fetchedSnapshots)  //= DataStoreFetchResult.fetchedSnapshots
    let related: [PersistentIdentifier: DefaultSnapshot] = result.relatedSnapshots
    use(related)  //= DataStoreFetchResult.relatedSnapshots
}

func saveRequest(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>, token: DefaultHistoryToken) {
    use(DataStoreSaveChangesRequest<DefaultSnapshot>.self)  //= DataStoreSaveChangesRequest
    use(request.editingState)  //= DataStoreSaveChangesRequest.editingState
    let inserted: [DefaultSnapshot] = request.inserted  //= DataStoreSaveChangesRequest.inserted
    use(inserted)
    let updated: [DefaultSnapshot] = request.updated  //= DataStoreSaveChangesRequest.updated
    use(updated)
    let deleted: [DefaultSnapshot] = request.deleted  //= DataStoreSaveChangesRequest.deleted
    use(deleted)
    //= DataStoreSaveChangesResult.init(for:remappedIdentifiers:snapshotsToReregister:)
    let result = DataStoreSaveChangesResult<DefaultSnapshot>(
        for: "store", remappedIdentifiers: [:], snapshotsToReregister: [:])
    //= DataStoreSaveChangesResult.init(for:remappedIdentifiers:snapshotsToReregister:historyToken:)
    let withToken = DataStoreSaveChangesResult<DefaultSnapshot>(
        for: "store", remappedIdentifiers: [:], snapshotsToReregister: [:], historyToken: token)
    use(withToken)
    use(DataStoreSaveChangesResult<DefaultSnapshot>.self)  //= DataStoreSaveChangesResult
    use(result.storeIdentifier)  //= DataStoreSaveChangesResult.storeIdentifier
    //= DataStoreSaveChangesResult.remappedIdentifiers
    let identifiers: [PersistentIdentifier: PersistentIdentifier] = result.remappedIdentifiers
    use(identifiers)
    //= DataStoreSaveChangesResult.snapshotsToReregister
    let snapshots: [PersistentIdentifier: DefaultSnapshot] = result.snapshotsToReregister
    use(snapshots)
    use(result.historyToken)  //= DataStoreSaveChangesResult.historyToken
}

func snapshot<Snapshot: DataStoreSnapshot>(_ snapshot: Snapshot, trip: Trip) throws {
    use((any DataStoreSnapshot).self)  //= DataStoreSnapshot
    use(snapshot.persistentIdentifier)  //= DataStoreSnapshot.persistentIdentifier
    var related: [PersistentIdentifier: any BackingData] = [:]
    //= DataStoreSnapshot.init(from:relatedBackingDatas:)
    use(try Snapshot(from: trip.persistentBackingData, relatedBackingDatas: &related))
    //= DataStoreSnapshot.copy(persistentIdentifier:remappedIdentifiers:)
    use(snapshot.copy(persistentIdentifier: trip.persistentModelID, remappedIdentifiers: nil))
    let value: any DataStoreSnapshotValue = 1  //= DataStoreSnapshotValue
    use(value)
}

func defaultSnapshot(_ snapshot: DefaultSnapshot, trip: Trip, _ encoder: any Encoder, _ decoder: any Decoder) throws {
    use(DefaultSnapshot.self)  //= DefaultSnapshot
    use(snapshot.persistentIdentifier)  //= DefaultSnapshot.persistentIdentifier
    var related: [PersistentIdentifier: any BackingData] = [:]
    //= DefaultSnapshot.init(from:relatedBackingDatas:)
    use(try DefaultSnapshot(from: trip.persistentBackingData, relatedBackingDatas: &related))
    //= DefaultSnapshot.copy(persistentIdentifier:remappedIdentifiers:)
    use(snapshot.copy(persistentIdentifier: trip.persistentModelID, remappedIdentifiers: [:]))
    try snapshot.encode(to: encoder)  //= DefaultSnapshot.encode(to:)
    use(try DefaultSnapshot(from: decoder))  //= DefaultSnapshot.init(from:)
}

func codingKey() {
    use(DataStoreSnapshotCodingKey.self)  //= DataStoreSnapshotCodingKey
    var key = DataStoreSnapshotCodingKey.persistentIdentifier  //= DataStoreSnapshotCodingKey.persistentIdentifier
    key = .modeledProperty("name")  //= DataStoreSnapshotCodingKey.modeledProperty(_:)
    use(DataStoreSnapshotCodingKey(stringValue: "name"))  //= DataStoreSnapshotCodingKey.init(stringValue:)
    use(DataStoreSnapshotCodingKey(intValue: 1))  //= DataStoreSnapshotCodingKey.init(intValue:)
    use(key.stringValue)  //= DataStoreSnapshotCodingKey.stringValue
    use(key.intValue)  //= DataStoreSnapshotCodingKey.intValue
    use(key.description)  //= DataStoreSnapshotCodingKey.description
    use(key.debugDescription)  //= DataStoreSnapshotCodingKey.debugDescription
}

func editingState(_ state: EditingState) {
    use(EditingState.self)  //= EditingState
    let id: EditingState.ID = state.id  //= EditingState.ID
    use(id)
    use(state.id)  //= EditingState.id
    let author: String? = state.author  //= EditingState.author
    use(author)
}

func defaultStore(
    _ configuration: ModelConfiguration, _ fetch: DataStoreFetchRequest<Trip>,
    _ save: DataStoreSaveChangesRequest<DefaultSnapshot>, _ batch: DataStoreBatchDeleteRequest<Trip>,
    state: EditingState
) throws {
    let store = try DefaultStore(configuration, migrationPlan: nil)  //= DefaultStore.init(_:migrationPlan:)
    use(DefaultStore.self)  //= DefaultStore
    use(DefaultStore.Configuration.self)  //= DefaultStore.Configuration
    use(store.configuration)  //= DefaultStore.configuration
    use(DefaultStore.Snapshot.self)  //= DefaultStore.Snapshot
    use(store.name)  //= DefaultStore.name
    use(DefaultStore.TokenType.self)  //= DefaultStore.TokenType
    use(store.identifier)  //= DefaultStore.identifier
    use(store.schema)  //= DefaultStore.schema
    use(try store.fetch(fetch))  //= DefaultStore.fetch(_:)
    use(try store.fetchCount(fetch))  //= DefaultStore.fetchCount(_:)
    use(try store.fetchIdentifiers(fetch))  //= DefaultStore.fetchIdentifiers(_:)
    use(try store.save(save))  //= DefaultStore.save(_:)
    try store.erase()  //= DefaultStore.erase()
    try store.delete(batch)  //= DefaultStore.delete(_:)
    store.initializeState(for: state)  //= DefaultStore.initializeState(for:)
    store.invalidateState(for: state)  //= DefaultStore.invalidateState(for:)
    use(try store.cachedSnapshots(for: [], editingState: state))  //= DefaultStore.cachedSnapshots(for:editingState:)
    let descriptor = HistoryDescriptor<DefaultStore.HistoryType>()  //= DefaultStore.HistoryType
    use(DefaultStore.historyType)  //= DefaultStore.historyType
    use(try store.fetchHistory(descriptor))  //= DefaultStore.fetchHistory(_:)
    try store.deleteHistory(descriptor)  //= DefaultStore.deleteHistory(_:)
}
