import Foundation
import SwiftData

// Models that decode themselves from what a server sends, and encode themselves.

@Model
public final class Club: Codable {
    public enum CodingKeys: String, CodingKey {
        case id, name, founded, tags, members = "people"
    }

    @Attribute(.unique) public var id: UUID
    public var name: String
    public var founded: Date
    public var tags: Set<String> = []
    @Relationship(deleteRule: .cascade, inverse: \Member.club) public var members: [Member] = []

    public init(id: UUID = UUID(), name: String, founded: Date = .now) {
        self.id = id
        self.name = name
        self.founded = founded
    }

    public required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(UUID.self, forKey: .id)
        name = try container.decode(String.self, forKey: .name)
        self.founded = try container.decodeIfPresent(Date.self, forKey: .founded) ?? .distantPast
        self.tags = Set(try container.decode([String].self, forKey: .tags))
        self.members = try container.decode([Member].self, forKey: .members)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(name, forKey: .name)
        try container.encode(founded, forKey: .founded)
        try container.encode(tags.sorted(), forKey: .tags)
        try container.encode(members.sorted(), forKey: .members)
    }
}

@Model
public final class Member: Codable {
    private enum CodingKeys: CodingKey {
        case name, age, contact
    }

    /// A member cannot be without a name.
    public enum Failure: Error, Equatable {
        case emptyName
    }

    public private(set) var name: String
    public var age: Int?
    public var contact: Contact
    public var club: Club?

    public init(name: String, age: Int? = nil, contact: Contact = .none) throws {
        guard !name.isEmpty else { throw Failure.emptyName }
        self.name = name
        self.age = age
        self.contact = contact
    }

    public convenience init?(row: [String: String]) {
        guard let name = row["name"] else { return nil }
        try? self.init(name: name, age: row["age"].flatMap(Int.init))
    }

    public required convenience init(from decoder: Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(
            name: try container.decode(String.self, forKey: .name),
            age: try container.decodeIfPresent(Int.self, forKey: .age),
            contact: try container.decodeIfPresent(Contact.self, forKey: .contact) ?? .none)
    }

    public func encode(to encoder: Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encodeIfPresent(age, forKey: .age)
        try container.encode(contact, forKey: .contact)
    }

    /// A value of several cases.
    public enum Contact: Codable, Hashable, Sendable {
        case none
        case mail(String)
        case phone(country: Int, number: Int)
    }
}

extension Member: Comparable {
    public static func < (lhs: Member, rhs: Member) -> Bool { lhs.name < rhs.name }
}

extension Member: CustomStringConvertible {
    public var description: String { "\(name) (\(age.map(String.init) ?? "?"))" }
}

/// A model with an equality that does not depend on its identity.
@Model
public final class Badge {
    public var title: String
    public var level: Int

    public init(title: String, level: Int) {
        self.title = title
        self.level = level
    }
}

extension Badge: Hashable {
    public static func == (lhs: Badge, rhs: Badge) -> Bool { lhs.title == rhs.title }

    public func hash(into hasher: inout Hasher) { hasher.combine(title) }
}

public struct ClubImporter {
    public let context: ModelContext

    public init(context: ModelContext) { self.context = context }

    @discardableResult
    public func `import`(_ json: Data) throws -> [Club] {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let clubs = try decoder.decode([Club].self, from: json)
        for club in clubs { context.insert(club) }
        try context.save()
        return clubs
    }

    public func export() throws -> Data {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(context.fetch(FetchDescriptor<Club>(sortBy: [SortDescriptor(\.name)])))
    }
}
