import ChronicleCore
import ChronicleSQL
import ChronicleSQLStore
import ChronicleSQLite

/// The triggers of the recorder, link tables, and indexes.
struct TableCheck {
    let verifier: StoreVerifier
    let registry: RegistryCheck.Registry
    let recordsHistory: Bool
    private var connection: Connection { verifier.connection }

    func run() throws {
        let recorder = EntityRegistry(connection)
        for entity in registry.entities where !entity.isSubentity && registry.tables.contains(entity.name) {
            let table = try recorder.table(of: entity)
            if recordsHistory, try RecorderSQL.isRecorded(table, by: triggers(of: entity.name)) { continue }
            try compareTriggers(of: entity.name, recordsHistory ? RecorderSQL.triggers(of: table) : [])
        }
        guard let schema = registry.schema else { return }
        for entity in schema.entities where registry.tables.contains(entity.name) {
            let definition = TableDefinition(
                entity: entity, schema: schema, presentIndexes: try connection.tablesOfIndexes())
            try checkIndexes(definition.indexes, of: entity.name)
        }
        let file = try FileSchema(connection)
        for links in schema.links {
            guard try file.hasTable(links.name, of: links.owner) else {
                try verifier.report(.table, links.name, detail: "the table of the relationship is missing")
                continue
            }
            let expected = RecorderSQL.triggers(of: try recorder.recordedLinks(links), recordsHistory: recordsHistory)
            try compareTriggers(of: links.name, expected)
            let sql = LinkDefinition(links: links).createIndex.replacing("IF NOT EXISTS ", with: "")
            try checkIndexes([("chronicle_links_\(links.name)", sql)], of: links.name)
        }
    }

    private func triggers(of table: String) throws -> Set<String> {
        var triggers: Set<String> = []
        try forEachTrigger(of: table) { triggers.insert($0.text(1)) }
        return triggers
    }

    private func forEachTrigger(of table: String, _ body: (Statement) throws -> Void) throws {
        try verifier.forEachRow(
            """
            SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ? \
            AND substr(name, 1, 10) = 'chronicle_'
            """, bind: { try $0.bind(table, at: 1) }, body)
    }

    private func compareTriggers(of table: String, _ expected: [String]) throws {
        var expected = Set(expected)
        try forEachTrigger(of: table) { statement in
            guard expected.remove(statement.text(1)) == nil else { return }
            try verifier.report(.trigger, table, detail: "the trigger \(statement.text(0)) is changed or not known")
        }
        for sql in expected.sorted() {
            let name = sql.split(separator: " ").first { $0.hasPrefix("\"chronicle_") || $0.hasPrefix("chronicle_") }
            try verifier.report(.trigger, table, detail: "the trigger \(name ?? "") is missing or changed")
        }
    }

    private func checkIndexes(_ indexes: [(name: String, sql: String)], of table: String) throws {
        for index in indexes {
            let sql = try connection.scalarText(
                "SELECT sql FROM sqlite_schema WHERE type = 'index' AND name = ? AND tbl_name = ?"
            ) {
                try $0.bind(index.name, at: 1)
                try $0.bind(table, at: 2)
            }
            if sql != index.sql {
                let state = sql == nil ? "missing" : "different"
                try verifier.report(.index, table, detail: "the index \(index.name) is \(state)")
            }
        }
    }
}

/// The types of the values, and the names of inheriting entities.
struct ColumnCheck {
    let verifier: StoreVerifier
    let registry: RegistryCheck.Registry

    func run() throws {
        guard let schema = registry.schema else { return }
        for entity in schema.entities where registry.tables.contains(entity.name) {
            let columns = try columns(of: entity.name)
            for property in entity.storedProperties
            where columns.contains(property.name) && property.attribute?.declaredColumnType == nil {
                try check(property, of: entity.name)
            }
            guard schema.entitiesByName[entity.name]?.propertiesByName[Schema.entityAttribute] != nil else { continue }
            try checkEntityNames(of: entity.name)
        }
    }

    private func columns(of table: String) throws -> Set<String> {
        var columns: Set<String> = []
        try verifier.forEachRow("SELECT name FROM pragma_table_info(?)", bind: { try $0.bind(table, at: 1) }) {
            columns.insert($0.text(0))
        }
        return columns
    }

    private func check(_ property: Schema.Property, of table: String) throws {
        // A NaN is a blob, and another program may write a number without a fraction.
        let types: [String] =
            switch SQLType(property) {
            case .integer: ["integer"]
            case .real: ["real", "integer", "blob"]
            case .text, .decimal: ["text"]
            case .blob: ["blob"]
            case .null: []
            }
        let list = (types + ["null"]).map { "'\($0)'" }.joined(separator: ", ")
        let column = quoted(property.name)
        let condition = "typeof(\(column)) NOT IN (\(list))"
        var repair = ""
        if property.attribute != nil, let type = types.first, type != "blob" {
            repair =
                "; if only its form is wrong, run UPDATE \(quoted(table)) SET \(column) = "
                + "CAST(\(column) AS \(type.uppercased())) WHERE \(condition)"
        }
        try verifier.forEachRow(
            "SELECT _rowid_, typeof(\(column)) FROM \(quoted(table)) WHERE \(condition) LIMIT 101"
        ) { statement in
            try verifier.report(
                .column, table, statement.int64(0),
                detail: "the value of \(property.name) has the type \(statement.text(1))\(repair)")
        }
        guard property.attribute?.storage == .json else { return }
        try verifier.forEachRow(
            "SELECT _rowid_ FROM \(quoted(table)) WHERE typeof(\(column)) = 'text' AND NOT json_valid(\(column)) LIMIT 101"
        ) { statement in
            try verifier.report(
                .column, table, statement.int64(0),
                detail: "the value of \(property.name) is no JSON; correct it, or delete the row")
        }
    }

    private func checkEntityNames(of table: String) throws {
        let names = registry.entities.filter { $0.isSubentity && $0.rootName == table }.map(\.name)
        let list = names.map { RecorderSQL.literal($0) }.joined(separator: ", ")
        let column = quoted(Schema.entityAttribute)
        try verifier.forEachRow(
            "SELECT _rowid_ FROM \(quoted(table)) WHERE \(column) IS NOT NULL AND \(column) NOT IN (\(list)) LIMIT 101"
        ) { statement in
            try verifier.report(.column, table, statement.int64(0), detail: "the entity of the row is unknown")
        }
    }
}

struct OneToOneCheck {
    let verifier: StoreVerifier
    let registry: RegistryCheck.Registry

    func run() throws {
        guard let schema = registry.schema else { return }
        for entity in schema.entities {
            for relationship in OneToOneRelationship.all(of: entity, in: schema)
            where registry.tables.isSuperset(of: [relationship.side.tableName, relationship.other.tableName]) {
                let (side, other) = (relationship.side, relationship.other)
                try verifier.forEachRow(relationship.unreturned.sql) { statement in
                    try verifier.report(
                        .inverse, side.tableName, statement.int64(0),
                        detail: "\(side.name) references a row of \(other.tableName) whose \(other.name) does not "
                            + "reference this one")
                }
            }
        }
    }
}
