import Chronicle
import ChronicleSQLite
import Foundation

@testable import ChronicleStore

/// Members of a group of processes, which tests stop and kill.
extension Worker {
    /// Opens a container with an observer and a consumer that has read everything, and prints a dot for each commit that
    /// the observer counts.
    static func idle(_ container: ModelContainer, releases: Bool) async throws {
        let observer = try HistoryObserver(modelContainer: container)
        let context = ModelContext(container)
        context.insert(Note(text: "idle", number: 0))
        try context.save()
        let consumer = try container.historyConsumer(named: "idle", startingNewAt: .beginning)
        while let batch = try consumer.nextBatch() { try consumer.acknowledge(batch) }
        if releases { consumer.release() }
        var seen = 0
        for await count in observer.eventCounts {
            emit(String(repeating: ".", count: count - seen))
            seen = count
        }
    }

    /// Prints a dot within a write transaction, and waits until it is killed.
    static func holdWrite(_ context: ModelContext) throws {
        guard let store = context.container.stores.first as? DefaultStore else { exit(65) }
        try store.database.write { connection in
            try connection.immediate {
                try connection.execute("INSERT INTO Note(text, number) VALUES ('unfinished', 1)")
                emit(".")
                while true { pause() }
            }
        }
    }
}
