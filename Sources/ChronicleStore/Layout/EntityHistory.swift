import ChronicleCore
import ChronicleSQLStore

/// An entity in the history: the conversion of its changes, and its attributes.
final class EntityHistory: Sendable {
    let name: String
    let rootName: String
    let origin: PersistentIdentifier.Origin
    let maker: any ChangeMaker
    /// See `HistoryEntity`.
    let missingName: String?
    /// The number of the entity whose attributes are recorded: the one from which this one inherits, or itself.
    let rootNumber: Int64
    /// The present relationships that are stored as links and have no inverse.
    let lists: [Int64]
    private let attributes: NumberedList<PreservedAttribute>

    init(_ recorded: RecordedEntity, root: Int64, _ schema: Schema, storeIdentifier: String) {
        let entity = HistoryEntity(recorded.name, rootName: recorded.rootName, schema, storeIdentifier: storeIdentifier)
        (name, rootName, origin, rootNumber) = (entity.name, entity.rootName, entity.origin, root)
        missingName = entity.missingName
        maker = Self.maker(schema.modelType(named: name))
        let known = recorded.attributes.map { attribute in
            let known = entity.attribute(
                attribute.name, isPresent: attribute.isPresent, destination: attribute.destination)
            return (number: Int64(attribute.number), name: attribute.name, known)
        }
        lists = known.filter(\.2.isList).map(\.number)
        attributes = NumberedList(known.map { ($0.number, PreservedAttribute($0.name, $0.2)) })
    }

    private static func maker<Model: PersistentModel>(_ type: Model.Type) -> any ChangeMaker {
        TypedChangeMaker<Model>()
    }

    /// `nil` if an attribute is unknown.
    func names(_ masks: AttributeMasks) -> [String]? {
        var names: [String] = []
        var isComplete = true
        masks.forEach { number in
            if let attribute = attributes[Int64(number)] { names.append(attribute.name) } else { isComplete = false }
        }
        return isComplete ? names : nil
    }

    /// The name of a class that the schema lacks, as a value of an insert or a delete.
    private func missingClass(_ isStored: Bool) -> (any Sendable)? {
        guard let missingName else { return nil }
        return isStored ? PropertyValue.text(missingName) as any Sendable : missingName
    }

    /// `nil` if an attribute is unknown.
    func tombstone(
        _ values: ArraySlice<PastValue>, of model: @autoclosure () -> PersistentIdentifier, areStored: Bool
    ) -> HistoryTombstone<UntypedModel>? {
        var elements: [HistoryTombstone<UntypedModel>.NamedValue] = []
        elements.reserveCapacity(values.count)
        var nilAttributeNames: [String] = []
        if let name = missingClass(areStored) { elements.append((Schema.entityAttribute, name)) }
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

    /// `nil` if an attribute is unknown.
    func preservedValues(
        _ values: ArraySlice<PastValue>, of model: @autoclosure () -> PersistentIdentifier, isInsert: Bool,
        areStored: Bool
    ) -> [PreservedValue]? {
        var preserved: [PreservedValue] = []
        preserved.reserveCapacity(values.count)
        if isInsert, let name = missingClass(areStored) {
            preserved.append(PreservedValue(name: Schema.entityAttribute, previousValue: nil, value: name))
        }
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
