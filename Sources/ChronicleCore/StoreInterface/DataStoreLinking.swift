/// A store that supports relationships without a column, by storing links: pairs of models, separate from their rows.
///
/// A to-many relationship is stored as links if its inverse is to-many as well, or if it has no inverse; see ``Schema/links``. A
/// container rejects a schema with such relationships for a store that does not conform to this protocol, unless the store uses
/// only declarations of SwiftData: no capabilities, and no optional protocols other than ``DataStoreBatching`` and
/// ``HistoryProviding``. A context then adds the destinations to the snapshots of their owners (``DataStoreRowSnapshot/values``),
/// reads them again before a save, and fetches all owners to find those of a destination. If two processes change the list of one
/// owner at the same time, the later save wins.
///
/// A conforming store must meet these requirements:
///
/// - Write ``DataStoreSaveChangesRequest/linked`` and ``DataStoreSaveChangesRequest/unlinked`` in the same transaction as the rest
///   of the save. Ignore an inserted link that already exists and a deleted link that does not exist, because another context may
///   have made the same change.
/// - Both ends of a link must be existing rows. If the store checks references, a save of a link to a missing row throws
///   ``SwiftDataError/modelValidationFailure``. Deleting a row also deletes its links, even if another program deletes it.
/// - In the history, record an inserted or deleted link as an update of both models, with the properties that the link belongs to.
///   Do not record an update for a model that the same save inserts or deletes, or for a model without such a property.
public protocol DataStoreLinking: DataStore {
    /// Returns the rows that the links of the given models reference: of one model when a relationship is read, and of several when
    /// it is prefetched.
    ///
    /// - Parameter request: The relationship and the models.
    /// - Returns: The rows, and the identifiers of the rows for each model.
    /// - Throws: The error that prevented the store from reading, such as ``SwiftDataError/storeFailure``.
    func fetchLinked<Model>(_ request: DataStoreLinksRequest<Model>) throws -> DataStoreLinksResult<Model, Snapshot>
}

/// A request for the rows that the links of models reference.
public struct DataStoreLinksRequest<Model: PersistentModel>: Sendable {
    /// The links to follow.
    public let links: Schema.Links
    /// The property to read, on the owner's or the destination's side.
    public let property: Schema.Property
    /// The identifiers of the models whose property is read.
    public let identifiers: Set<PersistentIdentifier>
    /// The context that makes the request.
    public let editingState: EditingState

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - links: The links to follow.
    ///   - property: The property to read.
    ///   - identifiers: The identifiers of the models whose property is read.
    ///   - editingState: The context that makes the request.
    public init(
        links: Schema.Links, property: Schema.Property, identifiers: Set<PersistentIdentifier>,
        editingState: EditingState
    ) {
        self.links = links
        self.property = property
        self.identifiers = identifiers
        self.editingState = editingState
    }

    /// Whether the models are the owners of the links. If the links are symmetric, the models can be at either end.
    public var isOfOwners: Bool { links.property === property }

    /// The name of the entity of the rows at the other ends of the links, which also exists if the class is ``UntypedModel``.
    public var entityName: String { property.relationship?.destination ?? Model.entityName }

    /// Returns the identifiers of the models at the other end of the links, in ascending order, for a store that keeps its links in
    /// memory.
    ///
    /// - Parameter all: The links to search. Links of other relationships and models are ignored.
    /// - Returns: The linked identifiers for each model that has any.
    /// - Complexity: O(*n* + *m* log *m*), where *n* is the number of links and *m* the number of matching links.
    public func destinations(
        in all: some Sequence<DataStoreLink>
    ) -> [PersistentIdentifier: [PersistentIdentifier]] {
        var found: [PersistentIdentifier: Set<PersistentIdentifier>] = [:]
        for link in all where link.name == links.name {
            if isOfOwners, identifiers.contains(link.owner) { found[link.owner, default: []].insert(link.destination) }
            if !isOfOwners || links.isSymmetric, identifiers.contains(link.destination) {
                found[link.destination, default: []].insert(link.owner)
            }
        }
        return found.mapValues { $0.sorted() }
    }
}

/// The result of a request for linked rows.
public struct DataStoreLinksResult<Model: PersistentModel, Snapshot: DataStoreSnapshot>: Sendable {
    /// The linked rows, each once.
    public let fetchedSnapshots: [Snapshot]
    /// The identifiers of the linked rows for each requested model, in a stable order. Models without links can be missing.
    public let destinations: [PersistentIdentifier: [PersistentIdentifier]]

    /// Creates a result.
    ///
    /// - Parameters:
    ///   - fetchedSnapshots: The linked rows, each once.
    ///   - destinations: The identifiers of the linked rows for each requested model.
    public init(fetchedSnapshots: [Snapshot], destinations: [PersistentIdentifier: [PersistentIdentifier]]) {
        self.fetchedSnapshots = fetchedSnapshots
        self.destinations = destinations
    }
}

/// A pair of related models.
///
/// A link of a symmetric relationship equals the link with owner and destination exchanged.
public struct DataStoreLink: Sendable, Codable {
    /// The ``Schema/Links/name`` of the relationship.
    public let name: String
    /// The identifier of the owner, which is temporary in a save that inserts the model.
    public let owner: PersistentIdentifier
    /// The identifier of the destination, which is temporary in a save that inserts the model.
    public let destination: PersistentIdentifier
    private let isSymmetric: Bool

    /// Creates a link.
    ///
    /// - Parameters:
    ///   - links: The relationship.
    ///   - owner: The identifier of the owner.
    ///   - destination: The identifier of the destination.
    public init(_ links: Schema.Links, owner: PersistentIdentifier, destination: PersistentIdentifier) {
        self.init(name: links.name, owner: owner, destination: destination, isSymmetric: links.isSymmetric)
    }

    private init(name: String, owner: PersistentIdentifier, destination: PersistentIdentifier, isSymmetric: Bool) {
        self.name = name
        self.owner = owner
        self.destination = destination
        self.isSymmetric = isSymmetric
    }

    /// Returns the same link with temporary identifiers replaced by permanent ones.
    ///
    /// - Parameter remappedIdentifiers: The permanent identifiers by temporary identifier.
    /// - Returns: The link with permanent identifiers.
    public func copy(remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]) -> DataStoreLink {
        DataStoreLink(
            name: name, owner: remappedIdentifiers[owner] ?? owner,
            destination: remappedIdentifiers[destination] ?? destination, isSymmetric: isSymmetric)
    }
}

extension DataStoreLink: Hashable {
    public static func == (lhs: DataStoreLink, rhs: DataStoreLink) -> Bool {
        guard lhs.name == rhs.name else { return false }
        return lhs.owner == rhs.owner && lhs.destination == rhs.destination
            || lhs.isSymmetric && lhs.owner == rhs.destination && lhs.destination == rhs.owner
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        // A symmetric link and its reverse must have the same hash value.
        hasher.combine(owner.hashValue ^ destination.hashValue)
    }
}
