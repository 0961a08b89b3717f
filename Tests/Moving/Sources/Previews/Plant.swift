import Foundation
import SwiftData

@Model
public final class Plant {
    public var name: String
    public var wateredAt: Date?
    public var room: Room?

    public init(name: String, wateredAt: Date? = nil, room: Room? = nil) {
        self.name = name
        self.wateredAt = wateredAt
        self.room = room
    }
}

extension Plant {
    public static var samples: [Plant] {
        [Plant(name: "Aloe", wateredAt: .now), Plant(name: "Basil"), Plant(name: "Fern", room: .kitchen)]
    }
}

@Model
public final class Room {
    @Attribute(.unique) public var name: String
    @Relationship(inverse: \Plant.room) public var plants: [Plant] = []

    public init(name: String) { self.name = name }
}

extension Room {
    public static var kitchen: Room { Room(name: "Kitchen") }
}
