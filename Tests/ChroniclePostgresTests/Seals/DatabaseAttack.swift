#if Postgres
    import ChronicleCore

    /// A change of a ``SealedDatabase`` by a person who can write the tables, and what a verification must report.
    struct DatabaseAttack: Sendable, CustomStringConvertible {
        typealias Kind = SealVerification.Difference.Kind

        let name: String
        let kind: Kind
        /// The reported position; `nil` if there is none.
        let position: Int64?
        /// The reported seal; `nil` if the difference concerns none, so that all heads are proven.
        let seal: Int64?
        let stores: Set<SealedDatabase.Kind>
        let sql: String

        init(
            _ name: String, _ kind: Kind, at position: Int64? = nil, seal: Int64?,
            stores: Set<SealedDatabase.Kind> = Set(SealedDatabase.Kind.allCases), _ sql: String
        ) {
            (self.name, self.kind, self.position, self.seal) = (name, kind, position, seal)
            (self.stores, self.sql) = (stores, sql)
        }

        var description: String { name }

        static let all = values + descriptions + contents + lists + seals + events + others

        // MARK: SQL

        /// The condition for the changes of the transaction at a position.
        static func of(_ position: Int64) -> String {
            "transaction = (SELECT transaction FROM chronicle_transaction WHERE position = \(position))"
        }

        private static func change(_ position: Int64, _ assignments: String) -> String {
            "UPDATE chronicle_change SET \(assignments) WHERE \(of(position))"
        }

        private static func header(_ position: Int64, _ assignments: String) -> String {
            "UPDATE chronicle_transaction SET \(assignments) WHERE position = \(position)"
        }

        private static func seal(_ number: Int64, _ assignments: String) -> String {
            "UPDATE chronicle_seal SET \(assignments) WHERE number = \(number)"
        }

        private static func event(_ kind: String, _ assignments: String) -> String {
            "UPDATE chronicle_event SET \(assignments) WHERE kind = '\(kind)'"
        }

        private static func exchangeChanges(_ first: Int64, _ second: Int64, _ columns: [String]) -> String {
            """
            UPDATE chronicle_change AS c SET \(exchanged(columns)) FROM chronicle_change AS o \
            JOIN chronicle_transaction AS p ON p.transaction = o.transaction \
            JOIN chronicle_transaction AS h ON h.position = \(first + second) - p.position \
            WHERE c.transaction = h.transaction AND p.position IN (\(first), \(second));
            """
        }

        /// Exchanges the commitments to the values of changes, or to the descriptions.
        private static func exchangeCommitments(
            _ first: Int64, _ second: Int64, ofValues: Bool, _ columns: [String] = ["attribute", "key", "commitment"]
        ) -> String {
            """
            UPDATE chronicle_commitment AS c SET \(exchanged(columns)) FROM chronicle_commitment AS o \
            WHERE o.transaction = \(first + second) - c.transaction AND c.transaction IN (\(first), \(second)) \
            AND o.place = c.place AND (c.place > 0) = \(ofValues);
            """
        }

        private static func exchanged(_ columns: [String]) -> String {
            columns.map { "\($0) = o.\($0)" }.joined(separator: ", ")
        }

        /// Exchanges two updates, with everything that belongs to them.
        private static func exchange(_ first: Int64, _ second: Int64) -> String {
            let changes = [
                "entity", "kind", "primary_key", "attributes", "preserved", "old_values", "new_values",
            ]
            let headers = [
                "check_value", "timestamp", "author", "context", "process", "bundle", "metadata", "recorded",
            ]
            return exchangeChanges(first, second, changes) + exchangeCommitments(first, second, ofValues: true)
                + exchangeCommitments(first, second, ofValues: false) + """
                    UPDATE chronicle_transaction AS c SET \(exchanged(headers)) FROM chronicle_transaction AS o \
                    WHERE o.position = \(first + second) - c.position AND c.position IN (\(first), \(second))
                    """
        }

        /// Writes a transaction with the changes of another one at a position where there is none.
        private static func insertTransaction(_ position: Int64, like other: Int64) -> String {
            """
            INSERT INTO chronicle_change SELECT '3000000000'::xid8, id, entity, kind, primary_key, attributes, preserved, \
            old_values, new_values FROM chronicle_change WHERE \(of(other));
            INSERT INTO chronicle_transaction SELECT \(position), '3000000000'::xid8, first_change, last_change, change_count, \
            first_number, check_value, timestamp, author, context, process, bundle, metadata, recorded \
            FROM chronicle_transaction WHERE position = \(other);
            INSERT INTO chronicle_commitment SELECT \(position), change, place, attribute, key, commitment, event \
            FROM chronicle_commitment WHERE transaction = \(other)
            """
        }

        private static func delete(_ position: Int64) -> String {
            """
            DELETE FROM chronicle_change WHERE \(of(position)); \
            DELETE FROM chronicle_transaction WHERE position = \(position)
            """
        }

        /// Increases the positions from one on.
        private static func move(from position: Int64) -> String {
            // Through negative numbers, because each one is unique.
            [("chronicle_transaction", "position"), ("chronicle_commitment", "transaction")].map { table, column in
                """
                UPDATE \(table) SET \(column) = -\(column) - 1 WHERE \(column) >= \(position); \
                UPDATE \(table) SET \(column) = -\(column) WHERE \(column) < 0;
                """
            }.joined()
        }

        // MARK: Transactions

        static let values = [
            DatabaseAttack("a value", .value, at: 3, seal: 2, change(3, "new_values[1] = 'tx'")),
            DatabaseAttack("a value of an insert", .value, at: 2, seal: 1, change(2, "new_values[1] = 'tx'")),
            DatabaseAttack("a value before an update", .value, at: 3, seal: 2, change(3, "old_values[1] = 'i9'")),
            DatabaseAttack(
                "the type of a value", .value, at: 7, seal: 3,
                change(7, "new_values[1] = 't' || substr(new_values[1], 2)")),
            DatabaseAttack(
                "values of two transactions", .value, at: 3, seal: 2,
                exchangeChanges(3, 4, ["old_values", "new_values"])),
            DatabaseAttack(
                "values of transactions of two seals", .value, at: 4, seal: 2,
                exchangeChanges(4, 6, ["old_values", "new_values"])),
            DatabaseAttack(
                "values with their commitments", .content, at: 3, seal: 2,
                exchangeChanges(3, 4, ["old_values", "new_values"]) + exchangeCommitments(3, 4, ofValues: true)),
        ]

        static let descriptions = [
            DatabaseAttack("the author", .description, at: 3, seal: 2, header(3, "author = 'mallory'")),
            DatabaseAttack(
                "the author of all", .description, at: 1, seal: 1, "UPDATE chronicle_transaction SET author = 'x'"),
            DatabaseAttack("no author", .description, at: 3, seal: 2, stores: [.models], header(3, "author = NULL")),
            DatabaseAttack("the time", .description, at: 4, seal: 2, header(4, "timestamp = timestamp + 1")),
            DatabaseAttack(
                "the time of the server", .description, at: 7, seal: 3,
                header(7, "recorded = coalesce(recorded, 0) + 1")),
            DatabaseAttack("metadata", .description, at: 3, seal: 2, header(3, "metadata = '{\"a\": \"b\"}'")),
            DatabaseAttack("the context", .description, at: 3, seal: 2, header(3, "context = 'x'")),
            DatabaseAttack("the program", .description, at: 3, seal: 2, header(3, "bundle = 'x'")),
            DatabaseAttack("the process", .description, at: 3, seal: 2, stores: [.models], header(3, "process = 'x'")),
            DatabaseAttack("no process", .content, at: 3, seal: 2, stores: [.models], header(3, "process = ''")),
            DatabaseAttack(
                "a process of another program", .content, at: 3, seal: 2, stores: [.tracked], header(3, "process = 'x'")
            ),
            DatabaseAttack(
                "the commitment to a description", .content, at: 3, seal: 2,
                "UPDATE chronicle_commitment SET commitment = key WHERE transaction = 3 AND place = 0"),
            DatabaseAttack(
                "the commitments to two descriptions", .content, at: 3, seal: 2,
                exchangeCommitments(3, 4, ofValues: false)),
        ]

        static let contents = [
            DatabaseAttack("the check value", .content, at: 3, seal: 2, header(3, "check_value = check_value # 1")),
            DatabaseAttack("the row", .content, at: 3, seal: 2, change(3, "primary_key = 70")),
            DatabaseAttack("the model", .content, at: 4, seal: 2, change(4, "entity = entity + 1")),
            DatabaseAttack("the kind of a change", .content, at: 3, seal: 2, change(3, "kind = 'd'")),
            DatabaseAttack(
                "the attributes", .content, at: 3, seal: 2, change(3, "attributes = attributes || 9::smallint")),
            DatabaseAttack(
                "the number of changes", .content, at: 3, seal: 2,
                header(3, "last_change = last_change + 1, change_count = 2")),
            DatabaseAttack("the last change", .content, at: 3, seal: 2, header(3, "last_change = last_change + 1")),
            DatabaseAttack(
                "a change is added", .content, at: 3, seal: 2,
                """
                INSERT INTO chronicle_change SELECT transaction, id + 1, entity, kind, primary_key FROM chronicle_change \
                WHERE \(of(3)); \(header(3, "last_change = last_change + 1, change_count = 2"))
                """),
            DatabaseAttack(
                "the changes are removed", .content, at: 3, seal: 2, "DELETE FROM chronicle_change WHERE \(of(3))"),
            DatabaseAttack(
                "the commitments are removed", .content, at: 3, seal: 2,
                "DELETE FROM chronicle_commitment WHERE transaction = 3"),
        ]

        static let lists = [
            DatabaseAttack("a transaction is removed", .removed, at: 3, seal: 2, delete(3)),
            DatabaseAttack("the last transaction of a seal is removed", .removed, at: 4, seal: 2, delete(4)),
            DatabaseAttack("the newest transaction is removed", .removed, at: 7, seal: 3, delete(7)),
            DatabaseAttack("the oldest transaction is removed", .removed, at: 1, seal: 1, delete(1)),
            DatabaseAttack(
                "a transaction and its commitments are removed", .removed, at: 6, seal: 3,
                delete(6) + "; DELETE FROM chronicle_commitment WHERE transaction = 6"),
            // Its change belongs to no transaction, before the next one.
            DatabaseAttack(
                "a header is removed", .inserted, at: 4, seal: 2,
                "DELETE FROM chronicle_transaction WHERE position = 3"),
            DatabaseAttack(
                "a change without a transaction", .inserted, at: 3, seal: 2,
                """
                INSERT INTO chronicle_change SELECT '3000000000'::xid8, id, entity, kind, 9 FROM chronicle_change \
                WHERE \(of(3))
                """),
            DatabaseAttack(
                "a transaction before the first one", .inserted, at: 0, seal: 1, insertTransaction(0, like: 1)),
            DatabaseAttack("a transaction in the gap", .inserted, at: 5, seal: 3, insertTransaction(5, like: 6)),
            DatabaseAttack(
                "a transaction between two others", .content, at: 4, seal: 2,
                move(from: 4) + insertTransaction(4, like: 3)),
            DatabaseAttack("two transactions are exchanged", .reordered, at: 3, seal: 2, exchange(3, 4)),
            DatabaseAttack("transactions of two seals are exchanged", .content, at: 4, seal: 2, exchange(4, 6)),
        ]

        // MARK: Seals

        static let seals = [
            DatabaseAttack("the time of a seal", .seal, seal: 2, seal(2, "sealed = sealed + 1")),
            DatabaseAttack("the hash of a seal", .seal, seal: 2, seal(2, "hash = sha256(hash)")),
            DatabaseAttack("the hash of the newest seal", .seal, seal: 3, seal(3, "hash = sha256(hash)")),
            DatabaseAttack("the hash of the first seal", .seal, seal: 1, seal(1, "hash = sha256(hash)")),
            DatabaseAttack("the previous hash", .seal, seal: 3, seal(3, "previous = sha256(previous)")),
            DatabaseAttack("the check value of a seal", .seal, seal: 2, seal(2, "last_check = last_check # 1")),
            DatabaseAttack("the last position", .seal, seal: 3, seal(3, "last = last + 1")),
            DatabaseAttack(
                "the list lacks an entry", .seal, seal: 2, seal(2, "transactions = substr(transactions, 41)")),
            DatabaseAttack(
                "the list is incomplete", .damaged, seal: 2, seal(2, "transactions = substr(transactions, 2)")),
            DatabaseAttack("the names of a seal", .seal, seal: 1, seal(1, "catalog = catalog || '\\x00'::bytea")),
            DatabaseAttack("a seal is removed", .missing, seal: 2, "DELETE FROM chronicle_seal WHERE number = 2"),
            DatabaseAttack(
                "the first seal is removed", .missing, seal: 1, "DELETE FROM chronicle_seal WHERE number = 1"),
            // Its event remains.
            DatabaseAttack(
                "the newest seal is removed", .damaged, seal: 3, "DELETE FROM chronicle_seal WHERE number = 3"),
            DatabaseAttack(
                "a seal and its transactions are removed", .missing, seal: 2,
                """
                DELETE FROM chronicle_seal WHERE number = 2; \(delete(3)); \(delete(4)); \
                DELETE FROM chronicle_commitment WHERE transaction IN (3, 4)
                """),
            DatabaseAttack(
                "two seals are exchanged", .seal, seal: 2,
                """
                UPDATE chronicle_seal SET number = -number WHERE number > 1; \
                UPDATE chronicle_seal SET number = number + 5 WHERE number < 0
                """),
            DatabaseAttack(
                "the seals are renumbered", .missing, seal: 2,
                """
                UPDATE chronicle_seal SET number = -number WHERE number > 1; \
                UPDATE chronicle_seal SET number = 1 - number WHERE number < 0
                """),
        ]

        static let events = [
            DatabaseAttack("the author of an event", .seal, seal: 3, event("unproven", "author = 'x'")),
            DatabaseAttack("the time of an event", .seal, seal: 3, event("unproven", "time = time + 1")),
            DatabaseAttack(
                "the detail of an event", .seal, seal: 3, event("unproven", "detail = replace(detail, '5', '6')")),
            DatabaseAttack("the kind of an event", .seal, seal: 3, event("unproven", "kind = 'names'")),
            DatabaseAttack("an event is not sealed", .seal, seal: 3, event("unproven", "seal = NULL")),
            DatabaseAttack("an event is in another seal", .seal, seal: 2, event("unproven", "seal = 2")),
            DatabaseAttack(
                "an event is removed", .seal, seal: 3, "DELETE FROM chronicle_event WHERE kind = 'unproven'"),
            DatabaseAttack(
                "the first event is removed", .seal, seal: 1, "DELETE FROM chronicle_event WHERE kind = 'begun'"),
            DatabaseAttack("no time of an event", .damaged, seal: 3, event("unproven", "time = 'NaN'")),
        ]

        // MARK: Names, erased values, bounds and damage

        static let others = [
            DatabaseAttack(
                "a name", .names, seal: nil, "UPDATE chronicle_attribute SET name = 'rest' WHERE name = 'balance'"),
            DatabaseAttack(
                "the key of a value", .erased, at: 3, seal: 2,
                "UPDATE chronicle_commitment SET key = NULL WHERE transaction = 3 AND place = 1"),
            DatabaseAttack(
                "the key of a description", .erased, at: 3, seal: 2,
                "UPDATE chronicle_commitment SET key = NULL WHERE transaction = 3 AND place = 0"),
            DatabaseAttack(
                "no values", .erased, at: 3, seal: 2,
                change(3, "preserved = NULL, old_values = NULL, new_values = NULL")),
            DatabaseAttack(
                "a value that an event erased", .restored, at: 3, seal: 2,
                "UPDATE chronicle_commitment SET event = 1 WHERE transaction = 3 AND place = 1"),
            DatabaseAttack("the floor", .hidden, at: 6, seal: nil, "UPDATE chronicle_history SET floor = 6"),
            DatabaseAttack(
                "the floor before a gap", .hidden, at: 4, seal: nil, "UPDATE chronicle_history SET floor = 4"),
            DatabaseAttack("the gap", .hidden, at: 6, seal: nil, "UPDATE chronicle_history SET gap = 6"),
            DatabaseAttack("an earlier gap", .hidden, at: 3, seal: nil, "UPDATE chronicle_history SET gap = 3"),
            DatabaseAttack("an unknown kind", .damaged, seal: 2, change(3, "kind = 'x'")),
            DatabaseAttack("a list of lists", .damaged, seal: 2, change(3, "preserved = '{{1}}'")),
            DatabaseAttack("invalid metadata", .damaged, seal: 2, header(3, "metadata = '[1]'")),
            DatabaseAttack("no changes", .damaged, seal: 2, header(3, "change_count = 0")),
        ]
    }
#endif
