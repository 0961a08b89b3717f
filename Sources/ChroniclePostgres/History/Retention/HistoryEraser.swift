#if Postgres
    import ChronicleCore

    struct HistoryEraser {
        private let connection: Connection

        init(_ connection: Connection) { self.connection = connection }

        /// Deletes transactions in the current one, in which the row of `chronicle_history` is locked. `positions` is a
        /// statement that returns the positions.
        func erase(_ positions: String, _ parameters: Parameters) throws -> (transactions: Int, changes: Int) {
            let result = try connection.run(
                """
                WITH deleted AS (
                    DELETE FROM \(connection.schema).chronicle_transaction WHERE position IN (\(positions))
                    RETURNING position, check_value, transaction, first_change, last_change, change_count
                ), changes AS (
                    DELETE FROM \(connection.schema).chronicle_change AS c USING deleted AS d WHERE c.transaction = d.transaction
                    AND c.id BETWEEN d.first_change AND d.last_change
                ), raised AS (
                    UPDATE \(connection.schema).chronicle_history AS s SET floor = d.position, floor_check = d.check_value
                    FROM (SELECT position, check_value FROM deleted ORDER BY position DESC LIMIT 1) AS d
                    WHERE s.floor < d.position
                )
                SELECT count(*), coalesce(sum(change_count), 0)::bigint FROM deleted
                """, parameters)
            return (Int(result.int64(0, 0)), Int(result.int64(0, 1)))
        }
    }
#endif
