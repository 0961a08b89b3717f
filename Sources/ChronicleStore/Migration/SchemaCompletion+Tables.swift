import ChronicleCore
import ChronicleSQL
import ChronicleSQLStore
import ChronicleSQLite
import Foundation

// The tables of the file for the changes of a schema.
extension SchemaCompletion: StoreTables {
    var catalog: EntityRegistry { EntityRegistry(connection) }
    var dialect: any SQLDialect { SQLiteDialect() }

    func literal(_ text: String) -> String { RecorderSQL.literal(text) }

    func folded(_ name: String) -> String { TableNames.folded(name) }

    func hasTable(_ name: String) throws -> Bool { try tableExists(name) }

    func tableName(folded name: String) throws -> String? {
        try connection.scalarText(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name = ? COLLATE NOCASE"
        ) { try $0.bind(name, at: 1) }
    }

    func columns(of table: String) throws -> [String: StoredProperty] {
        let columns = try fileColumns(of: table).map { column in
            // A column with a type that does not tell the form of its values remains a property.
            (
                column.name,
                column.property ?? StoredProperty(name: column.name, place: .column, storage: .real, destination: nil)
            )
        }
        return Dictionary(columns, uniquingKeysWith: { first, _ in first })
    }

    func references(_ table: String, from owner: String, to destination: String) throws -> Bool {
        let statement = try connection.prepare("SELECT \"from\", \"table\" FROM pragma_foreign_key_list(?)")
        try statement.bind(table, at: 1)
        var ends: [String: String] = [:]
        while try statement.step() { ends[statement.text(0)] = statement.text(1) }
        return ends["owner"] == owner && ends["destination"] == destination
    }

    func exists(_ rows: String) throws -> Bool {
        try connection.scalarInt64("SELECT 1 FROM \(rows) LIMIT 1") != nil
    }

    func unrecordedProperty(for property: Schema.Property, in table: String) throws -> StoredProperty? {
        // The key column of a file may have the name of an attribute, for which it is renamed.
        guard let column = try fileColumns(of: table).first(where: { $0.name == property.name }), !column.isPrimaryKey,
            let other = column.property
        else { return nil }
        // Without a foreign key, the key of a destination is an integer like others.
        return other.storage == .integer && property.relationship != nil ? nil : other
    }

    func isInexact(_ column: String, limit: Int64) -> String {
        "typeof(\(column)) = 'integer' AND \(column) NOT BETWEEN \(-limit) AND \(limit)"
    }

    func forEachValue(
        _ column: String, _ rows: String, as property: Schema.Property, _ body: (PropertyValue) throws -> Void
    ) throws {
        let statement = try connection.prepare("SELECT DISTINCT \(column) FROM \(rows)")
        let isReal = property.attribute?.storage == .real
        while try statement.step() { try body(statement.propertyValue(0, isReal: isReal)) }
    }
}

extension SchemaCompletion: RelationshipTables {
    static func temporary(_ name: String) -> String { "temp.\(name)" }

    func reloaded() -> SchemaCompletion { self }

    func execute(_ sql: String) throws { try connection.execute(sql) }

    func createLinks(_ links: Schema.Links) throws {
        try connection.execute(LinkDefinition(links: links).createTable)
    }

    func copyLinks(_ table: String, toTemporary name: String) throws {
        try connection.execute(
            "CREATE TABLE \(Self.temporary(name)) AS SELECT owner, destination FROM main.\(quoted(table))")
    }

    func copyLinks(_ source: EarlierLinks, to links: Schema.Links) throws {
        let columns = source.isReversed ? "destination, owner" : "owner, destination"
        try connection.execute(
            "INSERT OR IGNORE INTO \(quoted(links.name))(owner, destination) SELECT \(columns) "
                + "FROM \(source.isTemporary ? Self.temporary(source.table) : quoted(source.table))")
    }

    func dropColumn(_ name: String, of table: String, newName: String?) throws {
        let registry = EntityRegistry(connection)
        guard let entity = try registry.entities().first(where: { $0.name == table }) else { return }
        try dropTriggers(of: entity)
        let statement = try connection.prepare(
            """
            SELECT DISTINCT i.name FROM pragma_index_list(?1) AS i, pragma_index_info(i.name) AS c \
            WHERE c.name = ?2 AND substr(i.name, 1, 10) = 'chronicle_'
            """)
        try statement.bind(table, at: 1)
        try statement.bind(name, at: 2)
        var indexes: [String] = []
        while try statement.step() { indexes.append(statement.text(0)) }
        statement.reset()
        for index in indexes { try connection.execute("DROP INDEX \(quoted(index))") }
        do { try connection.execute("ALTER TABLE \(quoted(table)) DROP COLUMN \(quoted(name))") } catch let error
            as SQLiteError where error.extendedCode == 1
        {
            throw SwiftDataError.backwardMigration.with(
                detail: "the column cannot be dropped, because another program uses it: \(error.message)",
                entityName: table, propertyName: name, underlying: DatabaseError(error))
        }
        try registry.recordDroppedColumn(name, of: entity, newName: newName)
    }

    func createPairs() throws {
        try connection.execute(
            """
            CREATE TABLE temp.chronicle_pair(relationship INTEGER, source INTEGER, destination INTEGER, \
            PRIMARY KEY (relationship, source, destination)) WITHOUT ROWID;
            CREATE INDEX temp.chronicle_pair_destination ON chronicle_pair(relationship, destination)
            """)
    }

    func copyPairs(
        _ relationship: RelationshipChange, _ number: Int, to destination: String, rows: String, destinations: String
    ) throws {
        // A relationship with the delete rule `noAction` can contain the keys of rows that do not exist. The unary plus
        // keeps SQLite from trying every pair of rows in the index of a link table.
        // https://www.sqlite.org/optoverview.html#disqualifying_where_clause_terms_using_unary_
        try connection.execute(
            """
            INSERT INTO temp.chronicle_pair SELECT \(number), source, destination FROM (\(relationship.old.pairs.sql)) \
            WHERE +source IN (SELECT _rowid_ FROM \(quoted(relationship.entity.name)) WHERE \(rows)) \
            AND +destination IN (SELECT _rowid_ FROM \(quoted(destination)) WHERE \(destinations))
            """)
    }

    func writePairs(_ number: Int, to storage: RelationshipStorage) throws {
        func update(_ table: String, _ column: String, _ value: String, where key: String) -> String {
            let pair = "FROM temp.chronicle_pair WHERE relationship = \(number)"
            let new = "(SELECT \(value) \(pair) AND \(key) = \(quoted(table))._rowid_)"
            return """
                UPDATE \(quoted(table)) SET \(quoted(column)) = \(new) \
                WHERE _rowid_ IN (SELECT \(key) \(pair)) AND \(quoted(column)) IS NOT \(new)
                """
        }
        switch storage {
        case .column(let table, let name):
            try connection.execute(update(table, name, "destination", where: "source"))
        case .inverseColumn(let table, let name):
            try connection.execute(update(table, name, "source", where: "destination"))
        case .links(let table, let from, let to):
            try connection.execute(
                """
                INSERT OR IGNORE INTO \(quoted(table))(\(from), \(to)) \
                SELECT source, destination FROM temp.chronicle_pair WHERE relationship = \(number)
                """)
        }
    }

    /// Records the position from which the history contains relationships as the new schema stores them.
    func recordPosition(ofRelationshipsOf entities: Set<String>) throws {
        guard !entities.isEmpty, let position = try connection.scalarInt64(ChangeTable.selectNewestPosition) else {
            return
        }
        for entity in try catalog.entities() where entities.contains(entity.name) {
            try MetaTable.set(.relationships(entity.number), position, connection)
        }
    }
}

extension Statement {
    /// Returns the value of a column of an attribute.
    fileprivate func propertyValue(_ index: Int32, isReal: Bool) -> PropertyValue {
        switch value(index) {
        case .null: .null
        case .integer(let integer): .integer(integer)
        case .real(let real): .real(real)
        case .text(let utf8): .text(String(decoding: utf8, as: UTF8.self))
        case .blob(let bytes) where isReal && bytes.count == 8:
            .real(Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))))
        case .blob(let bytes): .blob(Data(bytes))
        }
    }
}
