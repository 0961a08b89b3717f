import Chronicle
import Foundation
import Synchronization

// Rules about several stores at the same location, as if several programs had opened it.
extension StoreRule {
    static var sharedSaves: StoreRule {
        StoreRule(
            "stores at the same location see each other's saves", needs: .sharing
        ) { harness in
            let configuration = try harness.newConfiguration()
            let (writers, saves) = (3, 8)
            // The location does not exist yet: one of the threads creates the store.
            let containers = Mutex<[ModelContainer]>([])
            try Parallel.run(writers) { writer in
                let container = try StoreHarness<Store>.open(configuration)
                let context = ModelContext(container)
                for index in 0..<saves { try context.retrying { try $0.add("\(writer)-\(index)") } }
                containers.withLock { $0.append(container) }
            }
            let expected = (0..<writers).flatMap { writer in (0..<saves).map { "\(writer)-\($0)" } }.sorted()
            for container in containers.withLock(\.self) {
                let titles = try ModelContext(container).books().map(\.title)
                try expect(titles.sorted(), is: expected, "the books in one of the stores")
            }
        }
    }

    static var processSaves: StoreRule {
        StoreRule(
            "concurrent saves of several processes are all stored", needs: .sharing,
            capabilities: [.killing]
        ) { harness in
            let configuration = try harness.newConfiguration()
            // The location does not exist yet: one of the processes creates the store.
            let writers = try (0..<3).map { try WorkerCommand(.books(writer: $0), on: configuration, harness) }
            let saved = try WorkerCommand.run(writers, saves: 15)
            let titles = try harness.opening(configuration) { try $0.context().books().map(\.title) }
            for (writer, count) in saved.enumerated() {
                let missing = (1...count).map { "\(writer)-\($0)" }.filter { !titles.contains($0) }
                try expect(
                    missing.isEmpty,
                    "all \(count) acknowledged saves of a process, found \(missing.count) lost: a store must read what "
                        + "a save depends on under a lock that other processes respect")
            }
            try expect(Set(titles).count, is: titles.count, "the number of different books")
            // Each process may have completed one save that it did not report before it was killed.
            let maximum = saved.reduce(0) { $0 + $1 + 1 }
            try expect(titles.count <= maximum, "at most \(maximum) books, found \(titles.count)")
        }
    }
}

extension StoreRule where Store: HistoryProviding {
    static var sharedHistory: StoreRule {
        StoreRule(
            "reliable: the history contains saves of other stores at the location once",
            needs: .sharing
        ) { harness in
            let configuration = try harness.newConfiguration()
            try harness.opening(configuration) { first in
                let start = try require(first.write("start").first, "a transaction for a save").token
                let lines = try linesDuringWrites(after: start, in: first.container) { _ in
                    try StoreHarness<Store>.open(configuration)
                }
                try expect(lines.count, is: 45, "the number of changes")
                try expect(Set(lines).count, is: 45, "the number of different changes")
            }
        }
    }

    static var processHistory: StoreRule {
        StoreRule(
            "reliable: the history contains saves of other processes once", needs: .sharing, capabilities: [.killing]
        ) { harness in
            let configuration = try harness.newConfiguration()
            try harness.opening(configuration) { first in
                let start = try require(first.write("start").first, "a transaction for a save").token
                let writers = try (0..<2).map { try WorkerCommand(.books(writer: $0), on: configuration, harness) }
                let read = try transactions(after: start, in: first.container) {
                    _ = try WorkerCommand.run(writers, saves: 15)
                }
                let lines = read.flatMap(\.changes).map(\.line)
                try expect(lines.count, is: first.context().books().count - 1, "the number of changes")
                try expect(Set(lines).count, is: lines.count, "the number of different changes")
                for case let transaction as DefaultHistoryTransaction in read {
                    try expect(
                        transaction.processIdentifier != String(ProcessInfo.processInfo.processIdentifier),
                        "the process identifier of the saving process, found that of the reading process")
                }
            }
        }
    }
}
