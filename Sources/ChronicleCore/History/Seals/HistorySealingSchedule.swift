/// When a store seals its history in the background; see ``ModelConfiguration/historySealing``, and
/// `PostgresConfiguration.historySealing` for stores in PostgreSQL.
///
/// The product `ChronicleSeals` creates schedules:
///
/// ```swift
/// import ChronicleSeals
///
/// configuration.historySealing = .every(.seconds(10))
/// ```
///
/// Two schedules are equal if they have the same interval and sign with the same key.
public struct HistorySealingSchedule: Hashable, Sendable {
    /// The minimum time between the newest seal, by any process, and the next one in the background.
    public let interval: Duration
    package let hashing: any HistoryHashing
    package let signer: (any SealSigning)?

    package init(interval: Duration, hashing: any HistoryHashing, signer: (any SealSigning)? = nil) {
        (self.interval, self.hashing, self.signer) = (interval, hashing, signer)
    }

    private var signerValue: AnyHashable? { signer.map { AnyHashable($0) } }

    public static func == (lhs: HistorySealingSchedule, rhs: HistorySealingSchedule) -> Bool {
        lhs.interval == rhs.interval && lhs.signerValue == rhs.signerValue
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(interval)
        hasher.combine(signerValue)
    }
}
