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
        switch property.kind {
        case .attribute(let attribute): attributeColumn(property, attribute, hasDefault: hasDefault)
        case .relationship(let relationship): referenceColumn(property, relationship)
        }
    }

    private func attributeColumn(
        _ property: Schema.Property, _ attribute: Schema.Attribute, hasDefault: Bool
    ) -> String {
        var parts = [quoted(property.name)]
        switch attribute.storage {
        case .integer: parts.append("INTEGER")
        case .text, .decimal, .json: parts.append("TEXT")
        case .blob: parts.append("BLOB")
        // No type: REAL would make the integer 0 of -0.0, https://www.sqlite.org/datatype3.html#storage_classes
        case .real: break
        }
        if !attribute.isOptional { parts.append("NOT NULL") }
        if hasDefault, let literal = property.defaultValue.flatMap(literal) { parts.append("DEFAULT \(literal)") }
        return parts.joined(separator: " ")
    }

    /// A reference is checked when the transaction commits: rows that refer to each other come in any order.
    /// https://www.sqlite.org/foreignkeys.html#fk_deferred
    private func referenceColumn(_ property: Schema.Property, _ relationship: Schema.Relationship) -> String {
        let name = "\(quoted(property.name)) INTEGER\(relationship.isOptional ? "" : " NOT NULL")"
        let action: String
        // What a delete of the destination does to this row: the rule of the property that leads here.
        switch schema.deleteRule(towards: relationship) {
        case .cascade: action = "CASCADE"
        case .nullify: action = "SET NULL"
        // RESTRICT would refuse at once what the rest of the transaction mends.
        // https://www.sqlite.org/foreignkeys.html#fk_actions
        case .deny: action = "NO ACTION"
        // A destination that may go without a trace cannot be a foreign key.
        case .noAction: return name
        }
        return "\(name) REFERENCES \(quoted(relationship.destination)) ON DELETE \(action) "
            + "DEFERRABLE INITIALLY DEFERRED"
    }

    /// The indexes of the table by name: of to-one relationships, of what is unique, and those that the class declares.
    var indexes: [(name: String, sql: String)] {
        var indexes: [(String, String)] = []
        for property in entity.storedProperties where property.relationship != nil {
            let name = "chronicle_reference_\(entity.name)_\(property.name)"
            indexes.append((name, "CREATE INDEX \(quoted(name)) ON \(quoted(entity.name))(\(quoted(property.name)))"))
        }
        for constraint in entity.uniquenessConstraints { indexes.append(index("unique", "UNIQUE INDEX", constraint)) }
        for properties in entity.indices { indexes.append(index("index", "INDEX", properties)) }
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
