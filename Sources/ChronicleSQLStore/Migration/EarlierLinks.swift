package import ChronicleCore
package import ChronicleSQL

/// A table with links of an earlier schema.
package struct EarlierLinks: Hashable, Sendable {
    package var table: String
    /// Whether owner and destination are exchanged.
    package let isReversed: Bool
    /// Whether the table is a temporary one.
    package var isTemporary = false

    fileprivate init(table: String, isReversed: Bool) { (self.table, self.isReversed) = (table, isReversed) }

    /// The links of a relationship in its own table.
    init(inPlaceOf links: Schema.Links) { self.init(table: links.name, isReversed: false) }
}

extension StoreTables {
    /// Returns the tables with the links of a relationship of the new schema.
    package func earlierLinks(of links: Schema.Links, _ plan: SchemaPlan) throws -> [EarlierLinks] {
        var found: [EarlierLinks] = []
        /// - Returns: Whether the table has links of the relationship.
        @discardableResult
        func add(_ table: String, isReversed: Bool) throws -> Bool {
            let (owner, destination) =
                isReversed ? (links.destination, links.owner) : (links.owner, links.destination)
            // A table of links of a class with itself has no other direction.
            if found.contains(where: { $0.table == table }) { return true }
            guard try hasTable(table), try references(table, from: owner, to: destination) else { return false }
            found.append(EarlierLinks(table: table, isReversed: isReversed))
            return true
        }
        func add(_ entity: String, _ property: Schema.Property, _ other: String, isReversed: Bool) throws {
            let continued = plan.tables[entity]?.earlierOfAnyProgram(property.name)
            guard let earlier = continued, earlier.place == .links else { return }
            let own = "\(entity).\(earlier.name)"
            for table in earlier.linkTables(of: entity, other, oldName: plan.oldName) {
                if try add(table, isReversed: table == own ? isReversed : !isReversed) { return }
            }
        }
        try add(links.owner, links.property, links.destination, isReversed: false)
        if let inverse = links.inverse, !links.isSymmetric {
            try add(links.destination, inverse, links.owner, isReversed: true)
        }
        // A program that the store knows continues to use the links of a relationship that another one removed.
        if plan.opening.isKnown, found.isEmpty, !plan.continues(links) { try add(links.name, isReversed: false) }
        return found
    }

    /// Returns the tables with the links of a removed relationship that the schema declares again, before they move.
    package func leftoverLinks(of links: Schema.Links, _ plan: SchemaPlan) throws -> [EarlierLinks] {
        var sources = try earlierLinks(of: links, plan)
        let own = EarlierLinks(inPlaceOf: links)
        if !plan.movesAway(links), !sources.contains(own), try hasTable(links.name),
            try references(links.name, from: links.owner, to: links.destination)
        {
            sources.append(own)
        }
        return sources
    }
}

extension SchemaPlan {
    /// Returns where the store may contain the destinations of a relationship. Those of a live inverse relationship are not
    /// the destinations of a removed one.
    package func storages(of property: StoredProperty, in table: String) -> [RelationshipStorage] {
        let destination = root(of: property.destination ?? "")
        let storages = property.storages(of: table, destination, oldName: oldName)
        let own = "\(table).\(property.name)"
        guard property.place == .links, let inverse = property.inverse,
            liveLinks.contains("\(destination).\(inverse)"), !liveLinks.contains(own)
        else { return storages }
        return storages.filter { if case .links(own, _, _) = $0 { true } else { false } }
    }

    /// The tables of links that remain from removed relationships, and that no class in use needs.
    package var leftoverLinks: Set<String> {
        func tables(_ name: String, _ properties: [StoredProperty]) -> [String] {
            properties.flatMap { $0.linkTables(of: root(of: name), root(of: $0.destination ?? "")) }
        }
        var (removed, live) = (Set<String>(), Set<String>())
        for (name, entity) in entities {
            removed.formUnion(tables(name, entity.removed))
            if opening.schemas.use(name) { live.formUnion(tables(name, entity.live)) }
        }
        return removed.subtracting(live)
    }

    /// Returns whether a table is the usual place of the links of a live relationship after the opening, also of a class that the
    /// schema lacks.
    func usesLinks(_ table: String) -> Bool {
        entities.contains { name, entity in
            entity.live.contains { property in
                property.place == .links
                    && property.linkTables(of: root(of: name), root(of: property.destination ?? "")).first == table
            }
        }
    }

    private typealias Side = (column: String, table: String, property: Schema.Property)

    private static func sides(_ links: Schema.Links) -> [Side] {
        [(ModelTables.linkOwner, links.owner, links.property)]
            + (links.inverse.map { [(ModelTables.linkDestination, links.destination, $0)] } ?? [])
    }

    /// Whether the links in the table of a relationship become those of another one.
    fileprivate func movesAway(_ links: Schema.Links) -> Bool {
        Self.sides(links).contains { tables[$0.table]?.movesLinks($0.property.name) == true }
    }

    /// Returns the models whose links are those of a removed relationship, which the schema declares again or in whose place
    /// the destinations of another one are moved: the column of a table of links with their keys,
    /// their table, the name of the relationship, and their classes.
    package func leftoverOwners(
        of links: Schema.Links
    ) -> [(column: String, table: String, property: String, classes: [Schema.Entity])] {
        let sides = Self.sides(links)
        func isContinued(_ side: Side) -> Bool {
            tables[side.table]?.earlier(side.property.name)?.place == .links
        }
        return sides.filter { side in !sides.contains { $0.column != side.column && isContinued($0) } }.map { side in
            let name = side.property.name
            let classes = (tables[side.table]?.classes ?? []).filter { item in
                guard item.isStored, item.entity.propertiesByName[name] != nil else { return false }
                // A known schema has the links of its properties, except those that are moved from another place.
                return item.earlier[name].map { $0.place != .links } ?? !opening.isKnown
            }
            return (side.column, side.table, name, classes.map(\.entity))
        }
    }
}
