#if Seals
    import ChronicleCore
    import ChronicleSQLite
    import ChronicleTestSupport
    import Foundation

    /// The rows of a history, which tell what an operation has deleted.
    struct HistoryRows {
        var headers: Set<Int64> = []
        var voidHeaders: Set<Int64> = []
        var all: Set<Int64> = []
        /// The rows with a preserved value.
        var values: Set<Int64> = []

        init(_ connection: Connection) throws {
            let statement = try connection.prepare("SELECT id, kind, attributes IS NULL FROM chronicle_change")
            while try statement.step() {
                let (row, kind) = (statement.int64(0), statement.int64(1))
                all.insert(row)
                if kind < 0 { headers.insert(row) }
                if kind == 0 { voidHeaders.insert(row) }
                if kind > 0, kind & 15 != 2, statement.int64(2) == 0 { values.insert(row) }
            }
        }
    }

    /// What each head of a history proves, from what happened since. It depends on the rows of the history and on the numbers of
    /// the seals, and on no event.
    struct SealReference {
        struct Head: Hashable {
            let number: Int64
            let seal: HistorySeal
        }

        enum Change {
            case deletion, purge, other
        }

        /// The seals of this branch, in their order.
        private(set) var heads: [Head] = []
        /// Sealed transactions that a deletion or a purge has removed, sealed void headers that are gone, and rows of erased
        /// values.
        private var deleted: Set<Int64> = []
        private var purged: Set<Int64> = []
        private var goneVoidHeaders: Set<Int64> = []
        private var erased: Set<Int64> = []
        /// Rows that were deleted before they were sealed.
        private var unproven: Set<Int64> = []
        /// The sealed transactions and void headers.
        private var entries: Set<Int64> = []
        /// The first position of each deletion or erasure since the newest seal, and whether a purge has reached the end of a seal.
        private var unsealedChanges: [Int64] = []
        private var hasUnsealedPurge = false
        /// Whether a purge since then has deleted a void header, which an earlier event can also explain.
        private var hasUnsealedVoidHeader = false
        private var firstNumber: Int64 = 1
        /// Whether a purge may have reached the end of the first seal: it has deleted transactions, or others were deleted before.
        private var hasPurgedFirst = false

        private var end: Int64 { heads.last?.seal.position ?? 0 }

        // MARK: Operations

        mutating func apply(_ change: Change, _ before: HistoryRows, _ after: HistoryRows, firstNumber: Int64) {
            let missing = before.all.subtracting(after.all)
            let end = end
            let gone = before.headers.subtracting(after.headers).filter { $0 <= end }
            switch change {
            case .deletion:
                deleted.formUnion(gone)
                if let first = gone.min() { unsealedChanges.append(first) }
            case .purge:
                purged.formUnion(gone)
                if !gone.isEmpty { hasPurgedFirst = true }
                if firstNumber != self.firstNumber { hasUnsealedPurge = true }
                if let first = heads.first, !after.all.contains(where: { $0 <= first.seal.position }) {
                    hasPurgedFirst = true
                }
                if let first = gone.min() { unsealedChanges.append(first) }
            case .other: break
            }
            let goneVoidHeaders = before.voidHeaders.intersection(missing).filter { $0 <= end }
            if !goneVoidHeaders.isEmpty { hasUnsealedVoidHeader = true }
            self.goneVoidHeaders.formUnion(goneVoidHeaders)
            unproven.formUnion(missing.filter { $0 > end })
            // Those that the operation itself has recorded and then deleted.
            let (next, newest) = (max(before.all.max() ?? 0, end) + 1, after.all.max() ?? 0)
            if next < newest { unproven.formUnion(Set(next..<newest).subtracting(after.all)) }
            let values = before.values.subtracting(after.values).intersection(after.all).filter { $0 <= end }
            erased.formUnion(values)
            if let first = values.min() { unsealedChanges.append(first) }
            self.firstNumber = firstNumber
        }

        mutating func add(_ seals: [Head], _ rows: HistoryRows) {
            let end = end
            heads += seals
            entries.formUnion(rows.headers.union(rows.voidHeaders).filter { $0 > end && $0 <= self.end })
            (unsealedChanges, hasUnsealedPurge, hasUnsealedVoidHeader) = ([], false, false)
        }

        // MARK: Expectations

        /// The position up to which everything was purged.
        private var boundary: Int64 { heads.first { $0.number == firstNumber }?.seal.position ?? 0 }

        /// Returns what is wrong with the outcome of a head.
        func failure(of head: HistorySeal, _ outcome: SealVerification.Outcome) -> String? {
            guard let own = heads.first(where: { $0.seal == head }) else {
                return lostFailure(head.position, outcome)
            }
            guard own.number >= firstNumber else {
                return outcome == .purged ? nil : "\(head) is \(outcome), not purged"
            }
            guard let exceptions = outcome.exceptions else { return "\(head) is \(outcome), not proven" }
            return failure(head.position, exceptions).map { "\(head): \($0), \(exceptions)" }
        }

        /// A head of another branch.
        private func lostFailure(_ position: Int64, _ outcome: SealVerification.Outcome) -> String? {
            let expected: [SealVerification.Outcome]
            if position > end {
                expected = [.absent]
            } else if position > boundary || firstNumber == 1 && !hasPurgedFirst {
                expected = [.forked]
            } else {
                // The first seal is a boundary only if a purge has reached its end.
                expected = firstNumber == 1 ? [.purged, .forked] : [.purged]
            }
            return expected.contains(outcome) ? nil : "the lost head at \(position) is \(outcome), not \(expected)"
        }

        private func failure(_ position: Int64, _ exceptions: SealVerification.Exceptions) -> String? {
            // The end of the first seal is the boundary only if a purge has reached it.
            let start = firstNumber == 1 && !hasPurgedFirst ? 0 : boundary
            let lowest = firstNumber == 1 ? 0 : boundary
            // A purge also deletes transactions of a seal that remains because its last entry is missing.
            let oldest = !hasPurgedFirst ? start : (present.filter { $0 > start }.min() ?? .max) - 1
            func count(_ positions: Set<Int64>, after start: Int64) -> Int {
                positions.count { $0 > start && $0 <= position }
            }
            let missing = deleted.union(purged).union(goneVoidHeaders)
            let deletions = count(deleted, after: oldest)...count(missing, after: lowest)
            guard deletions.contains(exceptions.deletedTransactions) else { return "\(deletions) deleted transactions" }
            // Those of deleted transactions are no exceptions any more.
            let erasures = count(erased.intersection(present), after: start)...count(erased, after: lowest)
            guard erasures.contains(exceptions.erasedValues) else { return "\(erasures) erased values" }
            func compared(_ positions: some Sequence<Int64>) -> Set<Int64> {
                Set(positions.filter { $0 > oldest && $0 <= position })
            }
            let ranges = exceptions.unprovenRanges.flatMap { $0.clamped(to: 0...1_000_000) }
            // Where a missing transaction began is not known.
            let sorted = entries.sorted()
            let visible = unproven.filter { row in sorted.first { $0 > row }.map { !missing.contains($0) } ?? true }
            guard compared(visible).isSubset(of: ranges), compared(ranges).isSubset(of: unproven) else {
                return "unproven ranges"
            }
            let isUnconfirmed = hasUnsealedPurge || unsealedChanges.contains { $0 > start && $0 <= position }
            if isUnconfirmed, exceptions.unconfirmedEvents.isEmpty { return "unconfirmed events are missing" }
            if unsealedChanges.isEmpty, !hasUnsealedPurge, !hasUnsealedVoidHeader, !exceptions.unconfirmedEvents.isEmpty
            {
                return "unconfirmed events"
            }
            return nil
        }

        /// The rows of the history now.
        var present: Set<Int64> = []
    }
#endif
