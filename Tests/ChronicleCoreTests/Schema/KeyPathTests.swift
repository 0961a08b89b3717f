import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleCore

extension GraphNode {
    fileprivate var title: String { name.uppercased() }
}

private struct Place: Codable {
    var city = ""
    var code = ""
}

private final class House: PersistentModel {
    @Attribute var name = ""
    @Attribute var place = Place()
    @Relationship var neighbour: House?

    static let properties: PropertyMap<House> = ["name": \.name, "place": \.place, "neighbour": \.neighbour]
    let persistentBackingData: any BackingData<House> = House.createBackingData()
    init(backingData: any BackingData<House>) { persistentBackingData.adopt(backingData) }
}

/// Key paths whose descriptions do not contain the getters of the schema, as in an optimized program with several files.
@Suite struct KeyPathTests {
    private let schema = Schema(GraphNode.self, Trip.self, House.self)

    private func expect<Model: PersistentModel>(
        _ keyPath: PartialKeyPath<Model>, _ names: [String]?, rest: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let entity = try #require(schema.entitiesByName[Model.entityName])
        let found = schema.readPath(of: keyPath, from: entity)
        #expect(found?.properties.map(\.name) == names, sourceLocation: sourceLocation)
        if let rest {
            #expect(found.map { String($0.rest) } == rest, sourceLocation: sourceLocation)
        } else {
            // The addresses of the getters are known here.
            #expect(try schema.path(of: keyPath, from: entity)?.map(\.name) == names, sourceLocation: sourceLocation)
        }
    }

    @Test func propertiesOfOneTypeAreDistinguished() throws {
        try expect(\GraphNode.parent?.name, ["parent", "name"])
        try expect(\GraphNode.next?.favourite?.number, ["next", "favourite", "number"])
        try expect(\GraphNode.next?.next?.previous?.name, ["next", "next", "previous", "name"])
        try expect(\GraphNode.group?.code, ["group", "code"])
        try expect(\GraphNode.previous?.group?.code, ["previous", "group", "code"])
        try expect(\BucketListItem.trip?.name, ["trip", "name"])
        try expect(\BucketListItem.trip?.destination, ["trip", "destination"])
        try expect(\BucketListItem.trip?.startDate, ["trip", "startDate"])
        try expect(\BucketListItem.trip?.endDate, ["trip", "endDate"])
        try expect(\BucketListItem.trip?.note, ["trip", "note"])
    }

    @Test func pathsMayEndWithARelationship() throws {
        try expect(\GraphNode.next?.favourite, ["next", "favourite"])
        try expect(\GraphNode.next?.group, ["next", "group"])
    }

    @Test func membersOfValuesFollow() throws {
        try expect(\House.place.code, ["place"], rest: ".code")
        try expect(\House.neighbour?.place.city, ["neighbour", "place"], rest: ".city?")
    }

    @Test func computedPropertiesAreNotStored() throws {
        try expect(\GraphNode.title, nil)
        try expect(\GraphNode.parent?.title, nil)
        try expect(\GraphNode.children.first?.name, nil)
    }
}
