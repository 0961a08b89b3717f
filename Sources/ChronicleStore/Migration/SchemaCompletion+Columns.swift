import ChronicleCore
import ChronicleSQL
import ChronicleSQLStore
import ChronicleSQLite

// Adds the columns of new properties.
extension SchemaCompletion {
    func addColumns(_ definition: TableDefinition) throws {
        let entity = definition.entity
        let present = try columnNames(of: entity.name)
        for property in entity.storedProperties where !present.contains(property.name) {
            let isEmpty = try !exists(quoted(entity.name))
            guard property.isOptional || property.defaultValue != nil || isEmpty else {
                throw SwiftDataError.backwardMigration.with(
                    detail:
                        "the property is new and required; make it optional or add a default value for the existing models",
                    entityName: entity.name, propertyName: property.name)
            }
            do {
                try connection.execute("ALTER TABLE \(quoted(entity.name)) ADD COLUMN \(definition.column(property))")
                if let value = property.defaultValue, value.isNegativeZero { try set(value, of: property, in: entity) }
                try setDefaults(of: property, in: entity)
            } catch let error as SQLiteError {
                throw SwiftDataError.backwardMigration.with(
                    detail: "the column cannot be added: \(error.message)", entityName: entity.name,
                    propertyName: property.name, underlying: DatabaseError(error))
            }
        }
    }

    /// Sets the default value of a new attribute of a subentity in the rows of that subentity.
    private func setDefaults(of column: Schema.Property, in root: Schema.Entity) throws {
        let declaring = models.entities.filter { entity in
            entity.superentity != nil && entity.rootName == root.name
                && entity.propertiesByName[column.name].map(entity.declares) == true
        }
        for entity in declaring {
            guard let property = entity.propertiesByName[column.name] else { continue }
            let kinds = FetchSQL.kind(of: entity, in: models, dialect: SQLiteDialect())?.sql ?? "1"
            let rows = "\(quoted(root.name)) AS \(FetchSQL.table) WHERE \(kinds)"
            guard try hasEntityColumn(root.name), try exists(rows) else {
                continue
            }
            guard let value = property.defaultValue else {
                if property.isOptional { continue }
                throw SwiftDataError.backwardMigration.with(
                    detail: "the property is new and required; make it optional or add a default value for the "
                        + "existing models",
                    entityName: entity.name, propertyName: property.name)
            }
            let statement = try connection.prepare(
                "UPDATE \(quoted(root.name)) AS \(FetchSQL.table) SET \(quoted(column.name)) = ? WHERE \(kinds)")
            try statement.bind(value, at: 1)
            try statement.run()
        }
    }

    /// Sets the value of a column that was added in all rows, because SQLite converts some default values of such columns.
    private func set(_ value: PropertyValue, of property: Schema.Property, in entity: Schema.Entity) throws {
        let statement = try connection.prepare("UPDATE \(quoted(entity.name)) SET \(quoted(property.name)) = ?")
        try statement.bind(value, at: 1)
        try statement.run()
    }

    private func hasEntityColumn(_ table: String) throws -> Bool {
        try columnNames(of: table).contains(Schema.entityAttribute)
    }

    /// Returns the name of a table's primary key column, or `nil` if the table does not exist.
    func keyColumn(of table: String) throws -> String? {
        let statement = try connection.prepare("SELECT name FROM pragma_table_info(?) WHERE pk")
        try statement.bind(table, at: 1)
        return try statement.step() ? statement.text(0) : nil
    }

    /// Returns the names of a table's columns except its primary key.
    func columnNames(of table: String) throws -> Set<String> {
        let statement = try connection.prepare("SELECT name FROM pragma_table_info(?) WHERE NOT pk")
        try statement.bind(table, at: 1)
        var columns: Set<String> = []
        while try statement.step() { columns.insert(statement.text(0)) }
        return columns
    }
}

extension PropertyValue {
    fileprivate var isNegativeZero: Bool {
        if case .real(let real) = self { real == 0 && real.sign == .minus } else { false }
    }
}
