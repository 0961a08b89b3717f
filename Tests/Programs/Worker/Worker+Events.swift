import Chronicle
import Foundation

@testable import ChronicleCore

extension Worker {
    /// Reads the history after each commit event until it has seen the given number of transactions of Chronicle.
    static func follow(_ container: ModelContainer, transactions: Int) async throws {
        let events = try container.commitEvents()
        var token: DefaultHistoryToken?
        var (seen, isOrdered) = (0, true)
        emit("following\n")
        while seen < transactions {
            let page = try ModelContext(container).fetchHistory(
                token.map { HistoryDescriptor.after($0) } ?? HistoryDescriptor())
            for transaction in page {
                isOrdered = isOrdered && token.map { $0 < transaction.token } ?? true
                token = transaction.token
            }
            seen += page.count { $0.author != nil }
            if seen < transactions { await events.next() }
        }
        let isLast = try ModelContext(container).currentHistoryToken() == token
        emit("\(seen) \(isOrdered ? "ordered" : "mixed") \(isLast ? "complete" : "incomplete")\n")
    }

    /// Starts and ends watching, and waits until the process has no more descriptors and threads than before.
    static func watch(_ container: ModelContainer, times: Int) async throws {
        func cycle() throws {
            let all = try (0..<3).map { _ in try container.commitEvents() }
            for events in all { events.cancel() }
        }
        // The first use of a thread opens what the process keeps.
        try cycle()
        let before = try open()
        for _ in 0..<times { try cycle() }
        // A thread disappears, with what it has open, shortly after it has signalled its end.
        var after = try open()
        while after.descriptors > before.descriptors || after.threads > before.threads {
            await Task.yield()
            after = try open()
        }
        emit("closed\n")
    }

    private static func open() throws -> (descriptors: Int, threads: Int) {
        let manager = FileManager.default
        return (
            try manager.contentsOfDirectory(atPath: "/proc/self/fd").count,
            try manager.contentsOfDirectory(atPath: "/proc/self/task").count
        )
    }
}
