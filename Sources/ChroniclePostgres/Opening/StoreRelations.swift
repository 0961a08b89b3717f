#if Postgres
    import ChronicleCore
    import ChronicleSQLStore

    /// The tables, indexes and sequences of a store's catalog and history. A role that may create objects in the schema can
    /// create one of them before the store does. A view, a trigger, a policy or an index of it would run code as the role
    /// that opens the store, and the functions that record changes would write to it as the owner of the models. They are
    /// therefore used only if their owner is trusted: a role that can act as the owner of the schema or the database, the
    /// role of the session, or one whose privileges it has.
    struct StoreRelations {
        let names: Set<String>
        /// The tables and indexes of a sealed history with the owner of the others. They are checked with the format, because
        /// another program can have such names in the schema of a store without seals.
        let seals: Set<String>

        /// The names with the kinds in `pg_class`.
        private static let kinds = [
            "chronicle_meta": "r", "chronicle_entity": "r", "chronicle_attribute": "r", "chronicle_history": "r",
            "chronicle_pending": "r", "chronicle_pending_after": "i", "chronicle_transaction": "r",
            "chronicle_transaction_check": "i", "chronicle_change_id": "S", "chronicle_change": "r",
            "chronicle_removed": "r", "chronicle_tag": "r", "chronicle_consumer": "r",
        ]

        /// Throws `SwiftDataError.notAChronicleStore` if a relation has another kind, or an owner that is not trusted or
        /// not that of the others.
        init(_ connection: Connection) throws {
            func list(_ kinds: [String: String]) -> String { kinds.keys.sorted().map(literal).joined(separator: ", ") }
            let sealNames = list(SealTables.kinds)
            var (known, seals): (Set<String>, Set<String>) = ([], [])
            let found = try connection.run(
                """
                SELECT c.relname, c.relkind, pg_get_userbyid(c.relowner), \(Self.isTrusted("c.relowner")) \
                FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace \(Self.roles) \
                WHERE n.oid = \(connection.namespace) AND c.relname IN (\(list(Self.kinds)), \(sealNames)) \
                ORDER BY c.relname <> 'chronicle_meta', c.relname IN (\(sealNames)), 1
                """)
            for row in 0..<found.count {
                let (name, owner) = (found.text(row, 0), found.text(row, 2))
                if let kind = SealTables.kinds[name] {
                    if found.text(row, 1) == kind, found.text(0, 0) == "chronicle_meta", owner == found.text(0, 2) {
                        seals.insert(name)
                    }
                    continue
                }
                known.insert(name)
                guard found.text(row, 1) == Self.kinds[name] else {
                    throw SwiftDataError.notAChronicleStore.with(
                        detail:
                            "\(name) in the schema \(connection.schema), which the role \(owner) owns, is not the "
                            + "\(Self.kinds[name] == "r" ? "table" : "index or sequence") of a store; remove it, or set the "
                            + "schemaName of the configuration to another schema")
                }
                guard found.bool(row, 3) else { throw Self.untrusted(name, owner, connection) }
                guard owner == found.text(0, 2) else {
                    throw SwiftDataError.notAChronicleStore.with(
                        detail:
                            "the role \(owner) owns \(name) in the schema \(connection.schema), but \(found.text(0, 2)) "
                            + "owns \(found.text(0, 0)); find out who created it, and remove it or change its owner")
                }
            }
            (self.names, self.seals) = (known, seals)
        }

        /// Throws `SwiftDataError.notAChronicleStore` if one of the relations exists.
        func requireNone(_ connection: Connection) throws {
            guard let name = names.min() else { return }
            throw SwiftDataError.notAChronicleStore.with(
                detail:
                    "the schema \(connection.schema) contains no store, but \(name), which this opening did not create; "
                    + "restore the store from a backup, or remove it")
        }

        /// The joins that ``isTrusted(_:)`` needs besides `pg_namespace AS n`.
        static let roles = """
            JOIN pg_database AS d ON d.datname = current_database() JOIN pg_roles AS r ON r.rolname = current_user
            """

        /// The condition that objects of an owner, given by its identifier, may be used.
        static func isTrusted(_ owner: String) -> String {
            // A superuser has the privileges of every role, so only a membership that was granted to it counts.
            """
            (\(owner) = r.oid OR pg_has_role(\(owner), n.nspowner, 'MEMBER') OR pg_has_role(\(owner), d.datdba, 'MEMBER') \
            OR NOT r.rolsuper AND pg_has_role(r.oid, \(owner), 'USAGE') \
            OR EXISTS (SELECT FROM pg_auth_members AS m WHERE m.member = r.oid AND m.roleid = \(owner)))
            """
        }

        static func untrusted(
            _ name: String, _ owner: String, _ connection: Connection, entityName: String? = nil
        ) -> SwiftDataError {
            .notAChronicleStore.with(
                detail:
                    "the role \(owner), which owns neither the schema \(connection.schema) nor the database, owns \(name); "
                    + "remove it if another program created it; otherwise grant the role \(owner) to the role of this "
                    + "connection, or make it the owner of the schema",
                entityName: entityName)
        }
    }
#endif
