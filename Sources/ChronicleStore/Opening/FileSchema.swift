import ChronicleCore
import ChronicleSQLite

/// The tables of a file, as SQLite lists them.
///
/// A file may come from anywhere. A view in the place of a table could keep whoever reads it busy for ever, and a computed
/// column nearly so: neither is read before this was asked. Nothing here reads a table but `sqlite_schema`.
/// https://www.sqlite.org/security.html
struct FileSchema {
    private struct Object {
        let isTable: Bool
        /// Whether there is the word `AS` in its definition.
        let mayHaveComputedColumns: Bool
        /// The definition of one of Chronicle's own tables.
        let ownDefinition: String?
    }

    private let connection: Connection
    /// What is no index and no trigger, by its name as SQLite compares names.
    private var objects: [String: Object] = [:]
    /// A number that is another one when any definition is another one, as text: of tables, indexes, triggers and views,
    /// in whatever order.
    private(set) var digest = ""

    init(_ connection: Connection) throws {
        self.connection = connection
        var sum: UInt64 = 0
        let statement = try connection.prepare(Self.select)
        while try statement.step() {
            let isObject = statement.int64(1) != 0
            var mayHaveComputedColumns = false
            statement.withText(0) { definition in
                sum &+= Self.digest(of: definition)
                if isObject { mayHaveComputedColumns = Self.hasWordAs(definition) }
            }
            guard isObject else { continue }
            let name = statement.text(2)
            // A definition ends at a NUL, and so does the name in it.
            let end = name.firstIndex(of: "\0") ?? name.endIndex
            objects[TableNames.folded(String(name[..<end]))] = Object(
                isTable: end == name.endIndex && statement.int64(3) != 0,
                mayHaveComputedColumns: mayHaveComputedColumns,
                ownDefinition: statement.isNull(4) ? nil : statement.text(4))
        }
        digest = String(sum, radix: 16)
    }

    // MARK: Tables

    /// Whether there is a table of this name.
    ///
    /// - Throws: ``SwiftDataError/damagedFile`` when a view, a virtual table or one with computed columns has the name.
    func hasTable(_ name: String, of entityName: String? = nil) throws -> Bool {
        guard let object = objects[TableNames.folded(name)] else { return false }
        guard object.isTable else {
            throw SwiftDataError.damagedFile.with(
                detail: "\"\(name)\" is a view or a virtual table, and has to be a table", entityName: entityName)
        }
        if object.mayHaveComputedColumns, try hasComputedColumns(name) {
            throw SwiftDataError.damagedFile.with(
                detail: "the table \"\(name)\" has computed columns, which the store does not make",
                entityName: entityName)
        }
        return true
    }

    /// Whether there are the tables of the history: all of them, or none.
    ///
    /// - Throws: ``SwiftDataError/damagedFile`` when one of them is missing or has another definition.
    func hasHistory() throws -> Bool {
        var missing: [String] = []
        for (name, definition) in Self.ownDefinitions {
            guard try hasTable(name) else {
                missing.append(name)
                continue
            }
            guard objects[name]?.ownDefinition == definition else {
                throw SwiftDataError.damagedFile.with(
                    detail: "the table \"\(name)\" was changed by another program: it has to be \(definition)")
            }
        }
        guard missing.isEmpty || missing.count == Self.ownDefinitions.count else {
            throw SwiftDataError.damagedFile.with(detail: "the tables \(missing) are missing")
        }
        return missing.isEmpty
    }

    private func hasComputedColumns(_ table: String) throws -> Bool {
        try connection.scalarInt64("SELECT 1 FROM pragma_table_xinfo(?) WHERE hidden IN (2, 3) LIMIT 1") {
            try $0.bind(table, at: 1)
        } != nil
    }

    // MARK: Definitions

    /// The tables of the history by name, with their definitions as SQLite keeps them.
    private static let ownDefinitions: [(name: String, definition: String)] =
        (RecorderSQL.recordTables + EntityRegistry.tables + [MetaTable.createTable]).map { statement in
            let definition = statement.replacing("IF NOT EXISTS ", with: "")
            return (String(definition.dropFirst("CREATE TABLE ".count).prefix { $0 != "(" }), definition)
        }

    /// The definitions that SQLite makes itself, for ANALYZE and AUTOINCREMENT, come and go.
    private static let select = """
        SELECT sql, type NOT IN ('index', 'trigger'), name, type = 'table' AND substr(sql, 1, 13) = 'CREATE TABLE ', \
        CASE WHEN type = 'table' AND substr(name, 1, 10) = 'chronicle_' THEN sql END \
        FROM sqlite_schema WHERE substr(name, 1, 7) <> 'sqlite_'
        """

    /// Whether the word is somewhere in the definition, as it is in that of a computed column, in whatever case.
    private static func hasWordAs(_ definition: UnsafeBufferPointer<UInt8>) -> Bool {
        func isPartOfWord(_ index: Int) -> Bool {
            guard definition.indices.contains(index) else { return false }
            let byte = definition[index]
            return byte >= 0x80 || byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A || byte >= 0x30 && byte <= 0x39
                || byte == 0x5F || byte == 0x24
        }
        // The letters differ from their capitals in one bit.
        return definition.indices.dropLast().contains { index in
            definition[index] | 0x20 == 0x61 && definition[index + 1] | 0x20 == 0x73 && !isPartOfWord(index - 1)
                && !isPartOfWord(index + 2)
        }
    }

    /// For changes that happen, not for those that somebody makes up.
    private static func digest(of text: UnsafeBufferPointer<UInt8>) -> UInt64 {
        func mixed(_ value: UInt64) -> UInt64 { (value ^ value >> 32) &* 0x9E37_79B9_7F4A_7C15 }
        let bytes = UnsafeRawBufferPointer(text)
        var value = UInt64(bytes.count)
        var offset = 0
        while offset + 8 <= bytes.count {
            value = mixed(value ^ UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            offset += 8
        }
        let rest = bytes[offset...].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        return mixed(mixed(value ^ rest))
    }
}
