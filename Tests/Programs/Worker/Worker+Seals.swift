import Chronicle
import ChronicleSeals
import ChronicleTestSupport
import Foundation

@testable import ChronicleStore

extension Worker {
    /// Seals the history of trips. The file `heads` beside the store contains the heads that were returned.
    static func seal(_ configuration: ModelConfiguration, _ arguments: [String]) throws {
        #if Seals
            var configuration = configuration
            configuration.preservesValues = true
            let container = try ModelContainer(for: Trip.self, configurations: configuration)
            let sealer = SealingWorker(container: container, heads: SealHeads(besideStoreAt: configuration.url))
            switch arguments[0] {
            case "seal": try sealer.run(seed: UInt64(arguments[2]) ?? 0)
            case "seal-saves":
                try sealer.save(
                    author: arguments[2], saves: Int(arguments[3]) ?? 0, hasLocks: arguments.last != "unlocked")
            default: try sealer.sealInSteps(runs: Int(arguments[2]) ?? 0)
            }
        #endif
    }
}

#if Seals
    private struct SealingWorker {
        let container: ModelContainer
        let heads: SealHeads

        private func seal() throws {
            try heads.append(DefaultStore.withSmallSeals { try container.sealHistory() })
        }

        private var store: DefaultStore {
            get throws {
                guard let store = container.stores.first as? DefaultStore else { throw SwiftDataError.storeFailure }
                return store
            }
        }

        func run(seed: UInt64) throws {
            var random = SplitMix(state: seed)
            while true {
                switch random.below(16) {
                case 0: try store.erasePreservedValues([random.pick([\Trip.name, \Trip.note])], of: Trip.self)
                case 1, 2:
                    let maximum = random.below(80)
                    let plan = try store.planHistoryPurge(HistoryRetention(maximumChanges: maximum), at: .now)
                    while try !store.purgeHistory(plan).isLast {}
                case 3, 4:
                    try ModelContext(container).deleteHistory(
                        HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.author == "deleted" }))
                case 5...9: try seal()
                default: try change(&random)
                }
                Worker.emit(".")
            }
        }

        private func change(_ random: inout SplitMix) throws {
            let context = ModelContext(container)
            context.author = random.pick(["deleted", "kept"])
            for trip in try context.fetch(FetchDescriptor<Trip>()) where random.below(4) == 0 {
                if random.below(3) == 0 { context.delete(trip) } else { trip.note = "note \(random.next())" }
            }
            for _ in 0...random.below(3) {
                context.insert(Trip(name: "trip \(random.next())", destination: "somewhere"))
            }
            try context.save()
        }

        /// Without locks, the passes of two processes may end each other.
        func save(author: String, saves: Int, hasLocks: Bool) throws {
            for number in 0..<saves {
                let context = ModelContext(container)
                context.author = author
                context.insert(Trip(name: "\(author) \(number)", destination: "somewhere"))
                try context.save()
                do {
                    if !hasLocks { try removeLocks() }
                    try seal()
                } catch SwiftDataError.historyConsumerInUse where !hasLocks {}
            }
            Worker.emit("sealed\n")
        }

        /// The next lock is that of another file, which does not exclude the holder of this one.
        private func removeLocks() throws {
            let locks = URL(fileURLWithPath: ConsumerLock.path(ofStoreAt: try store.configuration.url.path))
            do { try FileManager.default.removeItem(at: locks) } catch CocoaError.fileNoSuchFile {}
        }

        /// Prints a comma before each run and after the last one, and a dot before each step.
        func sealInSteps(runs: Int) throws {
            func pause(_ text: String) throws {
                Worker.emit(text)
                guard try FileHandle.standardInput.read(upToCount: 1)?.count == 1 else { exit(65) }
            }
            for _ in 0..<runs {
                try pause(",")
                let head = try DefaultStore.withSmallSeals {
                    try store.sealHistory(SealHashing(), observing: { _ in try pause(".") })
                }
                try heads.append(head)
            }
            try pause(",")
        }
    }
#endif
