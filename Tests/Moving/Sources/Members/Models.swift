import Foundation
import SwiftData

// The functions of this module are compiled and never called. A comment `//=` names the member of SwiftData that its line
// uses, with the name from SwiftData.members; a test compares the two.

@Model  //= Model()
final class Trip {
    #Unique<Trip>([\.name, \.start])  //= Unique(_:)
    #Index<Trip>([\.name], [\.name, \.start])  //= Index(_:) (key paths)

    //= Attribute(_:originalName:hashModifier:)
    @Attribute(.unique, originalName: "title", hashModifier: "1") var name: String
    var start: Date
    var note: String?
    var place: Place?
    @Attribute(.codable) var otherPlace: Place?  //= Schema.Attribute.Option.codable
    @Attribute(.allowsCloudEncryption) var secret: String?  //= Schema.Attribute.Option.allowsCloudEncryption
    @Attribute(.ephemeral) var isOpen = false  //= Schema.Attribute.Option.ephemeral
    @Attribute(.externalStorage) var image: Data?  //= Schema.Attribute.Option.externalStorage
    @Attribute(.preserveValueOnDeletion) var code = 0  //= Schema.Attribute.Option.preserveValueOnDeletion
    @Attribute(.spotlight) var summary: String?  //= Schema.Attribute.Option.spotlight
    //= Schema.Attribute.Option.transformable(by:) (type)
    @Attribute(.transformable(by: Formatter.self)) var formats: [String] = []
    //= Schema.Attribute.Option.transformable(by:) (name)
    @Attribute(.transformable(by: "Colors")) var colors: [String] = []
    @Attribute(.unique) var number = 0  //= Schema.Attribute.Option.unique
    @Transient var isSelected = false  //= Transient()
    //= Relationship(_:deleteRule:minimumModelCount:maximumModelCount:originalName:inverse:hashModifier:)
    @Relationship(
        deleteRule: .cascade, minimumModelCount: 0, maximumModelCount: 9, originalName: "things",
        inverse: \Item.trip, hashModifier: "2")
    var items: [Item] = []
    @Relationship(.unique) var guide: Guide?  //= Schema.Relationship.Option.unique

    init(name: String, start: Date) {
        self.name = name
        self.start = start
    }
}

@Model
final class Item {
    #Index<Item>(.binary([\.title]), .rtree([\.weight]))  //= Index(_:) (types)

    var title: String
    var weight: Double
    var trip: Trip?

    init(title: String, weight: Double) {
        self.title = title
        self.weight = weight
    }
}

@Model
final class Guide {
    var name: String

    init(name: String) { self.name = name }
}

struct Place: Codable, Hashable {
    var city: String
}

@ModelActor  //= ModelActor()
actor Importer {}

/// Gives an expression a use.
func use<Value>(_ value: Value) {}
/// Gives a type a use.
func use<Value: ~Copyable>(_ type: Value.Type) {}
