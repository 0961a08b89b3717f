#if Postgres
    import ChronicleSQLStore

    /// The triggers of a tracked table, and the view of its rows.
    ///
    /// Both convert the rows of the table to those of a table of models, with the key as `_rowid_`. Everything else, such as the
    /// statements that record changes and the queries that read rows, is the same.
    struct TrackedRecorder {
        let table: TrackedTable
        let entity: RecordedEntity
        /// The quoted name of the schema with the history.
        let schema: String
        /// Of the tracked tables, not quoted.
        let schemaName: String

        /// Qualified.
        var keyTable: String { "\(schema).\(TrackedKey.table(of: entity.number))" }

        private var columns: [TrackedColumn] {
            let recorded = Set(entity.attributes.filter(\.isPresent).map(\.name))
            return table.attributes.filter { recorded.contains($0.name) }
        }

        private func settings(_ ofValues: (TrackedColumn) -> [String]) -> [String] {
            Set(columns.flatMap(ofValues) + (table.key.isNumbered ? table.key.columns.flatMap(\.keySettings) : []))
                .sorted()
        }

        /// `nil` for a view.
        var triggers: [RecorderSQL.Trigger] {
            guard var recorded = table.circumstances else { return [] }
            recorded.tracking = RecordedTable.Tracking(
                schema: schema, entity: entity.number, settings: settings(\.settings) + ["row_security = off"],
                readsOnly: !table.isPartitioned)
            let types = Dictionary(columns.map { ($0.name, $0.columnType.name) }, uniquingKeysWith: { $1 })
            let sql = EntityRecorder(entity, types: types, lists: [], schema: schema)
            return RecorderSQL.triggers(of: recorded, suffix: "\(entity.number)") { event, rows in
                let converted = RecorderSQL.Rows(old: self.rows(rows.old), new: self.rows(rows.new))
                switch event {
                case .insert: return numbering(rows.new) + [sql.inserts(converted)]
                case .update:
                    let areRepeated = recorded.repeatsUpdates && rows == .ofStatement
                    return numbering(rows.new) + [sql.updates(converted, areRepeated: areRepeated)]
                case .delete, .truncate: return [sql.deletes(from: converted.old, links: .noted)]
                }
            }
        }

        private func numbering(_ rows: String) -> [String] {
            table.key.isNumbered ? [table.key.number(keyTable, rows)] : []
        }

        /// Returns an item of a FROM clause with converted rows.
        private func rows(_ rows: String) -> String {
            let key =
                table.key.isNumbered
                ? "(SELECT k.id FROM \(keyTable) AS k WHERE \(table.key.isSame))" : table.key.columns[0].value("r")
            // A subquery that is not merged with others looks each key up once, and keeps the order of the rows.
            return "(SELECT \(selection(key)) FROM \(rows) AS r\(table.key.isNumbered ? " OFFSET 0" : ""))"
        }

        /// Some collations of a program consider different texts equal.
        private func collated(_ value: String, _ column: TrackedColumn) -> String {
            column.columnType == .text ? "(\(value)) COLLATE pg_catalog.\"C\"" : value
        }

        private func selection(_ key: String) -> String {
            (["\(key) AS \(EntityTable.primaryKey)"]
                + columns.map { "\(collated($0.value("r"), $0)) AS \(quoted($0.name))" })
                .joined(separator: ", ")
        }

        /// Returns the statement that numbers the keys of all rows.
        var numberRows: String? {
            table.key.isNumbered ? table.key.number(keyTable, rowsOfTable) : nil
        }

        var createKeyTable: String? { table.key.isNumbered ? table.key.createTable(keyTable) : nil }

        private var rowsOfTable: String {
            "\(table.isPartitioned ? "" : "ONLY ")\(qualified(table.name, in: schemaName))"
        }

        /// Returns the statements that create the view with the rows as those of a table of models.
        ///
        /// The view depends only on a function, whose text the server does not examine: a view of the table would prevent
        /// the program from changing its columns. Without settings, a query of the view includes the function's.
        var viewStatements: [String] {
            let (view, function) = ("\(schema).\(quoted(table.name))", "\(schema).chronicle_rows_\(entity.number)()")
            let result =
                ["\(EntityTable.primaryKey) bigint"] + columns.map { "\(quoted($0.name)) \($0.columnType.name)" }
            let isNumbered = table.key.isNumbered
            let key = isNumbered ? "k.id" : table.key.columns[0].value("r")
            let body =
                "SELECT \(selection(key)) FROM \(rowsOfTable) AS r"
                + (isNumbered ? " JOIN \(keyTable) AS k ON \(table.key.isSame)" : "")
            let selected =
                [EntityTable.primaryKey]
                + columns.map { column in
                    "\(collated(quoted(column.name), column)) AS \(quoted(column.name))"
                }
            return [
                "DROP VIEW IF EXISTS \(view)", "DROP FUNCTION IF EXISTS \(function)",
                "CREATE FUNCTION \(function) RETURNS TABLE(\(result.joined(separator: ", "))) LANGUAGE sql STABLE "
                    + settings(\.viewSettings).map { "SET \($0) " }.joined() + "AS \(literal(body))",
                "CREATE VIEW \(view) AS SELECT \(selected.joined(separator: ", ")) FROM \(function)",
            ]
        }

        /// Returns the statements that create the triggers.
        var triggerStatements: [String] {
            triggers.flatMap(\.function.statements)
                + table.relations.flatMap { relation in
                    triggers.filter { !relation.isPartition || !$0.isOfRows }
                        .flatMap { $0.statements(on: relation.qualifiedName) }
                }
        }
    }
#endif
