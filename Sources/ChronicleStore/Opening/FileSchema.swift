import ChronicleCore
import ChronicleSQLite

/// The tables and other objects of a file, from `sqlite_schema`. A file may come from any source: reading a view in place
/// of a table, or a computed column, may never finish, so both are rejected before anything reads them.
/// https://www.sqlite.org/security.html
struct FileSchema {
    private struct Object {
        let isTable: Bool
        let mayHaveComputedColumns: Bool
        let ownDefinition: String?
    }

    private let connection: Connection
    /// The objects by name, folded as SQLite compares names.
    private var objects: [String: Object] = [:]
    /// A checksum of all definitions, independent of their order.
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
                if isObject { mayHaveComputedColumns = Self.containsWordAS(definition) }
            }
            guard isObject else { continue }
            let name = statement.text(2)
            // SQLite ends a definition, and the name in it, at a NUL character.
            let end = name.firstIndex(of: "\0") ?? name.endIndex
            objects[TableNames.folded(String(name[..<end]))] = Object(
                isTable: end == name.endIndex && statement.int64(3) != 0,
                mayHaveComputedColumns: mayHaveComputedColumns,
                ownDefinition: statement.isNull(4) ? nil : statement.text(4))
        }
        digest = String(sum, radix: 16)
    }

    // MARK: Tables

    /// Whether there is a table or a view.
    func contains(_ name: String) -> Bool { objects[TableNames.folded(name)] != nil }

    /// Throws ``SwiftDataError/damagedFile`` for a view, a virtual table, or a table with computed columns.
    func hasTable(_ name: String, of entityName: String? = nil) throws -> Bool {
        guard let object = objects[TableNames.folded(name)] else { return false }
        guard object.isTable else {
            // The views of the history were installed before the model existed.
            if try PermanentViews(connection).contains(name) { return false }
            throw SwiftDataError.damagedFile.with(
                detail: "\"\(name)\" must be a table but is a view or a virtual table", entityName: entityName)
        }
        if object.mayHaveComputedColumns, try hasComputedColumns(name) {
            throw SwiftDataError.damagedFile.with(
                detail: "another program added computed columns to the table \"\(name)\"",
                entityName: entityName)
        }
        return true
    }

    /// Whether all tables of the history exist, or none. Throws ``SwiftDataError/damagedFile`` if some are missing or
    /// differ.
    func hasHistory(_ createTables: [String] = HistoryTables.createTables) throws -> Bool {
        var missing: [String] = []
        for statement in createTables {
            let definition = statement.replacing("IF NOT EXISTS ", with: "")
            let name = String(definition.dropFirst("CREATE TABLE ".count).prefix { $0 != "(" })
            guard try hasTable(name) else {
                missing.append(name)
                continue
            }
            guard objects[name]?.ownDefinition == definition else {
                throw SwiftDataError.damagedFile.with(
                    detail: "another program changed the table \"\(name)\", whose definition must be \(definition)")
            }
        }
        guard missing.isEmpty || missing.count == createTables.count else {
            throw SwiftDataError.damagedFile.with(
                detail: "tables of the history are missing: \(missing.joined(separator: ", "))")
        }
        return missing.isEmpty
    }

    private func hasComputedColumns(_ table: String) throws -> Bool {
        try connection.scalarInt64("SELECT 1 FROM pragma_table_xinfo(?) WHERE hidden IN (2, 3) LIMIT 1") {
            try $0.bind(table, at: 1)
        } != nil
    }

    // MARK: Definitions

    /// Selects the definitions without the tables of ANALYZE and AUTOINCREMENT.
    private static let select = """
        SELECT sql, type NOT IN ('index', 'trigger'), name, type = 'table' AND substr(sql, 1, 13) = 'CREATE TABLE ', \
        CASE WHEN type = 'table' AND substr(name, 1, 10) = 'chronicle_' THEN sql END \
        FROM sqlite_schema WHERE substr(name, 1, 7) <> 'sqlite_'
        """

    /// The definition of every computed column contains the word AS, in any case.
    private static func containsWordAS(_ definition: UnsafeBufferPointer<UInt8>) -> Bool {
        func isPartOfWord(_ index: Int) -> Bool {
            guard definition.indices.contains(index) else { return false }
            let byte = definition[index]
            return byte >= 0x80 || byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A || byte >= 0x30 && byte <= 0x39
                || byte == 0x5F || byte == 0x24
        }
        // Letters and their capitals differ in one bit.
        return definition.indices.dropLast().contains { index in
            definition[index] | 0x20 == 0x61 && definition[index + 1] | 0x20 == 0x73 && !isPartOfWord(index - 1)
                && !isPartOfWord(index + 2)
        }
    }

    static func digest(of text: String) -> String {
        var text = text
        return text.withUTF8 { String(digest(of: $0), radix: 16) }
    }

    /// Detects accidental changes; not cryptographic.
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
