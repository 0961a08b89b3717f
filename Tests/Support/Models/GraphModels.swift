package import Chronicle

/// A model with every kind of relationship: a tree, pairs, a group, and one without an inverse.
package final class GraphNode: PersistentModel {
    @Attribute(.preserveValueOnDeletion) package var name: String
    @Attribute package var number = 0
    @Attribute package var tags: [String] = []
    @Relationship(deleteRule: .cascade, inverse: \GraphNode.parent) package var children: [GraphNode]
    @Relationship package var parent: GraphNode?
    @Relationship(inverse: \GraphNode.previous) package var next: GraphNode?
    @Relationship package var previous: GraphNode?
    @Relationship package var favourite: GraphNode?
    @Relationship package var group: GraphGroup?

    package static let properties: PropertyMap<GraphNode> = [
        "name": \.name, "number": \.number, "tags": \.tags, "children": \.children, "parent": \.parent, "next": \.next,
        "previous": \.previous, "favourite": \.favourite, "group": \.group,
    ]
    package let persistentBackingData: any BackingData<GraphNode>
    package init(backingData: any BackingData<GraphNode>) { persistentBackingData = backingData }
    package init(_ name: String) {
        persistentBackingData = GraphNode.createBackingData()
        self.name = name
    }
}

package final class GraphGroup: PersistentModel {
    @Attribute(.unique) package var code: String?
    @Relationship package var nodes: [GraphNode]

    package static let properties: PropertyMap<GraphGroup> = ["code": \.code, "nodes": \.nodes]
    package let persistentBackingData: any BackingData<GraphGroup>
    package init(backingData: any BackingData<GraphGroup>) { persistentBackingData = backingData }
    package init(_ code: String? = nil) {
        persistentBackingData = GraphGroup.createBackingData()
        self.code = code
    }
}

/// A model with a unique value and a relationship.
package final class GraphSeat: PersistentModel {
    @Attribute(.unique) package var number: Int
    @Relationship package var owner: GraphOwner?

    package static let properties: PropertyMap<GraphSeat> = ["number": \.number, "owner": \.owner]
    package let persistentBackingData: any BackingData<GraphSeat>
    package init(backingData: any BackingData<GraphSeat>) { persistentBackingData = backingData }
    package init(_ number: Int) {
        persistentBackingData = GraphSeat.createBackingData()
        self.number = number
    }
}

package final class GraphOwner: PersistentModel {
    @Relationship package var seats: [GraphSeat]

    package static let properties: PropertyMap<GraphOwner> = ["seats": \.seats]
    package let persistentBackingData: any BackingData<GraphOwner>
    package init(backingData: any BackingData<GraphOwner>) { persistentBackingData = backingData }
    package init() { persistentBackingData = GraphOwner.createBackingData() }
}
