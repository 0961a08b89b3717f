#if Seals
    import ChronicleCore
    import ChronicleTestSupport
    import Testing

    /// A change of a ``SealedVictim`` by a person who can write the file, and what a verification must report.
    struct SealAttack: Sendable, CustomTestStringConvertible {
        typealias Kind = SealVerification.Difference.Kind

        let name: String
        /// What it is reported as.
        let kinds: Set<Kind>
        /// The transaction that contains the reported position; `nil` if there is none, or another one.
        let transaction: String?
        /// The reported seal; `nil` if it is not that of one stage.
        let stage: SealedVictim.Stage?
        private let stores: Set<SealedVictim.Kind>
        let attack: @Sendable (SealedVictim) throws -> Void

        init(
            _ name: String, _ kinds: Set<Kind>, in transaction: String? = nil, of stage: SealedVictim.Stage? = nil,
            stores: Set<SealedVictim.Kind> = Set(SealedVictim.Kind.allCases),
            _ attack: @escaping @Sendable (SealedVictim) throws -> Void
        ) {
            (self.name, self.kinds, self.transaction, self.stage) = (name, kinds, transaction, stage)
            (self.stores, self.attack) = (stores, attack)
        }

        var testDescription: String { name }

        func applies(to kind: SealedVictim.Kind) -> Bool { stores.contains(kind) }

        /// Stores of Chronicle, whose transactions have authors and metadata, and whose values can be erased.
        static let models: Set<SealedVictim.Kind> = [.file, .inMemory]

        /// Those that remove what explains why an earlier transaction is missing.
        static let explanations: Set<String> = [
            "the kind of an event is another", "an event is removed", "an event deletes another transaction",
            "the content of an event is removed", "the list of a seal is damaged",
        ]

        static let all = values + descriptions + contents + lists + seals + names + erasures + bounds
    }

    extension SealedVictim {
        /// Changes columns of a row of the history.
        func change(_ row: Int64, _ assignments: String) throws {
            try execute("UPDATE chronicle_change SET \(assignments) WHERE id = \(row)")
        }

        func header(_ transaction: String) throws -> Int64 { try rows(transaction).upperBound }

        /// Exchanges the rows of two transactions of the same number of rows, with what belongs to them.
        func exchange(_ first: ClosedRange<Int64>, _ second: ClosedRange<Int64>) throws {
            guard first.count == second.count else {
                throw Shell.Failure(description: "the transactions have different numbers of rows")
            }
            let distance = second.lowerBound - first.lowerBound
            func move(_ table: String, _ key: String, _ rows: ClosedRange<Int64>, by distance: Int64) -> String {
                "UPDATE \(table) SET \(key) = \(key) + \(distance) WHERE \(key) BETWEEN \(rows.lowerBound) AND \(rows.upperBound);"
            }
            // No store has that many rows.
            let away: Int64 = 1_000_000
            let moved = second.lowerBound + away...second.upperBound + away
            var sql = "BEGIN;"
            for (table, key) in [
                ("chronicle_change", "id"), ("chronicle_metadata", "position"), ("chronicle_commitment", "position"),
            ] {
                sql += move(table, key, second, by: away)
                sql += move(table, key, first, by: distance)
                sql += move(table, key, moved, by: -away - distance)
            }
            sql += """
                UPDATE chronicle_change SET old_value = \(second.lowerBound) WHERE id = \(second.upperBound);
                UPDATE chronicle_change SET old_value = \(first.lowerBound) WHERE id = \(first.upperBound);
                COMMIT
                """
            try execute(sql)
        }
    }
#endif
