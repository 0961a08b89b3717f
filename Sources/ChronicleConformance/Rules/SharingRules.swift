import Chronicle
import Synchronization

// Several stores that have one place open, as several programs would.
extension StoreRule {
    static var sharedSaves: StoreRule {
        StoreRule(
            "stores that are opened on one place at once see each other's saves", needs: .sharing
        ) { bench in
            let configuration = try bench.newConfiguration()
            let (writers, saves) = (3, 8)
            // None of them is there yet: one of the threads makes the place.
            let containers = Mutex<[ModelContainer]>([])
            try Parallel.run(writers) { writer in
                let container = try StoreBench<Store>.open(configuration)
                let context = ModelContext(container)
                for index in 0..<saves { try context.retrying { try $0.add("\(writer)-\(index)") } }
                containers.withLock { $0.append(container) }
            }
            let expected = (0..<writers).flatMap { writer in (0..<saves).map { "\(writer)-\($0)" } }.sorted()
            for container in containers.withLock(\.self) {
                let titles = try ModelContext(container).books().map(\.title)
                try expect(titles.sorted(), is: expected, "the books that one of the stores finds")
            }
        }
    }
}

extension StoreRule where Store: HistoryProviding {
    static var sharedHistory: StoreRule {
        StoreRule(
            "reliable: a reader in one store gets what other stores on its place save, once",
            needs: .sharing
        ) { bench in
            let configuration = try bench.newConfiguration()
            try bench.opening(configuration) { first in
                let start = try require(first.write("start").first, "a transaction for a save").token
                let lines = try linesBesideWriters(after: start, in: first.container) { _ in
                    try StoreBench<Store>.open(configuration)
                }
                try expect(lines.count, is: 45, "the number of changes")
                try expect(Set(lines).count, is: 45, "the number of different changes")
            }
        }
    }
}
