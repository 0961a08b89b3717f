import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

/// Copies the rows as of a position to a new database without a history.
struct DatabaseCopy {
    let connection: Connection
    let tables: PastTables
    let target: Connection
    let store: DefaultStore
    /// Whether the rows are the present ones, which are also known for tables that are not recorded.
    let isPresent: Bool
    let replacesUnknownValues: Bool

    func run() throws {
        if let name = tables.unknowns.changedForms.min() { throw tables.unknowns.changedForm(of: name) }
        if store.isTracked, !isPresent, !replacesUnknownValues {
            try DroppedTables.requireNone(after: tables.unknowns.position, connection)
        }
        let recorded = try RecordedRows.all(connection, store.schema, isTracked: store.isTracked)
        let names = Set(recorded.map(\.name)).union(store.layout.linkTablesByName.keys)
        try target.allowDefinitionsOfPrograms()
        try copyHeader()
        try target.immediate {
            for table in try definitions("table") where store.isTracked || names.contains(table.name) {
                if let rows = recorded.first(where: { $0.name == table.name }) {
                    try copy(rows, table)
                } else if names.contains(table.name) {
                    try target.execute(table.sql)
                    try copyLinks(table.name)
                } else {
                    try copyUnrecorded(table)
                }
            }
            for index in try definitions("index") where store.isTracked || names.contains(index.table) {
                try target.execute(index.sql)
            }
            guard store.isTracked else { return }
            for kind in ["view", "trigger"] { for object in try definitions(kind) { try target.execute(object.sql) } }
        }
    }

    /// Programs store their version in the header.
    private func copyHeader() throws {
        guard store.isTracked else { return }
        for name in ["encoding", "page_size", "auto_vacuum", "application_id", "user_version"] {
            guard let value = try connection.scalarText("PRAGMA main.\(name)") else { continue }
            try target.execute("PRAGMA main.\(name) = '\(value)'")
        }
    }

    // MARK: Definitions

    private struct Definition {
        let name: String
        let table: String
        let sql: String
    }

    /// Without the tables of the history, and what a virtual table or SQLite makes by itself.
    private func definitions(_ type: String) throws -> [Definition] {
        let statement = try connection.prepare(
            """
            SELECT name, tbl_name, sql FROM main.sqlite_schema AS s WHERE type = ? AND sql IS NOT NULL \
            AND substr(name, 1, 7) <> 'sqlite_' COLLATE NOCASE AND substr(tbl_name, 1, 10) <> 'chronicle_' COLLATE NOCASE \
            AND NOT \(PermanentViews.condition) AND (type = 'index' OR substr(name, 1, 10) <> 'chronicle_' COLLATE NOCASE) \
            AND NOT EXISTS (SELECT 1 FROM pragma_table_list AS l WHERE l.schema = 'main' AND l.type = 'shadow' \
            AND l.name = s.tbl_name) ORDER BY rowid
            """)
        try statement.bind(type, at: 1)
        var definitions: [Definition] = []
        while try statement.step() {
            definitions.append(Definition(name: statement.text(0), table: statement.text(1), sql: statement.text(2)))
        }
        return definitions
    }

    // MARK: Rows

    private func copy(_ rows: RecordedRows, _ table: Definition) throws {
        if !replacesUnknownValues { try rows.requireAllColumns() }
        let missing = try rows.columnsWithoutValue(tables, connection)
        if !replacesUnknownValues, let column = missing.first { throw rows.missingValue(column) }
        let unknown = (tables.tables[rows.name]?.incomplete ?? []).union(missing)
        let isNullable = replacesUnknownValues && !unknown.isDisjoint(with: rows.required)
        try target.execute(isNullable ? Self.withoutRequiredColumns(table.sql) : table.sql)
        let names = (rows.hasRowIDKey ? [RecordedTable.primaryKey] : []) + rows.columns
        try copy(rows.select(tables), to: rows.name, names)
    }

    private func copyLinks(_ name: String) throws {
        let source = replacesUnknownValues ? tables.links[name]?.source : try tables.linkSource(name)
        try copy(
            "SELECT l.owner, l.destination FROM \(source ?? "main.\(quoted(name))") AS l", to: name,
            ["owner", "destination"])
    }

    /// A table that is not recorded, whose present rows are the only known ones, or a virtual table.
    private func copyUnrecorded(_ table: Definition) throws {
        let info = try TrackedTable(table.name, connection)
        let isVirtual = info?.isOrdinary != true
        try target.execute(table.sql)
        if isPresent, !isVirtual, let info {
            let names = (info.rowIDNames.first.map { [$0] } ?? []) + info.attributes.map(\.name)
            let values = names.map { "t.\(quoted($0))" }.joined(separator: ", ")
            return try copy("SELECT \(values) FROM main.\(quoted(table.name)) AS t", to: table.name, names)
        }
        guard !replacesUnknownValues else { return }
        throw SwiftDataError.unrecordedRows(
            isVirtual ? "the rows of a virtual table" : "the rows of the table", of: table.name,
            tables.unknowns.position)
    }

    private func copy(_ select: String, to table: String, _ columns: [String]) throws {
        let source = try connection.prepare(select)
        let names = columns.map(quoted).joined(separator: ", ")
        let parameters = Array(repeating: "?", count: columns.count).joined(separator: ", ")
        let insert = try target.prepare("INSERT INTO main.\(quoted(table))(\(names)) VALUES (\(parameters))")
        while try tables.unknowns.attributingErrors({ try source.step() }) {
            for index in 0..<Int32(columns.count) {
                switch source.value(index) {
                case .null: try insert.bindNull(index + 1)
                case .integer(let integer): try insert.bind(integer, at: index + 1)
                case .real(let real): try insert.bind(real, at: index + 1)
                case .text(let text): try insert.bind(text: UnsafeRawBufferPointer(text), at: index + 1)
                case .blob(let bytes): try insert.bind(bytes, at: index + 1)
                }
            }
            try insert.run()
        }
    }

    // MARK: Unknown values

    /// Returns the definition of a table without the constraint of its columns that excludes NULL.
    static func withoutRequiredColumns(_ sql: String) -> String {
        // Texts, names, comments, numbers and words, parentheses, other characters.
        let token = #/'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|/\*.*?\*/|[\w$]+|\s+|./#
            .dotMatchesNewlines()
        var depth = 0
        var result: [Substring] = []
        for match in sql.matches(of: token) {
            let text = match.output
            if text == "(" { depth += 1 }
            if text == ")" { depth -= 1 }
            if depth == 1, text.uppercased() == "NULL" {
                let previous = result.lastIndex { !$0.allSatisfy(\.isWhitespace) }
                if let previous, result[previous].uppercased() == "NOT" {
                    result.removeSubrange(previous...)
                    continue
                }
            }
            result.append(text)
        }
        return result.joined()
    }
}

extension SwiftDataError {
    static func unrecordedRows(_ rows: String, of table: String, _ position: Int64) -> SwiftDataError {
        .historyValueMissing.with(
            detail: "\(rows) are not recorded, and not known as of position \(position)", entityName: table)
    }
}
