#if Seals
    import ChronicleCore

    // Changes of which rows there are, and of the tables of seals.

    extension SealAttack {
        static let lists = [
            SealAttack("a transaction is removed", [.removed], in: "update b", of: .updates) { victim in
                try victim.delete("update b", commitments: true)
            },
            SealAttack("a transaction is removed, and its commitments remain", [.removed], in: "update b", of: .updates)
            { victim in
                try victim.delete("update b", commitments: false)
            },
            SealAttack("the last transaction of a seal is removed", [.removed], in: "correction", of: .updates) {
                victim in
                try victim.delete("correction", commitments: true)
            },
            SealAttack("the first transaction of a seal is removed", [.removed], in: "foreign", of: .foreign) {
                victim in
                try victim.delete("foreign", commitments: true)
            },
            SealAttack("a transaction becomes a void header", [.removed, .content], in: "update b", of: .updates) {
                victim in
                try victim.makeVoid("update b")
            },
            SealAttack(
                "the last transaction of a seal becomes a void header", [.removed], in: "correction", of: .updates
            ) { victim in
                try victim.makeVoid("correction")
            },
            SealAttack("a change is inserted where others were deleted", [.inserted, .content], in: "temp") { victim in
                let first = try victim.rows("temp").lowerBound
                let other = try victim.rows("update b").lowerBound
                try victim.execute(
                    """
                    INSERT INTO chronicle_change SELECT \(first), kind, primary_key, attributes, old_value, new_value \
                    FROM chronicle_change WHERE id = \(other)
                    """)
            },
            SealAttack("a transaction is inserted where one was deleted", [.inserted, .content, .restored], in: "temp")
            { victim in
                let (rows, other) = (try victim.rows("temp"), try victim.header("update b"))
                try victim.execute(
                    """
                    INSERT OR REPLACE INTO chronicle_change SELECT \(rows.upperBound), kind, primary_key, attributes, \
                    \(rows.upperBound), new_value FROM chronicle_change WHERE id = \(other)
                    """)
            },
            SealAttack("a transaction is inserted before the boundary", [.inserted], in: "insert b") { victim in
                let (rows, other) = (try victim.rows("insert b"), try victim.header("update b"))
                try victim.execute(
                    """
                    INSERT OR REPLACE INTO chronicle_change SELECT \(rows.upperBound), kind, primary_key, attributes, \
                    \(rows.upperBound), new_value FROM chronicle_change WHERE id = \(other)
                    """)
            },
            SealAttack(
                "a transaction is inserted, and the later ones are moved",
                [.inserted, .content, .removed, .reordered, .damaged, .value, .description], of: .last
            ) { victim in
                // After the last transaction of the seal before.
                let (start, rows) = (try victim.header("after the purge"), try victim.rows("newest"))
                let count = Int64(rows.count)
                let away: Int64 = 1_000_000
                try victim.execute(
                    """
                    BEGIN;
                    UPDATE chronicle_change SET id = id + \(away), old_value = CASE WHEN kind < 0 THEN old_value + \(count) \
                    ELSE old_value END WHERE id > \(start);
                    UPDATE chronicle_change SET id = id - \(away - count) WHERE id > \(away);
                    UPDATE chronicle_commitment SET position = position + \(away) WHERE position > \(start);
                    UPDATE chronicle_commitment SET position = position - \(away - count) WHERE position > \(away);
                    INSERT INTO chronicle_change SELECT id - \(rows.lowerBound + count) + \(start + 1), kind, primary_key, \
                    attributes, CASE WHEN kind < 0 THEN \(start + 1) ELSE old_value END, new_value FROM chronicle_change \
                    WHERE id BETWEEN \(rows.lowerBound + count) AND \(rows.upperBound + count);
                    COMMIT
                    """)
            },
            SealAttack("two transactions are exchanged", [.reordered], in: "update a", of: .updates) { victim in
                try victim.exchange(victim.rows("update a"), victim.rows("update b"))
            },
            SealAttack(
                "two transactions of different seals are exchanged", [.content, .reordered], in: "after the purge",
                of: .purge
            ) { victim in
                try victim.exchange(victim.rows("after the purge"), victim.rows("last"))
            },
        ]

        static let seals = [
            SealAttack("the hash of a seal is another", [.seal], of: .foreign) { victim in
                try victim.changeSeal(.foreign, "hash = randomblob(32)")
            },
            SealAttack("the newest seal is another", [.seal], of: .last) { victim in
                try victim.changeSeal(.last, "hash = randomblob(32)")
            },
            SealAttack("the boundary is another", [.seal], of: .first) { victim in
                try victim.changeSeal(.first, "hash = randomblob(32)")
            },
            SealAttack("the time of a seal is another", [.seal], of: .foreign) { victim in
                try victim.changeSeal(.foreign, "sealed = sealed + 1")
            },
            SealAttack("the check value of a seal is another", [.seal], of: .foreign) { victim in
                try victim.changeSeal(.foreign, "last_check = last_check + 1")
            },
            SealAttack("the last position of a seal is another", [.seal, .damaged], of: .updates) { victim in
                try victim.changeSeal(.updates, "last = last - 1")
            },
            SealAttack("the list of a seal lacks a transaction", [.seal], of: .updates) { victim in
                try victim.changeSeal(.updates, "transactions = substr(transactions, 41)")
            },
            SealAttack("the list of a seal ends before", [.seal], of: .updates) { victim in
                try victim.changeSeal(.updates, "transactions = substr(transactions, 1, length(transactions) - 40)")
            },
            SealAttack("the list of a seal has another hash", [.seal], of: .updates) { victim in
                try victim.changeSeal(
                    .updates,
                    "transactions = CAST(substr(transactions, 1, length(transactions) - 32) || randomblob(32) AS BLOB)")
            },
            SealAttack("the list of a seal is damaged", [.seal, .damaged], of: .updates) { victim in
                try victim.changeSeal(.updates, "transactions = substr(transactions, 2)")
            },
            SealAttack("the previous hash of a seal is another", [.seal, .missing], of: .foreign) { victim in
                try victim.changeSeal(.foreign, "previous = randomblob(32)")
            },
            SealAttack("the hash of the names is another", [.seal, .names], of: .foreign) { victim in
                try victim.changeSeal(.foreign, "catalog_hash = randomblob(32)")
            },
            SealAttack("the names of a seal are others", [.seal, .names], of: .first) { victim in
                try victim.changeSeal(.first, "catalog = CAST(catalog || x'00' AS BLOB)")
            },
            SealAttack("a seal is removed", [.missing], of: .foreign) { victim in
                try victim.execute("DELETE FROM chronicle_seal WHERE number = \(try victim.number(of: .foreign))")
            },
            SealAttack("a seal and its transactions are removed", [.missing], of: .foreign) { victim in
                try victim.execute("DELETE FROM chronicle_seal WHERE number = \(try victim.number(of: .foreign))")
                for transaction in ["foreign", "insert c", "delete c"] + (victim.kind == .tracked ? ["places"] : []) {
                    try victim.delete(transaction, commitments: true)
                }
            },
            SealAttack("the boundary is removed", [.missing]) { victim in
                try victim.execute("DELETE FROM chronicle_seal WHERE number = \(try victim.number(of: .first))")
            },
            SealAttack("two seals have each other's number", [.seal, .missing], of: .updates) { victim in
                let (first, second) = (try victim.number(of: .updates), try victim.number(of: .foreign))
                try victim.execute(
                    """
                    UPDATE chronicle_seal SET number = -number WHERE number IN (\(first), \(second));
                    UPDATE chronicle_seal SET number = \(second) WHERE number = -\(first);
                    UPDATE chronicle_seal SET number = \(first) WHERE number = -\(second)
                    """)
            },
            SealAttack("all later seals are renumbered", [.seal, .missing], of: .foreign) { victim in
                let number = try victim.number(of: .foreign)
                try victim.execute(
                    """
                    UPDATE chronicle_seal SET number = -number WHERE number >= \(number);
                    UPDATE chronicle_seal SET number = 1 - number WHERE number < 0
                    """)
            },
            SealAttack("the author of an event is another", [.seal], of: .deletion) { victim in
                try victim.execute("UPDATE chronicle_event SET author = 'mallory' WHERE kind = 'deletion'")
            },
            SealAttack("the time of an event is another", [.seal], of: .deletion) { victim in
                try victim.execute("UPDATE chronicle_event SET time = time + 1 WHERE kind = 'deletion'")
            },
            SealAttack("the detail of an event is another", [.seal], of: .purge) { victim in
                try victim.execute(
                    "UPDATE chronicle_event SET detail = json_set(detail, '$.reason.kind', 'retention') WHERE kind = 'purge'"
                )
            },
            SealAttack("the kind of an event is another", [.seal], of: .deletion) { victim in
                try victim.execute("UPDATE chronicle_event SET kind = 'names' WHERE kind = 'deletion'")
            },
            SealAttack("an event is removed", [.seal], of: .deletion) { victim in
                try victim.execute("DELETE FROM chronicle_event WHERE kind = 'deletion'")
            },
            SealAttack("an event is in another seal", [.seal], of: .deletion) { victim in
                try victim.execute("UPDATE chronicle_event SET seal = seal + 1 WHERE kind = 'deletion'")
            },
            SealAttack("an event is not sealed any more", [.seal], of: .deletion) { victim in
                try victim.execute("UPDATE chronicle_event SET seal = NULL WHERE kind = 'deletion'")
            },
            SealAttack("an event deletes another transaction", [.seal], of: .deletion) { victim in
                try victim.execute(
                    """
                    UPDATE chronicle_event_part SET content = x'02' \
                    WHERE event IN (SELECT id FROM chronicle_event WHERE kind = 'deletion')
                    """
                )
            },
            SealAttack("the content of an event is removed", [.seal, .damaged], of: .deletion) { victim in
                try victim.execute(
                    "DELETE FROM chronicle_event_part WHERE event IN (SELECT id FROM chronicle_event WHERE kind = 'deletion')"
                )
            },
        ]
    }

    extension SealedVictim {
        func delete(_ transaction: String, commitments: Bool) throws {
            let rows = try rows(transaction)
            let condition = "BETWEEN \(rows.lowerBound) AND \(rows.upperBound)"
            try execute(
                """
                DELETE FROM chronicle_change WHERE id \(condition); DELETE FROM chronicle_metadata WHERE position \(condition);
                \(commitments ? "DELETE FROM chronicle_commitment WHERE position \(condition)" : "")
                """)
        }

        /// Deletes a transaction as a deletion of the newest one does, without an event.
        func makeVoid(_ transaction: String) throws {
            let rows = try rows(transaction)
            try execute(
                """
                DELETE FROM chronicle_change WHERE id >= \(rows.lowerBound) AND id < \(rows.upperBound);
                UPDATE chronicle_change SET kind = 0, primary_key = NULL, old_value = NULL, new_value = NULL \
                WHERE id = \(rows.upperBound);
                DELETE FROM chronicle_commitment WHERE position BETWEEN \(rows.lowerBound) AND \(rows.upperBound);
                DELETE FROM chronicle_metadata WHERE position = \(rows.upperBound)
                """)
        }

        func changeSeal(_ stage: Stage, _ assignments: String) throws {
            try execute("UPDATE chronicle_seal SET \(assignments) WHERE number = \(try number(of: stage))")
        }
    }
#endif
