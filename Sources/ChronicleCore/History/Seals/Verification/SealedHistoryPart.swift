import Foundation

/// What the walk through a part of a chain found: a store, or an archive.
struct SealedHistoryPart {
    struct Seal {
        let number: Int64
        let last: Int64
        let hash: HistoryDigest
        let head: HistorySeal
        let timestamp: Date
    }

    struct Event {
        let event: SealedEvent
        /// `nil` if none contains it.
        let seal: Int64?
    }

    /// What is missing in a seal, which events must explain.
    struct Omission {
        let seal: Int64
        /// Entries of the list without a transaction: their indexes and positions.
        var missing: [(index: Int, position: Int64)] = []
        /// The erased values of each event, as the part of the event has them, and the first position.
        var erased: [(event: Int64, content: [UInt8], position: Int64?)] = []
    }

    /// Positions between two transactions.
    struct Hole {
        let positions: ClosedRange<Int64>
        let seal: Int64
    }

    /// The name of the file, if it is an archive.
    var archive: String?
    var first: Seal?
    var newest: Seal?
    var sealCount = 0
    /// The last positions and the hashes of the seals from the first one on, as long as no number is missing.
    var links: [(last: Int64, hash: HistoryDigest)] = []
    /// The given heads that are in the chain, with the numbers of their seals.
    var matches: [HistorySeal: Int64] = [:]
    /// The newest seal with a valid signature.
    var signed: (number: Int64, head: HistorySeal)?
    /// The first difference of the seals, and of anything else.
    var broken: SealVerification.Difference?
    var found: SealVerification.Difference?
    /// The first transaction that is there, if it differs from its seal: a purge may have deleted it in part.
    var suspect: (position: Int64, difference: SealVerification.Difference)?
    var omissions: [Omission] = []
    var holes: [Hole] = []
    var events: [Event] = []
    /// The position of the first transaction that is there and not void.
    var firstTransaction: Int64?
    /// That of the last one up to the floor.
    var lastUpToFloor: Int64?
    var bounds: RecordedHistoryBounds?
    /// Those of the floor and the gap that are positions of void headers in a seal.
    var voidBounds: Set<Int64> = []
    var unsealedTransactions = 0
    var unsealedEvents = 0
    /// Whether seals could not be read.
    var isIncomplete = false
    /// Whether the previous part has the transactions of the first seal.
    private(set) var isLinked = false

    /// The number of the seal up to which rows were compared, or the one after the newest.
    var firstDifferent: Int64 {
        [broken, found].compactMap { $0?.seal }.min() ?? .max
    }

    /// Returns a difference whose detail begins with the name of the archive.
    func naming(_ difference: SealVerification.Difference) -> SealVerification.Difference {
        guard let archive else { return difference }
        return SealVerification.Difference(
            difference.kind, position: difference.position, seal: difference.seal, "\(archive): \(difference.detail)")
    }

    // MARK: Links

    private func index(of number: Int64) -> Int? {
        guard let first, number >= first.number else { return nil }
        let (index, overflow) = number.subtractingReportingOverflow(first.number)
        return overflow || index >= Int64(links.count) ? nil : Int(index)
    }

    private func hash(of number: Int64) -> HistoryDigest? { index(of: number).map { links[$0].hash } }

    /// `nil` if the part has no seal with the number.
    func head(of number: Int64) -> HistorySeal? {
        index(of: number).flatMap { HistorySeal(position: links[$0].last, hash: links[$0].hash.data) }
    }

    /// Whether the part contains the first seal of the next one.
    func continues(with next: Seal) -> Bool { hash(of: next.number) == next.hash }

    /// Whether transactions of the first seal are there. After a purge, they are those of the previous part.
    private var hasFirstTransactions: Bool {
        guard let first, let firstTransaction else { return false }
        return firstTransaction <= first.last
    }

    /// Returns the part up to the seal with which the next one begins.
    func end(at next: SealedHistoryPart, _ number: Int64) -> SealedHistoryPart {
        var part = self
        // Those that are there in both parts are verified in the next one.
        let last = next.hasFirstTransactions ? number &- 1 : number
        func keep(_ found: SealVerification.Difference?) -> SealVerification.Difference? {
            found?.seal.map { $0 <= number } ?? false ? found : nil
        }
        part.matches = matches.filter { $0.value <= number }
        if let signed, signed.number > number { part.signed = nil }
        (part.broken, part.found) = (keep(broken), keep(found))
        if suspect?.difference.seal ?? .max > last { part.suspect = nil }
        part.omissions = omissions.filter { $0.seal <= last }
        part.holes = holes.filter { $0.seal <= last }
        // The next part has those of the seal.
        part.events = events.filter { $0.seal ?? .max < number }
        part.sealCount = index(of: number) ?? 0
        part.isIncomplete = false
        return part
    }

    /// Returns the part after the previous one, which contains the first seal.
    func beginning(after previous: SealedHistoryPart) -> SealedHistoryPart {
        var part = self
        guard let first else { return part }
        part.isLinked = !hasFirstTransactions
        // The previous part has the transactions.
        if part.isLinked { part.omissions.removeAll { $0.seal == first.number } }
        var number = first.number
        for link in links {
            guard let known = previous.hash(of: number) else { break }
            if known != link.hash {
                let difference = SealVerification.Difference(
                    .seal, seal: number, "an archive has another seal with this number; one of both was built again")
                part.broken = .first(part.broken, difference)
                break
            }
            number &+= 1
        }
        return part
    }
}
