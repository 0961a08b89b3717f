#if Seals
    import Chronicle
    import ChronicleCore
    import ChronicleSeals
    import ChronicleSQLite
    import ChronicleStore
    import ChronicleTestSupport
    import Foundation

    /// A store with a sealed history, which a test attacks. ``SealedVictimBuilder`` makes it.
    struct SealedVictim {
        enum Kind: String, CaseIterable, Sendable {
            case file, inMemory, tracked
        }

        /// The seals of the history, in their order.
        enum Stage: Int, CaseIterable, Comparable, Sendable {
            case begun, first, updates, foreign
            /// Of events only. Tracked databases erase no values.
            case erasure
            case deletion, purge, last

            static func < (first: Stage, second: Stage) -> Bool { first.rawValue < second.rawValue }
        }

        struct Facts: Sendable {
            var heads: [Stage: HistorySeal] = [:]
            var numbers: [Stage: Int64] = [:]
            /// The first row and the header of transactions.
            var transactions: [String: ClosedRange<Int64>] = [:]
            /// A value that was erased later: its row, its attribute and values, and its key, as SQL literals.
            var erased: Erased?
        }

        struct Erased: Sendable {
            let row: Int64
            let attribute: Int64
            let before: String
            let after: String
            let key: String
        }

        let kind: Kind
        let container: ModelContainer
        let store: DefaultStore
        let facts: Facts

        init(_ kind: Kind) throws {
            self.kind = kind
            switch kind {
            case .inMemory:
                let builder = try SealedVictimBuilder(kind)
                try builder.build()
                (container, facts) = (builder.container, builder.facts)
            case .file, .tracked:
                let template = try (kind == .file ? Template.file : Template.tracked).get()
                container = try Self.open(kind, Self.copy(template.url))
                facts = template.facts
            }
            store = try Self.store(of: container)
        }

        /// An older copy of the file, as it was after the stage ``Stage/foreign``.
        init(restoring kind: Kind) throws {
            let template = try (kind == .tracked ? Template.tracked : Template.file).get()
            self.kind = kind
            container = try Self.open(kind, Self.copy(template.older))
            store = try Self.store(of: container)
            facts = template.facts
        }

        // MARK: Files

        private struct Template: Sendable {
            let url: URL
            let older: URL
            let facts: Facts

            private init(_ kind: Kind) throws {
                let directory = try TemporaryDirectory()
                (url, older) = (directory.file("template.store"), directory.file("older.store"))
                let builder = try SealedVictimBuilder(kind)
                let older = older
                try builder.build { stage in
                    if stage == .foreign { try builder.store.backup(to: older) }
                }
                try builder.store.backup(to: url)
                facts = builder.facts
            }

            static let file = Result { try Template(.file) }
            static let tracked = Result { try Template(.tracked) }
        }

        private static func copy(_ url: URL) throws -> URL {
            let copy = try TemporaryDirectory().file("victim.store")
            try FileManager.default.copyItem(at: url, to: copy)
            return copy
        }

        static func open(_ kind: Kind, _ url: URL) throws -> ModelContainer {
            switch kind {
            case .inMemory:
                try ModelContainer(
                    for: Schema([Trip.self]),
                    configurations: [ModelConfiguration(isStoredInMemoryOnly: true, preservesValues: true)])
            case .file:
                try ModelContainer(
                    for: Schema([Trip.self]),
                    configurations: [ModelConfiguration(url: url, durability: .relaxed, preservesValues: true)])
            case .tracked:
                ModelContainer(
                    forHistoryOf: try DefaultStore(
                        ModelConfiguration(schema: try DefaultStore.schema(ofFileAt: url), url: url),
                        migrationPlan: nil))
            }
        }

        static func store(of container: ModelContainer) throws -> DefaultStore {
            guard let store = container.stores.first as? DefaultStore else {
                throw Shell.Failure(description: "the container has no store")
            }
            return store
        }

        // MARK: SQL

        var database: Database { get throws { try Self.database(of: store) } }

        /// The connections are not visible to other modules; see `TestStore`.
        static func database(of store: DefaultStore) throws -> Database {
            guard let database = Mirror(reflecting: store).descendant("database") as? Database else {
                throw Shell.Failure(description: "the store has no database")
            }
            return database
        }

        /// Changes the file without its triggers.
        func execute(_ sql: String) throws {
            try database.write { connection in
                try connection.setTriggersEnabled(false)
                try connection.execute(sql)
            }
        }

        func number(_ sql: String) throws -> Int64 {
            guard let number = try database.write({ try $0.scalarInt64(sql) }) else {
                throw Shell.Failure(description: "nothing is selected by \(sql)")
            }
            return number
        }

        func text(_ sql: String) throws -> String {
            guard let text = try database.write({ try $0.scalarText(sql) }) else {
                throw Shell.Failure(description: "nothing is selected by \(sql)")
            }
            return text
        }

        func blob(_ sql: String) throws -> [UInt8] {
            try database.write { connection in
                let statement = try connection.prepare(sql)
                guard try statement.step() else { throw Shell.Failure(description: "nothing is selected by \(sql)") }
                return statement.withBlob(0) { Array($0) }
            }
        }

        /// The rows of a transaction, with its header.
        func rows(_ transaction: String) throws -> ClosedRange<Int64> {
            guard let rows = facts.transactions[transaction] else {
                throw Shell.Failure(description: "there is no transaction \(transaction)")
            }
            return rows
        }

        /// The row of a preserved value.
        func value(_ attribute: String, _ transaction: String) throws -> Int64 {
            let rows = try rows(transaction)
            return try number(
                """
                SELECT min(c.id) FROM chronicle_change AS c JOIN chronicle_attribute AS a \
                ON a.entity = c.kind >> 4 AND a.number = c.attributes WHERE c.kind > 0 AND c.kind & 15 <> 2 \
                AND a.name = '\(attribute)' AND c.id BETWEEN \(rows.lowerBound) AND \(rows.upperBound)
                """)
        }

        func number(of stage: Stage) throws -> Int64 {
            guard let number = facts.numbers[stage] else {
                throw Shell.Failure(description: "there is no seal \(stage)")
            }
            return number
        }

        // MARK: Verification

        /// The stages whose heads exist, with the heads.
        var heads: [(stage: Stage, head: HistorySeal)] {
            Stage.allCases.compactMap { stage in facts.heads[stage].map { (stage, $0) } }
        }

        func verify(_ heads: [HistorySeal]? = nil) throws -> SealVerification {
            try store.verifySeals(heads ?? self.heads.map(\.head), archives: [], signedBy: nil)
        }

        func seal() throws -> HistorySeal { try store.sealHistory(SealHashing()) }

        static let sealTables = ["seal", "commitment", "commitment_key", "event", "event_part"].map {
            "chronicle_\($0)"
        }

        /// Removes everything that proves the history.
        func removeSeals() throws {
            try execute(
                """
                BEGIN; \(Self.sealTables.map { "DROP TABLE \($0);" }.joined(separator: " ")) \
                UPDATE chronicle_meta SET value = 2 WHERE name = 'format'; \
                \(kind == .tracked ? "" : "PRAGMA user_version = 2;") COMMIT
                """)
        }
    }
#endif
