import Foundation
import Synchronization

/// The identity of a model: its store, its entity and its primary key.
///
/// An identifier is temporary from the creation of a model until the save that first writes it. You can keep identifiers, send them
/// to another task, encode them, and compare them after decoding them in another process. ``primaryKey(as:)`` and ``Origin`` are
/// additions to SwiftData for stores.
public struct PersistentIdentifier: Sendable, Identifiable {
    /// The part that all identifiers of one entity in one store share.
    @usableFromInline let origin: Origin
    /// The integer primary key; 0 if the primary key has another type and is stored in the origin. For a temporary identifier, a
    /// number that is unique in the process.
    @usableFromInline let number: Int64

    @inlinable
    init(origin: Origin, number: Int64) {
        self.origin = origin
        self.number = number
    }

    /// The identifier itself.
    public var id: PersistentIdentifier { self }
    /// The name of the model's entity.
    ///
    /// For a model class with subclasses, it is the entity of the model's own class, or the destination of the relationship that
    /// the identifier was read from. Two identifiers of one model are equal in either case, because they are compared by
    /// ``rootEntityName``.
    public var entityName: String { origin.entityName }
    /// The name of the entity from which the model's entity inherits, directly or not, or ``entityName``.
    public var rootEntityName: String { origin.rootEntityName }
    /// The identifier of the model's store; `nil` while the identifier is temporary.
    public var storeIdentifier: String? { origin.storeIdentifier }
    /// Whether the identifier is temporary because the model has not been saved yet.
    public var isTemporary: Bool { origin.storeIdentifier == nil }
}

extension PersistentIdentifier {
    /// The store and the entity that identifiers have in common.
    ///
    /// A store uses one for the identifiers of all rows of an entity, which saves memory and makes comparisons fast.
    public final class Origin: Sendable {
        /// The identifier of the store; `nil` for temporary identifiers.
        public let storeIdentifier: String?
        /// The name of the entity.
        public let entityName: String
        /// The name of the entity from which the entity inherits, directly or not, or ``entityName``.
        public let rootEntityName: String
        /// The JSON of a primary key that is not an integer. For temporary identifiers, an identifier of the process.
        @usableFromInline let key: String?
        @usableFromInline let hash: Int

        init(storeIdentifier: String?, entityName: String, rootEntityName: String? = nil, key: String?) {
            self.storeIdentifier = storeIdentifier
            self.entityName = entityName
            self.rootEntityName = rootEntityName ?? entityName
            self.key = key
            hash = [storeIdentifier, rootEntityName ?? entityName, key].hashValue
        }

        /// Creates an origin for rows with integer primary keys.
        ///
        /// - Parameters:
        ///   - storeIdentifier: The identifier of the store.
        ///   - entityName: The name of the entity.
        public convenience init(storeIdentifier: String, entityName: String) {
            self.init(storeIdentifier: storeIdentifier, entityName: entityName, key: nil)
        }

        /// Creates an origin for rows of an entity that may inherit from another one. Entities with the same root have distinct
        /// primary keys.
        ///
        /// - Parameters:
        ///   - storeIdentifier: The identifier of the store.
        ///   - entityName: The name of the entity.
        ///   - rootEntityName: The ``Schema/Entity/rootName`` of the entity.
        public convenience init(storeIdentifier: String, entityName: String, rootEntityName: String) {
            self.init(
                storeIdentifier: storeIdentifier, entityName: entityName, rootEntityName: rootEntityName, key: nil)
        }

        /// Returns the identifier of the row with the given primary key.
        ///
        /// - Parameter primaryKey: The primary key of the row.
        /// - Returns: The permanent identifier.
        @inlinable
        public func identifier(_ primaryKey: Int64) -> PersistentIdentifier {
            PersistentIdentifier(origin: self, number: primaryKey)
        }

        @usableFromInline
        func isEqual(_ other: Origin) -> Bool {
            hash == other.hash && rootEntityName == other.rootEntityName && storeIdentifier == other.storeIdentifier
                && key == other.key
        }
    }

    /// Returns the identifier of a row in a store whose primary keys may not be integers. For integers, ``Origin/identifier(_:)``
    /// is faster.
    ///
    /// - Parameters:
    ///   - storeIdentifier: The identifier of the store.
    ///   - entityName: The name of the row's entity.
    ///   - primaryKey: The primary key of the row.
    /// - Returns: The permanent identifier.
    /// - Throws: `EncodingError` if the primary key cannot be encoded as JSON; use a key type that can.
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

    /// The primary key, if it is an integer; `nil` for temporary identifiers and other key types.
    @inlinable
    public var integerPrimaryKey: Int64? {
        origin.storeIdentifier != nil && origin.key == nil ? number : nil
    }

    /// Returns whether two identifiers have the same origin instance, as a fast test for the same entity in the same store.
    ///
    /// - Parameter other: Another identifier.
    /// - Returns: `true` if both have the same entity and store. They may also be the same if it is `false`, for example after
    ///   decoding.
    @inlinable
    public func sharesOrigin(with other: PersistentIdentifier) -> Bool { origin === other.origin }

    /// Returns the primary key that the store assigned.
    ///
    /// - Parameter type: The type of the key.
    /// - Returns: The key, or `nil` if the identifier is temporary or its key has another type.
    public func primaryKey<Key: Codable>(as type: Key.Type) -> Key? {
        guard !isTemporary else { return nil }
        guard let key = origin.key else {
            if let integer = type as? any BinaryInteger.Type { return Self.convert(number, to: integer) as? Key }
            return nil
        }
        // A key of another type is a valid result, not an error.
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

    static func temporaryOrigin(entityName: String) -> Origin {
        temporaryOrigins.withLock { origins in
            if let origin = origins[entityName] { return origin }
            let origin = Origin(storeIdentifier: nil, entityName: entityName, key: process)
            origins[entityName] = origin
            return origin
        }
    }

    /// The identifier is unique in this process and, because of its origin, among processes.
    static func temporary(_ origin: Origin) -> PersistentIdentifier {
        let number = counter.wrappingAdd(1, ordering: .relaxed).newValue
        return PersistentIdentifier(origin: origin, number: number)
    }
}

extension PersistentIdentifier: Hashable {
    /// Compares the store, the root entity and the primary key.
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
    /// Orders identifiers by store, root entity and primary key, or its JSON if it is not an integer. Temporary identifiers come
    /// first; those that one process creates for one entity are in the order of their creation.
    public static func < (lhs: PersistentIdentifier, rhs: PersistentIdentifier) -> Bool {
        if lhs.origin === rhs.origin { return lhs.number < rhs.number }
        let (a, b) = (lhs.origin, rhs.origin)
        if a.storeIdentifier != b.storeIdentifier { return (a.storeIdentifier ?? "") < (b.storeIdentifier ?? "") }
        if a.rootEntityName != b.rootEntityName { return a.rootEntityName < b.rootEntityName }
        if a.key != b.key { return (a.key ?? "") < (b.key ?? "") }
        return lhs.number < rhs.number
    }
}

extension PersistentIdentifier: Codable {
    private enum CodingKeys: String, CodingKey {
        case store, entity, root, key, number
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let origin = Origin(
            storeIdentifier: try container.decodeIfPresent(String.self, forKey: .store),
            entityName: try container.decode(String.self, forKey: .entity),
            rootEntityName: try container.decodeIfPresent(String.self, forKey: .root),
            key: try container.decodeIfPresent(String.self, forKey: .key))
        self.init(origin: origin, number: try container.decode(Int64.self, forKey: .number))
    }

    /// Encodes the identifier as a keyed container.
    ///
    /// The keys are `store` (absent for a temporary identifier), `entity`, `root` (absent without inheritance), `number` (the
    /// integer primary key, 0 for other keys, or the number of a temporary identifier) and, except for integers, `key` (the JSON of
    /// the primary key, or an identifier of the process).
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(origin.storeIdentifier, forKey: .store)
        try container.encode(origin.entityName, forKey: .entity)
        if origin.rootEntityName != origin.entityName { try container.encode(origin.rootEntityName, forKey: .root) }
        try container.encodeIfPresent(origin.key, forKey: .key)
        try container.encode(number, forKey: .number)
    }
}

extension PersistentIdentifier: CustomStringConvertible {
    /// The entity name and the primary key, such as `Trip/3`, or `Trip/new-1` for a temporary identifier.
    public var description: String {
        isTemporary ? "\(entityName)/new-\(number)" : "\(entityName)/\(origin.key ?? String(number))"
    }
}
