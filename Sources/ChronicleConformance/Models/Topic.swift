import Chronicle
import Foundation

/// A model with relationships to its own type.
final class Topic: PersistentModel {
    @Attribute(.preserveValueOnDeletion) var name: String
    @Attribute var rank: Int?
    @Relationship var whole: Topic?
    @Relationship(deleteRule: .cascade, inverse: \Topic.whole) var parts: [Topic]
    /// A topic may reference itself.
    @Relationship var related: Topic?

    static let properties: PropertyMap<Topic> = [
        "name": \.name, "rank": \.rank, "whole": \.whole, "parts": \.parts, "related": \.related,
    ]
    let persistentBackingData: any BackingData<Topic>
    init(backingData: any BackingData<Topic>) { persistentBackingData = backingData }

    init(_ name: String, rank: Int? = nil, in whole: Topic? = nil) {
        persistentBackingData = Topic.createBackingData()
        self.name = name
        self.rank = rank
        self.whole = whole
    }
}

extension ModelContext {
    func topic(_ name: String) throws -> Topic {
        let found = try fetch(FetchDescriptor<Topic>(predicate: #Predicate { $0.name == name }))
        return try require(
            found.count == 1 ? found.first : nil, "one topic with the name \(name), found \(found.count)")
    }
}
