package import ChronicleCore

/// The numbers of the catalog survive renames and removals.
package protocol CatalogEntity: Sendable {
    associatedtype Attribute: CatalogAttribute

    var number: Int64 { get }
    var name: String { get }
    /// The entity whose table contains the rows; the entity itself, or the one from which it inherits.
    var rootName: String { get }
    /// The attributes of all entities that share the table.
    var attributes: [Attribute] { get set }
}

/// The number is never reused.
package protocol CatalogAttribute: Sendable {
    var number: Int { get }
    var name: String { get set }
    /// `nil` for a relationship.
    var type: String? { get }
    /// `nil` for an attribute.
    var destination: String? { get }
    /// Relationships in link tables have no column.
    var isPresent: Bool { get set }
    /// The values that changes preserve from now on.
    var preservation: Preservation { get }
}

/// The tables `chronicle_entity` and `chronicle_attribute`, which number entities and attributes of the history, and the
/// descriptions of the entities.
package protocol EntityCatalog {
    associatedtype Entity: CatalogEntity
    associatedtype Meta: MetaValues

    var meta: Meta { get }

    /// Returns the entities in the order of their numbers.
    func entities() throws -> [Entity]

    /// Returns the number of an entity and those of the entities that inherit from it.
    func kinds(of entity: Entity) throws -> [Int64]

    /// Returns the descriptions by the names in the catalog.
    func definitionsByName() throws -> [String: Schema.Entity]

    /// Replaces the description of an entity.
    func setDefinition(_ definition: Schema.Entity, of entity: Entity) throws

    func update(_ attribute: Entity.Attribute, of entity: Entity) throws
}
