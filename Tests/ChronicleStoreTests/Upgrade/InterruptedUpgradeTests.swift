import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// A process that is killed during the upgrade leaves the file in one of the formats, with the same content.
@Suite struct InterruptedUpgradeTests {
    @Test func killedUpgradesLeaveTheContent() throws {
        let original = try Format1Store()
        try original.addRows(150_000)
        let expected = try content(of: original, allowsSave: false)
        let size = try fileSize(original.file.path)
        var random = TestSeed.generator()
        var store = try Format1Store(original)
        for attempt in 0..<8 {
            let comment: Comment = "\(TestSeed.description), attempt \(attempt)"
            let worker = try Worker("upgrade", store.file.path)
            // The log contains the new history, and pages of the old one that were overwritten.
            let threshold = attempt == 0 ? 1 : Int.random(in: 1...size * 3, using: &random)
            while worker.isRunning, try fileSize(store.file.path + "-wal") < threshold {}
            worker.kill()
            let version = try store.version
            if version == "1" {
                #expect(try store.shell(Self.checksum) == original.shell(Self.checksum), comment)
                continue
            }
            #expect(version == "2", comment)
            #expect(try content(of: store) == expected, comment)
            store = try Format1Store(original)
        }
        #expect(try content(of: store) == expected, "\(TestSeed.description)")
        #expect(try store.shell("PRAGMA integrity_check; PRAGMA foreign_key_check") == "ok")
    }

    private static let checksum = """
        SELECT count(*), sum(id), sum(what), sum(detail % 1000), sum(more % 1000) FROM chronicle_change;
        SELECT count(*), sum(length(sql)) FROM sqlite_schema; SELECT * FROM chronicle_source;
        """

    /// The history as text, and what each token selects.
    private func content(of store: Format1Store, allowsSave: Bool = true) throws -> [String] {
        let container = try FixtureFile.open(store.file, allowsSave: allowsSave)
        let context = ModelContext(container)
        let tokens = try Format1Store.fixture.tokens().sorted { $0.key < $1.key }
        let transactions = try context.fetchHistory(Descriptor())
        var lines = transactions.map { transaction in
            let header =
                "\(transaction.token) \(transaction.timestamp) \(transaction.author ?? "-") "
                + "\(transaction.contextName ?? "-") \(transaction.bundleIdentifier) \(transaction.processIdentifier)"
            // The generated transactions have the same changes.
            return transaction.changes.count > 17
                ? "\(header) \(transaction.changes.count)" : "\(header) \(transaction.line)"
        }
        lines += transactions.suffix(3).map(\.line)
        for (name, token) in tokens {
            let error = try failure(of: {
                lines.append("\(name): \(try context.fetchHistoryCount(Descriptor.after(token)))")
            })
            if let error { lines.append("\(name): \(error.detail ?? "")") }
        }
        return lines
    }

    private func fileSize(_ path: String) throws -> Int {
        do {
            return try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        } catch CocoaError.fileReadNoSuchFile { return 0 }
    }
}
