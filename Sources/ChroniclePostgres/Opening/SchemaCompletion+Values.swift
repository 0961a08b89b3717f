#if Postgres
    import ChronicleCore
    import ChronicleSQLStore
    import ChronicleSQL

    // Checks and changes values that a new schema requires.
    extension SchemaCompletion {
        /// A conversion of the values of a column.
        struct Conversion {
            let table: String
            let column: String
            /// The type in the cast.
            let type: String
        }

        /// Compares the declarations of the properties with the values in the store. Tables have their new names, and
        /// columns their old ones.
        ///
        /// - Returns: The conversions of values whose stored form changes.
        /// - Throws: `SwiftDataError.backwardMigration` if values would have another meaning.
        func checkDeclarations(_ plan: SchemaPlan, _ connection: Connection) throws -> [Conversion] {
            let tables = try DatabaseSchema(connection)
            var conversions: [Conversion] = []
            for (table, tablePlan) in plan.tables.sorted(by: { $0.key < $1.key }) {
                guard let columns = tables.columns[table] else { continue }
                for item in tablePlan.classes {
                    let rows = rows(of: item.entity, columns.keys)
                    for property in item.entity.properties {
                        let isEarlier = item.earlier[property.name] != nil || plan.opening.isKnown
                        for earlier in item.compared(property.name) {
                            if earlier.place == .column, columns[earlier.name] == nil { continue }
                            let check = DeclarationCheck(
                                earlier: earlier, property: property, entity: item.entity, table: table,
                                rows: isEarlier ? rows : "true", isEarlier: isEarlier, plan: plan, tables: tables,
                                connection: connection)
                            if let conversion = try check.run(models) { conversions.append(conversion) }
                        }
                    }
                }
            }
            return conversions
        }

        /// Returns the condition for the rows of a class, but not of its subclasses.
        ///
        /// Rows of classes that the schema does not contain are those of the class that the table belongs to.
        func rows(of entity: Schema.Entity, _ columns: some Sequence<String>) -> String {
            guard columns.contains(Schema.entityAttribute) else { return entity.superentity == nil ? "true" : "false" }
            let column = quoted(Schema.entityAttribute)
            if entity.superentity != nil { return "\(column) = \(literal(entity.name))" }
            let others = models.kinds(of: entity.name).subtracting([entity.name]).sorted().map(literal)
            return others.isEmpty
                ? "true" : "(\(column) IS NULL OR \(column) NOT IN (\(others.joined(separator: ", "))))"
        }
    }

    /// The comparison of a property with the one that it continues.
    private struct DeclarationCheck {
        let earlier: StoredProperty
        let property: Schema.Property
        let entity: Schema.Entity
        let table: String
        /// The rows whose values the property continues.
        let rows: String
        /// Whether the values become those of the property.
        let isEarlier: Bool
        let plan: SchemaPlan
        let tables: DatabaseSchema
        let connection: Connection

        private var column: String { quoted(earlier.name) }

        private func failure(_ reason: String? = nil) -> SwiftDataError {
            .backwardMigration.with(
                detail: "the store has values of \(earlier.summary), but the property is now "
                    + "\(StoredProperty(property).summary)\(reason.map { ", and \($0)" } ?? ""); give the property another "
                    + "name, and copy the values in a stage of a migration plan",
                entityName: entity.name, propertyName: property.name)
        }

        private func exists(_ from: String) throws -> Bool {
            try connection.run("SELECT 1 FROM \(from) LIMIT 1", isPrepared: false).count > 0
        }

        func run(_ models: Schema) throws -> SchemaCompletion.Conversion? {
            let new = StoredProperty(property)
            guard earlier.isRelationship == new.isRelationship else {
                if try hasValues() { throw failure() }
                return nil
            }
            if new.isRelationship {
                try compareDestinations(models)
                return nil
            }
            let values = "\(connection.table(table)) WHERE \(column) IS NOT NULL AND \(rows)"
            switch earlier.change(to: new) {
            case .none: return nil
            case .unsupported:
                if try hasValues() { throw failure() }
                return nil
            case .comparison:
                if isEarlier { try requireValidValues(values) }
                return nil
            // The type of the column changes, also if the rows receive the default value afterwards.
            case .real(let limit):
                if isEarlier, try exists("\(values) AND \(column) NOT BETWEEN \(-limit) AND \(limit)") {
                    throw failure("a number is too large to be exact")
                }
                return .init(table: table, column: new.name, type: "double precision")
            case .decimal: return .init(table: table, column: new.name, type: "text")
            }
        }

        /// Returns whether any row has a value: the column has one type for all classes.
        private func hasValues() throws -> Bool {
            if earlier.place == .column, !earlier.isRelationship {
                return try exists("\(connection.table(table)) WHERE \(column) IS NOT NULL")
            }
            // The column of an inverse remains with the values of that property.
            guard earlier.place != .inverse, let destination = earlier.destination else { return false }
            return try pairs(plan.root(of: destination)).map { try exists("(\($0.sql)) AS p") } ?? false
        }

        /// Returns the query for the pairs of the earlier relationship, or `nil` if the store does not contain them.
        private func pairs(_ destination: String) -> SQLQuery? {
            earlier.storages(of: table, destination).first(where: tables.contains)?.pairs(connection.dialect)
        }

        private func compareDestinations(_ models: Schema) throws {
            guard let old = earlier.destination, let new = property.relationship?.destination, old != new,
                let newEntity = models.entitiesByName[new], let pairs = pairs(plan.root(of: old))
            else { return }
            if plan.root(of: old) != newEntity.rootName {
                if try exists("(\(pairs.sql)) AS p") { throw failure() }
            } else if isEarlier, newEntity.superentity != nil, !models.kinds(of: new).contains(old),
                tables.columns[newEntity.rootName]?[Schema.entityAttribute] != nil
            {
                let kinds = models.kinds(of: new).sorted().map(literal).joined(separator: ", ")
                let column = "d.\(quoted(Schema.entityAttribute))"
                let others = """
                    (\(pairs.sql)) AS p JOIN \(connection.table(newEntity.rootName)) AS d ON d._rowid_ = p.destination \
                    WHERE \(column) IS NULL OR \(column) NOT IN (\(kinds))
                    """
                if try exists(others) { throw failure("some of the models are not of this class") }
            }
        }

        /// Throws an error for values that the new type of the attribute does not have.
        private func requireValidValues(_ values: String) throws {
            let result = try connection.run("SELECT DISTINCT \(column) FROM \(values)", isPrepared: false)
            let type = ColumnType(property)
            for row in 0..<result.count {
                let value: PropertyValue =
                    switch type {
                    case .integer: .integer(result.int64(row, 0))
                    case .real: .real(result.double(row, 0))
                    case .text: .text(result.text(row, 0))
                    case .blob: .blob(result.data(row, 0))
                    }
                var isValid = false
                do {
                    let decoded = try property.decode(value)
                    // JSON can have several texts for one value.
                    isValid = try property.attribute?.storage == .json || property.encode(decoded) == value
                } catch is SwiftDataError {}
                guard isValid else { throw failure("the new type does not have all of them") }
            }
        }
    }

    /// The values that properties receive: those of removed properties that were declared again, those that are new in one
    /// of several classes that share a column, and those that became required in a subclass and have no value.
    struct MissingValues {
        private var updates: [(table: String, condition: String, property: Schema.Property, entity: Schema.Entity)] = []
        private var deletes: [String] = []
        private let connection: Connection

        /// Determines the values, after columns were renamed and before others are added.
        init(_ completion: SchemaCompletion, _ plan: SchemaPlan, _ catalog: Catalog) throws {
            connection = catalog.connection
            let tables = try DatabaseSchema(connection)
            let entities = try catalog.entities()
            for (table, tablePlan) in plan.tables.sorted(by: { $0.key < $1.key }) {
                guard let columns = tables.columns[table] else { continue }
                let recorded = entities.first { $0.name == table }?.attributes.filter(\.isPresent).map(\.name) ?? []
                for item in tablePlan.classes {
                    let rows = completion.rows(of: item.entity, columns.keys)
                    for property in item.entity.storedProperties {
                        let earlier = item.earlier[property.name]
                        let isPresent = columns[property.name] != nil
                        // A column of another program already has the values, and a new one the default value of the class
                        // that the table belongs to.
                        let isRecorded = isPresent ? recorded.contains(property.name) : true
                        let isOfRoot = completion.models.entitiesByName[table]?.propertiesByName[property.name] != nil
                        let isMissing =
                            isPresent || !isOfRoot && !(property.isOptional && property.defaultLiteral == nil)
                        if earlier == nil, !plan.opening.isKnown, isRecorded, isMissing {
                            updates.append((table, rows, property, item.entity))
                        } else if item.entity.superentity != nil, !property.isOptional, !isOfRoot,
                            earlier?.isOptional ?? true
                        {
                            updates.append(
                                (table, "\(quoted(property.name)) IS NULL AND \(rows)", property, item.entity))
                        }
                    }
                }
            }
            guard !plan.opening.isKnown else { return }
            deletes = completion.schema.links.flatMap { leftovers($0, completion, plan, tables) }
        }

        /// Returns the statements that delete the links of a removed relationship that the schema declares again, after
        /// links have moved from their earlier tables.
        private func leftovers(
            _ links: Schema.Links, _ completion: SchemaCompletion, _ plan: SchemaPlan, _ tables: DatabaseSchema
        ) -> [String] {
            let sides =
                [("owner", links.owner, links.property)]
                + (links.inverse.map { [("destination", links.destination, $0)] } ?? [])
            let movesAway = sides.contains { plan.tables[$0.1]?.movesLinks($0.2.name) == true }
            let remain = !movesAway && tables.references(links.name, from: links.owner, to: links.destination)
            guard remain || !completion.earlierLinks(of: links, plan, tables).isEmpty else { return [] }
            func isContinued(_ column: String) -> Bool {
                sides.contains { $0.0 == column && plan.tables[$0.1]?.earlier($0.2.name) != nil }
            }
            return sides.filter { !isContinued($0.0 == "owner" ? "destination" : "owner") }.flatMap { side in
                let columns = tables.columns[side.1] ?? [:]
                let owners = plan.tables[side.1]?.classes.filter {
                    $0.isStored && $0.entity.propertiesByName[side.2.name] != nil && $0.earlier[side.2.name] == nil
                }
                return (owners ?? []).map { owner in
                    "DELETE FROM \(connection.table(links.name)) WHERE \(side.0) IN (SELECT _rowid_ FROM "
                        + "\(connection.table(side.1)) "
                        + "WHERE \(completion.rows(of: owner.entity, columns.keys)))"
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
                if value == nil, !update.property.isOptional {
                    let missing = try connection.run(
                        "SELECT 1 FROM \(table) WHERE \(update.condition) LIMIT 1", isPrepared: false)
                    guard missing.count > 0 else { continue }
                    throw SwiftDataError.backwardMigration.with(
                        detail:
                            "the property is new or no longer optional; make it optional or add a default value for "
                            + "the existing models",
                        entityName: update.entity.name, propertyName: update.property.name)
                }
                // Both zeros are equal for the server.
                var isZero = false
                if case .real(0)? = update.property.defaultValue { isZero = true }
                let isOther = isZero ? "" : " AND \(column) IS DISTINCT FROM \(value ?? "NULL")"
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
