import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// The errors for invalid declarations, thrown when the schema is validated.
@Suite struct SchemaTests {
    @Test func schemaIncludesRelatedModels() throws {
        let schema = Schema(BucketListItem.self)
        #expect(schema.entities.map(\.name) == ["BucketListItem", "LivingAccommodation", "Trip"])
        let trip = try #require(schema.entity(for: Trip.self))
        #expect(trip.property(at: \Trip.name)?.name == "name")
        #expect(trip.storedProperties.map(\.name).contains("bucketList") == false)
        #expect(trip.property(named: "bucketList")?.relationship?.inverseName == "trip")
        #expect(
            schema.entity(for: BucketListItem.self)?.property(named: "trip")?.relationship?.inverseName == "bucketList")
        #expect(trip.uniquenessConstraints == [["name", "startDate", "endDate"]])
    }

    @Test func relationshipsHaveInverses() throws {
        let schema = Schema(BucketListItem.self)
        let trip = try #require(schema.entity(for: BucketListItem.self)?.property(named: "trip")?.relationship)
        let list = try #require(schema.inverse(of: trip))
        #expect(list.name == "bucketList" && list.relationship?.deleteRule == .cascade)
        #expect(try schema.inverse(of: #require(list.relationship))?.name == "trip")
        let alone = Schema(Recluse.self)
        let other = try #require(alone.entity(for: Recluse.self)?.property(named: "other")?.relationship)
        #expect(alone.inverse(of: other) == nil)
    }

    @Test func missingPropertyThrows() {
        expectInvalid(Forgetful.self, property: "second", detail: "the property map does not list it; add \"second\"")
    }

    @Test func duplicatePropertyNameThrows() {
        expectInvalid(Repetitive.self, property: "first", detail: "twice")
    }

    @Test func duplicateKeyPathThrows() {
        expectInvalid(Confused.self, property: "second", detail: "as well")
    }

    @Test func swappedKeyPathsThrow() {
        expectInvalid(Swapped.self, property: "first", detail: "another property")
    }

    @Test func propertyWithoutWrapperThrows() {
        expectInvalid(Plain.self, property: "second", detail: "no @Attribute")
    }

    @Test func unsupportedAttributeTypeThrows() throws {
        do {
            try Schema(Unstorable.self).validate()
            Issue.record("a closure was accepted")
        } catch let error as SwiftDataError {
            #expect(error == .unsupportedAttributeType)
            #expect(SwiftDataError.unknownSchema ~= error)
            #expect(error.entityName == "Unstorable")
            #expect(error.propertyName == "action")
            #expect(error.description.contains("Codable"))
        }
    }

    @Test func ambiguousInverseThrows() {
        expectInvalid(Ambiguous.self, property: "first", detail: "more than one pair")
    }

    @Test func linkOwnerIsFirstByName() throws {
        let schema = Schema(Right.self)
        try schema.validate()
        #expect(schema.links.map(\.name) == ["Left.rights", "Lonely.others"])
        let links = try #require(schema.links.first)
        #expect(links.property.name == "rights")
        #expect(links.inverse?.name == "lefts")
        #expect(links.destination == "Right")
        let right = try #require(schema.entitiesByName["Right"]?.property(named: "lefts"))
        #expect(schema.links(of: right)?.name == links.name)
        #expect(right.slot == -1)
        #expect(schema.links.last?.inverse == nil)
    }

    @Test func relationshipWithAttributeOptionsThrows() {
        expectInvalid(Uniquely.self, property: "other", detail: "attribute options")
    }

    @Test func classThatIgnoresItsBackingDataThrows() {
        expectInvalid(Ignorant.self, property: nil, detail: "must adopt or store its argument")
    }

    @Test func subclassOfAModelThrows() {
        expectInvalid(
            Heir.self, property: nil, detail: "Heir inherits from the model Ancestor but is not a model itself")
    }

    @Test func constraintOnAPropertyWithoutAColumnThrows() {
        expectInvalid(UniqueNowhere.self, property: nil, detail: "a uniqueness constraint lists no property")
        expectInvalid(IndexedNowhere.self, property: nil, detail: "an index lists no property")
        expectInvalid(
            UniqueInside.self, property: nil,
            detail: "a uniqueness constraint lists a key path to Int that is not a stored property")
        expectInvalid(
            IndexedMany.self, property: "others", detail: "an index lists a to-many relationship, which has no column")
    }

    @Test(arguments: StoreKind.allCases) func repeatedConstraintsAreMerged(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [UniqueTwice.self])
        let entity = try #require(store.container.schema.entity(for: UniqueTwice.self))
        #expect(
            entity.uniquenessConstraints == [["code"], ["code", "name"], ["name", "code"]])
        #expect(entity.indices == [["name"]])
    }

    private func expectInvalid(_ type: any PersistentModel.Type, property: String?, detail: String) {
        do {
            try Schema(type).validate()
            Issue.record("\(type) was accepted")
        } catch let error as SwiftDataError {
            #expect(error == .invalidModel)
            #expect(error.entityName == type.entityName)
            #expect(error.propertyName == property)
            #expect(error.detail?.contains(detail) == true, "\(error)")
        } catch {
            Issue.record("\(error)")
        }
    }
}

private final class Forgetful: PersistentModel {
    @Attribute var first = ""
    @Attribute var second = ""
    static let properties: PropertyMap<Forgetful> = ["first": \.first]
    let persistentBackingData: any BackingData<Forgetful>
    init(backingData: any BackingData<Forgetful>) { persistentBackingData = backingData }
}

private final class Repetitive: PersistentModel {
    @Attribute var first = ""
    @Attribute var second = ""
    static let properties: PropertyMap<Repetitive> = ["first": \.first, "second": \.second, "first": \.first]
    let persistentBackingData: any BackingData<Repetitive>
    init(backingData: any BackingData<Repetitive>) { persistentBackingData = backingData }
}

private final class Confused: PersistentModel {
    @Attribute var first = ""
    @Attribute var second = ""
    static let properties: PropertyMap<Confused> = ["first": \.first, "second": \.first]
    let persistentBackingData: any BackingData<Confused>
    init(backingData: any BackingData<Confused>) { persistentBackingData = backingData }
}

private final class Swapped: PersistentModel {
    @Attribute var first = ""
    @Attribute var second = ""
    static let properties: PropertyMap<Swapped> = ["first": \.second, "second": \.first]
    let persistentBackingData: any BackingData<Swapped>
    init(backingData: any BackingData<Swapped>) { persistentBackingData = backingData }
}

private final class Plain: PersistentModel {
    @Attribute var first = ""
    var second = ""
    static let properties: PropertyMap<Plain> = ["first": \.first, "second": \.second]
    let persistentBackingData: any BackingData<Plain>
    init(backingData: any BackingData<Plain>) { persistentBackingData = backingData }
}

private final class Unstorable: PersistentModel {
    @Attribute var action: () -> Void = {}
    static let properties: PropertyMap<Unstorable> = ["action": \.action]
    let persistentBackingData: any BackingData<Unstorable>
    init(backingData: any BackingData<Unstorable>) { persistentBackingData = backingData }
}

private final class Lonely: PersistentModel {
    @Relationship var others: [Forgotten]
    static let properties: PropertyMap<Lonely> = ["others": \.others]
    let persistentBackingData: any BackingData<Lonely>
    init(backingData: any BackingData<Lonely>) { persistentBackingData = backingData }
}

private final class Ambiguous: PersistentModel {
    @Relationship var first: [Unambiguous]
    @Relationship var second: [Unambiguous]
    static let properties: PropertyMap<Ambiguous> = ["first": \.first, "second": \.second]
    let persistentBackingData: any BackingData<Ambiguous>
    init(backingData: any BackingData<Ambiguous>) { persistentBackingData = backingData }
}

private final class Unambiguous: PersistentModel {
    @Relationship var one: Ambiguous?
    static let properties: PropertyMap<Unambiguous> = ["one": \.one]
    let persistentBackingData: any BackingData<Unambiguous>
    init(backingData: any BackingData<Unambiguous>) { persistentBackingData = backingData }
}

private final class Right: PersistentModel {
    @Relationship(inverse: \Left.rights) var lefts: [Left]
    @Relationship var lonely: Lonely?
    static let properties: PropertyMap<Right> = ["lefts": \.lefts, "lonely": \.lonely]
    let persistentBackingData: any BackingData<Right>
    init(backingData: any BackingData<Right>) { persistentBackingData = backingData }
}

private final class Left: PersistentModel {
    @Relationship var rights: [Right]
    static let properties: PropertyMap<Left> = ["rights": \.rights]
    let persistentBackingData: any BackingData<Left>
    init(backingData: any BackingData<Left>) { persistentBackingData = backingData }
}

private final class Forgotten: PersistentModel {
    @Attribute var name = ""
    static let properties: PropertyMap<Forgotten> = ["name": \.name]
    let persistentBackingData: any BackingData<Forgotten>
    init(backingData: any BackingData<Forgotten>) { persistentBackingData = backingData }
}

private final class Uniquely: PersistentModel {
    @Attribute(.unique) var other: Plain?
    static let properties: PropertyMap<Uniquely> = ["other": \.other]
    let persistentBackingData: any BackingData<Uniquely> = Uniquely.createBackingData()
    init(backingData: any BackingData<Uniquely>) { persistentBackingData.adopt(backingData) }
}

private final class Ignorant: PersistentModel {
    @Attribute var name = ""
    static let properties: PropertyMap<Ignorant> = ["name": \.name]
    let persistentBackingData: any BackingData<Ignorant> = Ignorant.createBackingData()
    init(backingData: any BackingData<Ignorant>) {}
}

private class Ancestor: PersistentModel {
    @Attribute var name = ""
    static let properties: PropertyMap<Ancestor> = ["name": \.name]
    let persistentBackingData: any BackingData<Ancestor> = Ancestor.createBackingData()
    required init(backingData: any BackingData<Ancestor>) { persistentBackingData.adopt(backingData) }
}

private final class Heir: Ancestor {}

private final class Recluse: PersistentModel {
    @Relationship var other: Forgotten?
    static let properties: PropertyMap<Recluse> = ["other": \.other]
    let persistentBackingData: any BackingData<Recluse>
    init(backingData: any BackingData<Recluse>) { persistentBackingData = backingData }
}

@Model private final class UniqueNowhere {
    static let uniqueness: Uniqueness<UniqueNowhere> = [[]]
    var name = ""
}

@Model private final class IndexedNowhere {
    static let indices: Indices<IndexedNowhere> = [[\.name], []]
    var name = ""
}

@Model private final class UniqueInside {
    static let uniqueness: Uniqueness<UniqueInside> = [[\.name.count]]
    var name = ""
}

@Model private final class IndexedMany {
    static let indices: Indices<IndexedMany> = [[\.others]]
    var parent: IndexedMany?
    @Relationship(inverse: \IndexedMany.parent) var others: [IndexedMany] = []
}

@Model private final class UniqueTwice {
    #Unique<UniqueTwice>([\.code], [\.code, \.name], [\.name, \.code], [\.code, \.name])
    #Index<UniqueTwice>([\.name], [\.name])
    @Attribute(.unique) var code = 0
    var name = ""
}
