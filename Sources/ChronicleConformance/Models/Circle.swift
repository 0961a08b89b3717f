import Chronicle

/// Somebody who reads: with relationships that are kept as links, of every kind.
final class Reader: PersistentModel {
    @Attribute(.unique) var name: String
    /// Many on both sides.
    @Relationship(inverse: \Club.readers) var clubs: [Club]
    /// The friends of a reader have the reader for a friend.
    @Relationship(inverse: Reader.mutual) var friends: [Reader]
    /// Nothing leads back.
    @Relationship var wishes: [Book]
    static var mutual: AnyKeyPath { \Reader.friends }

    static let properties: PropertyMap<Reader> = [
        "name": \.name, "clubs": \.clubs, "friends": \.friends, "wishes": \.wishes,
    ]
    let persistentBackingData: BackingData
    init(backingData: BackingData) { persistentBackingData = backingData }

    init(_ name: String, in clubs: [Club] = []) {
        persistentBackingData = BackingData()
        self.name = name
        self.clubs = clubs
    }
}

final class Club: PersistentModel {
    @Attribute var name: String
    @Relationship var readers: [Reader]

    static let properties: PropertyMap<Club> = ["name": \.name, "readers": \.readers]
    let persistentBackingData: BackingData
    init(backingData: BackingData) { persistentBackingData = backingData }

    init(_ name: String) {
        persistentBackingData = BackingData()
        self.name = name
    }
}

extension ModelContext {
    func reader(_ name: String) throws -> Reader {
        let found = try fetch(FetchDescriptor<Reader>()).filter { $0.name == name }
        return try require(found.count == 1 ? found.first : nil, "one reader called \(name), found \(found.count)")
    }

    func club(_ name: String) throws -> Club {
        let found = try fetch(FetchDescriptor<Club>()).filter { $0.name == name }
        return try require(found.count == 1 ? found.first : nil, "one club called \(name), found \(found.count)")
    }
}
