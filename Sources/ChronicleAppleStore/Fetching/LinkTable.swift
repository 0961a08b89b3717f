import ChronicleCore
import ChronicleSQL

/// The table of a many-to-many relationship, or of a to-many relationship without an inverse.
///
/// A relationship `tags` of entity 3 with the inverse `items` of entity 7 is in a table `Z_3TAGS`, or `Z_7ITEMS`. Each column
/// has the number of the entity to which it refers and the name of the relationship that refers to it: `Z_3ITEMS` and
/// `Z_7TAGS`. Columns `Z_FOK_…` contain the order of an ordered relationship. Articles describe this; no store of the tests made
/// by Apple's frameworks has such a table.
struct LinkTable {
    /// A subquery with the columns of `ModelTables`.
    let query: SQLQuery

    /// Throws `SwiftDataError.backwardMigration` if the file has no table for the relationship, and
    /// `SwiftDataError.unsupportedFileVersion` if its columns have other names.
    init(_ layout: AppleLayout, _ schema: Schema, _ links: Schema.Links) throws {
        let owners = try layout.entities(schema, links.owner, declaring: links.property, referredToBy: links.inverse)
        let destinations = try layout.entities(
            schema, links.destination, declaring: links.inverse, referredToBy: links.property)
        let names = [links.property.name, links.property.originalName]
        let inverseNames = links.inverse.map { [$0.name, $0.originalName] } ?? []
        let candidates =
            owners.flatMap { owner in names.map { "Z_\(owner.number)\($0)" } }
            + destinations.flatMap { destination in inverseNames.map { "Z_\(destination.number)\($0)" } }
        if let error = candidates.lazy.compactMap({ layout.unusableTables[$0.uppercased()] }).first { throw error }
        guard let table = candidates.lazy.compactMap({ layout.tables[$0.uppercased()] }).first else {
            if let query = Self.destinationColumn(layout, links, owners, destinations, names) {
                self.query = query
                return
            }
            throw SwiftDataError.backwardMigration.with(
                detail: "the file has no table \(candidates.first?.uppercased() ?? "") for the relationship",
                entityName: links.owner, propertyName: links.property.name)
        }
        let columns = table.columns.map(\.name).filter { !$0.uppercased().hasPrefix("Z_FOK") }
        func column(_ entities: [AppleEntity], _ names: [String]) -> String? {
            let expected = entities.flatMap { entity in names.map { "Z_\(entity.number)\($0)".uppercased() } }
            // A digit follows the name if it would occur twice.
            return columns.first { expected.contains($0.uppercased()) }
                ?? columns.first { column in
                    expected.contains {
                        column.uppercased().hasPrefix($0) && column.dropFirst($0.count).allSatisfy(\.isNumber)
                    }
                }
        }
        let destination = column(destinations, names)
        let owner =
            (inverseNames.isEmpty ? nil : column(owners, inverseNames)).flatMap { $0 == destination ? nil : $0 }
            ?? columns.first { $0 != destination }
        guard columns.count == 2, let destination, let owner, owner != destination else {
            throw SwiftDataError.unsupportedFileVersion.with(
                detail:
                    "the columns of the table \(table.name) do not have the names of the relationship and its inverse",
                entityName: links.owner, propertyName: links.property.name)
        }
        let pairs: SQLQuery =
            "SELECT \(name: owner) AS owner, \(name: destination) AS destination FROM \(name: table.name)"
        // Both directions of each pair; the file contains one or both.
        query =
            links.isSymmetric
            ? "(\(pairs) UNION SELECT \(name: destination), \(name: owner) FROM \(name: table.name))" : "(\(pairs))"
    }

    /// A to-many relationship without an inverse whose destinations refer to their owner, with a column such as `Z3TAGS`.
    private static func destinationColumn(
        _ layout: AppleLayout, _ links: Schema.Links, _ owners: [AppleEntity], _ destinations: [AppleEntity],
        _ names: [String]
    ) -> SQLQuery? {
        guard links.inverse == nil, let destination = destinations.first, let table = layout.table(of: destination)
        else {
            return nil
        }
        for owner in owners {
            for name in names {
                guard let column = table.column("Z\(owner.number)\(name)") else { continue }
                return """
                    (SELECT \(name: column) AS owner, Z_PK AS destination FROM \(name: table.name) \
                    WHERE \(name: column) IS NOT NULL)
                    """
            }
        }
        return nil
    }
}

extension AppleLayout {
    private static let maximumKindCount = 1_000

    /// The entities whose numbers can be part of the names of a table and of its columns: first the one that declares the
    /// relationship, then the one to which the other side refers, which is the same in most models, and then the others of
    /// the hierarchy.
    fileprivate func entities(
        _ schema: Schema, _ root: String, declaring property: Schema.Property?, referredToBy other: Schema.Property?
    ) throws -> [AppleEntity] {
        // No model has more; a damaged file takes no long time.
        let names = schema.kinds(of: root).count <= Self.maximumKindCount ? schema.kinds(of: root) : [root]
        let kinds = names.compactMap { schema.entitiesByName[$0] }.sorted { $0.name < $1.name }
        let declaring = kinds.filter { kind in
            guard let property, kind.propertiesByName[property.name] != nil else { return false }
            return kind.superentity?.propertiesByName[property.name] == nil
        }
        let destination = other?.relationship.flatMap { schema.entitiesByName[$0.destination] }
        let preferred = try (declaring + (destination.map { [$0] } ?? []) + kinds).map { try entity(for: $0) }
        var visited: Set<Int64> = []
        // A superclass that the schema lacks can be the one that declares the relationship in the file.
        let superentities = preferred.prefix(10).flatMap { entities.chain(of: $0) }
        return (preferred + superentities).filter { visited.insert($0.number).inserted }
    }
}
