/// A store whose purges erase preserved values by rules; see ``HistoryRetention/valueRules``.
///
/// Adopt this protocol if ``HistoryRetaining/planHistoryPurge(_:at:)`` returns ``HistoryPurgePlan/erasures`` for the rules and
/// ``HistoryRetaining/purgeHistory(_:)`` erases the values. Without it, a purge with rules throws
/// ``SwiftDataError/unsupportedFeature``, and nothing is deleted.
public protocol HistoryValueRetaining<HistoryType>: HistoryRetaining {
    /// Returns the number of preserved values that each erasure of a plan erases, without erasing them.
    ///
    /// - Parameter plan: A plan of this store.
    /// - Returns: A number for each element of ``HistoryPurgePlan/erasures``. Values of transactions that the plan deletes do not
    ///   count.
    /// - Throws: The errors of ``HistoryRetaining/purgeHistory(_:)``.
    func preservedValueCounts(_ plan: HistoryPurgePlan<HistoryType.TokenType>) throws -> [Int]
}

extension HistoryPurgePlan {
    /// The values that a rule erases.
    public struct Erasure: Sendable {
        /// The rule.
        public var rule: PreservedValueRule
        /// The token of the newest transaction whose values are erased.
        public var newest: Token

        /// Creates an erasure.
        ///
        /// - Parameters:
        ///   - rule: The rule.
        ///   - newest: The token of the newest transaction whose values are erased.
        public init(rule: PreservedValueRule, newest: Token) {
            self.rule = rule
            self.newest = newest
        }
    }
}

extension HistoryRetaining {
    /// A store that ignored a rule would keep values that the program believes erased.
    func requireValueRetention(_ retention: HistoryRetention) throws {
        guard !retention.valueRules.isEmpty, !(self is any HistoryValueRetaining) else { return }
        throw SwiftDataError.unsupportedFeature.with(
            detail: "\(Self.self) does not erase preserved values by rules; remove the rules from the retention",
            storeIdentifier: identifier)
    }
}
