import Foundation
import SwiftData

func schema(_ encoder: any Encoder, _ decoder: any Decoder) throws {
    let version = Schema.Version(1, 2, 3)  //= Schema.Version.init(_:_:_:)
    let types: [any PersistentModel.Type] = [Trip.self, Item.self]
    let schema = Schema(types, version: version)  //= Schema.init(_:version:) (array of types)
    use(Schema(Trip.self, Item.self, version: version))  //= Schema.init(_:version:) (types)
    use(Schema(versionedSchema: Version.self))  //= Schema.init(versionedSchema:)
    use(schema.version)  //= Schema.version
    use(Schema())  //= Schema.init()
    use(Schema.self)  //= Schema
    let entities: [Schema.Entity] = schema.entities  //= Schema.entities
    use(entities)
    let byName: [String: Schema.Entity] = schema.entitiesByName  //= Schema.entitiesByName
    use(byName)
    use(schema.entity(for: Trip.self))  //= Schema.entity(for:)
    use(Schema.entityName(for: Trip.self))  //= Schema.entityName(for:)
    try schema.encode(to: encoder)  //= Schema.encode(to:)
    use(try Schema(from: decoder))  //= Schema.init(from:)
    try schema.save(to: URL(filePath: "schema.json"))  //= Schema.save(to:)
    let loaded: Schema = try Schema.load(from: URL(filePath: "schema.json"))  //= Schema.load(from:)
    use(loaded)
    use(schema.debugDescription)  //= Schema.debugDescription
    use(schema == schema)  //= Schema.==(_:_:)
    var hasher = Hasher()
    schema.hash(into: &hasher)  //= Schema.hash(into:)
}

enum Version: VersionedSchema {  //= VersionedSchema
    static let versionIdentifier = Schema.Version(1, 0, 0)  //= VersionedSchema.versionIdentifier
    static var models: [any PersistentModel.Type] { [Trip.self, Item.self, Guide.self] }  //= VersionedSchema.models
}

enum Plan: SchemaMigrationPlan {  //= SchemaMigrationPlan
    static var schemas: [any VersionedSchema.Type] { [Version.self] }  //= SchemaMigrationPlan.schemas
    static var stages: [MigrationStage] { [stage, other] }  //= SchemaMigrationPlan.stages

    //= MigrationStage.lightweight(fromVersion:toVersion:)
    static let stage = MigrationStage.lightweight(fromVersion: Version.self, toVersion: Version.self)
    //= MigrationStage.custom(fromVersion:toVersion:willMigrate:didMigrate:)
    static let other: MigrationStage = .custom(
        fromVersion: Version.self, toVersion: Version.self, willMigrate: { try $0.save() }, didMigrate: nil)
}

func version(_ version: Schema.Version) {
    use(MigrationStage.self)  //= MigrationStage
    use(Schema.Version.self)  //= Schema.Version
    use(version.major)  //= Schema.Version.major
    use(version.minor)  //= Schema.Version.minor
    use(version.patch)  //= Schema.Version.patch
    use(version.description)  //= Schema.Version.description
    use(version < version)  //= Schema.Version.<(_:_:)
    use(version == version)  //= Schema.Version.==(_:_:)
}

func entity(_ entity: Schema.Entity, _ encoder: any Encoder, _ decoder: any Decoder) throws {
    use(Schema.Entity.self)  //= Schema.Entity
    use(entity.name)  //= Schema.Entity.name
    let attributes: Set<Schema.Attribute> = entity.attributes  //= Schema.Entity.attributes
    use(attributes)
    let attributesByName: [String: Schema.Attribute] = entity.attributesByName  //= Schema.Entity.attributesByName
    use(attributesByName)
    let relationships: Set<Schema.Relationship> = entity.relationships  //= Schema.Entity.relationships
    use(relationships)
    let relationshipsByName: [String: Schema.Relationship] = entity.relationshipsByName
    use(relationshipsByName)  //= Schema.Entity.relationshipsByName
    for property in entity.properties { use(property.name) }  //= Schema.Entity.properties
    for property in entity.storedProperties { use(property.name) }  //= Schema.Entity.storedProperties
    use(entity.storedPropertiesByName["name"]?.name)  //= Schema.Entity.storedPropertiesByName
    let constraints: [[String]] = entity.uniquenessConstraints  //= Schema.Entity.uniquenessConstraints
    use(constraints)
    let indices: [[String]] = entity.indices  //= Schema.Entity.indices
    use(indices)
    let superentity: Schema.Entity? = entity.superentity  //= Schema.Entity.superentity
    use(superentity)
    let superentityName: String? = entity.superentityName  //= Schema.Entity.superentityName
    use(superentityName)
    let subentities: Set<Schema.Entity> = entity.subentities  //= Schema.Entity.subentities
    use(subentities)
    use(entity.inheritedProperties)  //= Schema.Entity.inheritedProperties
    use(entity.inheritedPropertiesByName)  //= Schema.Entity.inheritedPropertiesByName
    try entity.encode(to: encoder)  //= Schema.Entity.encode(to:)
    use(try Schema.Entity(from: decoder))  //= Schema.Entity.init(from:)
    use(entity.debugDescription)  //= Schema.Entity.debugDescription
    use(entity == entity)  //= Schema.Entity.==(_:_:)
    var hasher = Hasher()
    entity.hash(into: &hasher)  //= Schema.Entity.hash(into:)
}

func attribute(_ attribute: Schema.Attribute, _ encoder: any Encoder, _ decoder: any Decoder) throws {
    use(Schema.Attribute.self)  //= Schema.Attribute
    use(attribute.name)  //= Schema.Attribute.name
    use(attribute.originalName)  //= Schema.Attribute.originalName
    use(attribute.options.contains(.unique))  //= Schema.Attribute.options
    let valueType: any Any.Type = attribute.valueType  //= Schema.Attribute.valueType
    use(valueType)
    let defaultValue: Any? = attribute.defaultValue  //= Schema.Attribute.defaultValue
    use(defaultValue)
    use(attribute.isAttribute)  //= Schema.Attribute.isAttribute
    use(attribute.isCodable)  //= Schema.Attribute.isCodable
    use(attribute.isOptional)  //= Schema.Attribute.isOptional
    use(attribute.isRelationship)  //= Schema.Attribute.isRelationship
    use(attribute.isTransient)  //= Schema.Attribute.isTransient
    use(attribute.isUnique)  //= Schema.Attribute.isUnique
    use(attribute.isTransformable)  //= Schema.Attribute.isTransformable
    use(attribute.hashModifier)  //= Schema.Attribute.hashModifier
    //= Schema.Attribute.init(_:originalName:hashModifier:)
    use(Schema.Attribute(.unique, .spotlight, originalName: "title", hashModifier: "1"))
    //= Schema.Attribute.init(name:originalName:options:valueType:defaultValue:hashModifier:)
    use(
        Schema.Attribute(
            name: "name", originalName: "title", options: [.unique], valueType: String.self, defaultValue: "",
            hashModifier: "1"))
    try attribute.encode(to: encoder)  //= Schema.Attribute.encode(to:)
    use(try Schema.Attribute(from: decoder))  //= Schema.Attribute.init(from:)
    use(attribute.debugDescription)  //= Schema.Attribute.debugDescription
    use(attribute == attribute)  //= Schema.Attribute.==(_:_:)
    var hasher = Hasher()
    attribute.hash(into: &hasher)  //= Schema.Attribute.hash(into:)
    let option: Schema.Attribute.Option = .unique  //= Schema.Attribute.Option
    use(option == .unique)  //= Schema.Attribute.Option.==(_:_:)
    use(option.debugDescription)  //= Schema.Attribute.Option.debugDescription
    option.hash(into: &hasher)  //= Schema.Attribute.Option.hash(into:)
    try option.encode(to: encoder)  //= Schema.Attribute.Option.encode(to:)
    use(try Schema.Attribute.Option(from: decoder))  //= Schema.Attribute.Option.init(from:)
}

func compositeAttribute(_ encoder: any Encoder, _ decoder: any Decoder) throws {
    use(Schema.CompositeAttribute.self)  //= Schema.CompositeAttribute
    //= Schema.CompositeAttribute.init(name:originalName:options:valueType:defaultValue:hashModifier:)
    let composite = Schema.CompositeAttribute(
        name: "place", originalName: "place", options: [], valueType: Place.self, defaultValue: nil, hashModifier: nil)
    let properties: [any SchemaProperty] = composite.properties  //= Schema.CompositeAttribute.properties
    use(properties)
    try composite.encode(to: encoder)  //= Schema.CompositeAttribute.encode(to:)
    use(try Schema.CompositeAttribute(from: decoder))  //= Schema.CompositeAttribute.init(from:)
    use(composite.debugDescription)  //= Schema.CompositeAttribute.debugDescription
    use(composite == composite)  //= Schema.CompositeAttribute.==(_:_:)
}

func propertyMetadata() {
    use(Schema.PropertyMetadata.self)  //= Schema.PropertyMetadata
    //= Schema.PropertyMetadata.init(name:keypath:defaultValue:metadata:)
    use(
        Schema.PropertyMetadata(
            name: "name", keypath: \Trip.name, defaultValue: "", metadata: Schema.Attribute(.unique)))
}

func relationship(_ relationship: Schema.Relationship, _ encoder: any Encoder, _ decoder: any Decoder) throws {
    use(Schema.Relationship.self)  //= Schema.Relationship
    use(relationship.name)  //= Schema.Relationship.name
    use(relationship.originalName)  //= Schema.Relationship.originalName
    let keyPath: AnyKeyPath? = relationship.keypath  //= Schema.Relationship.keypath
    use(keyPath)
    let destination: String = relationship.destination  //= Schema.Relationship.destination
    use(destination)
    let inverseName: String? = relationship.inverseName  //= Schema.Relationship.inverseName
    use(inverseName)
    let inverse: AnyKeyPath? = relationship.inverseKeyPath  //= Schema.Relationship.inverseKeyPath
    use(inverse)
    use(relationship.deleteRule == .cascade)  //= Schema.Relationship.deleteRule
    use(relationship.isToOneRelationship)  //= Schema.Relationship.isToOneRelationship
    use(relationship.options.contains(.unique))  //= Schema.Relationship.options
    let minimum: Int? = relationship.minimumModelCount  //= Schema.Relationship.minimumModelCount
    use(minimum)
    let maximum: Int? = relationship.maximumModelCount  //= Schema.Relationship.maximumModelCount
    use(maximum)
    let valueType: any Any.Type = relationship.valueType  //= Schema.Relationship.valueType
    use(valueType)
    use(relationship.isAttribute)  //= Schema.Relationship.isAttribute
    use(relationship.isOptional)  //= Schema.Relationship.isOptional
    use(relationship.isRelationship)  //= Schema.Relationship.isRelationship
    use(relationship.isTransient)  //= Schema.Relationship.isTransient
    use(relationship.isUnique)  //= Schema.Relationship.isUnique
    use(relationship.hashModifier)  //= Schema.Relationship.hashModifier
    //= Schema.Relationship.init(_:deleteRule:minimumModelCount:maximumModelCount:originalName:inverse:hashModifier:)
    use(
        Schema.Relationship(
            .unique, deleteRule: .cascade, minimumModelCount: 0, maximumModelCount: 1, originalName: "leader",
            inverse: \Item.trip, hashModifier: "2"))
    try relationship.encode(to: encoder)  //= Schema.Relationship.encode(to:)
    use(try Schema.Relationship(from: decoder))  //= Schema.Relationship.init(from:)
    use(relationship.debugDescription)  //= Schema.Relationship.debugDescription
    use(relationship == relationship)  //= Schema.Relationship.==(_:_:)
    var hasher = Hasher()
    relationship.hash(into: &hasher)  //= Schema.Relationship.hash(into:)
    let option: Schema.Relationship.Option = .unique  //= Schema.Relationship.Option
    use(option == .unique)  //= Schema.Relationship.Option.==(_:_:)
    use(option.debugDescription)  //= Schema.Relationship.Option.debugDescription
    option.hash(into: &hasher)  //= Schema.Relationship.Option.hash(into:)
    try option.encode(to: encoder)  //= Schema.Relationship.Option.encode(to:)
    use(try Schema.Relationship.Option(from: decoder))  //= Schema.Relationship.Option.init(from:)
}

func deleteRule(_ encoder: any Encoder, _ decoder: any Decoder) throws {
    var rule = Schema.Relationship.DeleteRule.cascade  //= Schema.Relationship.DeleteRule.cascade
    rule = .deny  //= Schema.Relationship.DeleteRule.deny
    rule = .noAction  //= Schema.Relationship.DeleteRule.noAction
    rule = .nullify  //= Schema.Relationship.DeleteRule.nullify
    use(Schema.Relationship.DeleteRule.self)  //= Schema.Relationship.DeleteRule
    //= Schema.Relationship.DeleteRule.init(rawValue:)
    use(Schema.Relationship.DeleteRule(rawValue: rule.rawValue))  //= Schema.Relationship.DeleteRule.rawValue
    try rule.encode(to: encoder)  //= Schema.Relationship.DeleteRule.encode(to:)
    use(try Schema.Relationship.DeleteRule(from: decoder))  //= Schema.Relationship.DeleteRule.init(from:)
    var hasher = Hasher()
    rule.hash(into: &hasher)  //= Schema.Relationship.DeleteRule.hash(into:)
}

func index(_ types: Schema.Index<Trip>.Types<Trip>) {
    use(Schema.Index<Trip>.self)  //= Schema.Index
    use(Schema.Index<Trip>.Types<Trip>.self)  //= Schema.Index.Types
    switch types {
    case .binary(let keyPaths): use(keyPaths)  //= Schema.Index.Types.binary(_:)
    case .rtree(let keyPaths): use(keyPaths)  //= Schema.Index.Types.rtree(_:)
    }
}

func schemaProperty(_ property: any SchemaProperty) {
    use((any SchemaProperty).self)  //= SchemaProperty
    use(property.name)  //= SchemaProperty.name
    use(property.originalName)  //= SchemaProperty.originalName
    let valueType: any Any.Type = property.valueType  //= SchemaProperty.valueType
    use(valueType)
    use(property.isAttribute)  //= SchemaProperty.isAttribute
    use(property.isOptional)  //= SchemaProperty.isOptional
    use(property.isRelationship)  //= SchemaProperty.isRelationship
    use(property.isTransient)  //= SchemaProperty.isTransient
    use(property.isUnique)  //= SchemaProperty.isUnique
}
