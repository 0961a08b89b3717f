import Foundation
import SwiftData

@Model
public final class Album {
    public var title: String
    public var released: Date
    public var cover: Cover?
    @Relationship(deleteRule: .cascade, inverse: \Song.album) public var songs: [Song] = []

    public init(title: String, released: Date) {
        self.title = title
        self.released = released
    }

    public struct Cover: Codable, Equatable, Sendable {
        public var name: String
        public var width: Int

        public init(name: String, width: Int) {
            self.name = name
            self.width = width
        }
    }
}

@Model
public final class Song {
    public var title: String
    public var album: Album?

    public init(title: String) { self.title = title }
}
