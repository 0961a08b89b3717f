#if Postgres
    import ChronicleCore

    /// Locks the tables of a store before an opening changes their definitions, until its transaction ends.
    ///
    /// Programs write models in any order, and a trigger then writes to `chronicle_pending`; readers lock `chronicle_history`
    /// after they read it. Whatever order the opening chooses, another session can hold a table that it waits for, and wait
    /// for one that it holds. The opening therefore locks everything before its first change, and releases all of it if that
    /// takes too long: the other session continues, and the opening tries again. It waits for at most half the time after
    /// which the server looks for a deadlock.
    enum DefinitionLock {
        /// Locks the tables of the models and of links, in the order of their names, and those of the history that the
        /// opening changes.
        ///
        /// - Parameter connection: A connection with an open transaction.
        /// - Throws: ``PostgresError`` if another session keeps a table locked longer than the limit of the session for
        ///   waiting, if it has one.
        static func acquire(_ connection: Connection) throws {
            try acquire(statements(connection), connection)
        }

        /// Runs statements that lock tables, all or none at a time.
        static func acquire(_ statements: [String], _ connection: Connection) throws {
            let settings = try connection.run(
                """
                SELECT setting::bigint FROM pg_settings WHERE name IN ('deadlock_timeout', 'lock_timeout') ORDER BY name
                """, isPrepared: false)
            let longest = max(2, settings.int64(0, 0)) / 2
            let limit = settings.int64(1, 0)
            let start = ContinuousClock.now
            var patience = shortest
            while true {
                do {
                    // A savepoint, whose locks are released if it is rolled back.
                    try connection.transaction {
                        try lock(statements, within: .milliseconds(min(patience, longest)), $0)
                    }
                    break
                } catch let error as PostgresError where error.isConflict {
                    guard limit == 0 || start.duration(to: .now) < .milliseconds(limit) else { throw error }
                }
                // Sessions that wait for the opening need a short wait, and those with long transactions a long one.
                patience = patience < longest ? patience * 2 : shortest
            }
            try connection.run("SELECT set_config('lock_timeout', '\(limit)', TRUE)", isPrepared: false)
        }

        /// The shortest time of an attempt in milliseconds.
        private static let shortest: Int64 = 8

        private static func lock(_ statements: [String], within patience: Duration, _ connection: Connection) throws {
            let end = ContinuousClock.now + patience
            for statement in statements {
                let rest = ContinuousClock.now.duration(to: end).milliseconds
                _ = try connection.pipeline { pipeline in
                    pipeline.add("SELECT set_config('lock_timeout', '\(rest)', TRUE)", isPrepared: false)
                    pipeline.add(statement, isPrepared: false)
                }
            }
        }

        private static func statements(_ connection: Connection) throws -> [String] {
            let found = try connection.run(
                """
                SELECT DISTINCT c.relname FROM pg_class AS c JOIN \(connection.schema).chronicle_entity AS e \
                ON c.relname = e.name OR starts_with(c.relname::text, e.name || '.') \
                WHERE c.relnamespace = \(connection.namespace) AND c.relkind IN ('r', 'p') ORDER BY 1
                """)
            let present = try StoreRelations(connection).names
            var statements = (0..<found.count).map {
                "LOCK TABLE \(connection.table(found.text($0, 0))) IN ACCESS EXCLUSIVE MODE"
            }
            var tables = [("chronicle_pending", "ACCESS EXCLUSIVE"), ("chronicle_history", "EXCLUSIVE")]
            // The upgrade adds a column.
            if try MetaTable.format(connection) == 1 { tables.append(("chronicle_transaction", "ACCESS EXCLUSIVE")) }
            statements += tables.filter { present.contains($0.0) }.map {
                "LOCK TABLE \(connection.table($0.0)) IN \($0.1) MODE"
            }
            return statements
        }
    }
#endif
