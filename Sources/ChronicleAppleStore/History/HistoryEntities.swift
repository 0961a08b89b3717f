import ChronicleCore
import Foundation

/// The entities of changes by the numbers in `ZENTITY`.
struct HistoryEntities: Sendable {
    struct Entity: Sendable {
        let origin: PersistentIdentifier.Origin
        let maker: any ChangeMaker
        /// The names by the position of a property's bit in a mask; empty if the order is not known.
        let propertyNames: [String]
        /// The attributes with tombstone columns, in the order of the columns.
        let tombstones: [Tombstone]
    }

    struct Tombstone: Sendable {
        let name: String
        let property: Schema.Property?
    }

    private let entities: [Int64: Entity]
    private let storeIdentifier: String

    init(_ layout: AppleLayout, _ schema: Schema) {
        storeIdentifier = layout.storeIdentifier
        var entities: [Int64: Entity] = [:]
        for (number, entity) in layout.entities.byNumber {
            // As in a fetch, a row of a class that the schema lacks is one of the nearest class.
            let known = layout.entities.chain(of: entity).lazy.compactMap { kind in
                schema.entitiesByName[kind.name] ?? schema.entities.first { $0.originalName == kind.name }
            }.first
            let properties = layout.model?.entities[entity.name]?.properties.filter(\.isPersistent) ?? []
            entities[number] = Entity(
                origin: PersistentIdentifier.Origin(
                    storeIdentifier: layout.storeIdentifier, entityName: known?.name ?? entity.name,
                    rootEntityName: known?.rootName ?? entity.rootName),
                maker: Self.maker(schema.modelType(named: known?.name ?? entity.name)),
                propertyNames: properties.map { Self.name($0.name, known) },
                tombstones: Self.tombstones(layout, entity, properties, known))
        }
        self.entities = entities
    }

    /// A number that the file does not explain is an entity of its number.
    func entity(_ number: Int64) -> Entity {
        entities[number]
            ?? Entity(
                origin: PersistentIdentifier.Origin(storeIdentifier: storeIdentifier, entityName: "entity \(number)"),
                maker: TypedChangeMaker<UntypedModel>(), propertyNames: [], tombstones: [])
    }

    /// Swift opens the existential, so that `Model` is the class itself.
    private static func maker<Model: PersistentModel>(_: Model.Type) -> any ChangeMaker { TypedChangeMaker<Model>() }

    /// The number of an entity, or of all entities with that root.
    func numbers(ofEntity name: String, isRoot: Bool) -> [Int64] {
        let known = entities.filter { (isRoot ? $0.value.origin.rootEntityName : $0.value.origin.entityName) == name }
            .map(\.key).sorted()
        if known.isEmpty, name.hasPrefix("entity "), let number = Int64(name.dropFirst(7)) { return [number] }
        return known
    }

    private static func name(_ name: String, _ entity: Schema.Entity?) -> String {
        guard let entity, entity.propertiesByName[name] == nil else { return name }
        return entity.properties.first { $0.originalName == name }?.name ?? name
    }

    /// The preserved attributes in the order of their names in the file. Those of the class can differ: it may lack
    /// properties of the file, or preserve others.
    private static func tombstones(
        _ layout: AppleLayout, _ file: AppleEntity, _ properties: [CachedModel.Property], _ entity: Schema.Entity?
    ) -> [Tombstone] {
        let preserved = properties.filter(\.isPreserved)
        guard preserved.isEmpty, let entity, entity.hasModelClass else {
            return preserved.map {
                let name = name($0.name, entity)
                return Tombstone(name: name, property: entity?.propertiesByName[name])
            }
        }
        // Without flags, only a class that has all attributes of the file tells which ones are preserved.
        let names =
            properties.isEmpty ? layout.columnNames(of: file) : properties.filter(\.hasColumns).map(\.name)
        guard let upperNames = names.map({ names in Set(names.map { $0.uppercased() }) }) else { return [] }
        let known = Set(entity.storedProperties.flatMap { [$0.name.uppercased(), $0.originalName.uppercased()] })
        guard upperNames.isSubset(of: known) else { return [] }
        return entity.properties.filter { $0.attribute?.options.contains(.preserveValueOnDeletion) == true }
            .compactMap { property in
                [property.name, property.originalName].first { upperNames.contains($0.uppercased()) }.map {
                    (name: $0, property: property)
                }
            }
            .sorted { CachedModel.Entity.precedes($0.name, $1.name) }
            .map { Tombstone(name: $0.property.name, property: $0.property) }
    }
}

extension CachedModel.Property {
    /// Other rows or tables may contain the property.
    fileprivate var hasColumns: Bool { relationship?.isToMany != true }
}

extension AppleLayout {
    /// The columns of attributes and to-one relationships; `nil` if several entities share the table.
    fileprivate func columnNames(of entity: AppleEntity) -> [String]? {
        guard let table = table(of: entity), entity.superentityNumber == nil, entities.kinds(of: entity).count == 1
        else {
            return nil
        }
        return table.columns.map(\.name).filter(Self.isAttribute).map { String($0.dropFirst()) }
    }
}

extension HistoryEntities.Entity {
    /// The most significant bit of the first byte is the first one. A bit beyond the properties means that the model had
    /// other ones when the mask was written. Then no bit has a name: they are *property 1*, *property 2*, and so on.
    /// *property 1*, *property 2*, and so on.
    func names(_ mask: some Sequence<UInt8>) -> [String] {
        var positions: [Int] = []
        // No model has more properties.
        for (index, byte) in mask.prefix(4_096).enumerated() {
            for bit in 0..<8 where byte & (0x80 >> UInt8(bit)) != 0 { positions.append(index * 8 + bit) }
        }
        let isKnown = positions.last.map { $0 < propertyNames.count } ?? true
        return positions.map { isKnown ? propertyNames[$0] : "property \($0 + 1)" }
    }
}
