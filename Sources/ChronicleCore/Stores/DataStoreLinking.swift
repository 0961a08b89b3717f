/// A store that keeps links: pairs of models, beside the rows, for relationships that no row has a value for.
///
/// A to-many relationship whose inverse leads to many too, or that has none, is kept as links (``Schema/links``). A
/// container refuses a schema with such relationships for a store that does not adopt this. What a store promises:
///
/// - ``DataStoreSaveChangesRequest/linked`` and ``DataStoreSaveChangesRequest/unlinked`` are written with the rest of the
///   save or not at all. A link that is there already, or is gone already, is no error and no change: two contexts may
///   add the same one.
/// - Both ends of a link are rows that are there. A save of a link to a row that is gone is
///   ``SwiftDataError/modelValidationFailure`` where the store looks at references, and the links of a deleted row go with
///   it, whoever deletes it.
/// - In the history a link that comes or goes is an update of both models, with the properties that lead along it, as far
///   as there are such properties. A model that the same save inserts or deletes has that change and no update beside it.
public protocol DataStoreLinking: DataStore {
    /// The rows at the other ends of the links of some models, for one model when a relationship is read, for many when it is
    /// prefetched.
    ///
    /// - Throws: What kept the store from reading.
    func fetchLinked<Model>(_ request: DataStoreLinksRequest<Model>) throws -> DataStoreLinksResult<Model, Snapshot>
}

/// Which rows a store is to find by links.
public struct DataStoreLinksRequest<Model: PersistentModel>: Sendable {
    public let links: Schema.Links
    /// The property that is read: the owner's or the destination's.
    public let property: Schema.Property
    /// The models whose property it is.
    public let identifiers: Set<PersistentIdentifier>
    public let editingState: EditingState

    public init(
        links: Schema.Links, property: Schema.Property, identifiers: Set<PersistentIdentifier>,
        editingState: EditingState
    ) {
        self.links = links
        self.property = property
        self.identifiers = identifiers
        self.editingState = editingState
    }

    /// Whether the models are the owners of the links that are sought, and the rows their destinations. Where the links are
    /// symmetric they may be either.
    public var isOfOwners: Bool { links.property === property }

    /// Where links lead from the models in question, in the order of the identifiers that they lead to. Links of other
    /// relationships and models are passed over.
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

/// What a store found by links.
public struct DataStoreLinksResult<Model: PersistentModel, Snapshot: DataStoreSnapshot>: Sendable {
    /// The rows that links lead to, each once.
    public let fetchedSnapshots: [Snapshot]
    /// The rows of each model that was asked for, in an order that stays the same. Those that have none may be left out.
    public let destinations: [PersistentIdentifier: [PersistentIdentifier]]

    public init(fetchedSnapshots: [Snapshot], destinations: [PersistentIdentifier: [PersistentIdentifier]]) {
        self.fetchedSnapshots = fetchedSnapshots
        self.destinations = destinations
    }
}

/// Two models that a relationship ties together.
///
/// A pair of a symmetric relationship equals the reversed one.
public struct DataStoreLink: Sendable, Codable {
    /// The ``Schema/Links/name`` of the relationship.
    public let name: String
    /// Temporary in a save that inserts the model.
    public let owner: PersistentIdentifier
    /// Temporary in a save that inserts the model.
    public let destination: PersistentIdentifier
    private let isSymmetric: Bool

    public init(_ links: Schema.Links, owner: PersistentIdentifier, destination: PersistentIdentifier) {
        self.init(name: links.name, owner: owner, destination: destination, isSymmetric: links.isSymmetric)
    }

    private init(name: String, owner: PersistentIdentifier, destination: PersistentIdentifier, isSymmetric: Bool) {
        self.name = name
        self.owner = owner
        self.destination = destination
        self.isSymmetric = isSymmetric
    }

    /// The same link with temporary identifiers replaced by those that the store gave.
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
        // Of both ends alike.
        hasher.combine(owner.hashValue ^ destination.hashValue)
    }
}
