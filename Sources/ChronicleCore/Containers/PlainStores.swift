import Synchronization

/// The stores of a container that use only declarations of SwiftData, and what contexts do for them.
///
/// Such a store keeps whole snapshots, and cannot know of links or of ``DataStoreCapabilities/inheritance``. A context adds the
/// links to the snapshots, and fetches each class of a hierarchy separately.
final class PlainStores: Sendable {
    /// The stores that keep links in the rows of their owners.
    private let keepingLists: Set<ObjectIdentifier>
    /// The stores whose fetches return the rows of one class.
    private let separatingKinds: Set<ObjectIdentifier>
    /// The relationships that were read again after a save; see ``ModelContext/requireKept(_:_:)``.
    private let checked = Mutex<Set<Checked>>([])

    private struct Checked: Hashable {
        let property: ObjectIdentifier
        let store: ObjectIdentifier

        init(_ property: Schema.Property, _ store: any DataStore) {
            (self.property, self.store) = (ObjectIdentifier(property), ObjectIdentifier(store))
        }
    }

    let isEmpty: Bool

    init(_ stores: [any DataStore], _ schema: Schema) {
        let plain = stores.filter { store in Self.isPlain(type(of: store)) }.map { ObjectIdentifier($0) }
        let hasSubclasses = schema.entities.contains { $0.superentityName != nil }
        keepingLists = schema.links.isEmpty ? [] : Set(plain)
        separatingKinds = hasSubclasses ? Set(plain) : []
        isEmpty = keepingLists.isEmpty && separatingKinds.isEmpty
    }

    /// Whether a store has no feature of Chronicle. Other stores may keep rows in another form than snapshots, so they must conform
    /// to ``DataStoreLinking`` and declare ``DataStoreCapabilities/inheritance`` themselves.
    static func isPlain(_ store: any DataStore.Type) -> Bool {
        store.capabilities.isEmpty
            && !(store is any DataStoreLinking.Type || store is any DataStoreConsuming.Type
                || store is any DataStoreNotifying.Type || store is any HistoryPaging.Type
                || store is any HistoryRetaining.Type || store is any HistoryTagging.Type)
    }

    func keepsLists(_ store: any DataStore) -> Bool { !isEmpty && keepingLists.contains(ObjectIdentifier(store)) }

    func separatesKinds(_ store: any DataStore) -> Bool {
        !isEmpty && separatingKinds.contains(ObjectIdentifier(store))
    }

    func unchecked(_ properties: [Schema.Property], in store: any DataStore) -> [Schema.Property] {
        checked.withLock { checked in properties.filter { !checked.contains(Checked($0, store)) } }
    }

    func didCheck(_ properties: [Schema.Property], in store: any DataStore) {
        checked.withLock { $0.formUnion(properties.map { Checked($0, store) }) }
    }
}
