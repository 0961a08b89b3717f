#if Seals
    import Chronicle
    import ChronicleSQLite
    import ChronicleSeals
    import ChronicleTestSupport
    import Foundation
    import Testing

    /// The history of a file is proven after a process is killed while it seals, purges, deletes and erases.
    @Suite struct SealerKillTests {
        /// All kills use one file, so that damage caused by one kill is detected after the next.
        @Test(arguments: 0..<2) func everyHeadIsProvenAfterEveryKill(_ round: Int) throws {
            let store = try TestStore(.file, preservesValues: true)
            let heads = SealHeads(besideStoreAt: store.url)
            var random = TestSeed.generator(round)
            for attempt in 0..<10 {
                let comment: Comment = "\(TestSeed.description), attempt \(attempt)"
                let worker = try Worker("seal", store.url.path, String(random.next()))
                try worker.wait(forBytes: 1 + random.below(16))
                // Busy-waits without a clock, to reach some point of the next step.
                var spin = random.below(200_000)
                while spin > 0 { spin -= 1 }
                worker.kill()
                #expect(try store.container.verifySeals(heads.all()).failures == [], comment)
                try heads.append(store.container.sealHistory())
                let verification = try store.container.verifySeals(heads.all())
                #expect(verification.failures == [], comment)
                #expect(verification.unsealedTransactions == 0 && verification.unsealedEvents == 0, comment)
            }
            #expect(try problems(store).isEmpty, "\(TestSeed.description)")
        }
    }

    /// Several processes seal one file, or change it meanwhile.
    @Suite struct SealProcessTests {
        /// Without the locks of the consumer, two passes run at once. The later one ends the other.
        @Test(arguments: [true, false]) func processesContinueOneChain(_ hasLocks: Bool) throws {
            let store = try TestStore(.file, preservesValues: true)
            let heads = SealHeads(besideStoreAt: store.url)
            let saves = 25
            let workers = try ["a", "b"].map { author in
                try Worker("seal-saves", store.url.path, author, "\(saves)", hasLocks ? "locked" : "unlocked")
            }
            for worker in workers { #expect(try worker.finish() == "sealed\n") }
            let returned = try heads.all()
            #expect(hasLocks ? returned.count == 2 * saves : !returned.isEmpty)
            let last = try store.container.sealHistory()
            let verification = try store.container.verifySeals(returned + [last])
            #expect(verification.isProven && verification.failures == [])
            #expect(
                verification.newest == last && verification.boundary == nil && verification.unsealedTransactions == 0)
            #expect(try store.history().map(\.author).filter { $0 != nil }.count == 2 * saves)
            // Each transaction is in one seal.
            let positions = try store.shell("SELECT sum(length(transactions) / 40) FROM chronicle_seal")
            #expect(try positions == store.shell("SELECT count(*) FROM chronicle_change WHERE kind <= 0"))
            #expect(try problems(store).isEmpty)
        }

        /// The other process has read the values, or written their keys. Nothing of both is left in the file.
        @Test func valuesAreErasedBetweenTheStepsOfAnotherProcess() throws {
            let store = try TestStore(.file, preservesValues: true)
            let heads = SealHeads(besideStoreAt: store.url)
            // More than a run has steps, so the last ones are not interrupted.
            let runs = 40
            let worker = try Worker("seal-steps", store.url.path, "\(runs)")
            var (keys, erasures) = (try keys(store), 0)
            #expect(try worker.wait(forBytes: 1) == Data(",".utf8))
            for run in 0..<runs {
                try change(store)
                try worker.proceed()
                var step = 0
                while try worker.wait(forBytes: 1) == Data(".".utf8) {
                    if step == run {
                        keys += try self.keys(store)
                        try store.store.erasePreservedValues(ofEntityNamed: "Trip")
                        erasures += 1
                    }
                    step += 1
                    try worker.proceed()
                }
                if erasures > run { #expect(try self.keys(store).isEmpty, "run \(run)") }
            }
            try worker.proceed()
            _ = try worker.finish()
            #expect(erasures > 8 && erasures < runs)
            keys += try self.keys(store)
            try store.store.erasePreservedValues(ofEntityNamed: "Trip")
            let last = try store.container.sealHistory()
            let returned = try heads.all()
            #expect(returned.count == runs)
            let verification = try store.container.verifySeals(returned + [last])
            #expect(verification.isProven && verification.failures == [])
            #expect(verification.exceptions.erasedValues > 0 && !keys.isEmpty)
            let content = try content(of: store)
            #expect(keys.allSatisfy { content.range(of: $0) == nil })
            #expect(content.range(of: Data("secret".utf8)) == nil && content.range(of: Data("place".utf8)) != nil)
            #expect(try problems(store).isEmpty)
        }

        /// Saves values that are only in the history afterwards.
        private func change(_ store: TestStore) throws {
            let context = store.context()
            let trips = (0..<4).map { Trip(name: "secret name \($0)", destination: "secret place") }
            for trip in trips { context.insert(trip) }
            try context.save()
            for (number, trip) in trips.enumerated() { (trip.name, trip.destination) = ("name \(number)", "place") }
            try context.save()
        }

        /// The keys of all values.
        private func keys(_ store: TestStore) throws -> [Data] {
            try store.database.write { connection in
                guard
                    try connection.scalarInt64(
                        "SELECT count(*) FROM sqlite_schema WHERE name = 'chronicle_commitment'") == 1
                else { return [] }
                let statement = try connection.prepare(
                    "SELECT key FROM chronicle_commitment WHERE attribute IS NOT NULL AND key IS NOT NULL")
                defer { statement.reset() }
                var keys: [Data] = []
                while try statement.step() { keys.append(statement.withBlob(0) { Data($0) }) }
                return keys
            }
        }

        /// The bytes of the file and of its log.
        private func content(of store: TestStore) throws -> Data {
            var content = Data()
            for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: store.url.path + suffix) {
                // In another process, because closing the file in this one would release SQLite's locks on it.
                let copy = store.directory.file("copy\(suffix)")
                #expect(try Shell.run("/usr/bin/env", ["cp", store.url.path + suffix, copy.path]).status == 0)
                content += try Data(contentsOf: copy)
            }
            return content
        }
    }

    private func problems(_ store: TestStore) throws -> [String] {
        var problems: [String] = []
        try DefaultStore.verify(fileAt: store.url) { problems.append("\($0)") }
        return problems
    }
#endif
