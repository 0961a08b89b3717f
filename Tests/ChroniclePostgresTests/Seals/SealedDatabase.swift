#if Postgres
    import Chronicle
    import ChronicleCore
    import ChronicleTestSupport
    import Testing

    @testable import ChroniclePostgres

    /// A sealed history, which a test attacks.
    ///
    /// The seals contain the transactions 1 and 2, 3 and 4, 6 and 7, each with one change. Recording was interrupted at the
    /// position 5. The first seal contains the event `begun`, and the third one `unproven`, for the interruption.
    struct SealedDatabase {
        enum Kind: String, CaseIterable, Sendable {
            case models, tracked
        }

        private static let (older, newest) = ("older", "newest")

        let heads: [HistorySeal]
        private let program: Program
        private let store: PostgresStore

        init(_ kind: Kind) throws {
            var program = try Program(kind)
            var heads: [HistorySeal] = []
            func seal() throws { heads.append(try program.store().sealHistory(ReferenceHashing(), signedBy: nil)) }
            try program.insert("a")
            try program.insert("b")
            try seal()
            try program.update("a", 3)
            try program.update("b", 4)
            try seal()
            try program.copyHistory(to: Self.older)
            program = try program.interrupted()
            try program.update("a", 6)
            try program.update("b", 7)
            try seal()
            try #require(heads.map(\.position) == [2, 4, 7])
            try program.copyHistory(to: Self.newest)
            (self.program, self.heads, store) = (program, heads, try program.store())
        }

        // MARK: Verification

        /// The names of the outcomes of the heads.
        static func outcomes(_ result: SealVerification) -> [String] { result.heads.map(\.outcome.name) }

        /// - Parameter heads: By default, those of the three seals.
        func verify(_ heads: [HistorySeal]? = nil) throws -> SealVerification {
            var verifier = SealVerifier(heads: heads ?? self.heads, ReferenceHashing())
            try store.readSealedHistory(includesValues: true) { try verifier.verify($0) }
            return verifier.result()
        }

        func seal() throws -> HistorySeal { try store.sealHistory(ReferenceHashing(), signedBy: nil) }

        // MARK: Changes

        /// Runs statements in the schema of the history, in one transaction.
        func forge(_ sql: String) throws { try program.forge(sql) }

        func insert(_ name: String) throws { try program.insert(name) }

        /// Puts back the tables of the history as they were after the second seal.
        func restoreOlderHistory() throws { try program.restoreHistory(Self.older) }

        /// Puts them back as they were after the last one.
        func restoreHistory() throws { try program.restoreHistory(Self.newest) }
    }

    /// Writes the tables.
    private enum Program {
        case models(HistoryFixture)
        case tracked(TrackedFixture)

        init(_ kind: SealedDatabase.Kind) throws {
            switch kind {
            case .models: self = .models(try HistoryFixture.preserving())
            case .tracked:
                self = .tracked(try TrackedFixture("CREATE TABLE account(name text PRIMARY KEY, balance int)"))
            }
        }

        func insert(_ name: String) throws {
            switch self {
            case .models(let fixture): try fixture.add(name, author: "ann")
            case .tracked(let fixture): try fixture.sql("INSERT INTO account VALUES ('\(name)', 0)")
            }
        }

        func update(_ name: String, _ balance: Int) throws {
            switch self {
            case .models(let fixture):
                let context = fixture.context("ann")
                let accounts = try context.fetch(FetchDescriptor<Account>())
                try #require(accounts.first { $0.name == name }).balance = balance
                try context.save()
            case .tracked(let fixture):
                try fixture.sql("UPDATE account SET balance = \(balance) WHERE name = '\(name)'")
            }
        }

        /// Ends the recording, and begins it again.
        func interrupted() throws -> Program {
            switch self {
            case .models(let fixture):
                var configuration = fixture.configuration
                configuration.recordsHistory = false
                _ = try HistoryFixture.open(configuration)
                return .models(try HistoryFixture(fixture.configuration, fixture.cluster))
            case .tracked(let fixture):
                try fixture.tracking.stop(["account"])
                try fixture.tracking.track()
                return self
            }
        }

        func store() throws -> PostgresStore {
            switch self {
            case .models(let fixture): try fixture.store
            case .tracked(let fixture): try fixture.store(allowsSave: true)
            }
        }

        // MARK: The history

        private var cluster: PostgresCluster {
            switch self {
            case .models(let fixture): fixture.cluster
            case .tracked(let fixture): fixture.cluster
            }
        }

        /// The schema of the history.
        private var schema: String {
            switch self {
            case .models(let fixture): fixture.schema
            case .tracked(let fixture): PostgresTracking.historySchema(of: fixture.schemaName)
            }
        }

        func forge(_ sql: String) throws { _ = try cluster.psql("SET search_path = \(schema), public; \(sql)") }

        /// Copies the tables to a schema whose name ends with a suffix.
        func copyHistory(to suffix: String) throws {
            let copy = "\(schema)_\(suffix)"
            try forge(
                "CREATE SCHEMA \(copy); "
                    + eachTable(of: schema, "CREATE TABLE \(copy).%1$I AS TABLE \(schema).%1$I"))
        }

        func restoreHistory(_ suffix: String) throws {
            let copy = "\(schema)_\(suffix)"
            // Foreign keys would require an order of the tables, and some columns are identities.
            try forge(
                "SET session_replication_role = replica; "
                    + eachTable(
                        of: copy,
                        """
                        DELETE FROM \(schema).%1$I; \
                        INSERT INTO \(schema).%1$I OVERRIDING SYSTEM VALUE SELECT * FROM \(copy).%1$I
                        """))
        }

        /// Runs statements for each table of a history, whose name is the first parameter of the format.
        private func eachTable(of schema: String, _ format: String) -> String {
            """
            DO $$ DECLARE name text; BEGIN FOR name IN SELECT relname FROM pg_class \
            WHERE relnamespace = '\(schema)'::regnamespace AND relkind = 'r' AND relname LIKE 'chronicle%' \
            LOOP EXECUTE format('\(format)', name); END LOOP; END $$
            """
        }
    }
#endif
