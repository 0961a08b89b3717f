import Chronicle

/// A model with every kind of relationship that is stored in a link table.
final class Reader: PersistentModel {
    @Attribute(.unique) var name: String
    @Relationship(inverse: \Club.readers) var clubs: [Club]
    /// A many-to-many relationship that is its own inverse.
    @Relationship(inverse: Reader.mutual) var friends: [Reader]
    @Relationship var wishes: [Book]
    static var mutual: AnyKeyPath { \Reader.friends }

    static let properties: PropertyMap<Reader> = [
        "name": \.name, "clubs": \.clubs, "friends": \.friends, "wishes": \.wishes,
    ]
    let persistentBackingData: any BackingData<Reader>
    init(backingData: any BackingData<Reader>) { persistentBackingData = backingData }

    init(_ name: String, in clubs: [Club] = []) {
        persistentBackingData = Reader.createBackingData()
        self.name = name
        self.clubs = clubs
    }
}

final class Club: PersistentModel {
    @Attribute var name: String
    @Relationship var readers: [Reader]

    static let properties: PropertyMap<Club> = ["name": \.name, "readers": \.readers]
    let persistentBackingData: any BackingData<Club>
    init(backingData: any BackingData<Club>) { persistentBackingData = backingData }

    init(_ name: String) {
        persistentBackingData = Club.createBackingData()
        self.name = name
    }
}

extension ModelContext {
    func reader(_ name: String) throws -> Reader {
        let found = try fetch(FetchDescriptor<Reader>()).filter { $0.name == name }
        return try require(
            found.count == 1 ? found.first : nil, "one reader with the name \(name), found \(found.count)")
    }

    func club(_ name: String) throws -> Club {
        let found = try fetch(FetchDescriptor<Club>()).filter { $0.name == name }
        return try require(found.count == 1 ? found.first : nil, "one club with the name \(name), found \(found.count)")
    }
}
