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
    /// The rows at the other ends of the links of one model, each once, in an order that stays the same.
    ///
    /// - Throws: What kept the store from reading.
    func fetchLinked<Model>(_ request: DataStoreLinksRequest<Model>) throws -> DataStoreFetchResult<Model, Snapshot>
}

/// Which rows a store is to find by links.
public struct DataStoreLinksRequest<Model: PersistentModel>: Sendable {
    public let links: Schema.Links
    /// The property that is read: the owner's or the destination's.
    public let property: Schema.Property
    /// The model whose property it is.
    public let identifier: PersistentIdentifier
    public let editingState: EditingState

    public init(
        links: Schema.Links, property: Schema.Property, identifier: PersistentIdentifier, editingState: EditingState
    ) {
        self.links = links
        self.property = property
        self.identifier = identifier
        self.editingState = editingState
    }

    /// Whether the model is the owner of the links that are sought, and the rows their destinations. Where the links are
    /// symmetric it may be either.
    public var isOfOwner: Bool { links.property === property }

    /// Where a link leads from the model; `nil` for a link of others.
    public func end(of link: DataStoreLink) -> PersistentIdentifier? {
        guard link.name == links.name else { return nil }
        if isOfOwner, link.owner == identifier { return link.destination }
        return (!isOfOwner || links.isSymmetric) && link.destination == identifier ? link.owner : nil
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
