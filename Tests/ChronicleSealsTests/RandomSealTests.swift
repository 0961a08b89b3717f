#if Seals
    import Chronicle
    import ChronicleCore
    import ChronicleSeals
    import ChronicleSQLite
    import ChronicleTestSupport
    import Foundation
    import Testing

    @testable import ChronicleStore

    /// Random operations of several programs on a sealed file. After some of them, the outcome of each head is what a reference
    /// says, and a sound history has no difference.
    @Suite struct RandomSealTests {
        @Test(arguments: TestSeed.rounds(6)) func headsProveWhatTheReferenceSays(_ number: Int) async throws {
            let history = try RandomSealedHistory(TestSeed.generator(number))
            for step in 0..<60 {
                try await history.step()
                if step % 4 == 3 { try history.check() }
                guard history.failures.isEmpty else { break }
            }
            if history.failures.isEmpty { try history.tamper() }
            #expect(
                history.failures.isEmpty,
                "\(history.steps.joined(separator: ", ")): \(history.failures), \(TestSeed.description), number \(number)"
            )
        }
    }

    private final class RandomSealedHistory {
        private struct Backup {
            let url: URL
            let version: Int
            let reference: SealReference
        }

        private var random: SplitMix
        private var url: URL
        private var container: ModelContainer
        private var store: DefaultStore
        private var version = 0
        private var reference = SealReference()
        private var backups: [Backup] = []
        private var allHeads: Set<HistorySeal> = []
        private(set) var steps: [String] = []
        private(set) var failures: [String] = []

        init(_ random: SplitMix) throws {
            self.random = random
            url = try TemporaryDirectory().file("random.store")
            (container, store) = try Self.open(url, 0)
            try save()
            try seal()
        }

        private static func open(_ url: URL, _ version: Int) throws -> (ModelContainer, DefaultStore) {
            let container = try ModelContainer(
                for: RandomSealVersion.all[version].schema(),
                configurations: [ModelConfiguration(url: url, durability: .relaxed, preservesValues: true)])
            return (container, try SealedVictim.store(of: container))
        }

        private func write<Result>(_ body: (Connection) throws -> Result) throws -> Result {
            try SealedVictim.database(of: store).write(body)
        }

        private func rows() throws -> HistoryRows { try write { try HistoryRows($0) } }

        private func firstNumber() throws -> Int64 {
            try write { try $0.scalarInt64("SELECT min(number) FROM chronicle_seal") } ?? 1
        }

        // MARK: Operations

        func step() async throws {
            switch random.below(22) {
            case 0..<8: try save()
            case 8..<10: try changeAsAnotherProgram()
            case 10..<13: try seal()
            case 13: try await delete()
            case 14: try await deleteBeginning()
            case 15: try await erase()
            case 16..<18: try await purge()
            case 18: try rename()
            case 19: try backUp()
            case 20: try restore()
            default:
                switch random.below(3) {
                case 0: try endSealing()
                case 1: try await eraseStore()
                default: try save()
                }
            }
        }

        /// An operation that deletes or erases.
        private func observe(
            _ name: String, _ change: SealReference.Change, _ body: () async throws -> Void
        ) async throws {
            steps.append(name)
            let before = try rows()
            try await body()
            try reference.apply(change, before, rows(), firstNumber: firstNumber())
        }

        private func save() throws {
            let context = ModelContext(container)
            let author = random.pick(["a", "b", "c"])
            context.author = author
            if random.below(3) == 0 { context.transactionMetadata = ["reason": "\(random.below(9))"] }
            try RandomSealVersion.all[version].change(context, &random)
            try context.save()
            steps.append("save \(author)")
        }

        private func changeAsAnotherProgram() throws {
            let number = random.below(3)
            let program = try Connection(path: url.path, mode: .readWrite)
            try program.execute("UPDATE Item SET note = hex(randomblob(4)) WHERE id % 3 = \(number)")
            program.close()
            steps.append("foreign \(number)")
        }

        private func seal() throws {
            let limits = HistorySealer.Limits(transactions: random.below(6) + 1, rows: 40, page: 10)
            let head = try HistorySealer.$limits.withValue(limits) { try store.sealHistory(SealHashing()) }
            steps.append("seal \(head.position)")
            try noteSeals()
        }

        private func endSealing() throws {
            let head = try store.endSealing(SealHashing(), signedBy: nil)
            steps.append("end \(head.position)")
            try noteSeals()
        }

        private func noteSeals() throws {
            let newest = reference.heads.last?.number ?? 0
            let seals = try write { connection in
                let statement = try connection.prepare(
                    "SELECT number, last, hash FROM chronicle_seal WHERE number > \(newest) ORDER BY number")
                var seals: [SealReference.Head] = []
                while try statement.step() {
                    let hash = statement.withBlob(2) { Data($0) }
                    let seal = try #require(HistorySeal(position: statement.int64(1), hash: hash))
                    seals.append(SealReference.Head(number: statement.int64(0), seal: seal))
                }
                return seals
            }
            try reference.add(seals, rows())
            allHeads.formUnion(seals.map(\.seal))
        }

        private func delete() async throws {
            let author = random.pick(["a", "b", "c"])
            try await observe("delete \(author)", .deletion) {
                try store.deleteHistory(Descriptor(predicate: #Predicate { $0.author == author }))
            }
        }

        private func deleteBeginning() async throws {
            let history = try store.fetchHistory(Descriptor())
            guard !history.isEmpty else { return }
            let token = history[random.below(history.count)].token
            try await observe("delete before \(token)", .deletion) { try store.deleteHistory(.before(token)) }
        }

        private func erase() async throws {
            let attributes = random.below(2) == 0 ? ["note"] : nil
            try await observe("erase values", .other) {
                try store.erasePreservedValues(ofEntityNamed: "Item", attributes: attributes)
            }
        }

        private func purge() async throws {
            let silence: Duration? = random.below(3) == 0 ? .zero : nil
            let retention = HistoryRetention(maximumChanges: random.below(30), maximumSilence: silence)
            try await observe(
                "purge \(retention.maximumChanges ?? 0) \(silence == nil ? "" : "without the sealer")", .purge
            ) {
                _ = try await container.purgeHistory(retention)
            }
        }

        private func eraseStore() async throws {
            try await observe("erase", .purge) { try container.erase() }
        }

        private func rename() throws {
            guard version + 1 < RandomSealVersion.all.count else { return }
            version += 1
            (container, store) = try Self.open(url, version)
            steps.append("rename")
        }

        private func backUp() throws {
            let copy = try TemporaryDirectory().file("backup.store")
            try store.backup(to: copy)
            backups.append(Backup(url: copy, version: version, reference: reference))
            steps.append("back up")
        }

        private func restore() throws {
            guard !backups.isEmpty else { return }
            let index = random.below(backups.count)
            let backup = backups[index]
            url = try TemporaryDirectory().file("restored.store")
            try FileManager.default.copyItem(at: backup.url, to: url)
            (version, reference) = (backup.version, backup.reference)
            (container, store) = try Self.open(url, version)
            steps.append("restore \(index)")
        }

        // MARK: Checks

        private var heads: [HistorySeal] {
            // In an order that is the same for the same seed.
            allHeads.sorted { ($0.position, $0.description) < ($1.position, $1.description) }
        }

        func check() throws {
            let heads = heads
            let result = try store.verifySeals(heads, archives: [], signedBy: nil)
            reference.present = try rows().all
            if let difference = result.difference { failures.append("\(difference)") }
            if result.newest != reference.heads.last?.seal {
                failures.append("the newest seal is \(result.newest as Any)")
            }
            if result.difference == nil, result.proven != result.newest {
                failures.append("proven up to \(result.proven as Any)")
            }
            if result.heads.map(\.head) != heads { failures.append("other heads") }
            for head in result.heads {
                if let failure = reference.failure(of: head.head, head.outcome) { failures.append(failure) }
            }
        }

        /// Any change of what a seal contains is a difference, or changes an outcome.
        func tamper() throws {
            try seal()
            try check()
            let heads = heads
            let sound = try store.verifySeals(heads, archives: [], signedBy: nil)
            for _ in 0..<40 where failures.isEmpty {
                guard let tampering = try write({ try SealTampering($0, &random) }) else { continue }
                do { try write { try tampering.apply($0) } } catch is SQLiteError {
                    // The table does not allow the value.
                    continue
                }
                do {
                    let result = try store.verifySeals(heads, archives: [], signedBy: nil)
                    if result.difference == nil, result.heads == sound.heads {
                        failures.append("not found: \(tampering.description)")
                    }
                } catch SwiftDataError.damagedFile {}
                try write { try tampering.revert($0) }
            }
            let reverted = try store.verifySeals(heads, archives: [], signedBy: nil)
            if failures.isEmpty, reverted.difference != nil { failures.append("not reverted") }
        }
    }
#endif
