package import ChronicleCore

/// An entity in the catalog of a store, which assigns numbers to entities that survive renames and removals.
package protocol CatalogEntity: Sendable {
    associatedtype Attribute: CatalogAttribute

    var number: Int64 { get }
    var name: String { get }
    /// The name of the entity whose table contains the rows; the entity itself, or the one from which it inherits.
    var rootName: String { get }
    /// The attributes of all entities that share the table.
    var attributes: [Attribute] { get set }
}

/// An attribute or a relationship in the catalog, whose number is never reused.
package protocol CatalogAttribute: Sendable {
    var number: Int { get }
    /// The name of the property, and of its column if it has one.
    var name: String { get set }
    /// The name of the type of an attribute's values, or `nil` for a relationship.
    var type: String? { get }
    /// The destination of a relationship, or `nil` for an attribute.
    var destination: String? { get }
    /// Whether the table has a column of the attribute. Relationships in link tables have none.
    var isPresent: Bool { get set }
}

/// The tables `chronicle_entity` and `chronicle_attribute` of a store, with the numbers that identify entities and
/// attributes in the history, and the descriptions of the entities.
package protocol EntityCatalog {
    associatedtype Entity: CatalogEntity
    associatedtype Meta: MetaValues

    var meta: Meta { get }

    /// Returns the entities in the order of their numbers.
    ///
    /// - Throws: `SwiftDataError.damagedFile` if a row is invalid.
    func entities() throws -> [Entity]

    /// Returns the descriptions of entities by their names in the catalog.
    ///
    /// - Throws: `SwiftDataError.damagedFile` if a description is invalid.
    func definitionsByName() throws -> [String: Schema.Entity]

    /// Replaces the row of an attribute.
    func update(_ attribute: Entity.Attribute, of entity: Entity) throws
}
