import ChronicleCore

/// An entity in the history: the conversion of its changes, and its attributes.
final class EntityHistory: Sendable {
    let name: String
    let origin: PersistentIdentifier.Origin
    let maker: any ChangeMaker
    private let attributes: NumberedList<PreservedAttribute>

    init(_ recorded: RecordedEntity, _ schema: Schema, storeIdentifier: String) {
        let entity = schema.entitiesByName[recorded.name]
        name = recorded.name
        origin = .init(storeIdentifier: storeIdentifier, entityName: recorded.name)
        maker = Self.maker(schema.modelType(named: recorded.name))
        attributes = NumberedList(
            recorded.attributes.map { attribute in
                let property = attribute.isPresent ? entity?.property(named: attribute.name) : nil
                return (Int64(attribute.number), PreservedAttribute(attribute.name, property))
            })
    }

    private static func maker<Model: PersistentModel>(_ type: Model.Type) -> any ChangeMaker {
        TypedChangeMaker<Model>()
    }

    /// Returns the names of the attributes in a list of masks, beginning with the mask of the lowest numbers, or `nil`
    /// if an attribute is unknown.
    func names(_ masks: [Int64]) -> [String]? {
        var names: [String] = []
        for (index, mask) in masks.enumerated() {
            guard mask >> RecorderSQL.attributesPerMask == 0 else { return nil }
            var rest = mask
            while rest != 0 {
                let number = index * RecorderSQL.attributesPerMask + rest.trailingZeroBitCount
                guard let attribute = attributes[Int64(number)] else { return nil }
                names.append(attribute.name)
                rest &= rest - 1
            }
        }
        return names
    }

    /// Returns the preserved values of a delete by name and converted to the types of the properties, or `nil` if an
    /// attribute is unknown.
    ///
    /// - Throws: ``SwiftDataError/undecodableValue`` if a value cannot be converted to the type of its property.
    func tombstone(_ kept: ArraySlice<ChangeBuffer.PreservedValue>) throws -> [HistoryTombstone<RemovedModel>.Element]?
    {
        var elements: [HistoryTombstone<RemovedModel>.Element] = []
        elements.reserveCapacity(kept.count)
        for value in kept {
            guard let attribute = attributes[value.attribute] else { return nil }
            if let decoded = try attribute.decode(value.value) { elements.append((attribute.name, decoded)) }
        }
        return elements
    }
}
