package import ChronicleCore

/// Preserved values in the history, by the numbers of entities and attributes.
package struct PreservedValueSelection: Hashable, Sendable {
    /// The entity and those that inherit from it, ascending.
    package let entities: [Int64]
    /// Ascending; `nil` for all attributes.
    package let attributes: [Int64]?

    package init(entities: [Int64], attributes: [Int64]?) {
        self.entities = entities.sorted()
        self.attributes = attributes?.sorted()
    }

    /// An unknown entity or attribute is an error, because a misspelled name must not leave values that the caller believes
    /// erased.
    ///
    /// - Parameters:
    ///   - attributeNames: The current names of attributes, or `nil` for all.
    ///   - kinds: Returns the number of the entity and those of the entities that inherit from it.
    package init<Catalog: EntityCatalog>(
        _ entityName: String, _ attributeNames: [String]?, in catalog: Catalog,
        kinds: (Catalog.Entity) throws -> [Int64]
    ) throws {
        let entities = try catalog.entities()
        guard let entity = entities.first(where: { $0.name == entityName }) else {
            let nearest = NearestName.nearest(to: entityName, in: entities.map(\.name).sorted())
            throw SwiftDataError.unknownSchema.with(
                detail: "the history contains no entity with this name; \(Self.remedy(nearest))", entityName: entityName
            )
        }
        let kinds = try kinds(entity)
        guard let attributeNames else {
            self.init(entities: kinds, attributes: nil)
            return
        }
        let others = try catalog.attributesOfOtherClasses(than: entity, kinds: kinds, in: entities)
        let numbers = try attributeNames.flatMap { name in
            let numbers = entity.attributes.filter { $0.name == name }.map { Int64($0.number) }
            guard !numbers.isEmpty, others[name] == nil else {
                let nearest = NearestName.nearest(to: name, in: entity.attributes.map(\.name).sorted())
                let remedy =
                    others[name]?.first.map { "only \($0) has it, so use that entity" } ?? Self.remedy(nearest)
                throw SwiftDataError.unknownSchema.with(
                    detail: "the history of the entity contains no property with this name; \(remedy)",
                    entityName: entityName, propertyName: name)
            }
            return numbers
        }
        self.init(entities: kinds, attributes: numbers)
    }

    private static func remedy(_ nearest: String?) -> String {
        nearest.map { "did you mean \($0)?" } ?? "check the name"
    }
}

extension EntityCatalog {
    /// Returns what a rule erases. An unknown entity or attribute is an error.
    package func selection(_ rule: PreservedValueRule) throws -> PreservedValueSelection {
        try PreservedValueSelection(rule.entityName, rule.attributeName.map { [$0] }, in: self, kinds: kinds)
    }
}
