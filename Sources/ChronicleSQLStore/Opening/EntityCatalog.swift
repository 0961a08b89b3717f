package import ChronicleCore

/// An entity in the catalog of a store, which assigns numbers to entities that survive renames and removals.
package protocol CatalogEntity: Sendable {
    var number: Int64 { get }
    var name: String { get }
    /// The name of the entity whose table contains the rows; the entity itself, or the one from which it inherits.
    var rootName: String { get }
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
}
