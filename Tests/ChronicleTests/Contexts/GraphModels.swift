import Chronicle
import Foundation

/// A model with every kind of relationship: a tree, pairs, a group, and one without an inverse.
final class GraphNode: PersistentModel {
    @Attribute(.preserveValueOnDeletion) var name: String
    @Attribute var number = 0
    @Attribute var tags: [String] = []
    @Relationship(deleteRule: .cascade, inverse: \GraphNode.parent) var children: [GraphNode]
    @Relationship var parent: GraphNode?
    @Relationship(inverse: \GraphNode.previous) var next: GraphNode?
    @Relationship var previous: GraphNode?
    @Relationship var favourite: GraphNode?
    @Relationship var group: GraphGroup?

    static let properties: PropertyMap<GraphNode> = [
        "name": \.name, "number": \.number, "tags": \.tags, "children": \.children, "parent": \.parent, "next": \.next,
        "previous": \.previous, "favourite": \.favourite, "group": \.group,
    ]
    let persistentBackingData: BackingData
    init(backingData: BackingData) { persistentBackingData = backingData }
    init(_ name: String) {
        persistentBackingData = BackingData()
        self.name = name
    }
}

final class GraphGroup: PersistentModel {
    @Attribute(.unique) var code: String?
    @Relationship var nodes: [GraphNode]

    static let properties: PropertyMap<GraphGroup> = ["code": \.code, "nodes": \.nodes]
    let persistentBackingData: BackingData
    init(backingData: BackingData) { persistentBackingData = backingData }
    init(_ code: String? = nil) {
        persistentBackingData = BackingData()
        self.code = code
    }
}

/// A model that has a unique value and a relationship.
final class GraphSeat: PersistentModel {
    @Attribute(.unique) var number: Int
    @Relationship var owner: GraphOwner?

    static let properties: PropertyMap<GraphSeat> = ["number": \.number, "owner": \.owner]
    let persistentBackingData: BackingData
    init(backingData: BackingData) { persistentBackingData = backingData }
    init(_ number: Int) {
        persistentBackingData = BackingData()
        self.number = number
    }
}

final class GraphOwner: PersistentModel {
    @Relationship var seats: [GraphSeat]

    static let properties: PropertyMap<GraphOwner> = ["seats": \.seats]
    let persistentBackingData: BackingData
    init(backingData: BackingData) { persistentBackingData = backingData }
    init() { persistentBackingData = BackingData() }
}
