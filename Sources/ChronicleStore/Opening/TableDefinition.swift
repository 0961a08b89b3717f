import ChronicleCore
import Foundation

/// The SQL that makes an entity's table, for people as much as for SQLite: `sqlite3 file .schema` shows it.
struct TableDefinition {
    let entity: Schema.Entity
    let schema: Schema

    /// AUTOINCREMENT, so that a key is never given twice, whoever writes: the history refers to rows by their keys.
    /// https://www.sqlite.org/autoinc.html
    var createTable: String {
        let columns = entity.storedProperties.map { column($0) }
        let all = ["\(quoted(keyColumn)) INTEGER PRIMARY KEY AUTOINCREMENT"] + columns
        return "CREATE TABLE \(quoted(entity.name))(\n    \(all.joined(separator: ",\n    "))\n)"
    }

    /// What the column of the primary key is called: `id`, unless an attribute is.
    var keyColumn: String {
        entity.storedProperties.contains { TableNames.folded($0.name) == "id" } ? RecordedTable.primaryKey : "id"
    }

    /// What the table has to be, without the defaults: a default like `Date()` is another one each time.
    var shape: String {
        ([entity.name] + entity.storedProperties.map { column($0, hasDefault: false) }).joined(separator: "\n")
    }

    /// The definition of one column.
    func column(_ property: Schema.Property, hasDefault: Bool = true) -> String {
        column(property, default: hasDefault ? property.defaultValue.flatMap(literal) : nil)
    }

    /// The definition with another default.
    func column(_ property: Schema.Property, default literal: String?) -> String {
        Self.column(
            property.name, type: type(of: property), isOptional: property.isOptional, default: literal,
            reference: property.relationship.flatMap(reference))
    }

    static func column(
        _ name: String, type: String, isOptional: Bool, default literal: String?,
        reference: (table: String, action: String)?
    ) -> String {
        var parts = [quoted(name)]
        if !type.isEmpty { parts.append(type) }
        if !isOptional { parts.append("NOT NULL") }
        if let literal { parts.append("DEFAULT \(literal)") }
        if let (table, action) = reference {
            // Checked when the transaction commits: rows that refer to each other come in any order.
            // https://www.sqlite.org/foreignkeys.html#fk_deferred
            parts.append("REFERENCES \(quoted(table)) ON DELETE \(action) DEFERRABLE INITIALLY DEFERRED")
        }
        return parts.joined(separator: " ")
    }

    /// The declared type of a column.
    func type(of property: Schema.Property) -> String {
        guard let attribute = property.attribute else { return "INTEGER" }
        switch attribute.storage {
        case .integer: return "INTEGER"
        case .text, .decimal, .json: return "TEXT"
        case .blob: return "BLOB"
        // REAL would make the integer 0 of -0.0, https://www.sqlite.org/datatype3.html#storage_classes
        case .real: return ""
        }
    }

    /// Where a to-one relationship leads, and what a delete of the destination does to the row.
    private func reference(_ relationship: Schema.Relationship) -> (table: String, action: String)? {
        switch schema.deleteRule(towards: relationship) {
        case .cascade: (relationship.destination, "CASCADE")
        case .nullify: (relationship.destination, "SET NULL")
        // RESTRICT would refuse at once what the rest of the transaction mends.
        // https://www.sqlite.org/foreignkeys.html#fk_actions
        case .deny: (relationship.destination, "NO ACTION")
        // A destination that may go without a trace cannot be a foreign key.
        case .noAction: nil
        }
    }

    /// The indexes of the table by name: of to-one relationships, of what is unique, and those that the class declares.
    var indexes: [(name: String, sql: String)] {
        var indexes: [(String, String)] = []
        for property in entity.storedProperties where property.relationship != nil {
            let name = "chronicle_reference_\(entity.name)_\(property.name)"
            indexes.append((name, "CREATE INDEX \(quoted(name)) ON \(quoted(entity.name))(\(quoted(property.name)))"))
        }
        for constraint in entity.uniqueProperties { indexes.append(index("unique", "UNIQUE INDEX", constraint)) }
        for properties in entity.indexedProperties { indexes.append(index("index", "INDEX", properties)) }
        return indexes
    }

    private func index(_ prefix: String, _ kind: String, _ properties: [Schema.Property]) -> (String, String) {
        let name = "chronicle_\(prefix)_\(entity.name)_\(properties.map(\.name).joined(separator: ","))"
        let columns = properties.map { quoted($0.name) }.joined(separator: ", ")
        return (name, "CREATE \(kind) \(quoted(name)) ON \(quoted(entity.name))(\(columns))")
    }

    /// A value as an SQL literal that is exactly this value, or `nil` when there is none: a NaN, a text with a NUL.
    private func literal(_ value: PropertyValue) -> String? {
        switch value {
        case .null: return nil
        case .integer(let integer): return String(integer)
        case .real(let real): return real.isFinite ? "\(real)" : nil
        case .text(let text):
            return text.utf8.contains(0) ? nil : "'\(text.replacing("'", with: "''"))'"
        case .blob(let data): return "x'\(data.map { String(format: "%02x", $0) }.joined())'"
        case .reference, .references: return nil
        }
    }
}
