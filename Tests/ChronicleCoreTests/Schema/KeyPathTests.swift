import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleCore

extension GraphNode {
    fileprivate var title: String { name.uppercased() }
    fileprivate var trimmed: String { name.trimmingCharacters(in: .whitespacesAndNewlines) }
    fileprivate var shortName: String { String(name.prefix(20)) }
    fileprivate var nonemptyName: String { name.isEmpty ? "?" : name }
    fileprivate var size: Int { abs(max(number, -100)) }
    fileprivate var difference: Int { number &- name.count }
    fileprivate var positive: Int { number < 0 ? 1 : number }
    fileprivate var sibling: GraphNode? { parent?.children.first }
}

extension BucketListItem {
    fileprivate var latest: Trip? { trip }
}

extension Trip {
    fileprivate var summary: String { name.isEmpty ? destination : name }
    fileprivate var lastDate: Date { max(startDate, endDate) }
    fileprivate var firstDate: Date { min(startDate, endDate) }
    fileprivate var text: String? { note ?? name }
}

/// Key paths whose descriptions do not contain the getters of the schema, as in an optimized program with several files.
@Suite struct KeyPathTests {
    private let schema = Schema(GraphNode.self, Trip.self)

    private func expect<Model: PersistentModel>(
        _ keyPath: PartialKeyPath<Model>, _ names: [String]?, isKnown: Bool = true,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let entity = try #require(schema.entitiesByName[Model.entityName])
        let found = KeyPathReader(keyPath, entity, schema).path()
        #expect(found?.map(\.name) == names, sourceLocation: sourceLocation)
        // The addresses of the getters are known here.
        guard isKnown else { return }
        #expect(schema.storedPath(of: keyPath, from: entity)?.map(\.name) == names, sourceLocation: sourceLocation)
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

    @Test func computedPropertiesAreNotStored() throws {
        try expect(\GraphNode.title, nil)
        try expect(\GraphNode.parent?.title, nil)
        try expect(\GraphNode.parent?.trimmed, nil)
        try expect(\GraphNode.parent?.shortName, nil)
        try expect(\GraphNode.parent?.nonemptyName, nil)
        try expect(\GraphNode.parent?.size, nil)
        try expect(\GraphNode.parent?.difference, nil)
        try expect(\GraphNode.parent?.positive, nil)
        try expect(\GraphNode.sibling?.name, nil)
        try expect(\GraphNode.parent?.sibling?.name, nil)
        try expect(\BucketListItem.trip?.summary, nil)
        try expect(\BucketListItem.trip?.lastDate, nil)
        try expect(\BucketListItem.trip?.firstDate, nil)
        try expect(\BucketListItem.trip?.text, nil)
    }

    /// It always has the value of the stored one.
    @Test func anotherNameOfAProperty() throws {
        try expect(\BucketListItem.latest?.name, ["trip", "name"])
    }

    @Test func otherPathsAreNotRead() throws {
        try expect(\GraphNode.name, nil, isKnown: false)
        try expect(\GraphNode.next?.favourite, nil, isKnown: false)
        try expect(\GraphNode.children.first?.name, nil)
        try expect(\GraphNode.next?.tags, nil, isKnown: false)
    }
}
