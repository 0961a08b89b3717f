// The details of events, which a store contains as JSON with sorted keys. They are decoded leniently: a key that this version does
// not know is ignored.

import Foundation

extension SealedEvent {
    /// Returns the text of a detail.
    package static func text(_ detail: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(detail), as: UTF8.self)
    }

    /// Returns a detail; `nil` if this version does not know it. Another version or program can have written it.
    package static func decoded<Detail: Decodable>(_ text: some Sequence<UInt8>, as type: Detail.Type) -> Detail? {
        try? JSONDecoder().decode(type, from: Data(text))
    }

    package func decoded<Detail: Decodable>(as type: Detail.Type) -> Detail? { Self.decoded(detail, as: type) }

    /// What happened to a sealed history. The next seal contains the events since the previous one.
    package enum Kind: String, Sendable {
        /// The history is sealed from now on.
        case begun
        /// The beginning of the history was deleted, as far as it was sealed.
        case purge
        /// Sealed transactions were deleted.
        case deletion
        /// Transactions were deleted that no seal contains.
        case unproven
        /// Preserved values were erased.
        case erasure
        /// The file and its log no longer contain the values that were erased before.
        case emptied
        /// Entities or attributes were added, renamed, or declared otherwise.
        case names
        /// The history is not sealed any more, so that purges need not keep what follows.
        case ended
    }
}

/// What was missing in the history before it was sealed.
package struct BegunDetail: Codable, Hashable, Sendable {
    /// The newest position.
    package let newest: Int64
    /// The highest deleted position, and the one up to which all transactions were deleted; 0 if none was.
    package let floor, beginning: Int64
    /// The header of a transaction that a purge had deleted in part.
    package let purged: Int64?
    /// The position at which recording resumed, or 0.
    package let gap: Int64

    package init(newest: Int64, floor: Int64, beginning: Int64, purged: Int64?, gap: Int64) {
        (self.newest, self.floor, self.beginning) = (newest, floor, beginning)
        (self.purged, self.gap) = (purged, gap)
    }
}

/// The reason for a purge.
package struct PurgeReason: Codable, Hashable, Sendable {
    package enum Kind: String, Codable, Sendable {
        /// The limits of the configuration.
        case retention
        /// Other limits, of a caller.
        case call
        /// All models and the history were deleted.
        case erase
    }

    package let kind: Kind
    /// In seconds.
    package var maximumAge: Double?
    package var maximumChanges: Int?
    package var maximumBytes: Int?

    package static let erase = PurgeReason(kind: .erase)

    package init(kind: Kind, maximumAge: Double? = nil, maximumChanges: Int? = nil, maximumBytes: Int? = nil) {
        self.kind = kind
        (self.maximumAge, self.maximumChanges, self.maximumBytes) = (maximumAge, maximumChanges, maximumBytes)
    }

    /// - Parameter configured: The limits of the configuration.
    package init(_ retention: HistoryRetention?, configured: HistoryRetention) {
        self.init(
            kind: retention == configured ? .retention : .call,
            maximumAge: retention?.maximumAge.map { $0 / .seconds(1) }, maximumChanges: retention?.maximumChanges,
            maximumBytes: retention?.maximumBytes)
    }
}

package struct PurgeDetail: Codable, Hashable, Sendable {
    package let reason: PurgeReason
    /// The position up to which all transactions are deleted.
    package var through: Int64
    /// The same position, if rows of its transaction remain.
    package var purged: Int64?
    /// The seal with which the chain begins now; `nil` if no seal was deleted yet.
    package var boundary: Int64?
    /// The number of deleted transactions.
    package var transactions: Int

    package init(reason: PurgeReason, through: Int64, purged: Int64?, boundary: Int64?, transactions: Int) {
        (self.reason, self.through, self.purged) = (reason, through, purged)
        (self.boundary, self.transactions) = (boundary, transactions)
    }

    /// Adds a later purge. Returns `false` if that has another reason.
    package mutating func extend(with later: PurgeDetail) -> Bool {
        guard reason == later.reason else { return false }
        (through, purged, boundary) = (later.through, later.purged, later.boundary ?? boundary)
        return transactions.add(later.transactions)
    }
}

package struct DeletionDetail: Codable, Hashable, Sendable {
    /// The number of deleted transactions that seals contain.
    package let transactions: Int

    package init(transactions: Int) { self.transactions = transactions }
}

package struct UnprovenDetail: Codable, Hashable, Sendable {
    /// The first and the last position of each range. No row in it remains, and none is sealed.
    package var ranges: [[Int64]]
    /// The number of deleted transactions.
    package var transactions: Int
    /// The reason of a purge; `nil` for a deletion.
    package var reason: PurgeReason?
    /// See ``PurgeDetail/purged``.
    package var purged: Int64?

    package init(ranges: [[Int64]], transactions: Int, reason: PurgeReason? = nil, purged: Int64? = nil) {
        (self.ranges, self.transactions) = (ranges, transactions)
        (self.reason, self.purged) = (reason, purged)
    }

    /// Adds a later purge from the same position on. Returns `false` if that has another reason, or the ranges begin elsewhere.
    package mutating func extend(with later: UnprovenDetail, from first: Int64) -> Bool {
        guard reason == later.reason, ranges.allSatisfy({ $0.first == first }) else { return false }
        (ranges, purged) = (later.ranges, later.purged)
        return transactions.add(later.transactions)
    }
}

/// An event of a seal can concern other values than those of other seals, so the numbers are those of all.
package struct ErasureDetail: Codable, Hashable, Sendable {
    /// The numbers of the entities.
    package let entities: [Int64]
    /// The numbers of the attributes; `nil` for all.
    package var attributes: [Int64]?
    /// The number of the models; `nil` for all.
    package var models: Int?
    /// The age of a rule of the retention in seconds; `nil` for a call.
    package var maximumAge: Double?
    /// The number of erased values, those that no seal contains included.
    package var values: Int

    package init(
        entities: [Int64], attributes: [Int64]? = nil, models: Int? = nil, maximumAge: Double? = nil, values: Int
    ) {
        (self.entities, self.attributes, self.models) = (entities, attributes, models)
        (self.maximumAge, self.values) = (maximumAge, values)
    }

    /// Adds values. Returns `false` if a later erasure is not that of the same values.
    package mutating func extend(with later: ErasureDetail) -> Bool {
        var extended = later
        extended.values = values
        return extended == self && values.add(later.values)
    }
}

extension Int {
    /// Adds a number. Returns `false`, and adds nothing, if another program changed the sum to one that is too large.
    fileprivate mutating func add(_ count: Int) -> Bool {
        let (sum, overflow) = addingReportingOverflow(count)
        if !overflow { self = sum }
        return !overflow
    }
}

/// The detail of an event that needs none.
package struct NoDetail: Codable, Hashable, Sendable {
    package init() {}
}
