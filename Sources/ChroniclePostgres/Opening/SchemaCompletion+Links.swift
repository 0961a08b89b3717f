#if Postgres
    import ChronicleCore
    import ChronicleSQLStore
    import ChronicleSQL

    // Creates and migrates link tables.
    extension SchemaCompletion {
        func completeLinks(_ plan: SchemaPlan, _ connection: Connection) throws {
            let definitions = schema.links.map { LinkDefinition(links: $0, schemaName: schemaName) }
            try moveEarlierLinks(definitions, plan, connection)
            for definition in definitions {
                let links = definition.links
                let tables = try DatabaseSchema(connection)
                if !tables.hasTable(links.name) { try connection.script(definition.createTable) }
                if tables.indexes[links.name]?.contains(definition.index.name) != true {
                    try connection.script(definition.index.sql)
                }
                try completeForeignKeys(
                    definition.foreignKeys, of: links.name, columns: ["owner", "destination"], connection)
                if links.isSymmetric { try mirror(links, connection) }
            }
        }

        /// Makes the table of a symmetric relationship contain both directions of each link, whichever program writes.
        private func mirror(_ links: Schema.Links, _ connection: Connection) throws {
            let table = table(links.name)
            let name = TableNames.shortened("\(LinkDefinition.mirror)_\(links.name)")
            let (insert, delete) = (self.table("\(name)_i"), self.table("\(name)_d"))
            // An insert of links that exist, or a delete of links that do not, fires no further trigger than one for no
            // rows, which ends the recursion.
            try connection.script(
                """
                CREATE OR REPLACE FUNCTION \(insert)() RETURNS trigger LANGUAGE plpgsql \(HistoryFunction.path) AS $$ BEGIN
                IF EXISTS (SELECT 1 FROM added) THEN
                INSERT INTO \(table)(owner, destination) SELECT destination, owner FROM added
                ON CONFLICT DO NOTHING;
                END IF;
                RETURN NULL; END $$;
                CREATE OR REPLACE FUNCTION \(delete)() RETURNS trigger LANGUAGE plpgsql \(HistoryFunction.path) AS $$ BEGIN
                IF EXISTS (SELECT 1 FROM removed) THEN
                DELETE FROM \(table) AS l USING removed
                WHERE l.owner = removed.destination AND l.destination = removed.owner;
                END IF;
                RETURN NULL; END $$;
                CREATE OR REPLACE TRIGGER \(LinkDefinition.mirror)_insert AFTER INSERT ON \(table)
                REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION \(insert)();
                CREATE OR REPLACE TRIGGER \(LinkDefinition.mirror)_delete AFTER DELETE ON \(table)
                REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION \(delete)();
                ALTER TABLE \(table) ENABLE ALWAYS TRIGGER \(LinkDefinition.mirror)_insert;
                ALTER TABLE \(table) ENABLE ALWAYS TRIGGER \(LinkDefinition.mirror)_delete;
                INSERT INTO \(table)(owner, destination) SELECT destination, owner FROM \(table) ON CONFLICT DO NOTHING
                """)
        }

        /// A table with links of an earlier schema.
        struct EarlierLinks: Hashable {
            var table: String
            /// Whether owner and destination are exchanged.
            let isReversed: Bool
            var isTemporary = false
        }

        /// Moves links from the tables of an earlier schema, if relationships were renamed, the alphabetical order of their
        /// sides changed, or two of them became the sides of one.
        private func moveEarlierLinks(
            _ definitions: [LinkDefinition], _ plan: SchemaPlan, _ connection: Connection
        ) throws {
            for (name, table) in plan.tables.sorted(by: { $0.key < $1.key }) {
                for property in table.droppedLinks {
                    let storages = property.storages(of: name, plan.root(of: property.destination ?? ""))
                    for case .links(let links, _, _) in storages {
                        try connection.script("DROP TABLE IF EXISTS \(self.table(links))")
                    }
                }
            }
            let tables = try DatabaseSchema(connection)
            var moves = definitions.map { (definition: $0, sources: earlierLinks(of: $0.links, plan, tables)) }
            let names = Set(definitions.map(\.links.name))
            var number = 0
            for index in moves.indices {
                let current = moves[index].definition.links.name
                for source in moves[index].sources.indices {
                    let table = moves[index].sources[source].table
                    // The links of this table make room for those of another one.
                    guard table != current, names.contains(table) else { continue }
                    let temporary = "chronicle_moved_\(number)"
                    number += 1
                    try connection.script(
                        "CREATE TEMPORARY TABLE \(temporary) ON COMMIT DROP AS SELECT owner, destination "
                            + "FROM \(self.table(table)); DROP TABLE \(self.table(table))")
                    moves[index].sources[source].table = temporary
                    moves[index].sources[source].isTemporary = true
                }
            }
            for (definition, sources) in moves { try move(sources, to: definition, plan, connection) }
        }

        private func move(
            _ sources: [EarlierLinks], to definition: LinkDefinition, _ plan: SchemaPlan, _ connection: Connection
        ) throws {
            let links = definition.links
            let tables = try DatabaseSchema(connection)
            if tables.hasTable(links.name), !sources.contains(EarlierLinks(table: links.name, isReversed: false)) {
                let isUnrelated = !tables.references(links.name, from: links.owner, to: links.destination)
                // A relationship that was stored in another place replaces the links that remain from a removed one.
                let isReplaced = stage != nil || plan.continues(links)
                if isUnrelated, !isReplaced {
                    let rows = try connection.run("SELECT 1 FROM \(table(links.name)) LIMIT 1", isPrepared: false)
                    guard rows.count == 0 else {
                        throw SwiftDataError.backwardMigration.with(
                            detail:
                                "the store has links of another relationship with this name; rename the relationship",
                            entityName: links.owner, propertyName: links.property.name)
                    }
                }
                // Otherwise, a removed relationship is declared again.
                if isUnrelated || !sources.isEmpty || plan.continues(links) {
                    try connection.script("DROP TABLE \(table(links.name))")
                }
            }
            for source in sources where source.table != links.name {
                if try !DatabaseSchema(connection).hasTable(links.name) {
                    try connection.script(definition.createTable)
                }
                let table = source.isTemporary ? "pg_temp.\(source.table)" : self.table(source.table)
                let columns = source.isReversed ? "destination, owner" : "owner, destination"
                try connection.script(
                    "INSERT INTO \(self.table(links.name))(owner, destination) SELECT \(columns) FROM "
                        + "\(table) ON CONFLICT DO NOTHING; DROP TABLE \(table)")
            }
        }

        /// Returns the tables with the links of a relationship of the new schema.
        func earlierLinks(
            of links: Schema.Links, _ plan: SchemaPlan, _ tables: DatabaseSchema
        ) -> [EarlierLinks] {
            var found: [EarlierLinks] = []
            func add(_ table: String, isReversed: Bool) {
                let (owner, destination) =
                    isReversed ? (links.destination, links.owner) : (links.owner, links.destination)
                // A table of links of a class with itself has no other direction.
                guard !found.contains(where: { $0.table == table }), tables.hasTable(table),
                    tables.references(table, from: owner, to: destination)
                else { return }
                found.append(EarlierLinks(table: table, isReversed: isReversed))
            }
            func add(_ entity: String, _ property: Schema.Property, _ other: String, isReversed: Bool) {
                guard let earlier = plan.tables[entity]?.earlier(property.name), earlier.place == .links else { return }
                add("\(entity).\(earlier.name)", isReversed: isReversed)
                if let inverse = earlier.inverse { add("\(other).\(inverse)", isReversed: !isReversed) }
            }
            add(links.owner, links.property, links.destination, isReversed: false)
            if let inverse = links.inverse, !links.isSymmetric {
                add(links.destination, inverse, links.owner, isReversed: true)
            }
            // A program that the store knows continues to use the links of a relationship that another one removed.
            if plan.opening.isKnown, found.isEmpty, !plan.continues(links) { add(links.name, isReversed: false) }
            return found
        }
    }

    extension DatabaseSchema {
        /// Returns whether a table of links has the given ends.
        func references(_ table: String, from owner: String, to destination: String) -> Bool {
            let keys = foreignKeys[table] ?? [:]
            let names = ["owner", "destination"].map { TableNames.shortened("chronicle_links_\(table)_\($0)") }
            return keys[names[0]]?.destination == owner && keys[names[1]]?.destination == destination
        }
    }
#endif
