public import Foundation

/// What the seals of a history prove.
///
/// The method `verifySeals(_:archives:signedBy:storeName:)` of the product `ChronicleSeals` returns it, and `chronicle verify`
/// prints it. ``isProven`` summarizes the result. <doc:ProveTheHistory> describes what a proof means, and what it cannot show.
///
/// ```swift
/// let verification = try container.verifySeals(heads)
/// for result in verification.heads {
///     if case .proven(let exceptions) = result.outcome {
///         print(result.head, exceptions.erasedValues)
///     }
/// }
/// ```
public struct SealVerification: Hashable, Sendable {
    /// What was found for a head.
    public enum Outcome: Hashable, Sendable {
        /// Everything up to the head, from the first seal or the ``SealVerification/boundary`` on, is what was sealed, with the
        /// exceptions.
        case proven(Exceptions)
        /// The head is not after the boundary of a purge, and is another one than the boundary. Pass an archive from before the
        /// purge.
        case purged
        /// The chain ends before the head: its end was removed, or the store is an older one.
        case absent
        /// The chain reaches the position of the head, and has another hash there: it was built again, or belongs to another
        /// branch. If the chain ends at the position, the store can also be an older one.
        case forked
        /// There is a difference before the head, and the chain contains the head, or could contain it if no seal was changed,
        /// removed or damaged; see ``SealVerification/difference``.
        case different

        /// The name of the case.
        package var name: String {
            switch self {
            case .proven: "proven"
            case .purged: "purged"
            case .absent: "absent"
            case .forked: "forked"
            case .different: "different"
            }
        }

        /// `nil` if the head is not proven.
        package var exceptions: Exceptions? {
            if case .proven(let exceptions) = self { exceptions } else { nil }
        }
    }

    /// What a proof does not contain, because it was purged, erased or deleted by a recorded event.
    public struct Exceptions: Hashable, Sendable {
        /// The number of erased values.
        public var erasedValues = 0
        /// The number of deleted transactions.
        public var deletedTransactions = 0
        /// The positions that were deleted before they were sealed.
        public var unprovenRanges: [ClosedRange<Int64>] = []
        /// The numbers of the events that explain the exceptions and the boundary and are not part of any of the given heads. They
        /// can be forged.
        public var unconfirmedEvents: [Int64] = []

        package init() {}

        /// Whether the proof has no exceptions, and each event that it depends on is part of a given head.
        public var isEmpty: Bool { self == Exceptions() }
    }

    /// A head, and what was found for it.
    public struct Head: Hashable, Sendable {
        /// The head.
        public let head: HistorySeal
        /// What was found for the head.
        public let outcome: Outcome

        package init(head: HistorySeal, outcome: Outcome) {
            (self.head, self.outcome) = (head, outcome)
        }
    }

    /// The first difference between the history and its seals.
    public struct Difference: Hashable, Sendable {
        /// What was changed.
        public enum Kind: String, CaseIterable, Codable, Sendable {
            /// A preserved value is not the one that was sealed.
            case value
            /// The author, the time, the metadata or the program of a transaction is not what was sealed.
            case description
            /// The changes of a transaction are not those that were sealed.
            case content
            /// A row that no seal contains.
            case inserted
            /// A transaction is missing without an event.
            case removed
            /// A transaction was exchanged with another one, or moved.
            case reordered
            /// The hash of a seal is not that of its content.
            case seal
            /// A seal is missing.
            case missing
            /// Entities or attributes were renamed without an event, or keys have other numbers.
            case names
            /// A value or its key is missing without an event, or outside of it.
            case erased
            /// An erased value was written again.
            case restored
            /// A position that hides a part of the history does not follow from the events.
            case hidden
            /// A row that the format does not allow.
            case damaged
        }

        /// The kind of the difference.
        public let kind: Kind
        /// The first position that differs, if it is known.
        public let position: Int64?
        /// The number of the seal that contains the position, or that differs; `nil` if it concerns what no seal contains.
        public let seal: Int64?
        /// A sentence for people, without a period.
        public let detail: String

        package init(_ kind: Kind, position: Int64? = nil, seal: Int64? = nil, _ detail: String) {
            (self.kind, self.position, self.seal, self.detail) = (kind, position, seal, detail)
        }
    }

    /// What happened to the sealed history: a purge, a deletion, an erasure, or a change of names.
    public struct Event: Hashable, Sendable {
        /// The number of the event. Later events have higher numbers.
        public let number: Int64
        /// The kind of the event, such as `purge`; see <doc:FileFormat>.
        public let kind: String
        /// When the event happened, according to the clock of the program.
        public let timestamp: Date
        /// The author who caused the event, if one was set.
        public let author: String?
        /// The program that caused the event.
        public let program: String?
        /// The identifier of the process that caused the event.
        public let process: String?
        /// What happened, as JSON: for example the number of transactions, and the reason of a purge.
        public let detail: String
        /// The number of the seal that contains the event; `nil` if none does yet.
        public let seal: Int64?

        package init(
            number: Int64, kind: String, timestamp: Date, author: String?, program: String?, process: String?,
            detail: String,
            seal: Int64?
        ) {
            (self.number, self.kind, self.timestamp, self.author) = (number, kind, timestamp, author)
            (self.program, self.process, self.detail, self.seal) = (program, process, detail, seal)
        }
    }

    /// The given heads in their order, with what was found. If seals have to be signed by a key, the newest seal with a valid
    /// signature follows them.
    public var heads: [Head] = []
    /// The first difference; `nil` if the history is what its seals say.
    public var difference: Difference?
    /// The newest seal before the difference, up to which everything is what was sealed; `nil` if there is none.
    public var proven: HistorySeal?
    /// What the proof up to ``proven`` does not contain.
    public var exceptions = Exceptions()
    /// The head of the newest seal; `nil` if the history is not sealed.
    public var newest: HistorySeal?
    /// When the newest seal was made, according to the clock of the program; `nil` if the history is not sealed.
    public var newestTimestamp: Date?
    /// The number of seals that remain.
    public var sealCount = 0
    /// The seal up to which the history was purged; `nil` if it begins with the first seal.
    public var boundary: HistorySeal?
    /// All events that remain, in their order.
    public var events: [Event] = []
    /// The number of transactions that no seal contains yet. Nothing is proven about them.
    public var unsealedTransactions = 0
    /// The number of events that no seal contains yet.
    public var unsealedEvents = 0
    /// Whether seals had to be signed by a key, and no remaining seal is. Then nothing is proven.
    public var lacksSignature = false

    package init() {}

    /// Whether the history is sealed, nothing differs, and each given head is proven. The exceptions of a head are allowed if the
    /// heads contain their events.
    public var isProven: Bool {
        newest != nil && difference == nil && !lacksSignature
            && heads.allSatisfy { head in
                guard case .proven(let exceptions) = head.outcome else { return false }
                return exceptions.unconfirmedEvents.isEmpty
            }
    }
}
