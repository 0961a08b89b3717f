package import ChronicleCore

/// The tables of a schema by the numbers of their entities and attributes in the history.
package struct PastLayout: Sendable {
    /// The tables of models by the numbers of all entities whose rows they contain.
    package let tables: [Int64: Table]
    /// The numbers of all entities in the history, also of those that the schema does not contain.
    package let entities: Set<Int64>
    /// The destinations of the relationships of each table's models, by the name of the table.
    package let destinations: [String: Set<String>]

    package struct Table: Sendable {
        package let name: String
        /// The number of the table's entity.
        package let number: Int64
        /// The attributes with columns, by name.
        package let attributes: [String: Int]
        /// The to-many relationships that are stored as links, by number.
        package let lists: [Int: List]
        /// The numbers of the attributes that only other entities of the table have, by the number of an entity.
        package let others: [Int64: Set<Int>]
        /// The names of the entities whose rows the table contains.
        package let entities: [Int64: String]

        package func entityName(_ number: Int64) -> String { entities[number] ?? name }
    }

    /// A to-many relationship that is stored as links.
    package struct List: Sendable {
        package let property: String
        /// The name of the link table.
        package let links: String
        /// Whether the models are in the column `owner`.
        package let isOwner: Bool
        /// Whether the link table contains both directions of each link.
        package let isSymmetric: Bool
        /// Whether the links of a deleted model are recorded at their other end.
        package let isRecordedByOtherSide: Bool
        /// The numbers of the entities that have the relationship.
        package let entities: Set<Int64>
    }

    package init(_ recorded: some Collection<some CatalogEntity>, _ schema: Schema) {
        entities = Set(recorded.map(\.number))
        var tables: [Int64: Table] = [:]
        for root in recorded where root.rootName == root.name {
            guard let rootEntity = schema.entitiesByName[root.name] else { continue }
            // Rows of a class that the schema lacks are those of the root.
            let members = recorded.filter { $0.rootName == root.name }.map { member in
                (recorded: member, entity: schema.entitiesByName[member.name] ?? rootEntity)
            }
            var lists: [Int: List] = [:]
            for attribute in root.attributes where !attribute.isPresent {
                let owners = members.filter { $0.entity.propertiesByName[attribute.name] != nil }
                lists[attribute.number] = Self.list(
                    attribute.name, of: root.name, entities: Set(owners.map(\.recorded.number)), schema)
            }
            var others: [Int64: Set<Int>] = [:]
            for (member, entity) in members {
                let numbers = root.attributes.lazy.filter {
                    $0.isPresent && $0.name != Schema.entityAttribute && entity.propertiesByName[$0.name] == nil
                }.map(\.number)
                others[member.number] = Set(numbers)
            }
            let table = Table(
                name: root.name, number: root.number,
                attributes: Dictionary(
                    root.attributes.lazy.filter(\.isPresent).map { ($0.name, $0.number) }, uniquingKeysWith: { $1 }),
                lists: lists, others: others,
                entities: Dictionary(uniqueKeysWithValues: members.map { ($0.recorded.number, $0.recorded.name) }))
            for (member, _) in members { tables[member.number] = table }
        }
        self.tables = tables
        var destinations: [String: Set<String>] = [:]
        for entity in schema.entities {
            for property in entity.properties {
                guard let name = property.relationship?.destination else { continue }
                destinations[entity.rootName, default: []].insert(schema.entitiesByName[name]?.rootName ?? name)
            }
        }
        self.destinations = destinations
    }

    private static func list(
        _ property: String, of table: String, entities: Set<Int64>, _ schema: Schema
    ) -> List? {
        for links in schema.links {
            if links.owner == table, links.property.name == property {
                return List(
                    property: property, links: links.name, isOwner: true, isSymmetric: links.isSymmetric,
                    isRecordedByOtherSide: links.inverse != nil, entities: entities)
            }
            if links.destination == table, links.inverse?.name == property {
                return List(
                    property: property, links: links.name, isOwner: false, isSymmetric: false,
                    isRecordedByOtherSide: true, entities: entities)
            }
        }
        return nil
    }

    /// Returns the tables that relationships of a table's models reach, in any number of steps.
    package func tablesReachable(from name: String) -> Set<String> {
        var found: Set<String> = []
        var next = destinations[name] ?? []
        while let table = next.popFirst() {
            guard found.insert(table).inserted else { continue }
            next.formUnion(destinations[table] ?? [])
        }
        return found
    }
}
