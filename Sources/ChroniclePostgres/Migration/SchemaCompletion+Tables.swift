#if Postgres
    import ChronicleCore
    import ChronicleSQLStore

    extension TableDefinition {
        /// Returns the definition in a database with the indexes of some tables.
        fileprivate func with(_ indexes: [String: Set<String>]) -> TableDefinition {
            var definition = self
            for (table, names) in indexes { for name in names { definition.presentIndexes[name] = table } }
            return definition
        }
    }

    // Creates and changes the tables of entities.
    extension SchemaCompletion {
        /// A column that becomes required when all rows have a value.
        struct RequiredColumn {
            let entity: String
            let property: Schema.Property
            /// The qualified and quoted name of the table.
            let table: String
            let defaultLiteral: String?
            /// Whether the column already has a default value.
            let hasDefault: Bool

            fileprivate var name: String { quoted(property.name) }

            func require(_ connection: Connection) throws {
                try connection.script("ALTER TABLE \(table) ALTER COLUMN \(name) SET NOT NULL")
                // Programs without the property insert rows as well.
                guard let defaultLiteral, !hasDefault else { return }
                try connection.script("ALTER TABLE \(table) ALTER COLUMN \(name) SET DEFAULT \(defaultLiteral)")
            }
        }

        /// Creates or changes the table of an entity.
        ///
        /// - Returns: The columns that become required.
        func complete(
            _ entity: Schema.Entity, _ conversions: [ValueConversion], _ catalog: Catalog
        ) throws -> [RequiredColumn] {
            let connection = catalog.connection
            let definition = definition(of: entity)
            let wasKnown = try catalog.entities().contains { $0.name == entity.name }
            var recorded = try catalog.entity(named: entity.name)
            var required: [RequiredColumn] = []
            guard !recorded.isSubentity else {
                throw SwiftDataError.backwardMigration.with(
                    detail:
                        "the database stores the model in the table of \(recorded.rootName), but the class does not "
                        + "inherit from it; declare the superclass again, or give the class another name and copy its "
                        + "models",
                    entityName: entity.name)
            }
            if let columns = try DatabaseSchema(connection).columns[entity.name] {
                try requireRecordedColumns(columns, of: recorded)
                required = try changeColumns(definition, conversions, connection)
                try addColumns(definition, connection)
            } else if wasKnown {
                throw SwiftDataError.damagedFile.with(
                    detail: "another program removed the table of the model; restore it from a backup",
                    entityName: entity.name)
            } else {
                try connection.script(definition.createTable)
            }
            try dropUndeclaredIndexes(definition, connection)
            let preservesValues = try MetaTable.text(.preservesValues, connection) == "on"
            try catalog.register(entity, &recorded, preservesValues: preservesValues)
            try catalog.setDefinition(models.entitiesByName[entity.name] ?? entity, of: recorded)
            return required
        }

        /// Sets an attribute that becomes required to its default value where it has none.
        ///
        /// - Throws: `SwiftDataError.backwardMigration` if there is no default value.
        func setMissingValues(of column: RequiredColumn, _ connection: Connection) throws {
            if let value = column.defaultLiteral {
                return try connection.script(
                    "UPDATE \(column.table) SET \(column.name) = \(value) WHERE \(column.name) IS NULL")
            }
            let missing = try connection.run(
                "SELECT 1 FROM \(column.table) WHERE \(column.name) IS NULL LIMIT 1", isPrepared: false)
            guard missing.count > 0 else { return }
            throw SwiftDataError.backwardMigration.with(
                detail: "the property is no longer optional, but the store has models without a value for it",
                entityName: column.entity, propertyName: column.property.name)
        }

        /// Throws an error if another program removed a column.
        private func requireRecordedColumns(
            _ columns: [String: DatabaseSchema.Column], of entity: RecordedEntity
        ) throws {
            for attribute in entity.attributes where attribute.isPresent && columns[attribute.name] == nil {
                throw SwiftDataError.damagedFile.with(
                    detail: "another program removed or renamed the column; restore it", entityName: entity.name,
                    propertyName: attribute.name)
            }
            guard columns[EntityTable.primaryKey]?.type == "bigint" else {
                throw SwiftDataError.damagedFile.with(
                    detail: "another program removed or changed the primary key; restore it", entityName: entity.name,
                    propertyName: EntityTable.primaryKey)
            }
        }

        private func addColumns(_ definition: TableDefinition, _ connection: Connection) throws {
            let entity = definition.entity
            let table = table(entity.name)
            let present = try DatabaseSchema(connection).columns[entity.name] ?? [:]
            for property in entity.storedProperties where present[property.name] == nil {
                let isEmpty = try connection.run("SELECT 1 FROM \(table) LIMIT 1", isPrepared: false).count == 0
                guard property.isOptional || definition.defaultLiteral(property) != nil || isEmpty else {
                    throw SwiftDataError.backwardMigration.with(
                        detail: "the property is new and required; make it optional or add a default value for the "
                            + "existing models",
                        entityName: entity.name, propertyName: property.name)
                }
                try connection.script("ALTER TABLE \(table) ADD COLUMN \(definition.column(property))")
            }
        }

        /// Properties may become optional or required, and required properties may be removed, whose columns remain for
        /// programs with an earlier version of the model.
        ///
        /// - Returns: The columns that become required.
        private func changeColumns(
            _ definition: TableDefinition, _ conversions: [ValueConversion], _ connection: Connection
        ) throws -> [RequiredColumn] {
            var required: [RequiredColumn] = []
            let entity = definition.entity
            let present = try DatabaseSchema(connection).columns[entity.name] ?? [:]
            let own = ownSchema?.entitiesByName[entity.name] ?? entity
            for property in entity.storedProperties where own.propertiesByName[property.name] != nil {
                guard let column = present[property.name] else { continue }
                let (table, name) = (table(entity.name), quoted(property.name))
                let conversion = conversions.first { $0.table == entity.name && $0.column == property.name }
                try changeType(of: property, column, conversion, definition, connection)
                // The default value of an attribute is no key of a destination.
                if property.relationship != nil, column.hasDefault {
                    try connection.script("ALTER TABLE \(table) ALTER COLUMN \(name) DROP DEFAULT")
                }
                if column.isOptional, !property.isOptional {
                    required.append(
                        RequiredColumn(
                            entity: entity.name, property: property, table: table,
                            defaultLiteral: definition.defaultLiteral(property),
                            hasDefault: column.hasDefault && column.type == ColumnType(property).name))
                } else if !column.isOptional, property.isOptional {
                    try connection.script("ALTER TABLE \(table) ALTER COLUMN \(name) DROP NOT NULL")
                }
            }
            let names = Set(own.storedProperties.map(\.name) + [EntityTable.primaryKey])
            for (name, column) in present.sorted(by: { $0.key < $1.key }) where !names.contains(name) {
                guard !column.isOptional, !column.hasDefault else { continue }
                try connection.script(
                    "ALTER TABLE \(table(entity.name)) ALTER COLUMN \(quoted(name)) DROP NOT NULL")
            }
            return required
        }

        /// Changes the type of a column if its values can be converted without loss.
        private func changeType(
            of property: Schema.Property, _ column: DatabaseSchema.Column, _ conversion: ValueConversion?,
            _ definition: TableDefinition, _ connection: Connection
        ) throws {
            let type = ColumnType(property)
            guard column.type != type.name else { return }
            let (table, name) = (table(definition.entity.name), quoted(property.name))
            let values = try connection.run(
                "SELECT 1 FROM \(table) WHERE \(name) IS NOT NULL LIMIT 1", isPrepared: false)
            guard conversion != nil || values.count == 0 else {
                throw SwiftDataError.backwardMigration.with(
                    detail:
                        "the type of the column is \(column.type), but the property needs \(type.name), and the store "
                        + "has values; give the property another name, and copy the values in a stage of a migration plan",
                    entityName: definition.entity.name, propertyName: property.name)
            }
            // A foreign key whose types would differ; if the property needs one, it is created again.
            let keys = try DatabaseSchema(connection).foreignKeys[definition.entity.name] ?? [:]
            for (key, reference) in keys.sorted(by: { $0.key < $1.key })
            where reference.column == property.name && key.hasPrefix("chronicle_") {
                try connection.script("ALTER TABLE \(table) DROP CONSTRAINT \(quoted(key))")
            }
            let source =
                conversion.map { "\(name)::\($0.form == .real ? "double precision" : "text")" } ?? "NULL"
            let isRequired = !column.isOptional
            try connection.script(
                "ALTER TABLE \(table) ALTER COLUMN \(name) DROP DEFAULT, "
                    + "ALTER COLUMN \(name) TYPE \(type.rawValue) USING \(source)"
            )
            if isRequired, let literal = definition.defaultLiteral(property) {
                try connection.script("ALTER TABLE \(table) ALTER COLUMN \(name) SET DEFAULT \(literal)")
            }
        }

        private func dropUndeclaredIndexes(_ definition: TableDefinition, _ connection: Connection) throws {
            let indexes = try DatabaseSchema(connection).indexes
            let own = (indexes[definition.entity.name] ?? []).filter { $0.hasPrefix("chronicle_") }
            for name in own.subtracting(definition.with(indexes).indexes.map(\.name)).sorted() {
                try connection.script("DROP INDEX \(table(name))")
            }
        }

        /// Creates the indexes of a table that are missing.
        ///
        /// - Throws: `SwiftDataError.uniquenessViolation` if several models have the same values for a unique one.
        func addIndexes(of entity: Schema.Entity, _ connection: Connection) throws {
            let indexes = try DatabaseSchema(connection).indexes
            let present = indexes[entity.name] ?? []
            for index in definition(of: entity).with(indexes).indexes where !present.contains(index.name) {
                do { try connection.script(index.sql) } catch let error as PostgresError where error.isUniqueViolation {
                    throw SwiftDataError.uniquenessViolation.with(
                        detail:
                            "the store contains several models with the same values for a unique constraint; delete or "
                            + "change the duplicates before you add the constraint, for example in `willMigrate` of a custom stage",
                        entityName: entity.name, underlying: error)
                }
            }
        }

        /// Creates the foreign keys of a table, and replaces those whose delete rule changed.
        ///
        /// - Parameters:
        ///   - columns: The columns of the present properties. A removed relationship becomes nil when its destination is
        ///     deleted.
        ///   - isKept: Returns whether another column belongs to a class that no program declares any more, whose rows remain.
        func completeForeignKeys(
            _ wanted: [TableDefinition.ForeignKey], of table: String, columns: Set<String>, _ connection: Connection,
            isKept: (String) -> Bool = { _ in false }
        ) throws {
            let present = try DatabaseSchema(connection).foreignKeys[table] ?? [:]
            let names = Set(wanted.map(\.name))
            for (name, key) in present.sorted(by: { $0.key < $1.key })
            where name.hasPrefix("chronicle_") && !names.contains(name) {
                let isRemoved = !columns.contains(key.column)
                if isRemoved, key.action == "SET NULL" || isKept(key.column) { continue }
                try connection.script("ALTER TABLE \(self.table(table)) DROP CONSTRAINT \(quoted(name))")
                guard isRemoved else { continue }
                let optional = TableDefinition.ForeignKey(
                    name: name, column: key.column, destination: key.destination, schemaName: schemaName,
                    action: "SET NULL")
                try connection.script("ALTER TABLE \(self.table(table)) ADD \(optional.sql)")
            }
            for key in wanted {
                if let known = present[key.name] {
                    if known.action == key.action, known.destination == key.destination, known.column == key.column {
                        continue
                    }
                    try connection.script("ALTER TABLE \(self.table(table)) DROP CONSTRAINT \(quoted(key.name))")
                }
                do { try connection.script("ALTER TABLE \(self.table(table)) ADD \(key.sql)") } catch let error
                    as PostgresError where error.isForeignKeyViolation
                {
                    throw SwiftDataError.backwardMigration.with(
                        detail: "the store has models that reference missing ones; set the relationship to nil first",
                        entityName: table, propertyName: key.column, underlying: error)
                }
            }
        }
    }
#endif
