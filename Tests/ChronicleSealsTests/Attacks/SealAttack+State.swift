#if Seals
    import ChronicleCore
    import ChronicleTestSupport

    // Changes of names, of erased values, and of what hides a part of the history.

    extension SealAttack {
        static let names = [
            SealAttack("the names of two attributes are exchanged", [.names]) { victim in
                try victim.execute(
                    """
                    UPDATE chronicle_attribute SET name = CASE name WHEN 'name' THEN 'note' ELSE 'name' END \
                    WHERE name IN ('name', 'note') AND entity = (SELECT id FROM chronicle_entity WHERE name = 'Trip')
                    """)
            },
            SealAttack("the type of an attribute is another", [.names]) { victim in
                try victim.execute("UPDATE chronicle_attribute SET type = 'Int64' WHERE name = 'note'")
            },
            SealAttack("an attribute is added", [.names]) { victim in
                try victim.execute(
                    """
                    INSERT INTO chronicle_attribute(entity, number, name, type, present, preserved_inserts, preserved_updates, \
                    preserved_deletes) SELECT entity, 60, 'forged', type, present, 0, 0, 0 FROM chronicle_attribute \
                    WHERE name = 'note'
                    """)
            },
            SealAttack("the numbers of two keys are exchanged", [.names], stores: [.tracked]) { victim in
                let entity = try victim.number("SELECT id FROM chronicle_entity WHERE name = 'Place'")
                try victim.execute(
                    """
                    UPDATE chronicle_key_\(entity) SET key1 = 'x' || key1;
                    UPDATE chronicle_key_\(entity) SET key1 = CASE key1 WHEN 'xosl' THEN 'bgo' ELSE 'osl' END
                    """)
            },
            SealAttack("the commitment to a key is another", [.names, .content], stores: [.tracked]) { victim in
                try victim.execute("UPDATE chronicle_commitment_key SET commitment = randomblob(32)")
            },
        ]

        static let erasures = [
            SealAttack("a key is destroyed", [.erased], in: "update b", of: .updates) { victim in
                let row = try victim.value("note", "update b")
                try victim.execute("UPDATE chronicle_commitment SET key = NULL WHERE position = \(row)")
            },
            SealAttack("a value and its key are destroyed", [.erased], in: "update b", of: .updates) { victim in
                let row = try victim.value("note", "update b")
                try victim.change(row, "attributes = NULL, old_value = NULL, new_value = NULL")
                try victim.execute("UPDATE chronicle_commitment SET key = NULL WHERE position = \(row)")
            },
            SealAttack("a value is destroyed", [.erased, .value], in: "update b", of: .updates) { victim in
                try victim.change(
                    victim.value("note", "update b"), "attributes = NULL, old_value = NULL, new_value = NULL")
            },
            SealAttack(
                "a value is destroyed, and its commitment removed", [.content, .erased], in: "update b", of: .updates
            ) { victim in
                let row = try victim.value("note", "update b")
                try victim.change(row, "attributes = NULL, old_value = NULL, new_value = NULL")
                try victim.execute("DELETE FROM chronicle_commitment WHERE position = \(row)")
            },
            SealAttack("a commitment is removed", [.content, .erased, .value, .damaged], in: "update b", of: .updates) {
                victim in
                let row = try victim.value("note", "update b")
                try victim.execute("DELETE FROM chronicle_commitment WHERE position = \(row)")
            },
            SealAttack(
                "the commitment to a description is removed", [.content, .description, .damaged], in: "update b",
                of: .updates
            ) { victim in
                try victim.execute("DELETE FROM chronicle_commitment WHERE position = \(try victim.header("update b"))")
            },
            SealAttack(
                "the key of a description is destroyed", [.erased, .description, .content, .damaged], in: "update b",
                of: .updates
            ) { victim in
                try victim.execute(
                    "UPDATE chronicle_commitment SET key = NULL WHERE position = \(try victim.header("update b"))")
            },
            SealAttack(
                "a value is destroyed under cover of an erasure", [.erased], in: "insert c", of: .foreign,
                stores: models
            ) { victim in
                let row = try victim.value("note", "insert c")
                try victim.change(row, "attributes = NULL, old_value = NULL, new_value = NULL")
                try victim.execute(
                    """
                    UPDATE chronicle_commitment SET key = NULL, event = (SELECT id FROM chronicle_event WHERE kind = 'erasure') \
                    WHERE position = \(row)
                    """)
            },
            SealAttack(
                "a value of another seal is destroyed under cover of an erasure", [.erased], in: "update b",
                of: .updates,
                stores: models
            ) { victim in
                let row = try victim.value("note", "update b")
                try victim.change(row, "attributes = NULL, old_value = NULL, new_value = NULL")
                try victim.execute(
                    """
                    UPDATE chronicle_commitment SET key = NULL, event = (SELECT id FROM chronicle_event WHERE kind = 'erasure') \
                    WHERE position = \(row)
                    """)
            },
            SealAttack(
                "a value is written in place of an erased one", [.restored, .value, .erased], in: "insert c",
                of: .foreign, stores: models
            ) { victim in
                let erased = try victim.erased()
                try victim.change(erased.row, "attributes = \(erased.attribute), new_value = 'forged'")
            },
            SealAttack(
                "a value is written in place of an erased one, with a key", [.restored, .value, .erased, .content],
                in: "insert c",
                of: .foreign, stores: models
            ) { victim in
                let erased = try victim.erased()
                try victim.change(erased.row, "attributes = \(erased.attribute), new_value = 'forged'")
                try victim.execute(
                    "UPDATE chronicle_commitment SET key = randomblob(32), event = NULL WHERE position = \(erased.row)")
            },
            SealAttack("an erased value returns with its key", [.restored], of: .foreign, stores: models) { victim in
                try victim.restoreErased(keepingEvent: false)
            },
            SealAttack(
                "an erased value returns with its key, and the event remains", [.restored, .erased], in: "insert c",
                of: .foreign,
                stores: models
            ) { victim in
                try victim.restoreErased(keepingEvent: true)
            },
            SealAttack("an erased value has no event", [.erased], in: "insert c", of: .foreign, stores: models) {
                victim in
                try victim.execute(
                    "UPDATE chronicle_commitment SET event = NULL WHERE position = \(try victim.erased().row)")
            },
            SealAttack(
                "an erased value has the event of another kind", [.erased, .restored], of: .foreign, stores: models
            ) { victim in
                try victim.execute(
                    """
                    UPDATE chronicle_commitment SET event = (SELECT id FROM chronicle_event WHERE kind = 'deletion') \
                    WHERE position = \(try victim.erased().row)
                    """)
            },
        ]

        static let bounds = [
            SealAttack("the floor is raised", [.hidden]) { victim in
                let header = try victim.header("update d")
                let check = try victim.number("SELECT attributes FROM chronicle_change WHERE id = \(header)")
                try victim.execute(
                    """
                    INSERT OR REPLACE INTO chronicle_meta(name, value) VALUES ('floor', \(header)), ('floorCheck', \(check));
                    DELETE FROM chronicle_meta WHERE name = 'deletions'
                    """)
            },
            SealAttack("a transaction counts as purged in part", [.hidden]) { victim in
                let header = try victim.header("update a")
                try victim.execute("INSERT OR REPLACE INTO chronicle_meta(name, value) VALUES ('purged', \(header))")
            },
            SealAttack("the history has a gap", [.hidden]) { victim in
                let header = try victim.header("update d")
                try victim.execute("INSERT OR REPLACE INTO chronicle_meta(name, value) VALUES ('gap', \(header))")
            },
        ]
    }

    extension SealedVictim {
        func erased() throws -> Erased {
            guard let erased = facts.erased else { throw Shell.Failure(description: "no value is erased") }
            return erased
        }

        /// Writes what an older copy of the file contains.
        func restoreErased(keepingEvent: Bool) throws {
            let erased = try erased()
            try change(
                erased.row,
                "attributes = \(erased.attribute), old_value = \(erased.before), new_value = \(erased.after)")
            try execute(
                """
                UPDATE chronicle_commitment SET key = \(erased.key) \(keepingEvent ? "" : ", event = NULL") \
                WHERE position = \(erased.row)
                """)
        }
    }
#endif
