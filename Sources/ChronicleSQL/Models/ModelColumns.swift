public import ChronicleCore

/// The columns that a fetch of an entity selects, and the positions of its values in a row.
///
/// A fetch of an entity returns the rows of the entities that inherit from it, too, so it selects all of their columns:
///
/// ```swift
/// let columns = ModelColumns(entity, in: schema)
/// let query = fetch.select(columns.selection(dialect))
/// // For each row:
/// let name = columns.entityPosition.flatMap { row.isNull($0) ? nil : row.text($0) }
/// guard let member = columns.member(named: name) else { throw SwiftDataError.undecodableValue }
/// let values = member.positions.map { row.value($0) }   // in the order of DataStoreSnapshot.values
/// ```
public struct ModelColumns: Sendable {
    /// The names of the columns: the primary key, the stored properties of the entity, and further ones of its subentities.
    public let names: [String]
    /// The position of the column with the name of the row's entity, or `nil` if the fetched entity has no subentities.
    public let entityPosition: Int?
    /// The entities of the rows: the fetched one, and those that inherit from it.
    public let members: [Member]
    private let membersByName: [String: Member]
    private let rootName: String

    /// An entity of rows, with the columns of its values.
    public struct Member: Sendable {
        /// The entity.
        public let entity: Schema.Entity
        /// The positions of the values of its stored properties, by slot.
        public let positions: [Int]
    }

    /// Creates the columns of an entity.
    ///
    /// - Parameters:
    ///   - entity: The fetched entity.
    ///   - schema: The schema that contains the entities that inherit from it.
    public init(_ entity: Schema.Entity, in schema: Schema) {
        let names = schema.kinds(of: entity.name).subtracting([entity.name]).sorted()
        self.init(entity, subentities: names.compactMap { schema.entitiesByName[$0] })
    }

    /// Creates the columns of an entity from the entities that inherit from it.
    ///
    /// - Parameters:
    ///   - entity: The fetched entity.
    ///   - subentities: The entities of the rows that inherit from it, directly or not.
    public init(_ entity: Schema.Entity, subentities: [Schema.Entity]) {
        var names = [ModelTables.primaryKey] + entity.storedProperties.map(\.name)
        var positions = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
        func position(_ name: String) -> Int {
            if let known = positions[name] { return known }
            positions[name] = names.count
            names.append(name)
            return names.count - 1
        }
        entityPosition = subentities.isEmpty ? nil : position(Schema.entityAttribute)
        members = ([entity] + subentities).map {
            Member(entity: $0, positions: $0.storedProperties.map { position($0.name) })
        }
        membersByName = Dictionary(uniqueKeysWithValues: members.map { ($0.entity.name, $0) })
        rootName = entity.rootName
        self.names = names
    }

    /// Returns the columns for ``FetchSQL/select(_:includingOrder:)``.
    ///
    /// - Parameter dialect: The dialect of the database.
    /// - Returns: The list of columns, with the alias ``FetchSQL/table``.
    public func selection(_ dialect: some SQLDialect) -> SQLQuery {
        names.map { "\(raw: FetchSQL.table).\(raw: dialect.quoted($0))" as SQLQuery }.joined(", ")
    }

    /// Returns the entity of a row.
    ///
    /// - Parameter name: The value at ``entityPosition``, or `nil` if it is NULL or there is no such column.
    /// - Returns: The entity, or `nil` if the row is of another one, which another or a later program may have stored;
    ///   throw `SwiftDataError.undecodableValue`.
    /// - Complexity: O(1).
    public func member(named name: String?) -> Member? {
        if entityPosition == nil { return members.first }
        return membersByName[name ?? rootName]
    }
}
