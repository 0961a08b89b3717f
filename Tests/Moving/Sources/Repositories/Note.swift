import Foundation
import SwiftData

@Model
public final class Note {
    @Attribute(.unique) public var id: UUID
    public var title: String
    public var isPinned: Bool
    public var createdAt: Date
    @Relationship(deleteRule: .nullify, inverse: \Label.notes) public var labels: [Label] = []

    public init(id: UUID = UUID(), title: String, isPinned: Bool = false, createdAt: Date = .now) {
        self.id = id
        self.title = title
        self.isPinned = isPinned
        self.createdAt = createdAt
    }
}

@Model
public final class Label {
    @Attribute(.unique) public var name: String
    public var notes: [Note]? = []

    public init(name: String) { self.name = name }
}
