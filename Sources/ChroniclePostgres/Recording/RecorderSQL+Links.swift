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
