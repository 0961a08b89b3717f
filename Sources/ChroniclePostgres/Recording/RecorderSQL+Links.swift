#if Postgres
    import ChronicleCore
    import ChronicleSQLStore

    // The triggers of a link table. A link is not a model: adding or removing one is recorded as an update of the models
    // at its ends that exist. A save merges it into another change of the model; see ``HistoryTables/merge``.
    extension RecorderSQL {
        private struct End {
            /// The column that references this end, and that of the other one.
            let column: String
            let other: String
            let entity: RecordedEntity
            let attribute: RecordedAttribute
            /// The quoted name of the schema.
            let schema: String

            /// `rows` are added links, or removed ones.
            func update(_ rows: String, isAdded: Bool) -> String {
                let number = EntityRecorder.number(of: entity, "held")
                let isPreserved = attribute.preservation.updates != .none
                let value = "ARRAY[\(PreservedText.expression("l.\(other)", type: "bigint"))]"
                let numbers = "ARRAY[\(attribute.number)]::smallint[]"
                let old = isPreserved ? (isAdded ? "ARRAY[NULL]::text[]" : value) : "NULL"
                let new = isPreserved ? (isAdded ? value : "ARRAY[NULL]::text[]") : "NULL"
                return """
                    \(RecorderSQL.insertChanges(schema)) \(number), 'u', l.\(column), \(numbers), \
                    \(isPreserved ? numbers : "NULL"), \(old), \(new)
                    FROM \(rows) AS l JOIN \(schema).\(quoted(entity.name)) AS held \
                    ON held.\(EntityTable.primaryKey) = l.\(column)
                    """
            }
        }

        /// A list whose links deletes preserve, at one end of a table of links.
        struct RecordedList {
            /// The number of the attribute.
            let number: Int
            /// The table of links.
            let table: String
            /// The column with the primary key of the list's model.
            let column: String
            /// The column of the other end.
            let other: String
        }

        /// The links of a removed relationship are not recorded, so it is not among the lists.
        static func recordedLists(of entity: RecordedEntity, _ links: [Schema.Links]) -> [RecordedList] {
            let preserved = entity.attributes.filter(\.deletesPreserveLinks)
            return links.flatMap { links -> [RecordedList] in
                func list(_ column: String, _ other: String, _ property: Schema.Property?) -> RecordedList? {
                    guard let property, let known = preserved.first(where: { $0.name == property.name }) else {
                        return nil
                    }
                    return RecordedList(number: known.number, table: links.name, column: column, other: other)
                }
                return [
                    links.owner == entity.name ? list("owner", "destination", links.property) : nil,
                    links.destination == entity.name && !links.isSymmetric
                        ? list("destination", "owner", links.inverse) : nil,
                ].compactMap { $0 }
            }
        }

        /// Returns the trigger that notes the links of a row before its delete, or `nil` for an entity without lists.
        ///
        /// The foreign keys of a link table delete the links of a deleted row before the trigger runs that records the delete.
        /// That trigger moves the notes to its change. Notes of a row that was not deleted, because another trigger prevented
        /// it, are replaced before the row is deleted.
        static func linksTrigger(
            of entity: RecordedEntity, _ links: [Schema.Links], _ table: RecordedTable
        ) -> Trigger? {
            let key = "OLD.\(EntityTable.primaryKey)"
            let notes = recordedLists(of: entity, links).map { list in
                """
                    INSERT INTO \(table.schema).chronicle_removed(transaction, entity, primary_key, attribute, destination)
                        SELECT pg_current_xact_id(), \(entity.number), \(key), \(list.number), l.\(list.other)
                        FROM \(table.schema).\(quoted(list.table)) AS l WHERE l.\(list.column) = \(key);

                """
            }
            guard !notes.isEmpty else { return nil }
            let body = """

                BEGIN
                    \(table.requireSchemaName)
                    DELETE FROM \(table.schema).chronicle_removed AS r WHERE r.transaction = pg_current_xact_id()
                        AND r.entity = \(entity.number) AND r.primary_key = \(key);
                \(notes.joined())    RETURN OLD;
                END

                """
            return Trigger(
                name: linksTrigger, event: "BEFORE DELETE ON § FOR EACH ROW", activation: "ENABLE ALWAYS",
                function: HistoryFunction(
                    schema: table.schema, name: linksFunction + "\(entity.number)", body: body))
        }

        /// Returns the triggers of a link table.
        ///
        /// - Parameters:
        ///   - links: The links.
        ///   - entities: The catalog.
        ///   - table: The table.
        static func triggers(
            of links: Schema.Links, _ entities: [RecordedEntity], _ table: RecordedTable
        ) -> [RecorderSQL.Trigger] {
            func end(_ column: String, _ other: String, _ entityName: String, _ property: Schema.Property?) -> End? {
                guard let property, let entity = entities.first(where: { $0.name == entityName }),
                    let attribute = entity.attributes.first(where: { $0.name == property.name && !$0.isPresent })
                else { return nil }
                return End(column: column, other: other, entity: entity, attribute: attribute, schema: table.schema)
            }
            // The reverse of a symmetric link records the other end.
            let ends = [
                end("owner", "destination", links.owner, links.property),
                links.isSymmetric ? nil : end("destination", "owner", links.destination, links.inverse),
            ].compactMap { $0 }
            let difference = { (first: String, second: String) in
                "(SELECT owner, destination FROM \(first) AS a EXCEPT SELECT owner, destination FROM \(second) AS b)"
            }
            return triggers(of: table, suffix: links.name) { event, rows in
                switch event {
                case .insert: ends.map { $0.update(rows.new, isAdded: true) }
                case .update:
                    ends.map { $0.update(difference(rows.old, rows.new), isAdded: false) }
                        + ends.map { $0.update(difference(rows.new, rows.old), isAdded: true) }
                case .delete, .truncate: ends.map { $0.update(rows.old, isAdded: false) }
                }
            }
        }
    }
#endif
