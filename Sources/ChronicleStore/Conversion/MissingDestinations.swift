import ChronicleCore
import ChronicleSQL
import ChronicleSQLite

/// References and links to rows that do not exist. Core Data does not enforce references.
struct MissingDestinations {
    let connection: Connection
    let layout: StoreLayout
    let schema: Schema
    private(set) var checksums: RowChecksums
    private var counts: [String: Int] = [:]

    private static let pageSize = 500

    init(_ connection: Connection, _ layout: StoreLayout, _ schema: Schema, _ checksums: RowChecksums) {
        (self.connection, self.layout, self.schema, self.checksums) = (connection, layout, schema, checksums)
    }

    var omissions: [StoreConversion.Omission] {
        counts.sorted { $0.key < $1.key }.map { name, count in
            StoreConversion.Omission(name, count: count, "the destination does not exist")
        }
    }

    mutating func run() throws {
        let tables = layout.tablesByName.values.sorted { $0.entity.name < $1.entity.name }
        var visited: Set<String> = []
        for table in tables {
            for slot in table.referenceSlots {
                let property = table.entity.storedProperties[slot]
                guard let destination = property.relationship?.destination,
                    visited.insert("\(table.name).\(property.name)").inserted
                else { continue }
                try removeReferences(property.name, of: layout.table(named: table.name), to: destination)
            }
        }
        for table in layout.linkTablesByName.values.sorted(by: { $0.links.name < $1.links.name }) {
            try removeLinks(table.links)
        }
    }

    // MARK: References

    private typealias Row = (identifier: PersistentIdentifier, values: [PropertyValue])

    private mutating func removeReferences(_ column: String, of table: EntityTable, to destination: String) throws {
        let target = quoted(schema.entitiesByName[destination]?.rootName ?? destination)
        let name = "\(FetchSQL.table).\(quoted(column))"
        let sql = """
            SELECT \(table.selection) FROM \(quoted(table.name)) AS \(FetchSQL.table) \
            WHERE \(FetchSQL.table)._rowid_ > ? AND \(name) IS NOT NULL \
            AND NOT EXISTS (SELECT 1 FROM \(target) AS d WHERE d._rowid_ = \(name)) \
            ORDER BY \(FetchSQL.table)._rowid_ LIMIT \(Self.pageSize)
            """
        var last = Int64.min
        while true {
            var page: [Row] = []
            let statement = try connection.cached(sql)
            try statement.bind(last, at: 1)
            while try statement.step() { page.append(try statement.row(of: table)) }
            statement.reset()
            guard let end = page.last?.identifier.integerPrimaryKey else { return }
            try connection.immediate { for row in page { try removeReference(column, of: row, table) } }
            last = end
        }
    }

    private mutating func removeReference(_ column: String, of row: Row, _ table: EntityTable) throws {
        let entity = schema.entitiesByName[row.identifier.entityName]
        if let property = entity?.propertiesByName[column], row.values.indices.contains(property.slot) {
            guard property.isOptional else {
                throw SwiftDataError.modelValidationFailure.with(
                    detail: "the destination does not exist, and the relationship is required; make it optional",
                    entityName: row.identifier.entityName, propertyName: column, persistentIdentifier: row.identifier)
            }
            checksums.remove(row.identifier, row.values)
            var values = row.values
            values[property.slot] = .null
            checksums.add(row.identifier, values)
        }
        counts["\(row.identifier.entityName).\(column)", default: 0] += 1
        let statement = try connection.cached(
            "UPDATE \(quoted(table.name)) SET \(quoted(column)) = NULL WHERE _rowid_ = ?")
        try statement.bind(.reference(row.identifier), at: 1)
        try statement.run()
    }

    // MARK: Links

    private mutating func removeLinks(_ links: Schema.Links) throws {
        let table = quoted(links.name)
        func isMissing(_ column: String, _ entity: String) -> String {
            "NOT EXISTS (SELECT 1 FROM \(quoted(entity)) AS d WHERE d._rowid_ = \(column))"
        }
        let sql = """
            SELECT owner, destination FROM \(table) AS l WHERE \(isMissing("l.owner", links.owner)) \
            OR \(isMissing("l.destination", links.destination)) LIMIT \(Self.pageSize)
            """
        while true {
            var page: [(owner: Int64, destination: Int64)] = []
            let statement = try connection.cached(sql)
            while try statement.step() { page.append((statement.int64(0), statement.int64(1))) }
            statement.reset()
            guard !page.isEmpty else { return }
            try connection.immediate {
                let delete = try connection.cached("DELETE FROM \(table) WHERE owner = ? AND destination = ?")
                for link in page {
                    try delete.bind(link.owner, at: 1)
                    try delete.bind(link.destination, at: 2)
                    try delete.run()
                }
            }
            // A symmetric link is in both directions in the table.
            for link in page where !links.isSymmetric || link.owner <= link.destination {
                checksums.removeLink(links.name, link.owner, link.destination)
                counts[links.name, default: 0] += 1
            }
        }
    }
}
