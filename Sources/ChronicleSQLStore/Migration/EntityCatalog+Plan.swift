package import ChronicleCore
import ChronicleSQL
import Foundation

// The classes as a store describes them, and their attributes after a change of the schema.
extension EntityCatalog {
    /// Returns the classes as the store describes them.
    ///
    /// - Parameters:
    ///   - entities: The entities in the catalog.
    ///   - columns: A closure that returns the columns of a table by name, as far as their types show the properties.
    /// - Throws: `SwiftDataError.damagedFile` if a description is invalid.
    func storedEntities(
        _ entities: [Entity], columns: (String) throws -> [String: StoredProperty]
    ) throws -> [String: StoredEntity] {
        let definitions = try definitionsByName()
        var stored: [String: StoredEntity] = [:]
        for entity in entities {
            let declared = definitions[entity.name]?.properties.map(StoredProperty.init) ?? []
            if var known = try storedEntity(entity.number) {
                // An earlier version of Chronicle does not update the row. An opening without the class does not update the
                // definition.
                if try known.definition == nil || known.definition != definitions[entity.name]?.digest() {
                    let names = Set((known.live + known.removed).map(\.name))
                    known.live += declared.filter { !names.contains($0.name) }
                }
                stored[entity.name] = known
            } else {
                // The definition is that of the program that opened the store last; others may use the other columns.
                let classes = entities.filter { $0.rootName == entity.rootName }.compactMap { definitions[$0.name] }
                let names = Set(classes.flatMap { $0.properties.map(\.name) })
                let root = entities.first { $0.name == entity.rootName } ?? entity
                let others = Self.recordedProperties(root, try columns(root.name)).filter { !names.contains($0.name) }
                stored[entity.name] = StoredEntity(live: declared + others)
            }
            stored[entity.name]?.superclass = definitions[entity.name]?.superentityName
        }
        return stored
    }

    /// Returns the properties of the table of an entity, as far as the table shows them.
    private static func recordedProperties(
        _ entity: Entity, _ columns: [String: StoredProperty]
    ) -> [StoredProperty] {
        entity.attributes.compactMap { attribute in
            guard attribute.name != Schema.entityAttribute else { return nil }
            guard attribute.isPresent else {
                return StoredProperty(
                    name: attribute.name, place: .links, storage: nil, destination: attribute.destination)
            }
            guard let column = columns[attribute.name] else { return nil }
            guard let destination = attribute.destination else { return column }
            return StoredProperty(name: attribute.name, place: .column, storage: nil, destination: destination)
        }
    }

    func storedEntity(_ number: Int64) throws -> StoredEntity? {
        guard let json = try meta.text(.properties(number)) else { return nil }
        do { return try JSONDecoder().decode(StoredEntity.self, from: Data(json.utf8)) } catch {
            throw meta.damaged(.properties(number), "the description of the properties is invalid", underlying: error)
        }
    }

    /// Stores the description of the classes after the opening.
    ///
    /// - Returns: Whether the form of a property changed, which need not change a table. The store then has to compare it with the
    ///   declarations of other programs when they open the store the next time.
    package func describe(_ plan: SchemaPlan) throws -> Bool {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let definitions = try definitionsByName()
        var changesForms = false
        for entity in try entities() {
            guard var description = plan.entities[entity.name] else { continue }
            if let earlier = try storedEntity(entity.number), description.changesForms(of: earlier) {
                changesForms = true
            }
            description.definition = try definitions[entity.name]?.digest()
            let json = String(decoding: try encoder.encode(description), as: UTF8.self)
            guard try meta.text(.properties(entity.number)) != json else { continue }
            try meta.set(.properties(entity.number), json)
        }
        return changesForms
    }

    /// Gives the descriptions of classes that an opening does not complete the present names of other classes and of their
    /// properties.
    ///
    /// - Parameters:
    ///   - plan: The plan, whose classes have their new names in the catalog.
    ///   - completed: The classes that the opening completes.
    package func renameDefinitions(_ plan: SchemaPlan, except completed: [Schema.Entity]) throws {
        guard plan.changesNames else { return }
        let definitions = try definitionsByName()
        let completed = Set(completed.map(\.name))
        for entity in try entities() where !completed.contains(entity.name) {
            guard let definition = definitions[entity.name] else { continue }
            let renamed = try definition.renaming(newName: plan.newName, newPropertyName: plan.newPropertyName)
            if try renamed.json() != definition.json() { try setDefinition(renamed, of: entity) }
        }
    }

    // MARK: Attributes

    /// Returns the numbers of the renamed properties of each table in the history, before any of them changes.
    ///
    /// - Parameters:
    ///   - plan: The plan, whose entities have their new names in the catalog.
    ///   - schema: The new schema without inheritance.
    package func renamedNumbers(_ plan: SchemaPlan, _ schema: Schema) throws -> [String: [Rename: Int]] {
        let entities = try entities()
        var found: [String: [Rename: Int]] = [:]
        for (name, table) in plan.tables {
            let attributes = entities.first { $0.name == name }?.attributes ?? []
            for rename in table.renames {
                guard let earlier = table.renamed(rename), earlier.place != .inverse else { continue }
                let isColumn = earlier.place == .column
                // A property that moves between the table and one of links has a new number.
                let slot = schema.entitiesByName[name]?.propertiesByName[rename.new]?.slot ?? -1
                guard isColumn == (slot >= 0) else { continue }
                found[name, default: [:]][rename] =
                    attributes.first { $0.name == rename.old && $0.isPresent == isColumn }?.number
            }
        }
        return found
    }

    /// Renames the attributes of an entity after its columns have their new names.
    ///
    /// - Parameters:
    ///   - name: The name of the entity.
    ///   - table: The plan of its table.
    ///   - numbers: The numbers of its renamed properties; see ``renamedNumbers(_:_:)``.
    package func renameAttributes(of name: String, _ table: SchemaPlan.Table, _ numbers: [Rename: Int]) throws {
        guard let entity = try entities().first(where: { $0.name == name }) else { return }
        let replacedLinks = Set(table.droppedLinks.map(\.name))
        for var attribute in entity.attributes {
            if let rename = numbers.first(where: { $0.value == attribute.number })?.key {
                attribute.name = rename.new
            } else if !attribute.isPresent, attribute.type == nil,
                replacedLinks.contains(attribute.name) || numbers.keys.contains(where: { $0.new == attribute.name })
            {
                attribute.name = attribute.nameAfterReplacement
            } else {
                continue
            }
            try update(attribute, of: entity)
        }
    }

    /// Records that the column of an attribute was dropped. The attribute keeps its number in the history.
    ///
    /// - Parameter newName: The name of the property that continues the history of the column, or `nil` if none does.
    package func recordDroppedColumn(_ name: String, of entity: Entity, newName: String?) throws {
        guard var attribute = entity.attributes.first(where: { $0.name == name && $0.isPresent }) else { return }
        for var other in entity.attributes where !other.isPresent && other.name == newName {
            other.name = other.nameAfterReplacement
            try update(other, of: entity)
        }
        attribute.isPresent = false
        attribute.name = newName ?? attribute.nameAfterReplacement
        try update(attribute, of: entity)
    }
}

extension Schema.Entity {
    fileprivate func digest() throws -> String { try json().utf8.fnv1a }
}

extension CatalogAttribute {
    /// The name of an attribute in the history after its column or links were dropped for those of another property with
    /// its name. Names of properties contain no period.
    fileprivate var nameAfterReplacement: String { "\(name).\(number)" }
}
