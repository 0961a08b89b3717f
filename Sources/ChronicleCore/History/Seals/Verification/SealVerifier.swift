/// Compares a sealed history with its seals, and looks for heads in its chain.
///
/// Parts of a chain are verified in their order: archives, and then the store. A part continues the previous one if that contains
/// the seal with which it begins. The memory does not depend on the number of changes.
package struct SealVerifier {
    private let heads: [HistorySeal]
    private let hashing: any HistoryHashing
    private let verifySignature: ((RecordedSeal, [UInt8]) throws -> Bool)?
    /// The parts that are linked up to the newest one.
    private var parts: [SealedHistoryPart] = []
    /// A part does not continue the previous one.
    private var unlinked: SealVerification.Difference?

    /// - Parameters:
    ///   - heads: The heads to look for.
    ///   - verifySignature: Returns whether a seal has a valid signature of a key, given the UTF-8 of the store's identifier.
    ///     `nil` if signatures are not required.
    package init(
        heads: [HistorySeal], _ hashing: any HistoryHashing,
        verifySignature: ((RecordedSeal, [UInt8]) throws -> Bool)? = nil
    ) {
        (self.heads, self.hashing, self.verifySignature) = (heads, hashing, verifySignature)
    }

    /// Verifies the next part of the chain. The last one is that of the store, or the newest export.
    ///
    /// - Parameters:
    ///   - reader: Is at its beginning.
    ///   - archive: The name of the file, which differences begin with. `nil` for the last part.
    /// - Throws: What the reader throws, except ``SwiftDataError/damagedFile``, which is a difference.
    package mutating func verify(_ reader: any SealedHistoryReading, archive: String? = nil) throws {
        var walk = SealChainWalk(heads: Set(heads), hashing, verifySignature)
        var part = try walk.run(reader)
        part.archive = archive
        part.broken = part.broken.map(part.naming)
        part.found = part.found.map(part.naming)
        part.suspect = part.suspect.map { ($0.position, part.naming($0.difference)) }
        // Archives tell nothing about a store without seals.
        guard let first = part.first, let previous = parts.popLast() else {
            parts = [part]
            return
        }
        if previous.continues(with: first) {
            parts += [previous.end(at: part, first.number), part.beginning(after: previous)]
        } else {
            parts = [part]
            unlinked = SealVerification.Difference(
                .missing, seal: first.number,
                "the seal with which a part begins is not in the archive before it; add the archive that contains it")
        }
    }

    /// Returns what was found in all parts.
    package func result() -> SealVerification {
        guard let newest = parts.last else {
            var result = SealVerification()
            result.heads = heads.map { SealVerification.Head(head: $0, outcome: .absent) }
            result.lacksSignature = verifySignature != nil
            return result
        }
        var result = SealVerification()
        let signed = parts.compactMap(\.signed).max { $0.number < $1.number }
        result.lacksSignature = verifySignature != nil && signed == nil
        let matches = parts.reduce(into: [:]) { $0.merge($1.matches) { $1 } }
        let numbers = heads.compactMap { matches[$0] } + (signed.map { [$0.number] } ?? [])
        let broken = parts.reduce(nil) { SealVerification.Difference.first($0, $1.broken) }
        // A head confirms nothing across a seal that differs.
        let confirmed = numbers.filter { $0 < broken?.seal ?? .max }.max() ?? 0
        let omissions = SealOmissions(parts, confirmed: confirmed)
        var found = parts.reduce(broken) { SealVerification.Difference.first($0, $1.found) }
        // The events of a seal that was changed may have explained what is missing.
        if broken?.seal == parts.first?.first?.number { found = .first(found, omissions.beginning) }
        if broken == nil { found = .first(found, .first(omissions.unexplained, omissions.hidden)) }
        // What is found in the store itself comes first: an archive that is not linked tells nothing about it.
        result.difference = found ?? unlinked
        let first = [found, omissions.unexplained].compactMap { $0?.seal }.min()
        let trusted = first ?? .max
        result.newest = newest.newest?.head
        result.newestTimestamp = newest.newest?.timestamp
        result.sealCount = parts.reduce(0) { $0 + $1.sealCount }
        result.boundary = omissions.boundary?.head
        result.events = omissions.events
        (result.unsealedTransactions, result.unsealedEvents) = (newest.unsealedTransactions, newest.unsealedEvents)
        if !result.lacksSignature {
            result.proven = first == nil ? result.newest : parts.compactMap { $0.head(of: trusted &- 1) }.last
            let end = first == nil ? newest.newest?.number ?? 0 : trusted &- 1
            result.exceptions =
                result.proven == nil ? SealVerification.Exceptions() : omissions.exceptions(through: end)
        }
        func outcome(_ number: Int64) -> SealVerification.Outcome {
            number >= trusted ? .different : .proven(omissions.exceptions(through: number))
        }
        result.heads = heads.map { head in
            let known = matches[head].map(outcome)
            return SealVerification.Head(
                head: head, outcome: known ?? missing(head, newest, omissions.boundary?.head, omissions.beginning))
        }
        if let signed, !heads.contains(signed.head) {
            result.heads.append(SealVerification.Head(head: signed.head, outcome: outcome(signed.number)))
        }
        return result
    }

    private func missing(
        _ head: HistorySeal, _ part: SealedHistoryPart, _ boundary: HistorySeal?,
        _ beginning: SealVerification.Difference?
    ) -> SealVerification.Outcome {
        // The rest of a chain that cannot be read may contain it.
        if part.isIncomplete { return .different }
        guard let newest = part.newest, head.position <= newest.head.position else { return .absent }
        if let boundary, head.position <= boundary.position { return .purged }
        // So may a seal that is missing or changed.
        if let seal = (part.broken ?? beginning)?.seal, head.position > part.head(of: seal &- 1)?.position ?? -1 {
            return .different
        }
        return .forked
    }
}

extension SealVerification.Difference {
    /// Differences that concern no seal are the last ones.
    private var order: (Int64, Int64) { (seal ?? .max, position ?? 0) }

    static func first(_ lhs: Self?, _ rhs: Self?) -> Self? {
        guard let lhs, let rhs else { return lhs ?? rhs }
        return rhs.order < lhs.order ? rhs : lhs
    }
}
