package import ChronicleCore

/// An entity in the history, as the present schema describes it.
package struct HistoryEntity {
    package let name: String
    package let rootName: String
    package let origin: PersistentIdentifier.Origin
    /// The name in the history if the schema lacks the class, so that ``name`` is that of the root.
    package let missingName: String?
    private let entity: Schema.Entity?
    private let schema: Schema
    private let storeIdentifier: String

    package init(_ name: String, rootName: String, _ schema: Schema, storeIdentifier: String) {
        // As in a fetch, a row of a class that the schema lacks is one of the root class.
        let isRoot = schema.entitiesByName[name] == nil && schema.entitiesByName[rootName] != nil
        self.name = isRoot ? rootName : name
        missingName = isRoot ? name : nil
        (self.rootName, self.schema, self.storeIdentifier) = (rootName, schema, storeIdentifier)
        entity = schema.entitiesByName[self.name]
        origin = .init(storeIdentifier: storeIdentifier, entityName: self.name, rootEntityName: rootName)
    }

    package struct Attribute {
        /// `nil` if the property no longer exists.
        package let property: Schema.Property?
        /// `nil` for an attribute.
        package let destination: PersistentIdentifier.Origin?
        /// NULL may be the value in a row whose class had no such attribute: the schema has it only in other classes that
        /// share the table, or a subclass requires it.
        package let isShared: Bool
        /// A relationship without an inverse that is stored as links, which deletes do not preserve.
        package let isList: Bool
        /// Whether deletes contain no links of it, because those are changes of the models at the other ends.
        package let isRecordedByOtherSide: Bool
    }

    /// The names are those in the history. `isPresent` is true if the table has a column of the attribute.
    package func attribute(_ name: String, isPresent: Bool, destination: String?) -> Attribute {
        // A property of this name that is stored in the other way, as a column or as links, is a different one.
        let property = entity?.property(named: name).flatMap { isPresent != ($0.slot < 0) ? $0 : nil }
        let destination = (property?.relationship?.destination ?? destination).map {
            PersistentIdentifier.Origin(
                storeIdentifier: storeIdentifier, entityName: $0,
                rootEntityName: schema.entitiesByName[$0]?.rootName ?? $0)
        }
        let isList = property?.relationship.map { $0.isLinked && schema.inverse(of: $0) == nil } ?? false
        return Attribute(
            property: property, destination: destination, isShared: isShared(name, property),
            isList: isList && !isPresent,
            isRecordedByOtherSide: property.flatMap { schema.links(of: $0) }.map { links in
                links.inverse != nil && (links.property !== property || links.owner != links.destination)
            } ?? false)
    }

    private func isShared(_ name: String, _ property: Schema.Property?) -> Bool {
        guard let entity else { return false }
        if let property { return entity.superentity != nil && !property.isOptional }
        if name == Schema.entityAttribute { return true }
        return schema.entities.contains { $0.rootName == entity.rootName && $0.propertiesByName[name] != nil }
    }
}
