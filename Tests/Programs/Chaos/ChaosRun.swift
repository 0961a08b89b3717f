#if Postgres
    import Chronicle
    import ChronicleTestSupport
    import Foundation

    /// Starts, kills and restarts the processes and the servers, and verifies the history at the end.
    struct ChaosRun {
        private let directory: URL
        private var random: SplitMix
        private var primary: PostgresCluster
        private var standby: PostgresCluster
        private var container: ModelContainer
        private var processes = KilledProcesses<ChaosRole>(\.name)
        private var kept: [Kept] = []
        private var foreignKeys: [String] = []
        private var counts = (kills: 0, promotions: 0, foreign: 0)

        /// The rows of a position when it was read first.
        private struct Kept {
            let token: DefaultHistoryToken
            let content: [String]
        }

        init(seed: UInt64) throws {
            random = SplitMix(state: seed)
            directory = FileManager.default.temporaryDirectory.appending(path: "ChronicleChaos-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            primary = try PostgresCluster()
            container = try ChaosStore.open(primary.connectionString())
            standby = try Self.makeStandby(of: primary)
        }

        /// Creates a standby server for which commits wait, so that none is lost when it takes over.
        private static func makeStandby(of primary: PostgresCluster) throws -> PostgresCluster {
            let standby = try PostgresCluster(standbyOf: primary)
            try primary.psql("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
            try primary.psql("SELECT pg_reload_conf()")
            try wait { try primary.psql("SELECT sync_state FROM pg_stat_replication") == "sync" }
            return standby
        }

        private static func wait(until isMet: () throws -> Bool) throws {
            let end = ContinuousClock.now + .seconds(30)
            while try !isMet() {
                guard ContinuousClock.now < end else { throw ChaosFailure("the standby server does not follow") }
                Thread.sleep(forTimeInterval: 0.02)
            }
        }

        mutating func run(for duration: Duration) throws {
            let start = ContinuousClock.now
            defer {
                processes.killAll()
                for cluster in [standby, primary] { try? cluster.remove() }
            }
            try startAll()
            var promotion = start + .seconds(4)
            while .now < start + duration {
                Thread.sleep(forTimeInterval: Double(20 + random.below(200)) / 1_000)
                try processes.requireRunning()
                if .now > promotion {
                    try promote()
                    promotion = .now + .seconds(4 + random.below(8))
                    continue
                }
                switch random.below(8) {
                case 0...3: try writeForeign()
                case 4...6:
                    let role = random.pick(ChaosRole.all)
                    try processes.stop(role)
                    try self.start(role)
                    counts.kills += 1
                default: try keepPosition()
                }
            }
            try processes.requireRunning()
            try keepPosition()
            for role in ChaosRole.all { try processes.stop(role) }
            let transactions = try verify()
            try FileManager.default.removeItem(at: directory)
            Chaos.say(
                "chaos: passed; \(counts.kills) kills, \(counts.promotions) promotions, \(counts.foreign) foreign writes, "
                    + "\(transactions) transactions, \(kept.count) positions read again")
        }

        // MARK: Processes

        private func file(of role: ChaosRole) -> URL { directory.appending(path: role.name) }

        private mutating func start(_ role: ChaosRole) throws {
            let file = file(of: role)
            if !FileManager.default.fileExists(atPath: file.path) { try Data().write(to: file) }
            try processes.start(role, role.arguments(primary.connectionString(), file, seed: random.next()))
        }

        private mutating func startAll() throws { for role in ChaosRole.all { try start(role) } }

        /// Crashes the primary server while others write, and lets the standby server take over.
        private mutating func promote() throws {
            try primary.stop(mode: "immediate")
            try standby.promote()
            Thread.sleep(forTimeInterval: Double(random.below(300)) / 1_000)
            for role in ChaosRole.all { try processes.stop(role) }
            primary = standby
            standby = try Self.makeStandby(of: primary)
            container = try ChaosStore.open(primary.connectionString())
            counts.promotions += 1
            try startAll()
        }

        // MARK: Work

        private mutating func writeForeign() throws {
            let schema = ChaosStore.schemaName
            let key = "foreign \(counts.foreign)"
            counts.foreign += 1
            let insert = "INSERT INTO \(schema).\"Item\"(key, value) VALUES ('\(key)', 0)"
            let number = random.below(1_000)
            var isInserted = false
            let script: String
            switch random.below(5) {
            case 0: (script, isInserted) = (insert, true)
            case 1: script = "UPDATE \(schema).\"Item\" SET value = \(number) WHERE _rowid_ % 20 = \(number % 20)"
            case 2: script = "DELETE FROM \(schema).\"Item\" WHERE _rowid_ % 40 = \(number % 40)"
            case 3:
                isInserted = true
                script = """
                    BEGIN; \(insert); SAVEPOINT s; DELETE FROM \(schema)."Item"; ROLLBACK TO s; \
                    UPDATE \(schema)."Item" SET value = \(number) WHERE key = '\(key)'; COMMIT
                    """
            default: script = "BEGIN; \(insert); ROLLBACK"
            }
            do { try primary.psql(script) } catch let error as Shell.Failure
                where error.description.contains("deadlock detected")
            { return }
            if isInserted { foreignKeys.append(key) }
        }

        private mutating func keepPosition() throws {
            guard kept.count < 20 else { return }
            do {
                let token = try ModelContext(container).currentHistoryToken()
                kept.append(
                    Kept(token: token, content: try ChaosStore.content(ModelContext(container, asOf: token))))
            } catch SwiftDataError.storeBusy {}
        }

        // MARK: Verification

        /// - Returns: The number of transactions.
        private func verify() throws -> Int {
            for role in ChaosRole.consumers { try drain(role.name) }
            let context = ModelContext(container)
            let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
            guard transactions.map(\.transactionIdentifier) == Array(1...Int64(transactions.count)) else {
                throw ChaosFailure("positions are missing or in another order")
            }
            let changes = transactions.flatMap(\.changes).filter {
                $0.changedPersistentIdentifier.entityName == "Item"
            }
            try verifyAcknowledgedInserts(changes)
            for role in ChaosRole.consumers { try verifyReceipts(of: role.name, changes, context) }
            for kept in kept {
                let content = try ChaosStore.content(ModelContext(container, asOf: kept.token))
                guard content == kept.content else {
                    throw ChaosFailure(
                        "the position \(kept.token) has other rows now: \(content.difference(from: kept.content))")
                }
            }
            try verifyReplay(context)
            return transactions.count
        }

        private func drain(_ name: String) throws {
            let end = ContinuousClock.now + .seconds(30)
            while true {
                do {
                    let consumer = try ChaosStore.consumer(name, container)
                    while let batch = try consumer.nextBatch(limit: 1_000) {
                        try ChaosStore.process(batch, of: name, container)
                    }
                    return
                } catch let error as SwiftDataError where error != .uniquenessViolation && ContinuousClock.now < end {
                    // The server has not noticed the end of the killed process yet.
                    Thread.sleep(forTimeInterval: 0.1)
                }
            }
        }

        /// No save that returned is missing.
        private func verifyAcknowledgedInserts(_ changes: [HistoryChange]) throws {
            var known: Set<String> = []
            for change in changes {
                guard case .insert = change else { continue }
                guard let key = change.preservedValues.first(where: { $0.name == "key" })?.value as? String else {
                    throw ChaosFailure("an insert has no key")
                }
                guard known.insert(key).inserted else { throw ChaosFailure("\(key) was inserted twice") }
            }
            var expected = foreignKeys
            for role in ChaosRole.all {
                let text = try String(contentsOf: file(of: role), encoding: .utf8)
                expected += text.split(separator: "\n").map(String.init)
            }
            for key in expected where !known.contains(key) { throw ChaosFailure("the insert of \(key) is missing") }
        }

        /// A second receipt would have failed, so none may be missing.
        private func verifyReceipts(of name: String, _ changes: [HistoryChange], _ context: ModelContext) throws {
            let found = Set(try context.fetch(FetchDescriptor<Receipt>()).map(\.change).filter { $0.hasPrefix(name) })
            let expected = Set(changes.map { ChaosStore.receipt(of: $0, name) })
            guard found == expected else {
                throw ChaosFailure(
                    "\(name): \(expected.subtracting(found).count) receipts are missing, and "
                        + "\(found.subtracting(expected).count) have no change")
            }
        }

        private func verifyReplay(_ context: ModelContext) throws {
            let export = directory.appending(path: "export")
            try container.exportHistory(to: export)
            let replica = try ModelContainer(
                for: Schema(ChaosStore.models),
                configurations: [
                    ModelConfiguration(
                        url: directory.appending(path: "replica.store"), durability: .relaxed, preservesValues: true)
                ])
            try replica.replayHistory(from: export)
            for rows in [ChaosStore.content, ChaosStore.receipts] {
                let (found, expected) = (try rows(ModelContext(replica)), try rows(context))
                guard found == expected else {
                    throw ChaosFailure("a replay has other rows: \(found.difference(from: expected))")
                }
            }
        }
    }
#endif
