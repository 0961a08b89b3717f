#if Postgres
    import ChronicleCore
    import ChronicleSQLStore
    import ChronicleSQL

    /// The values that properties receive: those of removed properties that were declared again, those that are new in one
    /// of several classes that share a column, and those that became required in a subclass and have no value.
    struct MissingValues {
        private var updates: [(table: String, condition: String, property: Schema.Property, entity: Schema.Entity)] = []
        private var deletes: [String] = []
        private let connection: Connection
        private let isKnown: Bool

        /// Determines the values, after columns were renamed and before others are added.
        init(_ tables: DatabaseTables, _ plan: SchemaPlan) throws {
            connection = tables.connection
            isKnown = plan.opening.isKnown
            let entities = try tables.catalog.entities()
            for (table, tablePlan) in plan.tables.sorted(by: { $0.key < $1.key }) {
                guard let columns = tables.definitions.columns[table] else { continue }
                let recorded = entities.first { $0.name == table }?.attributes.filter(\.isPresent).map(\.name) ?? []
                for item in tablePlan.classes {
                    let rows = tables.rows(of: item.entity, columns.keys)
                    for property in item.entity.storedProperties {
                        let earlier = item.earlier[property.name]
                        let isPresent = columns[property.name] != nil
                        // A column of another program already has the values, and a new one the default value of the class
                        // that the table belongs to.
                        let isRecorded = isPresent ? recorded.contains(property.name) : true
                        let isOfRoot = tables.models.entitiesByName[table]?.propertiesByName[property.name] != nil
                        let isMissing =
                            isPresent || !isOfRoot && !(property.isOptional && property.defaultLiteral == nil)
                        if earlier == nil, !plan.opening.isKnown, isRecorded, isMissing {
                            var rows = tables.rows(
                                of: item.entity, whereNew: property.name, plan, columns.keys)
                            // Other programs have classes that inherit the new column.
                            let others = plan.subclasses(of: item.entity.name, except: tables.models)
                            if !isPresent, !others.isEmpty, columns[Schema.entityAttribute] != nil {
                                let names = others.map(literal).joined(separator: ", ")
                                rows = "(\(rows) OR \(quoted(Schema.entityAttribute)) IN (\(names)))"
                            }
                            updates.append((table, rows, property, item.entity))
                        } else if item.entity.superentity != nil, !property.isOptional, !isOfRoot {
                            // A program with an earlier version of the class, or without it, may have inserted rows.
                            updates.append(
                                (table, "\(quoted(property.name)) IS NULL AND \(rows)", property, item.entity))
                        }
                    }
                }
            }
            deletes = try tables.schema.links.flatMap { try Self.leftovers($0, tables, plan) }
        }

        /// Returns the statements that delete the links of a removed relationship that the schema declares again, after
        /// links have moved from their earlier tables.
        private static func leftovers(
            _ links: Schema.Links, _ tables: DatabaseTables, _ plan: SchemaPlan
        ) throws -> [String] {
            guard try !tables.leftoverLinks(of: links, plan).isEmpty else { return [] }
            let dialect = tables.dialect
            return plan.leftoverOwners(of: links).flatMap { owner in
                let columns = tables.columns(of: owner.table).keys
                return owner.classes.map { entity in
                    let rows = tables.rows(of: entity, whereNew: owner.property, plan, columns)
                    return "DELETE FROM \(dialect.table(links.name)) WHERE \(owner.column) IN (SELECT _rowid_ FROM "
                        + "\(dialect.table(owner.table)) WHERE \(rows))"
                }
            }
        }

        /// Sets the values.
        ///
        /// - Throws: `SwiftDataError.backwardMigration` for a required property without a default value.
        func set() throws {
            for update in updates {
                let (table, column) = (connection.table(update.table), quoted(update.property.name))
                let value = update.property.defaultLiteral
                let isMissing = value == nil && !update.property.isOptional
                // Fetches of the rows throw an error. The program can use the others.
                if isMissing, isKnown { continue }
                // Both zeros are equal for the server.
                var isZero = false
                if case .real(0)? = update.property.defaultValue { isZero = true }
                let isOther = isMissing || isZero ? "" : " AND \(column) IS DISTINCT FROM \(value ?? "NULL")"
                let rows = try connection.run(
                    "SELECT 1 FROM \(table) WHERE \(update.condition)\(isOther) LIMIT 1", isPrepared: false)
                guard rows.count > 0 else { continue }
                if isMissing {
                    throw SwiftDataError.backwardMigration.with(
                        detail:
                            "the property is new or no longer optional; make it optional or add a default value for "
                            + "the existing models",
                        entityName: update.entity.name, propertyName: update.property.name)
                }
                try connection.script(
                    "UPDATE \(table) SET \(column) = \(value ?? "NULL") WHERE \(update.condition)\(isOther)")
            }
            for delete in deletes { try connection.script(delete) }
        }
    }

    extension Schema.Property {
        /// The SQL literal of the default value, or `nil` if there is none.
        fileprivate var defaultLiteral: String? {
            defaultValue.flatMap { $0.isNull ? nil : ColumnType(self).literal($0) }
        }
    }
#endif
