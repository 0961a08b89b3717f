#if Seals
    import Chronicle
    import ChronicleSeals
    import ChronicleTestSupport
    import Foundation

    /// A store whose history is sealed. A file beside it contains the heads that were returned.
    final class SealedStore: ModelStore {
        private var heads: URL { url.deletingLastPathComponent().appending(path: "heads") }

        /// Makes files without a seal.
        func fill() throws {
            try Data().write(to: heads)
            try Operation.fill(self)
        }

        /// Makes files with several seals, and two transactions that none contains.
        func fillSealed() throws {
            try fill()
            try seal()
            for number in 0..<6 {
                let context = ModelContext(try opened())
                context.author = "other"
                for trip in try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.number < 3 })) {
                    trip.note = "\(variant.note)\(number)"
                }
                try context.save()
                if number == 3 { try seal() }
            }
        }

        /// Seals the history with many commits, and keeps the head durably, like a program that keeps it outside of the store.
        func seal() throws {
            let head = try DefaultStore.withSmallSeals { try opened().sealHistory() }
            do {
                let file = try FileHandle(forWritingTo: heads)
                try file.seekToEnd()
                // The first line feed ends what an interrupted write has left.
                try file.write(contentsOf: Data("\n\(head)\n".utf8))
                try file.synchronize()
                try file.close()
            } catch { throw SwiftDataError.storeFailure.with(detail: "the heads", underlying: error) }
        }

        func verification() throws -> SealVerification {
            // A part of a head, which an interrupted write has left, is none.
            let lines = try String(decoding: Data(contentsOf: heads), as: UTF8.self).split(separator: "\n")
            return try opened().verifySeals(lines.compactMap { HistorySeal(String($0)) })
        }

        /// Each head that was returned before the interruption is proven.
        override func state() throws -> State {
            let failures = try verification().failures
            guard failures.isEmpty else { throw Failure.lost(failures.prefix(3).joined(separator: "; ")) }
            return try super.state()
        }

        /// Sealing continues with what was saved since.
        override func verify() throws -> [String] {
            try open()
            try seal()
            let verification = try verification()
            close()
            var problems = verification.failures
            if verification.unsealedTransactions > 0 { problems.append("transactions are not sealed") }
            return try problems + super.verify()
        }
    }
#endif

extension Operation {
    #if Seals
        static let sealed: [Operation] = [
            sealed("seal", .steps, isSealed: false) { store, step in
                try step { try store.seal() }
                try save(store.opened(), step) { $0.insert(Trip("new", 1)) }
                try step { try store.seal() }
            } checkResult: {
                $0.newest == nil ? "nothing is sealed" : nil
            },
            sealed("sealed-purge", .rows) { store, step in
                try step {
                    let store = try store.store()
                    let plan = try store.planHistoryPurge(HistoryRetention(maximumChanges: 10), at: .now)
                    while try !store.purgeHistory(plan).isLast {}
                }
                try step { try store.seal() }
            } checkResult: {
                $0.boundary == nil ? "nothing is purged" : nil
            },
            sealed("sealed-delete", .steps) { store, step in
                try step {
                    try ModelContext(store.opened()).deleteHistory(
                        HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.author == "other" }))
                }
                try step { try store.seal() }
            } checkResult: {
                $0.exceptions.deletedTransactions == 0 ? "nothing is deleted" : nil
            },
            sealed("sealed-erase-values", .rows) { store, step in
                try step { try store.store().erasePreservedValues(ofEntityNamed: "Trip") }
                try step { try store.seal() }
            } checkResult: {
                $0.exceptions.erasedValues == 0 ? "nothing is erased" : nil
            },
            sealed("sealed-erase", .steps) { store, step in
                try step { try store.store().erase() }
                try step { try store.seal() }
            } checkResult: {
                $0.boundary == nil ? "nothing is purged" : nil
            },
        ]

        private static func sealed(
            _ name: String, _ guarantee: Guarantee, isSealed: Bool = true,
            _ run: @escaping @Sendable (SealedStore, Steps) throws -> Void,
            checkResult: @escaping @Sendable (SealVerification) -> String?
        ) -> Operation {
            Operation(
                // A run of the sealer has several commits.
                name: name, guarantee: guarantee, isAtomic: false,
                makeStore: { SealedStore($0.appending(path: "store"), $1) },
                prepare: { store in
                    guard let store = store as? SealedStore else { return }
                    try isSealed ? store.fillSealed() : store.fill()
                },
                run: { if let store = $0 as? SealedStore { try run(store, $1) } },
                checkResult: { try ($0 as? SealedStore).flatMap { try checkResult($0.verification()) } })
        }
    #else
        /// Hashes need the trait.
        static let sealed: [Operation] = []
    #endif
}
