import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleCore

/// Schemas that are decoded without model classes.
@Suite struct SchemaCodingTests {
    @Test(arguments: SchemaCase.all) func schemaIsSavedInAFile(_ schema: SchemaCase) throws {
        let schema = schema.schema
        let directory = try TemporaryDirectory()
        let file = directory.file("schema.json")
        try schema.save(to: file)
        let saved = try Data(contentsOf: file)
        let loaded = try Schema.load(from: file)
        #expect(loaded.entities.map(\.name) == schema.entities.map(\.name))
        #expect(loaded.entities.allSatisfy { !$0.hasModelClass })
        try loaded.save(to: file)
        #expect(try Data(contentsOf: file) == saved)
    }

    @Test(arguments: ["", "[]", "{\"entities\":[{}]}"]) func fileWithoutASchemaIsRejected(_ text: String) throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("schema.json")
        try Data(text.utf8).write(to: file)
        #expect(throws: SwiftDataError.invalidModel) { try Schema.load(from: file) }
    }

    @Test func optionsAreEncodedAsNames() throws {
        let options: Schema.Attribute.Option = [.unique, .preserveValueOnDeletion]
        let data = try JSONEncoder().encode(options)
        #expect(String(decoding: data, as: UTF8.self) == #"["unique","preserveValueOnDeletion"]"#)
        #expect(try JSONDecoder().decode(Schema.Attribute.Option.self, from: data) == options)
        #expect(options.debugDescription == "[unique, preserveValueOnDeletion]")
        let later = Data(#"["unique","later"]"#.utf8)
        #expect(try JSONDecoder().decode(Schema.Attribute.Option.self, from: later) == .unique)
        #expect(try JSONDecoder().decode(Schema.Relationship.Option.self, from: later) == .unique)
        #expect(try JSONEncoder().encode(Schema.Relationship.Option.unique) == Data(#"["unique"]"#.utf8))
        #expect(Schema.Relationship.Option().debugDescription == "[]")
    }

    @Test(arguments: SchemaCase.all) func decodedSchemaDescribesTheSameEntities(_ schema: SchemaCase) throws {
        let schema = schema.schema
        try schema.validate()
        let decoded = try Schema(entities: schema.entities.map { try Schema.Entity(json: $0.json()) })
        try decoded.validate()
        #expect(decoded.entities.map(\.name) == schema.entities.map(\.name))
        #expect(decoded.links.map(\.name) == schema.links.map(\.name))
        for (entity, original) in zip(decoded.entities, schema.entities) {
            #expect(try entity.json() == original.json())
            #expect(!entity.hasModelClass && original.hasModelClass && entity.type is UntypedModel.Type)
            #expect(entity.uniquenessConstraints == original.uniquenessConstraints)
            #expect(entity.indices == original.indices)
            #expect(entity.storedProperties.map(\.name) == original.storedProperties.map(\.name))
            #expect(entity.preservedProperties.map(\.name) == original.preservedProperties.map(\.name))
            for (property, other) in zip(entity.properties, original.properties) {
                #expect(property.keyPath == nil && other.keyPath != nil)
                #expect((property.name, property.originalName) == (other.name, other.originalName))
                #expect((property.index, property.slot, property.mark) == (other.index, other.slot, other.mark))
                #expect((property.isOptional, property.isUnique) == (other.isOptional, other.isUnique))
                if other.attribute?.hasConstantDefault != false { #expect(property.defaultValue == other.defaultValue) }
                #expect(property.attribute?.storage == other.attribute?.storage)
                #expect(property.attribute?.options == other.attribute?.options)
                #expect(property.relationship?.isLinked == other.relationship?.isLinked)
                #expect(
                    property.relationship.map(decoded.deleteRule(towards:))
                        == other.relationship.map(schema.deleteRule(towards:)))
                #expect(decoded.inverse(of: property)?.name == schema.inverse(of: other)?.name)
            }
        }
    }

    @Test func schemaIsCodable() throws {
        let schema = Schema(Trip.self)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let data = try encoder.encode(schema)
        let decoded = try JSONDecoder().decode(Schema.self, from: data)
        #expect(try encoder.encode(decoded) == data)
        #expect(try JSONDecoder().decode(Schema.self, from: data) == decoded)
        #expect(decoded.hashValue == (try JSONDecoder().decode(Schema.self, from: data)).hashValue)
        #expect(decoded != schema)
        #expect(Schema(Trip.self) == schema && Schema(Trip.self).hashValue == schema.hashValue)
        #expect(decoded.entity(for: Trip.self) == nil && decoded.entity(for: UntypedModel.self) == nil)
        #expect(decoded.modelType(named: "Trip") is UntypedModel.Type)
    }

    @Test func invalidSchemaIsNotEncoded() throws {
        #expect(throws: SwiftDataError.unsupportedAttributeType) { try JSONEncoder().encode(Schema(Unencodable.self)) }
    }

    /// Files contain this text. Add keys, but do not rename or remove one.
    @Test func descriptionIsStable() throws {
        let text = try #require(Schema(Described.self).entitiesByName["Described"]).json()
        #expect(
            text == """
                {"indices":[["rank","owner"]],"name":"Described","properties":[\
                {"default":["text","new"],"isOptional":false,"kind":"attribute","name":"title",\
                "options":["unique","preserveValueOnDeletion"],"originalName":"caption","storage":"text",\
                "type":"String"},\
                {"default":["integer",3],"isOptional":true,"kind":"attribute","name":"rank","options":[],\
                "storage":"integer","type":"Int32"},\
                {"isOptional":false,"kind":"attribute","name":"created","options":[],"storage":"real","type":"Date"},\
                {"isOptional":false,"kind":"attribute","name":"moment","options":[],"storage":"json",\
                "type":"\(moduleName).Date"},\
                {"deleteRule":"deny","destination":"DescribedOwner","inverse":"parts","isLinked":false,\
                "isOptional":false,"isToMany":false,"kind":"relationship","maximumModelCount":0,\
                "minimumModelCount":0,"name":"owner","options":["unique"]},\
                {"deleteRule":"cascade","destination":"DescribedOwner","isLinked":true,"isOptional":true,\
                "isToMany":true,"kind":"relationship","maximumModelCount":5,"minimumModelCount":1,"name":"others",\
                "options":[],"originalName":"friends"}],\
                "uniquenessConstraints":[["title"],["owner"],["title","rank"]]}
                """)
        #expect(try Schema(Described.self).entitiesByName["Described"]?.json() == text)
    }

    private var moduleName: String { String(String(reflecting: Described.self).prefix { $0 != "." }) }

    @Test func keysAndOptionsOfLaterVersionsAreIgnored() throws {
        let text = try #require(Schema(Described.self).entitiesByName["Described"]).json()
        let later =
            text
            .replacing("\"preserveValueOnDeletion\"", with: "\"preserveValueOnDeletion\",\"shiny\"")
            .replacing("\"kind\":", with: "\"later\":{\"a\":[1]},\"kind\":")
            .replacing("{\"indices\":", with: "{\"later\":null,\"indices\":")
        #expect(later != text)
        #expect(try Schema.Entity(json: later).json() == text)
    }

    // MARK: Values

    @Test func valuesDecodeWithoutClasses() throws {
        let entity = try #require(Schema(Everything.self).entitiesByName["Everything"])
        let decoded = try Schema.Entity(json: entity.json())
        for sample in Everything.samples() {
            for (property, other) in zip(entity.properties, decoded.properties) {
                let codec = try #require(property.codec)
                let keyPath = try #require(property.keyPath as? PartialKeyPath<Everything>)
                let stored = try #require(try codec.encodeAny(sample[keyPath: keyPath]))
                let (expected, found) = (try property.decode(stored), try other.decode(stored))
                guard let expected, let found else {
                    #expect(expected == nil && found == nil && stored.isNull)
                    continue
                }
                // Equal stored forms are equal bit by bit.
                if property.valueType == other.valueType {
                    #expect(type(of: found) == type(of: expected), "\(property.name)")
                    #expect(try other.encode(found) == property.encode(expected), "\(property.name)")
                } else {
                    #expect(
                        ["mood", "codable", "array", "dictionary"].contains { property.name.lowercased().hasSuffix($0) }
                    )
                    #expect(.text(try #require(found as? String)) == stored)
                }
            }
        }
    }

    @Test func typesHaveNaturalValues() throws {
        func decode(_ type: String, _ storage: Schema.Attribute.Storage, _ value: PropertyValue) throws -> Any? {
            let entity = try Schema.Entity(
                json: """
                    {"name":"E","properties":[{"kind":"attribute","name":"a","type":"\(type)",\
                    "storage":"\(storage.rawValue)","isOptional":true}]}
                    """)
            #expect(entity.properties[0].attribute?.valueTypeName == type)
            return try entity.properties[0].decode(value)
        }
        #expect(try decode("Date", .real, .real(1)) as? Date == Date(timeIntervalSinceReferenceDate: 1))
        #expect(try decode("Bool", .integer, .integer(1)) as? Bool == true)
        #expect(try decode("Float", .real, .real(0.5)) as? Float == 0.5)
        #expect(try decode("UInt16", .integer, .integer(7)) as? UInt16 == 7)
        #expect(try decode("Int128", .integer, .integer(7)) as? Int128 == 7)
        #expect(try decode("UUID", .blob, .blob(Data(count: 16))) is UUID)
        #expect(try decode("Decimal", .text, .text("1.50")) as? Decimal == 1.5)
        #expect(try decode("URL", .text, .text("a:b")) as? URL == URL(string: "a:b"))
        #expect(try decode("Mood", .integer, .integer(7)) as? Int64 == 7)
        #expect(try decode("Mood", .text, .blob(Data([1]))) as? Data == Data([1]))
        #expect(try decode("Mood", .decimal, .text("1")) as? String == "1")
        #expect(try decode("Place", .json, .text("{}")) as? String == "{}")
        #expect(try decode("Place", .json, .blob(Data("{}".utf8))) as? String == "{}")
        #expect(try decode("Date", .json, .text("{}")) as? String == "{}")
        #expect(try decode("Mood", .text, .null) == nil)
        for (type, storage, value) in [
            ("Int8", .integer, .integer(4711)), ("Date", .real, .text("x")), ("UUID", .blob, .blob(Data())),
            ("Place", .json, .integer(1)), ("Place", .json, .blob(Data([0xFF]))), ("String", .text, .integer(1)),
        ] as [(String, Schema.Attribute.Storage, PropertyValue)] {
            #expect(throws: SwiftDataError.undecodableValue) { try decode(type, storage, value) }
        }
    }

    @Test func optionalsHaveTheTypeNameOfTheirValues() throws {
        let entity = try #require(Schema(Everything.self).entitiesByName["Everything"])
        let names = entity.attributesByName.mapValues(\.valueTypeName)
        #expect(names["optionalDate"] == "Date" && names["date"] == "Date" && names["decimal"] == "Decimal")
        #expect(names["optionalArray"] == "Array<Date>" && names["mood"] == "Temper" && names["uint8"] == "UInt8")
    }

    // MARK: Damaged descriptions

    @Test(arguments: [
        ("", "damaged, or"), ("[]", "damaged"), ("{\"name\":\"E\"}", "at properties"),
        ("{\"name\":\"\",\"properties\":[]}", "no name"),
        (entity(#"{"kind":"attribute","name":"a","type":"Int","storage":"cube","isOptional":false}"#), "0.storage"),
        (entity(#"{"kind":"widget","name":"a"}"#), "at properties.0.kind"),
        (entity(#"{"kind":"attribute","name":"","type":"Int","storage":"integer","isOptional":false}"#), "no name"),
        (entity(attribute("a"), attribute("a")), "two properties of this name"),
        (entity(attribute("a", #","default":["text","x"]"#)), "is not a valid Int"),
        (entity(attribute("a", #","default":["null"]"#)), "is not a valid Int"),
        (
            entity(attribute("a", #","default":["reference",{"entity":"E","number":1}]"#)), "is not a valid Int"
        ),
        (entity(attribute("a"), sets: #""indices":[["b"]]"#), "an index lists b"),
        (entity(attribute("a"), sets: #""indices":[[]]"#), "an index lists no property"),
        (
            entity(relationship("a", isToMany: true, isLinked: true), sets: #""uniquenessConstraints":[["a"]]"#),
            "a uniqueness constraint lists a to-many relationship"
        ),
        (entity(relationship("a", isToMany: false, isLinked: true)), "a to-one relationship cannot be stored as links"),
        (entity(relationship("a", isToMany: false, more: #","minimumModelCount":-1"#)), "cannot be negative"),
        (
            entity(relationship("a", isToMany: false, more: #","options":["unique"],"deleteRule":"explode""#)),
            "at properties.0.deleteRule"
        ),
    ])
    func damagedEntityThrows(_ text: String, _ detail: String) {
        let error = #expect(throws: SwiftDataError.self) { try Schema.Entity(json: text) }
        #expect(error == .invalidModel)
        #expect(error?.detail?.contains(detail) == true, "\(error.map(\.description) ?? "")")
    }

    @Test(arguments: [
        ([entity(attribute("a")), entity(attribute("b"))], "two entities of this name"),
        ([entity(relationship("a", to: "F", isToMany: false))], "does not describe its destination F"),
        ([entity(relationship("a", isToMany: false, more: #","inverse":"b""#))], "E.b is not its inverse"),
        (
            [entity(relationship("a", isToMany: false, more: #","inverse":"b""#), attribute("b"))],
            "E.b is not its inverse"
        ),
        (
            [
                entity(
                    relationship("a", isToMany: false, more: #","inverse":"b""#), relationship("b", isToMany: false))
            ], "E.b is not its inverse"
        ),
        ([entity(relationship("a", isToMany: true, isLinked: false))], "is stored as links if it is to-many"),
        (
            [
                entity(name: "E", relationship("b.c", to: "E", isToMany: true, isLinked: true)),
                entity(name: "E.b", relationship("c", to: "E", isToMany: true, isLinked: true)),
            ], "links of the name E.b.c"
        ),
    ])
    func contradictoryEntitiesThrow(_ texts: [String], _ detail: String) throws {
        let schema = Schema(entities: try texts.map { try Schema.Entity(json: $0) })
        #expect(schema.entities.isEmpty)
        let error = #expect(throws: SwiftDataError.self) { try schema.validate() }
        #expect(error == .invalidModel)
        #expect(error?.detail?.contains(detail) == true, "\(error.map(\.description) ?? "")")
        #expect(error?.entityName != nil)
        #expect(throws: SwiftDataError.invalidModel) {
            try JSONDecoder().decode(
                Schema.self, from: Data("{\"entities\":[\(texts.joined(separator: ","))]}".utf8))
        }
    }

    @Test(arguments: 0..<600) func mutatedDescriptionsDoNotTrap(_ number: Int) throws {
        var generator = TestSeed.generator(number)
        let entities = generator.pick(SchemaCase.all).schema.entities
        let mutated = generator.below(entities.count)
        let texts = try entities.enumerated().map { index, entity in
            index == mutated ? try Self.mutation(of: entity.json(), &generator) : try entity.json()
        }
        do {
            let schema = Schema(entities: try texts.map { try Schema.Entity(json: $0) })
            try schema.validate()
            for entity in schema.entities {
                let text = try entity.json()
                #expect(try Schema.Entity(json: text).json() == text, "\(TestSeed.description), case \(number)")
                for property in entity.properties {
                    _ = try? property.decode(
                        generator.pick([.null, .integer(-1), .real(.nan), .text("a"), .blob(Data())]))
                    _ = (property.attribute?.defaultValue, schema.inverse(of: property), schema.links(of: property))
                    _ = property.relationship.map(schema.deleteRule(towards:))
                }
            }
        } catch {
            #expect(error is SwiftDataError, "\(error), \(TestSeed.description), case \(number)")
        }
    }

    private static func mutation(of text: String, _ generator: inout SplitMix) throws -> String {
        if generator.below(4) > 0 {
            // Replaces values, so that the result is valid JSON and is often the description of an entity.
            var tree = try JSONSerialization.jsonObject(with: Data(text.utf8))
            for _ in 0...generator.below(2) {
                let values = Self.values(in: tree)
                var number = 1 + generator.below(values.count - 1)
                let similar = values.filter { type(of: $0) == type(of: values[number]) }
                let others: [Any] = values + [NSNull(), -1, 1 << 62, 0.5, "", "null", [Any](), true]
                let other = generator.pick(generator.below(4) > 0 ? similar : others)
                tree = Self.replacing(&number, in: tree, with: generator.below(16) == 0 ? nil : other) ?? tree
            }
            return String(decoding: try JSONSerialization.data(withJSONObject: tree), as: UTF8.self)
        }
        var bytes = Array(text.utf8)
        for _ in 0...generator.below(3) {
            let start = generator.below(bytes.count)
            let range = start..<min(bytes.count, start + 1 + generator.below(40))
            switch generator.below(4) {
            case 0: bytes[start] ^= 1 << UInt8(generator.below(8))
            case 1: bytes.removeSubrange(range)
            case 2: bytes.insert(contentsOf: bytes[range], at: generator.below(bytes.count))
            default: bytes.insert(UInt8(generator.below(256)), at: start)
            }
            if bytes.isEmpty { break }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns a tree of JSON values as an array: the tree itself and then the values in it.
    private static func values(in tree: Any) -> [Any] {
        switch tree {
        case let array as [Any]: [tree] + array.flatMap(values)
        case let object as [String: Any]: [tree] + object.sorted { $0.key < $1.key }.flatMap { values(in: $0.value) }
        default: [tree]
        }
    }

    /// Returns a tree in which the value with a number in ``values(in:)`` is replaced, or removed for `nil`.
    private static func replacing(_ number: inout Int, in tree: Any, with other: Any?) -> Any? {
        number -= 1
        if number < 0 { return number == -1 ? other : tree }
        switch tree {
        case let array as [Any]:
            var copy: [Any] = []
            for value in array { if let value = replacing(&number, in: value, with: other) { copy.append(value) } }
            return copy
        case let object as [String: Any]:
            var copy = object
            for (key, value) in object.sorted(by: { $0.key < $1.key }) {
                copy[key] = replacing(&number, in: value, with: other)
            }
            return copy
        default: return tree
        }
    }

    // MARK: Containers and stores

    @Test func containerRequiresModelClasses() throws {
        let decoded = try JSONDecoder().decode(Schema.self, from: JSONEncoder().encode(Schema(Trip.self)))
        let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
        let error = #expect(throws: SwiftDataError.self) {
            try ModelContainer(for: decoded, configurations: [configuration])
        }
        #expect(error == .unknownSchema && error?.detail?.contains("was decoded") == true)
        var other = configuration
        other.schema = decoded
        #expect(throws: SwiftDataError.unknownSchema) {
            try ModelContainer(for: Schema(Trip.self), configurations: [other])
        }
    }
}

/// A schema with a name for test reports.
struct SchemaCase: CustomTestStringConvertible, Sendable {
    let schema: Schema
    var testDescription: String { schema.entities.map(\.name).joined(separator: ", ") }

    static let all = [
        Schema(Trip.self), Schema(Everything.self), Schema(Described.self), Schema(LinkItem.self),
        Schema(GraphNode.self, GraphGroup.self, GraphSeat.self, GraphOwner.self),
    ].map(SchemaCase.init)
}

private func entity(name: String = "E", _ properties: String..., sets: String = #""later":1"#) -> String {
    #"{"name":"\#(name)","properties":[\#(properties.joined(separator: ","))],\#(sets)}"#
}

private func attribute(_ name: String, _ more: String = "") -> String {
    #"{"kind":"attribute","name":"\#(name)","type":"Int","storage":"integer","isOptional":false\#(more)}"#
}

private func relationship(
    _ name: String, to destination: String = "E", isToMany: Bool, isLinked: Bool = false, more: String = ""
) -> String {
    let rule = more.contains("deleteRule") ? "" : #","deleteRule":"nullify""#
    return #"{"kind":"relationship","name":"\#(name)","destination":"\#(destination)","isToMany":\#(isToMany),"#
        + #""isOptional":true,"isLinked":\#(isLinked)\#(rule)\#(more)}"#
}

private enum Moments {
    /// A type with the name of a type that descriptions identify.
    struct Date: Codable { var year = 1 }
}

@Model private final class Described {
    #Unique<Described>([\.title, \.rank])
    #Index<Described>([\.rank, \.owner])
    @Attribute(.unique, .preserveValueOnDeletion, originalName: "caption") var title = "new"
    var rank: Int32? = 3
    var created = Foundation.Date()
    @Attribute var moment: Moments.Date
    @Relationship(.unique, deleteRule: .deny, inverse: \DescribedOwner.parts) var owner: DescribedOwner
    @Relationship(deleteRule: .cascade, minimumModelCount: 1, maximumModelCount: 5, originalName: "friends")
    var others: [DescribedOwner]

    init(owner: DescribedOwner) {
        (moment, others) = (Moments.Date(), [])
        self.owner = owner
    }
}

@Model private final class DescribedOwner {
    var parts: [Described] = []
    init() {}
}

private final class Unencodable: PersistentModel {
    @Attribute var action: () -> Void = {}
    static let properties: PropertyMap<Unencodable> = ["action": \.action]
    let persistentBackingData: any BackingData<Unencodable>
    init(backingData: any BackingData<Unencodable>) { persistentBackingData = backingData }
}
