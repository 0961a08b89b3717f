#if Postgres
    import ChronicleCore
    import ChronicleSQLStore
    import ChronicleSQL

    /// Transfers the destinations of relationships that a new schema stores in another way, for example because a to-one
    /// relationship became a to-many relationship.
    ///
    /// The pairs of models and destinations are copied to a temporary table before the tables of the new schema exist, and
    /// from there to their new place when the triggers exist that record the changes.
    struct RelationshipTransfer {
        private let catalog: Catalog
        private var connection: Connection { catalog.connection }
        private let relationships: [RelationshipChange]

        private static let pairs = "pg_temp.chronicle_pair"

        /// Copies the pairs, and removes the columns and link tables that the new schema does not use.
        ///
        /// - Parameters:
        ///   - completion: The schema.
        ///   - catalog: The catalog, whose entities have their new names.
        ///   - plan: The relationships that those of the schema continue. Columns have their names before.
        init(_ completion: SchemaCompletion, _ catalog: Catalog, _ plan: SchemaPlan) throws {
            self.catalog = catalog
            let tables = try DatabaseSchema(catalog.connection)
            relationships = RelationshipChange.changes(plan, to: completion.schema, exists: tables.contains)
            guard !relationships.isEmpty else { return }
            try connection.script(
                """
                CREATE TEMPORARY TABLE chronicle_pair(relationship bigint, source bigint, destination bigint, \
                PRIMARY KEY (relationship, source, destination)) ON COMMIT DROP;
                CREATE INDEX ON \(Self.pairs)(relationship, destination)
                """)
            for (number, relationship) in relationships.enumerated() {
                try copy(relationship, number, completion, plan)
            }
            for relationship in relationships { try remove(relationship.old, plan) }
        }

        // MARK: The old storage

        private func copy(
            _ relationship: RelationshipChange, _ number: Int, _ completion: SchemaCompletion, _ plan: SchemaPlan
        ) throws {
            guard let destination = relationship.property.relationship?.destination else { return }
            let table = relationship.entity.name
            let columns = try DatabaseSchema(connection).columns[table] ?? [:]
            // Other classes in the table do not have the relationship any more.
            let owners = plan.tables[table]?.classes.filter { $0.earlier[relationship.property.name] != nil } ?? []
            let rows = owners.map { completion.rows(of: $0.entity, columns.keys) }.joined(separator: " OR ")
            // A relationship with the delete rule `noAction` can contain the keys of rows that do not exist.
            try connection.script(
                """
                INSERT INTO \(Self.pairs) SELECT \(number), p.source, p.destination FROM (\(relationship.old.pairs(connection.dialect).sql)) AS p \
                JOIN (SELECT _rowid_ FROM \(connection.table(table)) WHERE \(rows)) AS s ON s._rowid_ = p.source \
                JOIN \(connection.table(destination)) AS d ON d._rowid_ = p.destination
                """)
        }

        /// Removes the earlier place of a relationship, which would otherwise keep values that nothing updates.
        private func remove(_ storage: RelationshipStorage, _ plan: SchemaPlan) throws {
            switch storage {
            case .links(let table, _, _): try connection.script("DROP TABLE IF EXISTS \(connection.table(table))")
            case .column(let table, let name), .inverseColumn(let table, let name):
                guard plan.tables[table]?.continues(column: name) != true,
                    try DatabaseSchema(connection).contains(storage)
                else { return }
                try catalog.dropColumn(name, of: table)
            }
        }

        // MARK: The new storage

        /// Copies the pairs to their new place.
        ///
        /// - Throws: `SwiftDataError.backwardMigration` if a to-one relationship would have several destinations.
        func apply() throws {
            for (number, relationship) in relationships.enumerated() {
                try requireSingleDestinations(relationship, number)
            }
            for (number, relationship) in relationships.enumerated() { try write(relationship.new, number) }
            if !relationships.isEmpty { try connection.script("DROP TABLE \(Self.pairs)") }
        }

        private func requireSingleDestinations(_ relationship: RelationshipChange, _ number: Int) throws {
            guard let key = relationship.new.uniqueColumn else { return }
            let found = try connection.run(
                "SELECT 1 FROM \(Self.pairs) WHERE relationship = \(number) GROUP BY \(key) HAVING count(*) > 1 LIMIT 1",
                isPrepared: false)
            guard found.count > 0 else { return }
            throw SwiftDataError.backwardMigration.with(
                detail: "the relationship is to-one now, or its inverse is, but the store has models with several "
                    + "destinations; remove all but one, for example in the `willMigrate` closure of a stage",
                entityName: relationship.entity.name, propertyName: relationship.property.name)
        }

        private func write(_ storage: RelationshipStorage, _ number: Int) throws {
            func update(_ table: String, _ column: String, _ value: String, where key: String) -> String {
                "UPDATE \(connection.table(table)) AS t SET \(quoted(column)) = p.\(value) FROM \(Self.pairs) AS p "
                    + "WHERE p.relationship = \(number) AND p.\(key) = t._rowid_ "
                    + "AND t.\(quoted(column)) IS DISTINCT FROM p.\(value)"
            }
            switch storage {
            case .column(let table, let name):
                try connection.script(update(table, name, "destination", where: "source"))
            case .inverseColumn(let table, let name):
                try connection.script(update(table, name, "source", where: "destination"))
            case .links(let table, let from, let to):
                try connection.script(
                    "INSERT INTO \(connection.table(table))(\(from), \(to)) SELECT source, destination FROM \(Self.pairs) "
                        + "WHERE relationship = \(number) ON CONFLICT DO NOTHING")
            }
        }
    }

    extension DatabaseSchema {
        /// Returns whether the tables contain a column or a table of links.
        func contains(_ storage: RelationshipStorage) -> Bool {
            switch storage {
            case .links(let table, _, _): hasTable(table)
            case .column(let table, let name), .inverseColumn(let table, let name): columns[table]?[name] != nil
            }
        }
    }

    extension Catalog {
        /// Drops a column with its indexes and its foreign key. The attribute keeps its number in the history.
        ///
        /// - Parameter isReplaced: Whether another property has the name from now on.
        func dropColumn(_ name: String, of table: String, isReplaced: Bool = false) throws {
            try connection.script("ALTER TABLE \(connection.table(table)) DROP COLUMN \(quoted(name))")
            guard let entity = try entities().first(where: { $0.name == table }),
                var attribute = entity.attributes.first(where: { $0.name == name && $0.isPresent })
            else { return }
            attribute.isPresent = false
            if isReplaced { attribute.name = attribute.nameAfterReplacement }
            try update(attribute, of: entity)
        }
    }

    extension RecordedAttribute {
        /// The name of an attribute in the history after its column or links were dropped for those of another property
        /// with its name. Names of properties contain no period.
        var nameAfterReplacement: String { "\(name).\(number)" }
    }
#endif
