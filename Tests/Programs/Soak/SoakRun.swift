import Chronicle
import ChronicleTestSupport
import Foundation

/// Starts, kills, and restarts the processes, and verifies the files at the end.
struct SoakRun {
    let files: SoakFiles
    private var random: SplitMix
    private var processes = KilledProcesses<SoakRole>(\.name)
    private var kills = 0

    init(seed: UInt64) throws {
        random = SplitMix(state: seed)
        let directory = FileManager.default.temporaryDirectory.appending(path: "ChronicleSoak-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        files = SoakFiles(directory: directory)
    }

    mutating func run(for duration: Duration) throws {
        // Created before the children, so that `sqlite3` finds the tables.
        _ = try files.open()
        defer { processes.killAll() }
        let end = ContinuousClock.now + duration
        for role in SoakRole.all { try start(role) }
        while .now < end {
            Thread.sleep(forTimeInterval: Double(20 + random.below(400)) / 1_000)
            try processes.requireRunning()
            let role = random.pick(SoakRole.all)
            try processes.stop(role)
            try start(role)
            kills += 1
        }
        try processes.requireRunning()
        for role in SoakRole.all { try processes.stop(role) }
        try verify()
        try FileManager.default.removeItem(at: files.directory)
    }

    // MARK: Processes

    private mutating func start(_ role: SoakRole) throws {
        try processes.start(role, role.arguments(files, seed: random.next()))
    }

    // MARK: Verification

    private func verify() throws {
        for consumer in SoakConsumer.allCases { try consumer.drain(files) }
        let container = try files.open()
        let context = ModelContext(container)
        for consumer in SoakConsumer.allCases { try verifyCopies(of: consumer, context) }
        try verifyReceipts(context)
        // Purges keep what is not sealed.
        try files.seal(container)
        let changes = try verifySize(container)
        let heads = try files.verifySeals(container)
        let integrity = try Shell.sqlite3(files.store, "PRAGMA integrity_check")
        guard integrity == "ok" else { throw SoakFailure("the file is damaged: \(integrity)") }
        let count = try context.fetchCount(FetchDescriptor<Article>())
        Soak.say(
            "soak: passed; \(kills) kills, \(try context.currentHistoryToken().tokenValue?.values.max() ?? 0) "
                + "positions, \(changes) changes kept, \(count) articles, \(heads) heads")
    }

    private func verifyCopies(of consumer: SoakConsumer, _ context: ModelContext) throws {
        guard let expected = try consumer.expectedCopies(context) else { return }
        var found: [String: String] = [:]
        for copy in try ModelContext(try files.openCopy(of: consumer.rawValue)).fetch(FetchDescriptor<Copy>()) {
            found[copy.key] = copy.content
        }
        for key in Set(expected.keys).union(found.keys).sorted() where expected[key] != found[key] {
            throw SoakFailure(
                "\(consumer.rawValue): \(key) is “\(found[key] ?? "missing")” in the copy, and "
                    + "“\(expected[key] ?? "missing")” in the store")
        }
    }

    /// A second receipt of an insert would have failed, so none may be missing.
    private func verifyReceipts(_ context: ModelContext) throws {
        let receipts = Set(try context.fetch(FetchDescriptor<Receipt>()).map(\.article))
        for article in try context.fetch(FetchDescriptor<Article>()) where !receipts.contains(article.key) {
            throw SoakFailure("receipts: the insert of \(article.key) has no receipt")
        }
    }

    /// Purges the history, which every consumer has read, and compares the file with a compact copy.
    ///
    /// - Returns: The number of changes in the history.
    private func verifySize(_ container: ModelContainer) throws -> Int {
        let purged = DispatchSemaphore(value: 0)
        Task {
            do { _ = try await container.purgeHistory() } catch { Soak.say("purge: \(error)") }
            purged.signal()
        }
        purged.wait()
        let statistics = try container.historyStatistics()[0]
        // Long histories are measured by samples, and a purge ends with a seal.
        guard let limit = SoakFiles.retention.maximumChanges, statistics.changes <= limit + limit / 2 else {
            throw SoakFailure("the history has \(statistics.changes) changes after it was purged")
        }
        let compact = files.directory.appending(path: "compact.store")
        _ = try Shell.sqlite3(files.store, "PRAGMA wal_checkpoint(TRUNCATE); VACUUM INTO '\(compact.path)'")
        let (size, needed) = (try files.store.size, try compact.size)
        // Pages may be partly filled; free pages are returned.
        guard size <= needed * 2 + 1_000_000 else {
            throw SoakFailure("the file has \(size) bytes, and its compact copy \(needed)")
        }
        return statistics.changes
    }
}

extension URL {
    fileprivate var size: Int {
        get throws { try resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0 }
    }
}
