/// What is missing in a chain, and whether events explain it.
struct SealOmissions {
    /// What is missing in a seal, with the events that explain it and are not confirmed.
    private struct Explained {
        let seal: Int64
        var erasedValues = 0
        var deletedTransactions = 0
        var ranges: [ClosedRange<Int64>] = []
        var events: Set<Int64> = []
    }

    private let known: SealEvents
    private var explained: [Explained] = []
    /// The events that are not confirmed and explain the boundary or a bound.
    private var boundaryEvents: Set<Int64> = []
    private(set) var boundary: SealedHistoryPart.Seal?
    /// The first difference that no event explains.
    private(set) var unexplained: SealVerification.Difference?
    /// The seals before the first one, if no purge explains that they are missing.
    private(set) var beginning: SealVerification.Difference?
    /// The first bound that hides something.
    private(set) var hidden: SealVerification.Difference?
    /// The last position that was deleted by an event.
    private var lastDeleted: Int64 = 0
    /// The numbers of erased values of purged seals, by the events.
    private var erasedBeforePurge: [Int64: Int] = [:]

    var events: [SealVerification.Event] { known.all.map(\.reported) }

    /// - Parameters:
    ///   - parts: Linked parts of a chain.
    ///   - number: The number of the newest seal that a given head confirms.
    init(_ parts: [SealedHistoryPart], confirmed number: Int64) {
        known = SealEvents(parts, confirmedThrough: number)
        addBoundary(parts)
        for (index, part) in parts.enumerated() {
            for omission in part.omissions where omission.seal != boundary?.number { add(omission, part, index) }
            for hole in part.holes { add(hole, in: part) }
            addSuspect(of: part)
            addReturned(part, index)
        }
        addHidden(parts)
        explained.sort { $0.seal < $1.seal }
    }

    /// Returns what the proof of a head does not contain.
    func exceptions(through seal: Int64) -> SealVerification.Exceptions {
        var (exceptions, events) = (SealVerification.Exceptions(), boundaryEvents)
        for known in explained where known.seal <= seal {
            exceptions.erasedValues += known.erasedValues
            exceptions.deletedTransactions += known.deletedTransactions
            exceptions.unprovenRanges += known.ranges
            events.formUnion(known.events)
        }
        exceptions.unprovenRanges.sort { $0.lowerBound < $1.lowerBound }
        exceptions.unconfirmedEvents = events.sorted()
        return exceptions
    }

    private mutating func add(
        _ kind: SealVerification.Difference.Kind, _ position: Int64?, _ seal: Int64, _ detail: String,
        in part: SealedHistoryPart
    ) {
        let difference = SealVerification.Difference(kind, position: position, seal: seal, detail)
        unexplained = .first(unexplained, part.naming(difference))
    }

    // MARK: Purges and deletions

    private mutating func addBoundary(_ parts: [SealedHistoryPart]) {
        guard let first = parts.first?.first else { return }
        // The event of an archive can have been extended by later steps of the purge.
        let event =
            known.purges.first { $0.boundary == first.number && $0.through >= first.last }
            ?? known.purges.first { first.number > 1 && $0.boundary ?? 0 > first.number && $0.through >= first.last }
        if let event {
            boundary = first
            confirm(event.event)
        } else if first.number > 1 {
            beginning = SealVerification.Difference(
                .missing, seal: first.number - 1, "the seals up to \(first.number - 1) are missing without a purge")
            unexplained = beginning
        }
    }

    private mutating func add(_ omission: SealedHistoryPart.Omission, _ part: SealedHistoryPart, _ index: Int) {
        var result = Explained(seal: omission.seal)
        let deletions = known.deletions[omission.seal] ?? []
        for (entry, position) in omission.missing {
            let deletion = deletions.first { $0.content.hasBit(entry) }
            // A purge deletes from the beginning.
            let isFirst = position < part.firstTransaction ?? .max
            let purge = isFirst ? known.purges.first { position <= $0.end } : nil
            guard
                let event = [deletion?.event, purge?.event].compactMap({ $0 }).first(where: known.isConfirmed)
                    ?? deletion?.event ?? purge?.event
            else {
                add(.removed, position, omission.seal, "the transaction was removed without an event", in: part)
                break
            }
            result.deletedTransactions += 1
            lastDeleted = max(lastDeleted, position)
            if !known.isConfirmed(event) { result.events.insert(event) }
        }
        for (event, content, position) in omission.erased {
            let knownPart = known.erasures[SealEvents.Part(event: event, seal: omission.seal)]
            guard let sealed = knownPart ?? partBeforePurge(event, omission.seal, content.erasedCount, index) else {
                add(.erased, position, omission.seal, "the value was erased without an event", in: part)
                continue
            }
            result.erasedValues = result.erasedValues.saturatingAdd(content.erasedCount)
            if !known.isConfirmed(event) { result.events.insert(event) }
            // The seal with the event computes it. An archive can be older than the last erased values of the event.
            guard !sealed.isEmpty, sealed != content else { continue }
            guard known.places[event] != index, content.erasedCount <= sealed.erasedCount else {
                let isRestored = content.erasedCount < sealed.erasedCount
                add(
                    isRestored ? .restored : .erased, isRestored ? nil : position, omission.seal,
                    isRestored
                        ? "an erased value was written again"
                        : "other values are missing than those that the event erased", in: part)
                continue
            }
        }
        explained.append(result)
    }

    /// An archive can have values that were erased by an event that was sealed later. If a purge deleted the seal before that, it
    /// deleted the part of the event. The number of all values of the event remains.
    private mutating func partBeforePurge(_ event: Int64, _ seal: Int64, _ count: Int, _ index: Int) -> [UInt8]? {
        guard known.places[event] ?? index > index, known.purges.contains(where: { $0.boundary ?? 0 >= seal }),
            let values = known.erasedValues[event]
        else { return nil }
        let others = known.erasures.reduce(erasedBeforePurge[event] ?? 0) {
            $1.key.event == event ? $0.saturatingAdd($1.value.erasedCount) : $0
        }
        guard others.saturatingAdd(count) <= values else { return nil }
        erasedBeforePurge[event] = (erasedBeforePurge[event] ?? 0).saturatingAdd(count)
        return []
    }

    /// A transaction of which a purge has deleted changes differs from its seal.
    private mutating func addSuspect(of part: SealedHistoryPart) {
        guard let (position, difference) = part.suspect, let seal = difference.seal else { return }
        // What remains is not verified, so it must be hidden from readers.
        guard let event = known.partlyPurgedAfterSealing[position],
            part.bounds.map({ $0.purged ?? 0 >= position }) ?? true
        else {
            unexplained = .first(unexplained, difference)
            return
        }
        var result = Explained(seal: seal, deletedTransactions: 1)
        if !known.isConfirmed(event) { result.events.insert(event) }
        explained.append(result)
    }

    /// What an event of the same part says of a seal is also missing.
    private mutating func addReturned(_ part: SealedHistoryPart, _ index: Int) {
        guard let first = part.first, let newest = part.newest else { return }
        let omissions = Dictionary(part.omissions.map { ($0.seal, $0) }, uniquingKeysWith: { known, _ in known })
        // The rows of the first seal are in the archive before, or were purged.
        func isCompared(_ seal: Int64, _ event: Int64) -> Bool {
            seal >= first.number && seal <= newest.number && seal < part.firstDifferent && known.places[event] == index
                && seal != boundary?.number && !(part.isLinked && seal == first.number)
        }
        for (seal, events) in known.deletions {
            let missing = Set(omissions[seal]?.missing.map(\.index) ?? [])
            for event in events where isCompared(seal, event.event) {
                guard event.content.bitCount > missing.count(where: event.content.hasBit) else { continue }
                add(.restored, nil, seal, "a deleted transaction was written again", in: part)
            }
        }
        for (key, content) in known.erasures where isCompared(key.seal, key.event) && content.erasedCount > 0 {
            let erased = omissions[key.seal]?.erased.contains { $0.event == key.event } ?? false
            if !erased { add(.restored, nil, key.seal, "an erased value was written again", in: part) }
        }
    }

    // MARK: Holes

    private mutating func add(_ hole: SealedHistoryPart.Hole, in part: SealedHistoryPart) {
        var result = Explained(seal: hole.seal)
        var first = hole.positions.lowerBound
        let last = hole.positions.upperBound
        if let begun = known.begun.first(where: { $0.detail.newest >= first }) {
            if !known.isConfirmed(begun.event) { result.events.insert(begun.event) }
            guard begun.detail.newest < last else { return explained.append(result) }
            first = begun.detail.newest + 1
        }
        result.ranges = [first...last]
        while first <= last {
            guard let (event, end) = known.unproven(at: first) else {
                return add(
                    .removed, first, hole.seal,
                    "the positions \(first) to \(last) were removed before they were sealed, without an event",
                    in: part)
            }
            if !known.isConfirmed(event) { result.events.insert(event) }
            guard end < last else { break }
            first = end + 1
        }
        explained.append(result)
    }

    // MARK: Bounds

    /// What hides rows from readers must follow from the events.
    private mutating func addHidden(_ parts: [SealedHistoryPart]) {
        guard let part = parts.last, part.found == nil, part.broken == nil, unexplained == nil,
            let bounds = part.bounds,
            let first = part.firstTransaction, let newest = part.newest
        else { return }
        var floor = lastDeleted
        // An event explains a bound only if its rows are missing. A purge deletes from the beginning.
        for purge in known.purges where purge.end < first { floor = max(floor, purge.through) }
        // It is the position of what was deleted last.
        if part.holes.contains(where: { $0.positions.contains(bounds.floor) }) { floor = max(floor, bounds.floor) }
        for range in known.unproven.flatMap(\.ranges) where range.upperBound < first || range.lowerBound > newest.last {
            floor = max(floor, range.upperBound)
        }
        for position in known.partlyPurged.keys where position <= first { floor = max(floor, position) }
        let begun = known.begun.first
        // The header of a transaction without changes, which was the newest row.
        let isVoid =
            part.voidBounds.contains(bounds.floor)
            || bounds.floor > newest.last && known.unproven.contains { !$0.isSealed && $0.ranges.isEmpty }
        if part.lastUpToFloor ?? 0 > floor, !isVoid {
            if let begun, part.lastUpToFloor ?? 0 <= begun.detail.floor {
                confirm(begun.event)
            } else {
                addHidden("floor", bounds.floor)
            }
        }
        if let purged = bounds.purged, purged >= first {
            // It is the first transaction that is there.
            if purged == first, let event = known.partlyPurged[purged] {
                confirm(event)
            } else {
                addHidden("purged", purged)
            }
        }
        let isRecorded =
            part.voidBounds.contains(bounds.gap) || bounds.gap > newest.last || bounds.gap < first
            || bounds.gap <= floor
            || known.unproven.contains { $0.ranges.contains { $0.contains(bounds.gap) } }
        if !isRecorded {
            if let begun, begun.detail.gap == bounds.gap {
                confirm(begun.event)
            } else {
                addHidden("gap", bounds.gap)
            }
        }
    }

    /// Names an event that no given head contains.
    private mutating func confirm(_ event: Int64) {
        if !known.isConfirmed(event) { boundaryEvents.insert(event) }
    }

    private mutating func addHidden(_ name: String, _ position: Int64) {
        let difference = SealVerification.Difference(
            .hidden, position: position, "the position \"\(name)\" hides sealed transactions, and no event explains it")
        hidden = .first(hidden, difference)
    }
}

extension [UInt8] {
    /// Whether the part of a deletion has the bit of an entry.
    fileprivate func hasBit(_ entry: Int) -> Bool {
        entry >= 0 && entry / 8 < count && self[entry / 8] >> (entry % 8) & 1 == 1
    }

    fileprivate var bitCount: Int { reduce(0) { $0 + $1.nonzeroBitCount } }

    /// The number of the part of an erasure; 0 if it is not known.
    fileprivate var erasedCount: Int {
        guard count == MemoryLayout<Int64>.size + HistoryDigest.count else { return 0 }
        return Int(clamping: prefix(MemoryLayout<Int64>.size).reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
    }
}

extension Int {
    fileprivate func saturatingAdd(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
