import ChronicleCore
import ChronicleSQL
import ChronicleSQLite
import Foundation

/// The SQL definition of an entity's table, formatted to be readable with `sqlite3 file .schema`.
struct TableDefinition {
    let entity: Schema.Entity
    let schema: Schema
    /// The tables of the indexes in the file, by the names of the indexes as SQLite compares them.
    var presentIndexes: [String: String] = [:]

    /// AUTOINCREMENT prevents the reuse of keys by any writer, because the history refers to rows by their keys.
    /// https://www.sqlite.org/autoinc.html
    var createTable: String {
        let columns = entity.storedProperties.map { column($0) }
        let all = ["\(quoted(keyColumn)) INTEGER PRIMARY KEY AUTOINCREMENT"] + columns
        return "CREATE TABLE \(quoted(entity.name))(\n    \(all.joined(separator: ",\n    "))\n)"
    }

    /// The name of the primary key column: `id`, unless an attribute has that name.
    var keyColumn: String {
        entity.storedProperties.contains { TableNames.folded($0.name) == "id" } ? RecordedTable.primaryKey : "id"
    }

    /// The definition without default values, which may differ each time, such as `Date()`.
    var shape: String {
        ([entity.name] + entity.storedProperties.map { column($0, hasDefault: false) }).joined(separator: "\n")
    }

    /// Returns the definition of a column.
    func column(_ property: Schema.Property, hasDefault: Bool = true) -> String {
        column(property, default: hasDefault ? defaultLiteral(property) : nil)
    }

    /// Returns the SQL literal of a property's default value, or `nil` if there is none.
    func defaultLiteral(_ property: Schema.Property) -> String? { property.defaultValue.flatMap(SQLLiteral.text) }

    /// Returns the definition of a column with another default value.
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
        // SQLite returns the default value of a column without the parentheses around an expression.
        if let literal { parts.append("DEFAULT \(literal.hasPrefix("CAST(") ? "(\(literal))" : literal)") }
        if let (table, action) = reference {
            // Checked when the transaction commits, because rows that reference each other are inserted in any order.
            // https://www.sqlite.org/foreignkeys.html#fk_deferred
            parts.append("REFERENCES \(quoted(table)) ON DELETE \(action) DEFERRABLE INITIALLY DEFERRED")
        }
        return parts.joined(separator: " ")
    }

    /// Returns the declared type of a column.
    func type(of property: Schema.Property) -> String {
        switch SQLType(property) {
        case .integer: "INTEGER"
        case .text: "TEXT"
        case .blob: "BLOB"
        // REAL affinity would convert -0.0 to the integer 0. https://www.sqlite.org/datatype3.html#storage_classes
        case .real, .null, .decimal: ""
        }
    }

    /// Returns the destination of a to-one relationship and the action when the destination is deleted.
    private func reference(_ relationship: Schema.Relationship) -> (table: String, action: String)? {
        switch schema.deleteRule(towards: relationship) {
        case .cascade: (relationship.destination, "CASCADE")
        case .nullify: (relationship.destination, "SET NULL")
        // RESTRICT would also reject deletes that the rest of the transaction makes valid.
        // https://www.sqlite.org/foreignkeys.html#fk_actions
        case .deny: (relationship.destination, "NO ACTION")
        // A column that may keep references to deleted rows cannot be a foreign key.
        case .noAction: nil
        }
    }

    /// The indexes of the table by name: for to-one relationships, uniqueness constraints, and declared indexes.
    var indexes: [(name: String, sql: String)] {
        var indexes: [(String, String)] = []
        for property in entity.storedProperties where property.relationship != nil {
            indexes.append(index("reference", "INDEX", [property]))
        }
        for constraint in entity.uniqueProperties { indexes.append(index("unique", "UNIQUE INDEX", constraint)) }
        for properties in entity.indexedProperties { indexes.append(index("index", "INDEX", properties)) }
        return indexes
    }

    private func index(_ prefix: String, _ kind: String, _ properties: [Schema.Property]) -> (String, String) {
        let names = properties.map(\.name).joined(separator: ",")
        var name = "chronicle_\(prefix)_\(entity.name)_\(names)"
        // The index of `Trip_stop.name` has the name of that of `Trip.stop_name`, and the names of indexes are unique in a
        // file. Names of entities contain no period.
        let other = "chronicle_\(prefix)_\(entity.name).\(names)"
        let table = presentIndexes[TableNames.folded(name)]
        if table != nil && table != entity.name || presentIndexes[TableNames.folded(other)] != nil { name = other }
        let columns = properties.map { quoted($0.name) }.joined(separator: ", ")
        return (name, "CREATE \(kind) \(quoted(name)) ON \(quoted(entity.name))(\(columns))")
    }
}
