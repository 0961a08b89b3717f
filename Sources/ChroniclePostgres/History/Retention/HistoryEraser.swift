#if Postgres
    import ChronicleCore
    import ChronicleSQLStore
    import Foundation

    struct HistoryEraser {
        private let positions: HistoryPositions
        private var connection: Connection { positions.connection }

        init(_ positions: HistoryPositions) { self.positions = positions }

        struct Deleted {
            let transactions: Int
            let changes: Int
            /// The positions of the transactions, ascending, if the history is sealed.
            var positions: [Int64] = []
        }

        /// Deletes transactions in the current one, in which the row of `chronicle_history` is locked.
        ///
        /// - Parameters:
        ///   - selected: A statement that returns the positions.
        ///   - seals: The sealed history, whose commitments are deleted. The caller records the deletion.
        func erase(_ selected: String, _ parameters: Parameters, _ seals: SealedHistory?) throws -> Deleted {
            guard let seals else { return try erase(selected, parameters) }
            let found = try connection.run(
                "WITH selected AS MATERIALIZED (\(selected)) SELECT position FROM selected ORDER BY 1", parameters)
            let positions = (0..<found.count).map { found.int64($0, 0) }
            try seals.deleteCommitments(positions)
            var deleted = try erase(
                "SELECT s.position FROM unnest($1) AS s(position)", Parameters(.array(ParameterArray(positions))))
            deleted.positions = positions
            return deleted
        }

        private func erase(_ selected: String, _ parameters: Parameters) throws -> Deleted {
            // NOT IN is not converted to a join, so the search for the first remaining transaction ends there.
            let result = try connection.run(
                """
                WITH selected AS MATERIALIZED (\(selected)), kept AS MATERIALIZED (
                    SELECT position FROM \(connection.schema).chronicle_transaction
                    WHERE position NOT IN (SELECT position FROM selected) ORDER BY position LIMIT 1
                ), deleted AS (
                    DELETE FROM \(connection.schema).chronicle_transaction WHERE position IN (SELECT position FROM selected)
                    RETURNING position, check_value, transaction, first_change, last_change, change_count, author, timestamp
                ), changes AS (
                    DELETE FROM \(connection.schema).chronicle_change AS c USING deleted AS d WHERE c.transaction = d.transaction
                    AND c.id BETWEEN d.first_change AND d.last_change
                ), raised AS (
                    UPDATE \(connection.schema).chronicle_history AS s SET floor = d.position, floor_check = d.check_value
                    FROM (SELECT position, check_value FROM deleted ORDER BY position DESC LIMIT 1) AS d
                    WHERE s.floor < d.position
                ), authors AS (
                    SELECT author AS name, max(position) AS newest FROM deleted WHERE position > (SELECT position FROM kept)
                    GROUP BY author LIMIT \(SelectiveDeletions.maximumAuthors + 1)
                ), beginning AS (
                    SELECT position, check_value FROM deleted
                    WHERE position < coalesce((SELECT position FROM kept), 9223372036854775807)
                    ORDER BY position DESC LIMIT 1
                )
                SELECT count(*), coalesce(sum(change_count), 0)::bigint, max(position),
                (SELECT position FROM beginning), (SELECT check_value FROM beginning),
                (SELECT json_agg(a)::text FROM authors AS a),
                (SELECT value FROM \(connection.schema).chronicle_meta WHERE name = '\(MetaName.deletions.text)'),
                (SELECT timestamp FROM deleted ORDER BY position DESC LIMIT 1) FROM deleted
                """, parameters)
            if !result.isNull(0, 2) { try record(result) }
            return Deleted(transactions: Int(result.int64(0, 0)), changes: Int(result.int64(0, 1)))
        }

        private func record(_ result: QueryResult) throws {
            let (state, row) = (positions.state, result.isNull(0, 6) ? nil : result.text(0, 6))
            try MetaTable(connection).setLastDeletion(
                floor: state.floor, newest: result.int64(0, 2),
                timestamp: Date(timeIntervalSinceReferenceDate: result.double(0, 7)))
            let known = SelectiveDeletions(row, floor: state.floor) ?? state.deletedBeginning
            let authors = result.isNull(0, 5) ? [] : try authors(result.text(0, 5))
            let deletions = known.adding(
                floor: result.int64(0, 2),
                beginning: result.isNull(0, 3) ? nil : (result.int64(0, 3), result.int64(0, 4)),
                // The query returns only some of more authors.
                authors: authors.count > SelectiveDeletions.maximumAuthors ? nil : authors)
            if let deletions {
                try MetaTable.set(.deletions, deletions.text(), connection)
            } else if row != nil {
                try connection.run(
                    "DELETE FROM \(connection.schema).chronicle_meta WHERE name = $1",
                    Parameters(.text(MetaName.deletions.text)))
            }
        }

        private func authors(_ json: String) throws -> [SelectiveDeletions.Author] {
            do { return try JSONDecoder().decode([SelectiveDeletions.Author].self, from: Data(json.utf8)) } catch {
                throw SwiftDataError.damagedFile.with(
                    detail: "the authors of chronicle_transaction are invalid; restore the table from a backup",
                    underlying: error)
            }
        }

        /// Deletes the notes about links that remain if a trigger of another program prevented a delete. Those of
        /// transactions that have not ended are not visible. Does nothing if the role lacks the privilege.
        func eraseNotes() throws {
            let table = "\(connection.schema).chronicle_removed"
            let isAllowed = try connection.run(
                """
                SELECT coalesce(has_table_privilege(to_regclass($1), 'SELECT') \
                AND has_table_privilege(to_regclass($1), 'DELETE'), FALSE)
                """, Parameters(.text(table)))
            if isAllowed.bool(0, 0) { try connection.run("DELETE FROM \(table)") }
        }
    }
#endif
