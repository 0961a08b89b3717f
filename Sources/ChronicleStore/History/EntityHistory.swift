import ChronicleCore

/// An entity as the history has it: how to make its changes, and what its attributes are called.
final class EntityHistory: Sendable {
    let name: String
    let origin: PersistentIdentifier.Origin
    let maker: any ChangeMaker
    private let attributes: NumberedList<KeptAttribute>

    init(_ recorded: RecordedEntity, _ schema: Schema, storeIdentifier: String) {
        let entity = schema.entitiesByName[recorded.name]
        name = recorded.name
        origin = .init(storeIdentifier: storeIdentifier, entityName: recorded.name)
        maker = Self.maker(schema.modelType(named: recorded.name))
        attributes = NumberedList(
            recorded.attributes.map { attribute in
                let property = attribute.isPresent ? entity?.property(named: attribute.name) : nil
                return (Int64(attribute.number), KeptAttribute(attribute.name, property))
            })
    }

    private static func maker<Model: PersistentModel>(_ type: Model.Type) -> any ChangeMaker {
        TypedChangeMaker<Model>()
    }

    /// The names of the attributes in a list of masks, the first of which has the lowest numbers; `nil` when one of them
    /// is not known.
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

    /// What a delete kept, by name and of the properties' types; `nil` when one of the attributes is not known.
    ///
    /// - Throws: ``SwiftDataError/undecodableValue`` for what is no value of the property's type.
    func tombstone(_ kept: ArraySlice<ChangeBuffer.KeptValue>) throws -> [HistoryTombstone<RemovedModel>.Element]? {
        var elements: [HistoryTombstone<RemovedModel>.Element] = []
        elements.reserveCapacity(kept.count)
        for value in kept {
            guard let attribute = attributes[value.attribute] else { return nil }
            if let decoded = try attribute.decode(value.value) { elements.append((attribute.name, decoded)) }
        }
        return elements
    }
}
