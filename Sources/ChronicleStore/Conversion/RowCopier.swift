import ChronicleCore
import ChronicleSQLite
import Foundation

/// Writes models and links to the tables of a new file, without recording them.
struct RowCopier {
    let connection: Connection
    let layout: StoreLayout
    let schema: Schema
    private(set) var checksums = RowChecksums()
    /// The values that do not fit their property, by its name.
    private(set) var replaced: [String: Replacement] = [:]
    private(set) var count = 0
    private var rows: [(table: EntityTable, key: Int64, values: [PropertyValue])] = []
    private var links: [DataStoreLink] = []
    /// The memory that the values need, in bytes.
    private var size = 0

    struct Replacement {
        var count = 0
        let first: PersistentIdentifier
        let isDefault: Bool
    }

    /// The rows and the bytes of a transaction.
    private static let (rowLimit, sizeLimit) = (1_000, 1 << 23)

    init(_ connection: Connection, _ layout: StoreLayout, _ schema: Schema) {
        (self.connection, self.layout, self.schema) = (connection, layout, schema)
    }

    mutating func add<Snapshot: DataStoreSnapshot>(_ row: DataStoreExportedRow<Snapshot>) throws {
        switch row {
        case .model(let snapshot): try add(snapshot)
        case .link(let link):
            links.append(link)
            checksums.addLink(link.name, try key(link.owner), try key(link.destination))
        }
        count += 1
        if rows.count + links.count >= Self.rowLimit || size >= Self.sizeLimit { try flush() }
    }

    private mutating func add(_ snapshot: some DataStoreSnapshot) throws {
        let identifier = snapshot.persistentIdentifier
        guard let entity = schema.entitiesByName[identifier.entityName] else {
            throw SwiftDataError.invalidStoreResponse.with(
                detail: "the store returned a model of an entity that its schema does not contain",
                entityName: identifier.entityName)
        }
        let row = try snapshot.row(in: schema)
        guard row.count == entity.storedProperties.count else {
            throw SwiftDataError.invalidStoreResponse.with(
                detail: "the store returned a model with another number of values", persistentIdentifier: identifier)
        }
        var values: [PropertyValue] = []
        values.reserveCapacity(row.count)
        for (property, value) in zip(entity.storedProperties, row) {
            values.append(try fitting(value, property, identifier))
            size += Self.size(value)
        }
        checksums.add(identifier, values)
        rows.append((try layout.table(named: entity.name), try key(identifier), values))
    }

    private static func size(_ value: PropertyValue) -> Int {
        switch value {
        case .text(let text): 16 + text.utf8.count
        case .blob(let data): 16 + data.count
        case .null, .integer, .real, .reference, .references: 16
        }
    }

    private func key(_ identifier: PersistentIdentifier) throws -> Int64 {
        guard let key = identifier.integerPrimaryKey else {
            throw SwiftDataError.unsupportedFeature.with(
                detail: "only models with integer primary keys can be converted", persistentIdentifier: identifier)
        }
        return key
    }

    /// Replaces a value that a fetch could not decode.
    private mutating func fitting(
        _ value: PropertyValue, _ property: Schema.Property, _ identifier: PersistentIdentifier
    ) throws -> PropertyValue {
        var cause: SwiftDataError?
        if value.isNull {
            if property.isOptional { return value }
        } else if property.isAttribute {
            do {
                _ = try property.decode(value)
                return value
            } catch let error as SwiftDataError { cause = error }
        } else if case .reference = value {
            return value
        }
        let other = property.defaultValue ?? .null
        guard property.isOptional || !other.isNull else {
            throw SwiftDataError.undecodableValue.with(
                detail: "the value does not fit the property, which is neither optional nor has a default value; "
                    + "declare one of them, or correct the value",
                entityName: identifier.entityName, propertyName: property.name, persistentIdentifier: identifier,
                underlying: cause)
        }
        replaced[
            "\(identifier.entityName).\(property.name)",
            default: Replacement(first: identifier, isDefault: !other.isNull)
        ].count += 1
        return other
    }

    // MARK: Writing

    mutating func flush() throws {
        guard !rows.isEmpty || !links.isEmpty else { return }
        if ReadCancellation.isCancelled { throw CancellationError() }
        try connection.immediate {
            for row in rows { try insert(row.table, row.key, row.values) }
            for link in links { try insert(link) }
        }
        rows.removeAll(keepingCapacity: true)
        links.removeAll(keepingCapacity: true)
        size = 0
    }

    private func insert(_ table: EntityTable, _ key: Int64, _ values: [PropertyValue]) throws {
        guard let insert = table.insertsWithKeys.last else { return }
        let statement = try connection.cached(insert.sql)
        try statement.bind(key, at: 1)
        for (index, value) in values.enumerated() { try statement.bind(value, at: Int32(index + 2)) }
        do { try statement.run() } catch let error as SQLiteError where error.isConstraint {
            throw SwiftDataError(error, storeIdentifier: nil).with(
                entityName: table.entity.name, persistentIdentifier: table.origin.identifier(key))
        }
    }

    private func insert(_ link: DataStoreLink) throws {
        let table = try layout.linkTable(named: link.name)
        let statement = try connection.cached(table.insert)
        func insert(_ owner: Int64, _ destination: Int64) throws {
            try statement.bind(owner, at: 1)
            try statement.bind(destination, at: 2)
            try statement.run()
        }
        let (owner, destination) = (try key(link.owner), try key(link.destination))
        try insert(owner, destination)
        // The triggers that mirror links do not run.
        if table.links.isSymmetric, owner != destination { try insert(destination, owner) }
    }

    /// Removes references and links to rows that do not exist, which the file would not allow.
    mutating func removeMissingDestinations() throws -> [StoreConversion.Omission] {
        var missing = MissingDestinations(connection, layout, schema, checksums)
        try missing.run()
        checksums = missing.checksums
        return missing.omissions
    }
}
