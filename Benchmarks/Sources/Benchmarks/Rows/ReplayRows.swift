import Chronicle
import Foundation

/// Exporting a history, compared with reading it, and replaying it, compared with the saves of the source.
enum ReplayRows {
    static var all: [Row] {
        [
            Row(name: "export 10,000 inserts in 100 transactions", limit: .ratio(40), runs: 5) { runs in
                try compare(
                    runs: runs,
                    { directory in
                        let store = try filled(directory)
                        return try timed {
                            _ = try store.context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
                        }
                    },
                    { directory in
                        let store = try filled(directory)
                        return try timed { _ = try store.container.exportHistory { _ in } }
                    })
            },
            Row(name: "replay 10,000 inserts in 100 transactions", limit: .ratio(10), runs: 5) { runs in
                try compare(
                    runs: runs,
                    { directory in
                        let store = try TripStore(directory, .relaxed, preservesValues: true)
                        return try timed { try store.insert(10_000, perSave: 100) }
                    },
                    { directory in
                        let source = directory.appending(path: "source")
                        try FileManager.default.createDirectory(at: source, withIntermediateDirectories: true)
                        var export: Data? = Data()
                        try filled(source).container.exportHistory { export?.append($0) }
                        let store = try TripStore(directory, .relaxed, preservesValues: true)
                        return try timed {
                            _ = try store.container.replayHistory {
                                defer { export = nil }
                                return export
                            }
                        }
                    })
            },
        ]
    }

    private static func filled(_ directory: URL) throws -> TripStore {
        let store = try TripStore(directory, .relaxed, preservesValues: true)
        try store.insert(10_000, perSave: 100)
        return store
    }
}
