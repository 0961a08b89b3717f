import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

/// A column of the file, whose properties a later version of the model may change.
struct FileColumn {
    let name: String
    let type: String
    let isPrimaryKey: Bool
    let isOptional: Bool
    let defaultValue: String?
    /// The destination table and the delete action.
    let reference: (table: String, action: String)?

    /// Returns the definition in the format of ``TableDefinition``.
    fileprivate func definition(hasDefault: Bool = true) -> String {
        TableDefinition.column(
            name, type: type, isOptional: isOptional, default: hasDefault ? defaultValue : nil,
            reference: reference)
    }

    /// Returns the definition of the column of a property that this program does not declare, so that the rows that it
    /// inserts have no value.
    ///
    /// - Parameter isRemoved: Whether no class in the store has the property either.
    fileprivate func optionalDefinition(isRemoved: Bool) -> String {
        TableDefinition.column(
            name, type: type, isOptional: true, default: nil,
            reference: reference.map { ($0.table, isRemoved ? "SET NULL" : $0.action) })
    }
}

/// Properties may become optional or required, delete rules may change, and required properties may be removed, whose
/// columns remain for programs with an earlier version of the model. ALTER TABLE does not support these changes,
/// which leave the rows as they are, so the table's definition is replaced as described in
/// https://www.sqlite.org/lang_altertable.html#otheralter
extension SchemaCompletion {
    func changeColumns(_ definition: TableDefinition, _ plan: SchemaPlan) throws {
        let known = try fileColumns(of: definition.entity.name)
        var changes: [(old: String, new: String)] = []
        var changesType = false
        let own = ownSchema?.entitiesByName[definition.entity.name] ?? definition.entity
        for property in definition.entity.storedProperties where own.propertiesByName[property.name] != nil {
            guard let column = known.first(where: { $0.name == property.name }) else { continue }
            // The values in the column, if there are any, have the form of the property, or an earlier version of
            // Chronicle changed their meaning. With another type, SQLite would convert the values that are stored next.
            if definition.type(of: property) != column.type {
                // Another program declared the type.
                guard try Self.place(of: column.definition(), in: tableDefinition(definition.entity.name)) != nil else {
                    continue
                }
                changesType = true
            }
            let wanted = definition.column(property, hasDefault: false)
            guard column.definition(hasDefault: false) != wanted else { continue }
            if column.isOptional, !property.isOptional { try requireNoNulls(property, definition.entity) }
            // The default value of an attribute is no key of a destination.
            let literal =
                property.relationship != nil
                ? nil
                : definition.type(of: property) == column.type
                    ? column.defaultValue ?? (property.isOptional ? nil : definition.defaultLiteral(property))
                    : definition.defaultLiteral(property)
            if literal != column.defaultValue { try storeDefaults(of: column, in: definition.entity.name) }
            changes.append((column.definition(), definition.column(property, default: literal)))
        }
        // A property that became a list has links, and does not use the column that remains.
        let names = Set(own.storedProperties.map(\.name))
        for column in known where !column.isPrimaryKey && !names.contains(column.name) {
            let isRemoved = !plan.hasColumn(column.name, of: definition.entity.name)
            let isRequired = !column.isOptional && column.defaultValue == nil
            // The delete rule of a removed relationship has no effect any more. Another program may have added the column.
            let hasRule =
                try isRemoved && column.reference.map { $0.action != "SET NULL" } ?? false
                && Self.place(of: column.definition(), in: tableDefinition(definition.entity.name)) != nil
            guard isRequired || hasRule else { continue }
            changes.append((column.definition(), column.optionalDefinition(isRemoved: isRemoved)))
        }
        if !changes.isEmpty { try replace(changes, definition.entity.name) }
        // The keys of an index have the type of the column.
        if changesType { try connection.execute("REINDEX \(quoted(definition.entity.name))") }
    }

    /// Makes columns optional whose values a new declaration replaces, with the declared types of the new properties.
    /// Otherwise SQLite would convert the values that they receive, or look for them in another table.
    func prepareColumns(_ properties: [String: Schema.Property], of table: String) throws {
        guard let entity = schema.entitiesByName[table] else { return }
        let definition = TableDefinition(entity: entity, schema: schema)
        var changes: [(old: String, new: String)] = []
        for column in try fileColumns(of: table) {
            guard let property = properties[column.name] else { continue }
            let type = definition.type(of: property)
            let isReference = property.relationship != nil
            let literal = definition.defaultLiteral(property)
            guard !column.isOptional || column.type != type || column.reference != nil && !isReference else { continue }
            let new = TableDefinition.column(
                column.name, type: type, isOptional: true, default: literal,
                reference: isReference ? column.reference : nil)
            if literal != column.defaultValue { try storeDefaults(of: column, in: table) }
            changes.append((column.definition(), new))
        }
        guard !changes.isEmpty else { return }
        try replace(changes, table)
        // The keys of an index have the type of the column.
        try connection.execute("REINDEX \(quoted(table))")
    }

    /// Stores the default value of a column in the rows that existed when it was added: they have only that of its definition.
    private func storeDefaults(of column: FileColumn, in table: String) throws {
        guard column.defaultValue != nil else { return }
        let name = quoted(column.name)
        try connection.execute("UPDATE \(quoted(table)) SET \(name) = \(name)")
    }

    private func requireNoNulls(_ property: Schema.Property, _ entity: Schema.Entity) throws {
        guard try exists("\(quoted(entity.name)) WHERE \(quoted(property.name)) IS NULL") else { return }
        throw SwiftDataError.backwardMigration.with(
            detail: "the property is no longer optional, but the file has models without a value for it",
            entityName: entity.name, propertyName: property.name)
    }

    private func replace(_ changes: [(old: String, new: String)], _ table: String) throws {
        var sql = try tableDefinition(table)
        for (old, new) in changes {
            guard let place = Self.place(of: old, in: sql) else {
                throw SwiftDataError.backwardMigration.with(
                    detail: "another program changed the table: its definition does not contain the column \(old)",
                    entityName: table)
            }
            sql.replaceSubrange(place, with: new)
        }
        try connection.replaceDefinition(ofTable: table, with: sql)
    }

    private func tableDefinition(_ table: String) throws -> String {
        try connection.scalarText("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?") {
            try $0.bind(table, at: 1)
        } ?? ""
    }

    /// Returns the only place of a column's definition in that of its table.
    private static func place(of column: String, in sql: String) -> Range<String.Index>? {
        // Matches the whole column: after a space or a parenthesis, and before a comma or the end.
        let places = sql.ranges(of: column).filter { place in
            let before = sql[..<place.lowerBound].last
            let after = sql[place.upperBound...].first
            return (before == " " || before == "(") && (after == "," || after == "\n" || after == ")")
        }
        return places.count == 1 ? places[0] : nil
    }

    /// Returns the columns of a table in the file, or an empty array if the table does not exist.
    func fileColumns(of table: String) throws -> [FileColumn] {
        let statement = try connection.prepare(
            """
            SELECT info.name, info.type, info."notnull", info.dflt_value, key."table", key.on_delete, info.pk \
            FROM pragma_table_info(?1) AS info LEFT JOIN pragma_foreign_key_list(?1) AS key ON key."from" = info.name
            """)
        try statement.bind(table, at: 1)
        var columns: [FileColumn] = []
        while try statement.step() {
            let hasReference = !statement.isNull(4)
            columns.append(
                FileColumn(
                    name: statement.text(0), type: statement.text(1), isPrimaryKey: statement.int64(6) != 0,
                    isOptional: statement.int64(2) == 0,
                    defaultValue: statement.isNull(3) ? nil : statement.text(3),
                    reference: hasReference ? (statement.text(4), statement.text(5)) : nil))
        }
        return columns
    }
}
