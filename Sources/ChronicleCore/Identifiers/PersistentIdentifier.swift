import Foundation
import Synchronization

/// The identity of a model: which store, which entity, which row.
///
/// An identifier is *temporary* from the creation of a model until the save that first writes it; the store then
/// answers with the permanent one. Identifiers are values: they may be kept, sent to another task, encoded, and
/// compared after decoding in another process.
///
/// The SwiftData counterpart has the same name; ``primaryKey(as:)`` and ``Origin`` are Chronicle's, for stores.
public struct PersistentIdentifier: Sendable, Identifiable {
    /// The part that all identifiers of one entity in one store share.
    @usableFromInline let origin: Origin
    /// The primary key, or 0 where the key is not an integer: it is in the origin then. Of a temporary identifier, a number
    /// that no other one of the process has.
    @usableFromInline let number: Int64

    @inlinable
    init(origin: Origin, number: Int64) {
        self.origin = origin
        self.number = number
    }

    public var id: PersistentIdentifier { self }
    /// The name of the model's entity.
    public var entityName: String { origin.entityName }
    /// The store that the model lives in; `nil` while the identifier is temporary.
    public var storeIdentifier: String? { origin.storeIdentifier }
    /// Whether the model has not been saved yet.
    public var isTemporary: Bool { origin.storeIdentifier == nil }
}

extension PersistentIdentifier {
    /// The store and entity that identifiers have in common, made once by a store and used for every row.
    public final class Origin: Sendable {
        public let storeIdentifier: String?
        public let entityName: String
        /// A primary key that is not an integer, as JSON; or what tells the temporary identifiers of one process from
        /// those of another.
        @usableFromInline let key: String?
        @usableFromInline let hash: Int

        init(storeIdentifier: String?, entityName: String, key: String?) {
            self.storeIdentifier = storeIdentifier
            self.entityName = entityName
            self.key = key
            hash = [storeIdentifier, entityName, key].hashValue
        }

        /// The origin of rows with integer primary keys.
        public convenience init(storeIdentifier: String, entityName: String) {
            self.init(storeIdentifier: storeIdentifier, entityName: entityName, key: nil)
        }

        /// The identifier of the row with this primary key.
        @inlinable
        public func identifier(_ primaryKey: Int64) -> PersistentIdentifier {
            PersistentIdentifier(origin: self, number: primaryKey)
        }

        @usableFromInline
        func isEqual(_ other: Origin) -> Bool {
            hash == other.hash && entityName == other.entityName && storeIdentifier == other.storeIdentifier
                && key == other.key
        }
    }

    /// The identifier of a row in a store, for stores that name rows by something else than an integer.
    ///
    /// - Throws: `EncodingError` when the primary key cannot be encoded as JSON.
    public static func identifier<Key: Codable & Hashable & Sendable>(
        for storeIdentifier: String, entityName: String, primaryKey: Key
    ) throws -> PersistentIdentifier {
        if let number = (primaryKey as? any BinaryInteger).flatMap({ Int64(exactly: $0) }) {
            return Origin(storeIdentifier: storeIdentifier, entityName: entityName).identifier(number)
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let key = String(decoding: try encoder.encode(primaryKey), as: UTF8.self)
        return PersistentIdentifier(
            origin: Origin(storeIdentifier: storeIdentifier, entityName: entityName, key: key), number: 0)
    }

    /// The primary key, where the store names rows by integers.
    @inlinable
    public var integerPrimaryKey: Int64? {
        origin.storeIdentifier != nil && origin.key == nil ? number : nil
    }

    /// Whether the two are of the same entity in the same store, told by what they share: `true` is certain, `false` is
    /// not.
    @inlinable
    public func sharesOrigin(with other: PersistentIdentifier) -> Bool { origin === other.origin }

    /// The primary key that the store gave, or `nil` when it is temporary or of another type.
    public func primaryKey<Key: Codable>(as type: Key.Type) -> Key? {
        guard !isTemporary else { return nil }
        guard let key = origin.key else {
            if let integer = type as? any BinaryInteger.Type { return Self.convert(number, to: integer) as? Key }
            return nil
        }
        // A key of another type is an answer here, not an error: the caller asked whether it is one of these.
        do { return try JSONDecoder().decode(type, from: Data(key.utf8)) } catch { return nil }
    }

    private static func convert<Integer: BinaryInteger>(_ number: Int64, to: Integer.Type) -> Integer? {
        Integer(exactly: number)
    }
}

extension PersistentIdentifier {
    private static let process = UUID().uuidString
    private static let counter = Atomic<Int64>(0)
    private static let temporaryOrigins = Mutex<[String: Origin]>([:])

    /// The origin of the temporary identifiers that this process makes for an entity.
    static func temporaryOrigin(entityName: String) -> Origin {
        temporaryOrigins.withLock { origins in
            if let origin = origins[entityName] { return origin }
            let origin = Origin(storeIdentifier: nil, entityName: entityName, key: process)
            origins[entityName] = origin
            return origin
        }
    }

    /// A new temporary identifier, unique in this process and, by its origin, among processes.
    static func temporary(_ origin: Origin) -> PersistentIdentifier {
        let number = counter.wrappingAdd(1, ordering: .relaxed).newValue
        return PersistentIdentifier(origin: origin, number: number)
    }
}

extension PersistentIdentifier: Hashable {
    @inlinable
    public static func == (lhs: PersistentIdentifier, rhs: PersistentIdentifier) -> Bool {
        lhs.number == rhs.number && (lhs.origin === rhs.origin || lhs.origin.isEqual(rhs.origin))
    }

    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(number)
        hasher.combine(origin.hash)
    }
}

extension PersistentIdentifier: Comparable {
    /// Orders by store, entity and primary key; keys that are not integers go by their JSON. Temporary identifiers come
    /// first, those that one process makes for an entity in the order of their creation.
    public static func < (lhs: PersistentIdentifier, rhs: PersistentIdentifier) -> Bool {
        if lhs.origin === rhs.origin { return lhs.number < rhs.number }
        let (a, b) = (lhs.origin, rhs.origin)
        if a.storeIdentifier != b.storeIdentifier { return (a.storeIdentifier ?? "") < (b.storeIdentifier ?? "") }
        if a.entityName != b.entityName { return a.entityName < b.entityName }
        if a.key != b.key { return (a.key ?? "") < (b.key ?? "") }
        return lhs.number < rhs.number
    }
}

extension PersistentIdentifier: Codable {
    private enum CodingKeys: String, CodingKey {
        case store, entity, key, number
    }

    /// Decodes what ``encode(to:)`` wrote; the result equals the identifier that was encoded, in any process.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let origin = Origin(
            storeIdentifier: try container.decodeIfPresent(String.self, forKey: .store),
            entityName: try container.decode(String.self, forKey: .entity),
            key: try container.decodeIfPresent(String.self, forKey: .key))
        self.init(origin: origin, number: try container.decode(Int64.self, forKey: .number))
    }

    /// A keyed container: `store` (absent while temporary), `entity`, `number` (the integer primary key, or 0) and, for
    /// other keys, `key` (their JSON). Of a temporary identifier, `key` and `number` tell it from all others.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(origin.storeIdentifier, forKey: .store)
        try container.encode(origin.entityName, forKey: .entity)
        try container.encodeIfPresent(origin.key, forKey: .key)
        try container.encode(number, forKey: .number)
    }
}

extension PersistentIdentifier: CustomStringConvertible {
    public var description: String {
        isTemporary ? "\(entityName)/new-\(number)" : "\(entityName)/\(origin.key ?? String(number))"
    }
}
