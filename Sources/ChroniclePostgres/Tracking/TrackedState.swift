#if Postgres
    import ChronicleCore
    import ChronicleSQLStore
    import Foundation

    extension MetaName {
        /// The name of the schema whose tables are tracked. A store has no such row.
        static let tracked = MetaName("tracked")
    }

    /// A row of `chronicle_tracked`: a table of another program as it was when its recording began or was resumed.
    struct TrackedState {
        let entity: Int64
        let table: String
        let oid: Int64
        let key: TrackedKey
        let columns: [TrackedColumn]
        let file: String, columnVersions: String
        let partitions: TableAttachments.Versions
        let isRecorded: Bool
        let isRecordedByRow: Bool
        /// The digest of the statements that created the triggers and the view.
        let definition: String
        /// The digest of the triggers and their functions.
        let triggers: String
        /// Why a change could not be recorded.
        let failure: String?
        /// The identifier and the name of the table that has the triggers now, and their present digest; `nil` without triggers.
        let present: (oid: Int64, name: String, triggers: String)?

        static func createTables(_ schema: String) -> [String] {
            [
                """
                CREATE TABLE IF NOT EXISTS \(schema).chronicle_tracked(entity bigint PRIMARY KEY, relation text COLLATE "C" NOT NULL, \
                oid bigint NOT NULL, key text NOT NULL, columns text NOT NULL, file text NOT NULL, \
                versions text NOT NULL, partitions text NOT NULL, is_recorded boolean NOT NULL, by_row boolean NOT NULL, definition text NOT NULL, triggers text NOT NULL)
                """,
                """
                CREATE TABLE IF NOT EXISTS \(schema).chronicle_interruption(entity bigint NOT NULL, \
                occurred timestamptz NOT NULL, reason text NOT NULL)
                """,
            ]
        }

        static func all(_ connection: Connection) throws -> [Int64: TrackedState] {
            let found = try connection.run(
                """
                SELECT s.entity, s.relation, s.oid, s.key, s.columns, s.is_recorded, s.by_row, s.definition, s.triggers, \
                (SELECT i.reason FROM \(connection.schema).chronicle_interruption AS i WHERE i.entity = s.entity LIMIT 1), \
                p.oid, p.relname, p.triggers, s.file, s.versions, s.partitions FROM \(connection.schema).chronicle_tracked AS s \
                LEFT JOIN (\(presentTriggers(connection))) AS p ON p.entity = s.entity ORDER BY s.entity
                """, isPrepared: false)
            var states: [Int64: TrackedState] = [:]
            let decoder = JSONDecoder()
            for row in 0..<found.count {
                func decode<Value: Decodable>(_ column: Int, _ type: Value.Type) throws -> Value {
                    do { return try decoder.decode(type, from: found.data(row, column)) } catch {
                        throw SwiftDataError.damagedFile.with(
                            detail: "a row of chronicle_tracked is invalid; restore it", underlying: error)
                    }
                }
                states[found.int64(row, 0)] = TrackedState(
                    entity: found.int64(row, 0), table: found.text(row, 1), oid: found.int64(row, 2),
                    key: try decode(3, TrackedKey.self), columns: try decode(4, [TrackedColumn].self),
                    file: found.text(row, 13), columnVersions: found.text(row, 14),
                    partitions: try decode(15, TableAttachments.Versions.self),
                    isRecorded: found.bool(row, 5),
                    isRecordedByRow: found.bool(row, 6), definition: found.text(row, 7),
                    triggers: found.text(row, 8), failure: found.isNull(row, 9) ? nil : found.text(row, 9),
                    present: found.isNull(row, 10)
                        ? nil : (found.int64(row, 10), found.text(row, 11), found.text(row, 12)))
            }
            return states
        }

        /// Does not contain the names of tables, which a program can change. A partition has the triggers of rows that its
        /// parent has, unless they are enabled in another way.
        private static func presentTriggers(_ connection: Connection) -> String {
            """
            SELECT r.entity, r.oid, r.relname, (SELECT md5(string_agg(concat_ws(' ', t.tgname, t.tgenabled, t.tgtype, \
            t.tgqual IS NULL, t.tgattr, p.proname, p.prosecdef, p.proconfig::text, md5(p.prosrc), \
            EXISTS (SELECT FROM pg_trigger AS g WHERE g.tgparentid = t.oid AND g.tgenabled <> t.tgenabled)), E'\\n' \
            ORDER BY t.tgname)) FROM pg_trigger AS t JOIN pg_proc AS p ON p.oid = t.tgfoid \
            WHERE t.tgrelid = r.oid AND p.pronamespace = \(connection.namespace)) AS triggers FROM (\
            SELECT DISTINCT ON (p.oid) substr(p.proname, length('\(RecorderSQL.rowTrigger)_') + 1)::bigint AS entity, \
            c.oid::bigint AS oid, c.relname FROM pg_proc AS p JOIN pg_trigger AS t ON t.tgfoid = p.oid AND t.tgparentid = 0 \
            JOIN pg_class AS c ON c.oid = t.tgrelid WHERE p.pronamespace = \(connection.namespace) \
            AND p.proname ~ '^\(RecorderSQL.rowTrigger)_[0-9]+$' ORDER BY p.oid, c.oid) AS r
            """
        }

        func store(_ connection: Connection) throws {
            func json(_ value: some Encodable) throws -> String {
                let encoder = JSONEncoder()
                encoder.outputFormatting = .sortedKeys
                return String(decoding: try encoder.encode(value), as: UTF8.self)
            }
            try connection.run(
                """
                INSERT INTO \(connection.schema).chronicle_tracked(entity, relation, oid, key, columns, is_recorded, by_row, \
                definition, file, versions, partitions, triggers) VALUES ($1, $2, $3, $4, $5, $6 <> 0, $7 <> 0, $8, $9, $10, $11, \
                coalesce((SELECT p.triggers FROM (\(Self.presentTriggers(connection))) AS p WHERE p.entity = $1), '')) \
                ON CONFLICT (entity) DO UPDATE SET relation = excluded.relation, oid = excluded.oid, key = excluded.key, \
                columns = excluded.columns, is_recorded = excluded.is_recorded, by_row = excluded.by_row, \
                definition = excluded.definition, file = excluded.file, versions = excluded.versions, \
                partitions = excluded.partitions, triggers = excluded.triggers
                """,
                Parameters(
                    .int64(entity), .text(table), .int64(oid), .text(try json(key)), .text(try json(columns)),
                    .int64(isRecorded ? 1 : 0), .int64(isRecordedByRow ? 1 : 0), .text(definition), .text(file),
                    .text(columnVersions), .text(try json(partitions))),
                isPrepared: false)
        }

        /// `nil` if all changes are recorded.
        ///
        /// - Parameters:
        ///   - table: The table with the name, or `nil` if there is none.
        ///   - isRead: Whether to ignore columns that are not recorded, and the owner of the table, which do not matter for reads.
        func interruption(_ table: TrackedTable?, isRead: Bool = false) -> String? {
            guard let table, table.isOrdinary else {
                if let present, present.name != self.table { return "the table was renamed to \(present.name)" }
                return "the table does not exist"
            }
            if let reason = table.reason, !(isRead && table.isOfOtherRole) { return reason }
            if hasOtherKey(table) { return "its primary key is another one" }
            if let change = changedColumn(table) ?? (isRead ? nil : newColumn(table)) { return change }
            if table.oid == oid, table.file != file, table.columnVersions != columnVersions {
                return "its rows may have been written again with other values, as by ALTER COLUMN … TYPE … USING"
            }
            guard let present, present.oid == table.oid else {
                return "its triggers were dropped, as by a change that creates the table again"
            }
            if present.triggers != triggers { return "its triggers were changed or disabled" }
            if table.isRecordedByRow != isRecordedByRow { return "it has other partitions or inheriting tables" }
            if table.oid == oid, let change = table.partitions.change(since: partitions) {
                return change.rawValue
            }
            return failure.map { "a change could not be recorded: \($0)" }
        }

        /// Keys in the history have no meaning for another primary key.
        func hasOtherKey(_ table: TrackedTable) -> Bool {
            let (earlier, present) = (key.columns, table.key.columns)
            guard earlier.count == present.count, key.isNumbered == table.key.isNumbered else { return true }
            return zip(earlier, present).contains { earlier, present in
                if earlier.name != present.name, earlier.number != present.number || table.oid != oid { return true }
                return key.isNumbered
                    && (earlier.keyDefinition != present.keyDefinition || earlier.type != present.type)
            }
        }

        private func changedColumn(_ table: TrackedTable) -> String? {
            for column in columns {
                guard let present = table.columns.first(where: { $0.name == column.name }) else {
                    let renamed = table.columns.first { $0.number == column.number && table.oid == oid }
                    return renamed.map { "the column \(column.name) was renamed to \($0.name)" }
                        ?? "the column \(column.name) does not exist"
                }
                if present.number != column.number, table.oid == oid {
                    return "the column \(column.name) is another one"
                }
                if present.type != column.type || present.base != column.base {
                    return "the column \(column.name) has the type \(present.type) instead of \(column.type)"
                }
            }
            return nil
        }

        private func newColumn(_ table: TrackedTable) -> String? {
            let known = Set(columns.map(\.name))
            return table.columns.first { !known.contains($0.name) }.map { "the column \($0.name) is not recorded" }
        }
    }
#endif
