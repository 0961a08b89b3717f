/// The numbers of classes, which are hashed instead of their names: a migration that renames a class changes the names in
/// the history. A tracked database has none, because its texts are never rewritten.
package struct SealedClasses: Sendable {
    /// The numbers by the names.
    package let numbers: [[UInt8]: Int64]
    /// The attribute with the class, by the number of the entity.
    private var attributes: [Int64: Int64] = [:]

    package init(_ catalog: SealedCatalog) {
        numbers = Dictionary(catalog.entities.map { ($0.name, $0.number) }, uniquingKeysWith: { first, _ in first })
        let name = Array(Schema.entityAttribute.utf8)
        let tracked = Set(catalog.entities.filter { $0.table != nil }.map(\.number))
        for attribute in catalog.attributes where attribute.name == name && !tracked.contains(attribute.entity) {
            attributes[attribute.entity] = attribute.number
        }
        // The attributes of entities that inherit from others are those of the topmost one.
        for _ in catalog.entities {
            var isComplete = true
            for entity in catalog.entities where attributes[entity.number] == nil {
                guard let number = entity.superentity.flatMap({ attributes[$0] }) else { continue }
                attributes[entity.number] = number
                isComplete = false
            }
            if isComplete { break }
        }
    }

    /// Returns whether the values of an attribute are names of classes.
    package func isClass(_ attribute: Int64, of entity: Int64) -> Bool { attributes[entity] == attribute }
}
