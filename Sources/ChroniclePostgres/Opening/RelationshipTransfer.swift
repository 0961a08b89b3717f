#if Postgres
    import ChronicleCore
    import ChronicleSQL

    /// Where a store keeps the destinations of a relationship.
    private enum RelationshipForm: Equatable {
        /// A column of the model's table.
        case column(table: String, name: String)
        /// A column of the destination's table, for the inverse relationship.
        case inverse(table: String, name: String)
        /// A link table, and its columns with the keys of the model and of the destination.
        case links(table: String, from: String, to: String)

        /// Whether two relationships are kept in the same way, in places that may differ.
        func isSameKind(as other: RelationshipForm) -> Bool {
            switch (self, other) {
            case (.column, .column), (.inverse, .inverse), (.links, .links): true
            default: false
            }
        }

        /// A statement that selects the keys of models and their destinations.
        var select: String {
            switch self {
            case .column(let table, let name):
                "SELECT _rowid_ AS source, \(quoted(name)) AS destination FROM \(quoted(table)) "
                    + "WHERE \(quoted(name)) IS NOT NULL"
            case .inverse(let table, let name):
                "SELECT \(quoted(name)) AS source, _rowid_ AS destination FROM \(quoted(table)) "
                    + "WHERE \(quoted(name)) IS NOT NULL"
            case .links(let table, let from, let to):
                "SELECT \(from) AS source, \(to) AS destination FROM \(quoted(table))"
            }
        }

        /// The form in a store with the tables of a schema.
        init?(_ property: Schema.Property, of entity: Schema.Entity, in schema: Schema) {
            guard let relationship = property.relationship else { return nil }
            if let links = schema.links(of: property) {
                let (from, to) = ModelTables.linkColumns(of: property, in: links)
                self = .links(table: links.name, from: from, to: to)
            } else if !relationship.isToMany {
                self = .column(table: entity.name, name: property.name)
            } else if let inverse = relationship.inverseName {
                self = .inverse(table: relationship.destination, name: inverse)
            } else {
                return nil
            }
        }

        func exists(in tables: DatabaseSchema) -> Bool {
            switch self {
            case .links(let table, _, _): tables.hasTable(table)
            case .column(let table, let name), .inverse(let table, let name): tables.columns[table]?[name] != nil
            }
        }
    }

    /// Transfers the destinations of relationships whose stored form changes, for example because a to-one relationship
    /// became a to-many relationship.
    ///
    /// The pairs of models and destinations are copied to a temporary table before the tables of the new schema exist, and
    /// from there to their new place when the triggers exist that record the changes.
    struct RelationshipTransfer {
        private let schema: Schema
        private let catalog: Catalog
        private var connection: Connection { catalog.connection }
        private var relationships: [Relationship] = []

        private struct Relationship {
            let entity: Schema.Entity
            let property: Schema.Property
            let new: RelationshipForm
        }

        private static let pairs = "pg_temp.chronicle_pair"

        /// Copies the pairs, and removes the columns and link tables that the new schema does not use.
        ///
        /// - Parameters:
        ///   - schema: The schema, without inheritance.
        ///   - models: The schema of the models.
        ///   - catalog: The catalog, whose entities have their new names.
        ///   - definitions: The descriptions of the entities before, by their names before.
        init(_ schema: Schema, _ models: Schema, _ catalog: Catalog, from definitions: [String: Schema.Entity]) throws {
            (self.schema, self.catalog) = (schema, catalog)
            let earlier = EarlierTables(definitions)
            let tables = try DatabaseSchema(catalog.connection)
            func originalName(_ name: String) -> String { models.entitiesByName[name]?.originalName ?? name }
            var forms: [RelationshipForm] = []
            for entity in schema.entities {
                guard let before = definitions[entity.name] ?? definitions[originalName(entity.name)] else { continue }
                for property in entity.properties {
                    guard let new = RelationshipForm(property, of: entity, in: schema),
                        let destination = property.relationship?.destination,
                        let old = Self.earlierForm(
                            of: property, of: entity, before, earlier, tables,
                            destinations: [destination, originalName(destination)]),
                        !old.isSameKind(as: new), !new.exists(in: tables)
                    else { continue }
                    relationships.append(Relationship(entity: entity, property: property, new: new))
                    forms.append(old)
                }
            }
            guard !relationships.isEmpty else { return }
            try connection.script(
                """
                CREATE TEMPORARY TABLE chronicle_pair(relationship bigint, source bigint, destination bigint, \
                PRIMARY KEY (relationship, source, destination)) ON COMMIT DROP;
                CREATE INDEX ON \(Self.pairs)(relationship, destination)
                """)
            for (number, form) in forms.enumerated() { try copy(form, of: relationships[number], number) }
            for form in forms { try remove(form) }
        }

        // MARK: The earlier form

        private static func earlierForm(
            of property: Schema.Property, of entity: Schema.Entity, _ before: Schema.Entity, _ earlier: EarlierTables,
            _ tables: DatabaseSchema, destinations: [String]
        ) -> RelationshipForm? {
            let table = earlier.table(named: before.name)
            let known =
                earlier.property(property.name, of: table)
                ?? property.previousName.flatMap { earlier.property($0, of: table) }
            guard let old = known, let relationship = old.relationship, let destination = destinations.first,
                destinations.contains(earlier.table(named: relationship.destination))
            else { return nil }
            if relationship.isLinked {
                let table = "\(entity.name).\(old.name)"
                if tables.hasTable(table) { return .links(table: table, from: "owner", to: "destination") }
                guard let inverse = relationship.inverseName else { return nil }
                let reversed = "\(destination).\(inverse)"
                return tables.hasTable(reversed) ? .links(table: reversed, from: "destination", to: "owner") : nil
            }
            let form: RelationshipForm? =
                relationship.isToMany
                ? relationship.inverseName.map { .inverse(table: destination, name: $0) }
                : .column(table: entity.name, name: old.name)
            return form.flatMap { $0.exists(in: tables) ? $0 : nil }
        }

        private func copy(_ form: RelationshipForm, of relationship: Relationship, _ number: Int) throws {
            guard let destination = relationship.property.relationship?.destination else { return }
            // A relationship with the delete rule `noAction` can contain the keys of rows that do not exist.
            try connection.script(
                """
                INSERT INTO \(Self.pairs) SELECT \(number), p.source, p.destination FROM (\(form.select)) AS p \
                JOIN \(quoted(relationship.entity.name)) AS s ON s._rowid_ = p.source \
                JOIN \(quoted(destination)) AS d ON d._rowid_ = p.destination
                """)
        }

        /// Removes the earlier place of a relationship, which would otherwise keep values that nothing updates.
        private func remove(_ form: RelationshipForm) throws {
            switch form {
            case .links(let table, _, _): try connection.script("DROP TABLE IF EXISTS \(quoted(table))")
            case .column(let table, let name), .inverse(let table, let name):
                let isUsed = schema.entitiesByName[table]?.storedProperties.contains {
                    $0.name == name || $0.previousName == name
                }
                guard isUsed != true, try form.exists(in: DatabaseSchema(connection)) else { return }
                // Its indexes and its foreign key are dropped with it. The attribute keeps its number in the history.
                try connection.script("ALTER TABLE \(quoted(table)) DROP COLUMN \(quoted(name))")
                guard let entity = try catalog.entities().first(where: { $0.name == table }),
                    var attribute = entity.attributes.first(where: { $0.name == name && $0.isPresent })
                else { return }
                attribute.isPresent = false
                try catalog.update(attribute, of: entity)
            }
        }

        // MARK: The new form

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

        private func requireSingleDestinations(_ relationship: Relationship, _ number: Int) throws {
            let key: String
            switch relationship.new {
            case .links: return
            case .column: key = "source"
            case .inverse: key = "destination"
            }
            let found = try connection.run(
                "SELECT 1 FROM \(Self.pairs) WHERE relationship = \(number) GROUP BY \(key) HAVING count(*) > 1 LIMIT 1",
                isPrepared: false)
            guard found.count > 0 else { return }
            throw SwiftDataError.backwardMigration.with(
                detail: "the relationship is to-one now, or its inverse is, but the store has models with several "
                    + "destinations; remove all but one, for example in the `willMigrate` closure of a stage",
                entityName: relationship.entity.name, propertyName: relationship.property.name)
        }

        private func write(_ form: RelationshipForm, _ number: Int) throws {
            func update(_ table: String, _ column: String, _ value: String, where key: String) -> String {
                "UPDATE \(quoted(table)) AS t SET \(quoted(column)) = p.\(value) FROM \(Self.pairs) AS p "
                    + "WHERE p.relationship = \(number) AND p.\(key) = t._rowid_ "
                    + "AND t.\(quoted(column)) IS DISTINCT FROM p.\(value)"
            }
            switch form {
            case .column(let table, let name):
                try connection.script(update(table, name, "destination", where: "source"))
            case .inverse(let table, let name):
                try connection.script(update(table, name, "source", where: "destination"))
            case .links(let table, let from, let to):
                try connection.script(
                    "INSERT INTO \(quoted(table))(\(from), \(to)) SELECT source, destination FROM \(Self.pairs) "
                        + "WHERE relationship = \(number) ON CONFLICT DO NOTHING")
            }
        }
    }

    /// The tables of the entities before, each of which has the properties of a hierarchy.
    private struct EarlierTables {
        private let definitions: [String: Schema.Entity]
        /// The entities of each table, the root first.
        private let entities: [String: [Schema.Entity]]

        init(_ definitions: [String: Schema.Entity]) {
            self.definitions = definitions
            entities = Dictionary(grouping: definitions.values) { Self.root(of: $0.name, definitions) }
                .mapValues { $0.sorted { ($0.superentityName ?? "", $0.name) < ($1.superentityName ?? "", $1.name) } }
        }

        func table(named name: String) -> String { Self.root(of: name, definitions) }

        func property(_ name: String, of table: String) -> Schema.Property? {
            entities[table]?.lazy.compactMap { $0.propertiesByName[name] }.first
        }

        private static func root(of name: String, _ definitions: [String: Schema.Entity]) -> String {
            var (root, count) = (name, 0)
            // The names in a damaged catalog may form a cycle.
            while let superentity = definitions[root]?.superentityName, count < definitions.count {
                (root, count) = (superentity, count + 1)
            }
            return root
        }
    }
#endif
