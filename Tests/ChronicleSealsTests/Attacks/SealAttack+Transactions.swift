#if Seals
    import ChronicleCore
    import ChronicleSeals
    import Foundation

    // Changes of the rows of transactions that seals contain.

    extension SealAttack {
        static let values = [
            SealAttack("a value is replaced", [.value], in: "update b", of: .updates) { victim in
                try victim.change(victim.value("note", "update b"), "new_value = 'forged'")
            },
            SealAttack("the value before a change is replaced", [.value], in: "update a", of: .updates) { victim in
                try victim.change(victim.value("name", "update a"), "old_value = 'forged'")
            },
            SealAttack("a value of an insert is replaced", [.value], in: "insert d", of: .deletion) { victim in
                try victim.change(victim.value("note", "insert d"), "new_value = 'forged'")
            },
            SealAttack("a value of a change of another program is replaced", [.value], in: "foreign", of: .foreign) {
                victim in
                try victim.change(victim.value("note", "foreign"), "new_value = 'forged'")
            },
            SealAttack("a value of a delete is replaced", [.value], in: "delete c", of: .foreign) { victim in
                try victim.change(victim.value("name", "delete c"), "old_value = 'forged'")
            },
            SealAttack("a value has another type", [.value], in: "newest", of: .last) { victim in
                try victim.change(victim.value("note", "newest"), "new_value = CAST(new_value AS BLOB)")
            },
            SealAttack("U+0000 is added to a value", [.value], in: "update a", of: .updates) { victim in
                try victim.change(victim.value("note", "update a"), "new_value = new_value || x'00'")
            },
            SealAttack("values of two transactions are exchanged", [.value], in: "update a", of: .updates) { victim in
                let (first, second) = (try victim.value("note", "update a"), try victim.value("note", "update b"))
                try victim.execute(
                    """
                    UPDATE chronicle_change AS c SET (old_value, new_value) = (SELECT old_value, new_value \
                    FROM chronicle_change WHERE id = \(first) + \(second) - c.id) WHERE id IN (\(first), \(second))
                    """)
            },
            SealAttack("the values of two attributes are exchanged", [.value], in: "update a", of: .updates) { victim in
                let (first, second) = (try victim.value("name", "update a"), try victim.value("note", "update a"))
                try victim.execute(
                    """
                    UPDATE chronicle_change AS c SET (old_value, new_value) = (SELECT old_value, new_value \
                    FROM chronicle_change WHERE id = \(first) + \(second) - c.id) WHERE id IN (\(first), \(second))
                    """)
            },
            SealAttack("a value is that of another attribute", [.value, .content], in: "update d", of: .deletion) {
                victim in
                let (name, note) = (try victim.value("name", "update d"), try victim.value("note", "update d"))
                try victim.change(note, "attributes = (SELECT attributes FROM chronicle_change WHERE id = \(name))")
            },
            SealAttack("a commitment is exchanged with another", [.content], in: "update a", of: .updates) { victim in
                let (first, second) = (try victim.value("note", "update a"), try victim.value("note", "update b"))
                try victim.execute(
                    """
                    UPDATE chronicle_commitment AS c SET (attribute, key, commitment) = (SELECT attribute, key, commitment \
                    FROM chronicle_commitment WHERE position = \(first) + \(second) - c.position) \
                    WHERE position IN (\(first), \(second));
                    UPDATE chronicle_change AS c SET (old_value, new_value) = (SELECT old_value, new_value \
                    FROM chronicle_change WHERE id = \(first) + \(second) - c.id) WHERE id IN (\(first), \(second))
                    """)
            },
        ]

        static let descriptions = [
            SealAttack("the author is another", [.description], in: "update a", of: .updates, stores: models) {
                victim in
                try victim.execute("UPDATE chronicle_source SET author = 'mallory' WHERE author = 'ann'")
            },
            SealAttack(
                "the author of one transaction is another", [.description], in: "update a", of: .updates, stores: models
            ) { victim in
                let header = try victim.header("update b")
                try victim.change(
                    victim.header("update a"), "kind = (SELECT kind FROM chronicle_change WHERE id = \(header))")
            },
            SealAttack("the program is another", [.description], in: "update a", of: .updates) { victim in
                try victim.execute("UPDATE chronicle_source SET program = 'forged'")
            },
            SealAttack("the context is another", [.description], in: "update a", of: .updates) { victim in
                try victim.execute("UPDATE chronicle_source SET context = coalesce(context, '') || 'forged'")
            },
            SealAttack("the process is another", [.description], in: "update b", of: .updates, stores: models) {
                victim in
                try victim.change(victim.header("update b"), "new_value = new_value + 1")
            },
            SealAttack("the time is another", [.description], in: "insert d", of: .deletion) { victim in
                try victim.change(victim.header("insert d"), "primary_key = primary_key - 3600")
            },
            SealAttack("metadata is changed", [.description], in: "correction", of: .updates, stores: models) {
                victim in
                let header = try victim.header("correction")
                try victim.execute("UPDATE chronicle_metadata SET value = 'other' WHERE position = \(header)")
            },
            SealAttack("metadata is removed", [.description], in: "correction", of: .updates, stores: models) {
                victim in
                try victim.execute("DELETE FROM chronicle_metadata WHERE position = \(try victim.header("correction"))")
            },
            SealAttack("metadata is added", [.description], in: "last", of: .last) { victim in
                try victim.execute(
                    "INSERT INTO chronicle_metadata(position, name, value) VALUES (\(try victim.header("last")), 'approved', 'yes')"
                )
            },
        ]

        static let contents = [
            SealAttack("a change is of another kind", [.content], in: "insert d", of: .deletion) { victim in
                try victim.change(victim.rows("insert d").lowerBound, "kind = kind + 2")
            },
            SealAttack("a change is of another model", [.content, .damaged], in: "update b", of: .updates) { victim in
                let rows = try victim.rows("update b")
                let other = try victim.rows("update a").lowerBound
                try victim.execute(
                    """
                    UPDATE chronicle_change SET primary_key = (SELECT primary_key FROM chronicle_change WHERE id = \(other)) \
                    WHERE id >= \(rows.lowerBound) AND id < \(rows.upperBound)
                    """)
            },
            SealAttack("the attributes of an update are others", [.content, .damaged], in: "foreign", of: .foreign) {
                victim in
                try victim.change(victim.rows("foreign").lowerBound, "attributes = attributes + 1")
            },
            SealAttack("a preserved value is removed", [.content, .damaged, .removed], in: "update b", of: .updates) {
                victim in
                let row = try victim.value("note", "update b")
                try victim.execute(
                    "DELETE FROM chronicle_change WHERE id = \(row); DELETE FROM chronicle_commitment WHERE position = \(row)"
                )
            },
            SealAttack("the check value is another", [.content], in: "update a", of: .updates) { victim in
                try victim.change(victim.header("update a"), "attributes = attributes + 1")
            },
            SealAttack(
                "changes of another program have an author", [.content, .description], in: "foreign", of: .foreign
            ) { victim in
                let sources = "(SELECT -max(id) FROM chronicle_source)"
                try victim.execute("INSERT INTO chronicle_source(author, program) VALUES ('ann', 'app')")
                try victim.change(victim.header("foreign"), "kind = \(sources)")
            },
            SealAttack("the commitment is one to a forged value", [.content], in: "update b", of: .updates) { victim in
                let row = try victim.value("note", "update b")
                try victim.change(row, "new_value = 'forged'")
                try victim.commit(toTexts: "b1", "forged", at: row)
            },
            SealAttack("the description has another commitment", [.content], in: "update b", of: .updates) { victim in
                let header = try victim.header("update b")
                try victim.execute(
                    "UPDATE chronicle_commitment SET key = randomblob(32), commitment = randomblob(32) WHERE position = \(header)"
                )
            },
        ]
    }

    extension SealedVictim {
        /// Replaces the commitment to a value by a valid one with another key.
        func commit(toTexts before: String, _ after: String, at row: Int64) throws {
            let attribute = try number("SELECT attribute FROM chronicle_commitment WHERE position = \(row)")
            let key = HistoryDigest.randomKey()
            let commitment = try Array(before.utf8).withUnsafeBytes { before in
                try Array(after.utf8).withUnsafeBytes { after in
                    try SealHashing().commitment(
                        toAttribute: attribute, before: .text(before), after: .text(after), key: key)
                }
            }
            func literal(_ digest: HistoryDigest) -> String {
                "x'" + digest.data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
            }
            try execute(
                """
                UPDATE chronicle_commitment SET key = \(literal(key)), commitment = \(literal(commitment)) \
                WHERE position = \(row)
                """)
        }
    }
#endif
