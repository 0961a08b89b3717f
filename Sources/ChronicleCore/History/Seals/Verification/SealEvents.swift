import Foundation

/// The events of all parts of a chain, by what they explain.
struct SealEvents {
    struct Purge {
        let event: Int64
        /// Transactions up to it are deleted.
        let end: Int64
        let through: Int64
        let boundary: Int64?
    }

    struct Unproven {
        let event: Int64
        let ranges: [ClosedRange<Int64>]
        let isSealed: Bool
    }

    struct Part: Hashable {
        let event: Int64
        let seal: Int64
    }

    /// All in their order.
    private(set) var all: [SealedHistoryPart.Event] = []
    private(set) var purges: [Purge] = []
    private(set) var unproven: [Unproven] = []
    private(set) var begun: [(event: Int64, detail: BegunDetail)] = []
    /// Deleted transactions by seals, those of confirmed events first.
    private(set) var deletions: [Int64: [(event: Int64, content: [UInt8])]] = [:]
    private(set) var erasures: [Part: [UInt8]] = [:]
    /// The numbers of erased values by the event, those of purged seals included.
    private(set) var erasedValues: [Int64: Int] = [:]
    /// The headers of transactions that a purge deleted in part, with the events.
    private(set) var partlyPurged: [Int64: Int64] = [:]
    /// Those of them that were sealed before, so that they have another hash now. The hash of others is that of what remains.
    private(set) var partlyPurgedAfterSealing: [Int64: Int64] = [:]
    /// The indexes of the parts of the chain, by the events.
    private(set) var places: [Int64: Int] = [:]
    private var confirmed: Set<Int64> = []
    /// The ranges of unproven positions by their beginnings, each with the farthest end of those up to it.
    private var ranges: [(first: Int64, end: Int64, event: Int64)] = []

    /// - Parameter number: The number of the newest seal that a given head confirms.
    init(_ parts: [SealedHistoryPart], confirmedThrough number: Int64) {
        for (index, part) in parts.enumerated() {
            for event in part.events where places[event.event.number] == nil {
                places[event.event.number] = index
                if let seal = event.seal, seal <= number { confirmed.insert(event.event.number) }
                all.append(event)
            }
        }
        all.sort { $0.event.number < $1.event.number }
        for event in all { add(event.event, isSealed: event.seal != nil) }
        sortRanges()
        let confirmed = confirmed
        purges.sort {
            (confirmed.contains($0.event) ? 0 : 1, $0.event) < (confirmed.contains($1.event) ? 0 : 1, $1.event)
        }
        for (seal, events) in deletions {
            deletions[seal] = events.filter { isConfirmed($0.event) } + events.filter { !isConfirmed($0.event) }
        }
    }

    private mutating func sortRanges() {
        for event in unproven { ranges += event.ranges.map { ($0.lowerBound, $0.upperBound, event.event) } }
        let confirmed = confirmed
        ranges.sort {
            ($0.first, confirmed.contains($0.event) ? 0 : 1) < ($1.first, confirmed.contains($1.event) ? 0 : 1)
        }
        for index in ranges.indices.dropFirst() where ranges[index].end <= ranges[index - 1].end {
            (ranges[index].end, ranges[index].event) = (ranges[index - 1].end, ranges[index - 1].event)
        }
    }

    /// Returns the event whose range contains a position, and the end of the range.
    func unproven(at position: Int64) -> (event: Int64, end: Int64)? {
        var candidates = ranges.indices
        // The last range that begins up to the position.
        while !candidates.isEmpty {
            let middle = candidates.lowerBound + candidates.count / 2
            if ranges[middle].first <= position {
                candidates = middle + 1..<candidates.upperBound
            } else {
                candidates = candidates.lowerBound..<middle
            }
        }
        guard candidates.lowerBound > 0 else { return nil }
        let range = ranges[candidates.lowerBound - 1]
        return range.end >= position ? (range.event, range.end) : nil
    }

    func isConfirmed(_ event: Int64) -> Bool { confirmed.contains(event) }

    private mutating func add(_ event: SealedEvent, isSealed: Bool) {
        let number = event.number
        switch event.knownKind {
        // A detail that this version does not know explains nothing.
        case .begun:
            guard let detail = event.decoded(as: BegunDetail.self) else { return }
            begun.append((number, detail))
            if let purged = detail.purged { partlyPurged[purged] = number }
        case .purge:
            guard let detail = event.decoded(as: PurgeDetail.self) else { return }
            let end = detail.purged == nil ? detail.through : detail.through &- 1
            purges.append(Purge(event: number, end: end, through: detail.through, boundary: detail.boundary))
            if let purged = detail.purged {
                partlyPurged[purged] = number
                partlyPurgedAfterSealing[purged] = number
            }
        case .unproven:
            guard let detail = event.decoded(as: UnprovenDetail.self) else { return }
            let ranges = detail.ranges.compactMap { range -> ClosedRange<Int64>? in
                guard range.count == 2, range[0] <= range[1] else { return nil }
                return range[0]...range[1]
            }
            unproven.append(Unproven(event: number, ranges: ranges, isSealed: isSealed))
            if let purged = detail.purged { partlyPurged[purged] = number }
        case .deletion:
            for part in event.parts { deletions[part.seal, default: []].append((number, part.content)) }
        case .erasure:
            for part in event.parts { erasures[Part(event: number, seal: part.seal)] = part.content }
            erasedValues[number] = event.decoded(as: ErasureDetail.self)?.values ?? 0
        case .emptied, .names, .ended, nil:
            break
        }
    }
}

extension SealedHistoryPart.Event {
    /// The event for people.
    var reported: SealVerification.Event {
        func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
        return SealVerification.Event(
            number: event.number, kind: text(event.kind), timestamp: Date(timeIntervalSinceReferenceDate: event.time),
            author: event.author.map(text), program: event.program.map(text), process: event.process.map(text),
            detail: text(event.detail), seal: seal)
    }
}
