import ChronicleCore

/// An entity in the history: the conversion of its changes, and its attributes.
final class EntityHistory: Sendable {
    let name: String
    let rootName: String
    let origin: PersistentIdentifier.Origin
    let maker: any ChangeMaker
    /// The number of the entity whose attributes are recorded: the one from which this one inherits, or itself.
    let rootNumber: Int64
    /// The numbers of the present relationships that are stored as links and have no inverse.
    let lists: [Int64]
    private let attributes: NumberedList<PreservedAttribute>

    init(_ recorded: RecordedEntity, root: Int64, _ schema: Schema, storeIdentifier: String) {
        // As in a fetch, a row of a class that the schema lacks is one of the root class.
        let isRoot = schema.entitiesByName[recorded.name] == nil && schema.entitiesByName[recorded.rootName] != nil
        name = isRoot ? recorded.rootName : recorded.name
        let entity = schema.entitiesByName[name]
        rootNumber = root
        lists = recorded.attributes.filter { attribute in
            guard !attribute.isPresent, let relationship = entity?.property(named: attribute.name)?.relationship else {
                return false
            }
            return relationship.isLinked && schema.inverse(of: relationship) == nil
        }.map { Int64($0.number) }
        rootName = recorded.rootName
        origin = .init(
            storeIdentifier: storeIdentifier, entityName: name, rootEntityName: rootName)
        maker = Self.maker(schema.modelType(named: name))
        attributes = NumberedList(
            recorded.attributes.map { attribute in
                // A property of this name that is stored in the other way, as a column or as links, is a different one.
                let property = entity?.property(named: attribute.name).flatMap {
                    attribute.isPresent != ($0.slot < 0) ? $0 : nil
                }
                let destination = (property?.relationship?.destination ?? attribute.destination).map {
                    PersistentIdentifier.Origin(
                        storeIdentifier: storeIdentifier, entityName: $0,
                        rootEntityName: schema.entitiesByName[$0]?.rootName ?? $0)
                }
                return (
                    Int64(attribute.number),
                    PreservedAttribute(
                        attribute.name, property, destination: destination,
                        isShared: Self.isShared(attribute, property, entity, schema))
                )
            })
    }

    /// Returns whether NULL may be the value of an attribute in a row whose class had no such attribute.
    private static func isShared(
        _ attribute: RecordedAttribute, _ property: Schema.Property?, _ entity: Schema.Entity?, _ schema: Schema
    ) -> Bool {
        guard let entity else { return false }
        if let property { return entity.superentity != nil && !property.isOptional }
        if attribute.name == Schema.entityAttribute { return true }
        return schema.entities.contains {
            $0.rootName == entity.rootName && $0.propertiesByName[attribute.name] != nil
        }
    }

    private static func maker<Model: PersistentModel>(_ type: Model.Type) -> any ChangeMaker {
        TypedChangeMaker<Model>()
    }

    /// Returns the names of attributes, or `nil` if an attribute is unknown.
    func names(_ masks: AttributeMasks) -> [String]? {
        var names: [String] = []
        var isComplete = true
        masks.forEach { number in
            if let attribute = attributes[Int64(number)] { names.append(attribute.name) } else { isComplete = false }
        }
        return isComplete ? names : nil
    }

    /// Returns the preserved values of a delete by name and converted to the types of the properties, or `nil` if an
    /// attribute is unknown.
    func tombstone(
        _ values: ArraySlice<ChangeBuffer.Value>, of model: @autoclosure () -> PersistentIdentifier, areStored: Bool
    ) -> HistoryTombstone<RemovedModel>? {
        var elements: [HistoryTombstone<RemovedModel>.NamedValue] = []
        elements.reserveCapacity(values.count)
        var nilAttributeNames: [String] = []
        for value in values {
            guard let attribute = attributes[value.attribute] else { return nil }
            if attribute.isOmitted(value.old, isStored: areStored) { continue }
            if let decoded = attribute.value(value.old, of: model(), isStored: areStored) {
                elements.append((attribute.name, decoded))
            } else {
                nilAttributeNames.append(attribute.name)
            }
        }
        return HistoryTombstone(elements, nilAttributeNames: nilAttributeNames)
    }

    /// Returns the preserved values of an insert or an update, converted to the types of the properties, or `nil` if an
    /// attribute is unknown.
    func preservedValues(
        _ values: ArraySlice<ChangeBuffer.Value>, of model: @autoclosure () -> PersistentIdentifier, areStored: Bool
    ) -> [PreservedValue]? {
        var preserved: [PreservedValue] = []
        preserved.reserveCapacity(values.count)
        for value in values {
            guard let attribute = attributes[value.attribute] else { return nil }
            if attribute.isOmitted(value.old, value.new, isStored: areStored) { continue }
            preserved.append(
                PreservedValue(
                    name: attribute.name, previousValue: attribute.value(value.old, of: model(), isStored: areStored),
                    value: attribute.value(value.new, of: model(), isStored: areStored)))
        }
        return preserved
    }
}
