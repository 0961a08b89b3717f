import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Descriptions of properties for code that inspects models.
@Suite struct SchemaMetadataTests {
    @Test func metadataDescribesEachProperty() throws {
        let metadata = Trip.schemaMetadata
        #expect(metadata.map(\.name) == Trip.properties.elements.map(\.name))
        #expect(metadata.map(\.keypath) == Trip.properties.elements.map { $0.keyPath as AnyKeyPath })
        let entity = try #require(Schema(Trip.self).entity(for: Trip.self))
        for property in metadata {
            let described = try #require(property.metadata)
            #expect(described.name == property.name)
            let attribute = described as? Schema.Attribute
            #expect(attribute == entity.attributesByName[property.name])
            #expect(described as? Schema.Relationship == entity.relationshipsByName[property.name])
            #expect(!(described is Schema.CompositeAttribute))
        }
        let reflected = Mirror(reflecting: try #require(metadata.first))
        #expect(reflected.children.compactMap(\.label) == ["name", "keypath", "defaultValue", "metadata"])
    }

    @Test func createdAttributesKeepTheirArguments() throws {
        let unique = Schema.Attribute(.unique, .spotlight, originalName: "title", hashModifier: "1")
        #expect(unique.options == [.unique, .spotlight] && unique.isUnique && unique.isAttribute)
        #expect(unique.originalName == "title" && unique.hashModifier == "1" && unique.name == "")
        let number = Schema.Attribute(name: "number", valueType: Int?.self, defaultValue: 3)
        #expect(number.name == "number" && number.originalName == "number" && number.isOptional)
        #expect(number.defaultValue as? Int == 3 && number.storage == .integer && number.valueTypeName == "Int")
        #expect(Schema.Attribute(name: "number", valueType: Int.self, defaultValue: "3").defaultValue == nil)
        let properties: [any SchemaProperty] = [unique, number, Schema.Relationship(deleteRule: .cascade)]
        #expect(properties.map { $0 is Schema.Attribute } == [true, true, false])
        let decoded = try JSONDecoder().decode(Schema.Attribute.self, from: JSONEncoder().encode(number))
        #expect(decoded == number)
        let composite = Schema.CompositeAttribute(name: "place", valueType: String.self)
        #expect(composite.properties.isEmpty && composite.isAttribute)
    }

    @Test func createdRelationshipsKeepTheirArguments() {
        let relationship = Schema.Relationship(
            .unique, deleteRule: .deny, minimumModelCount: 1, maximumModelCount: 2, originalName: "things",
            inverse: \Trip.name, hashModifier: "2")
        #expect(relationship.isUnique && relationship.isRelationship && relationship.deleteRule == .deny)
        #expect(relationship.minimumModelCount == 1 && relationship.maximumModelCount == 2)
        #expect(relationship.originalName == "things" && relationship.hashModifier == "2")
        #expect(relationship.inverseKeyPath == \Trip.name)
        #expect(Schema.Relationship().deleteRule == .nullify)
    }
}
