import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

/// Copies the rows as of a position to a new database without a history.
struct DatabaseCopy {
    let connection: Connection
    let tables: PastTables
    let target: Connection
    let store: DefaultStore
    /// Whether to copy the present rows. They are read from the tables, which also contain rows that are not recorded.
    let isPresent: Bool
    let replacesUnknownValues: Bool

    func run() throws {
        if !isPresent, let name = tables.unknowns.changedForms.min() { throw tables.unknowns.changedForm(of: name) }
        if store.isTracked, !isPresent, !replacesUnknownValues {
            try DroppedTables.requireNone(after: tables.unknowns.position, connection)
        }
        let recorded = try RecordedRows.all(connection, store.schema, isTracked: store.isTracked)
        let names = Set(recorded.map(\.name)).union(store.layout.linkTablesByName.keys)
        try target.allowDefinitionsOfPrograms()
        // Rows can violate a constraint that was added later or not checked, as can NULL in place of an unknown value.
        try target.execute("PRAGMA ignore_check_constraints = ON")
        try copyHeader()
        try target.immediate {
            for table in try definitions("table") where store.isTracked || names.contains(table.name) {
                if isPresent {
                    try copyPresent(table)
                } else if let rows = recorded.first(where: { $0.name == table.name }) {
                    try copy(rows, table)
                } else if names.contains(table.name) {
                    try define(table)
                    try copyLinks(table.name)
                } else {
                    try copyUnrecorded(table)
                }
            }
            for index in try definitions("index") where store.isTracked || names.contains(index.table) {
                try define(index)
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
        var sql: String

        var allowingNull: Definition {
            var definition = self
            definition.sql = DatabaseCopy.withoutRequiredColumns(sql)
            return definition
        }
    }

    /// Only the program that has a function or collation can build an index that uses it.
    private func define(_ definition: Definition) throws {
        do { try target.execute(definition.sql) } catch let error as SQLiteError
            where error.isMissingCollation || error.isMissingFunction
        {
            throw SwiftDataError.unsupportedFeature.with(
                detail:
                    "the definition of \(definition.name) uses a function or collation that only its program has, so it cannot "
                    + "be copied: \(error.message); read single tables with `chronicle at` or `chronicle sql --at`, or use "
                    + "container.backup(to:) to copy the file with its history")
        }
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
        if !replacesUnknownValues {
            try rows.requireAllColumns()
            if store.isTracked { try requireKeys(rows) }
        }
        let missing = try rows.columnsWithoutValue(tables, connection)
        if !replacesUnknownValues, let column = missing.first { throw rows.missingValue(column) }
        let unknown = (tables.tables[rows.name]?.incomplete ?? []).union(missing)
        let isNullable = replacesUnknownValues && !unknown.isDisjoint(with: rows.required)
        try define(isNullable ? table.allowingNull : table)
        let names = (rows.hasRowIDKey ? [RecordedTable.primaryKey] : []) + rows.columns
        try copy(rows.select(tables), to: rows.name, names)
    }

    /// Throws an error for rows with NULL in the primary key: nothing identifies them, so their changes are not recorded.
    private func requireKeys(_ rows: RecordedRows) throws {
        let isNull = rows.key.map { "\(quoted($0)) IS NULL" }.joined(separator: " OR ")
        let select = "SELECT 1 FROM main.\(quoted(rows.name)) WHERE \(isNull) LIMIT 1"
        guard try connection.scalarInt64(select) != nil else { return }
        throw SwiftDataError.unrecordedRows(
            "the rows with NULL in the primary key", of: rows.name, tables.unknowns.position)
    }

    private func copyLinks(_ name: String) throws {
        let source = replacesUnknownValues ? tables.links[name]?.source : try tables.linkSource(name)
        try copy(
            "SELECT l.owner, l.destination FROM \(source ?? "main.\(quoted(name))") AS l", to: name,
            ["owner", "destination"])
    }

    private func copyPresent(_ table: Definition) throws {
        guard let info = try TrackedTable(table.name, connection), info.isOrdinary else {
            return try copyUnrecorded(table)
        }
        try define(table)
        let rowID = info.rowIDNames.first ?? info.rowIDColumn
        let names = (rowID.map { [$0] } ?? []) + info.attributes.map(\.name)
        let values = names.map { "t.\(quoted($0))" }.joined(separator: ", ")
        try copy("SELECT \(values) FROM main.\(quoted(table.name)) AS t", to: table.name, names)
    }

    /// Creates a table whose rows are not known. Throws an error unless unknown values are replaced.
    private func copyUnrecorded(_ table: Definition) throws {
        try define(table)
        guard !replacesUnknownValues else { return }
        let isOrdinary = try TrackedTable(table.name, connection)?.isOrdinary == true
        throw SwiftDataError.unrecordedRows(
            isOrdinary ? "the rows of the table" : "the rows of a virtual table", of: table.name,
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
        let tokens = sql.matches(of: token).map(\.output)
        func word(after index: Int, is word: String) -> Int? {
            let isBlank = { (text: Substring) in
                text.first?.isWhitespace == true || text.hasPrefix("--") || text.hasPrefix("/*")
            }
            guard let next = tokens.indices.dropFirst(index + 1).first(where: { !isBlank(tokens[$0]) }) else {
                return nil
            }
            return word.isEmpty || tokens[next].uppercased() == word ? next : nil
        }
        var depth = 0
        var result: [Substring] = []
        var index = 0
        while index < tokens.count {
            let text = tokens[index]
            if text == "(" { depth += 1 }
            if text == ")" { depth -= 1 }
            if depth == 1, text.uppercased() == "NOT", let null = word(after: index, is: "NULL") {
                index = null + 1
                // A conflict clause is part of the constraint.
                if let on = word(after: null, is: "ON"), let conflict = word(after: on, is: "CONFLICT"),
                    let action = word(after: conflict, is: "")
                {
                    index = action + 1
                }
                continue
            }
            result.append(text)
            index += 1
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

extension SQLiteError {
    /// SQLite has no error code for this.
    fileprivate var isMissingFunction: Bool { isGeneric && message.contains("no such function: ") }
}
