/// When a store seals its history in the background; see ``ModelConfiguration/historySealing``.
///
/// The product `ChronicleSeals` creates schedules:
///
/// ```swift
/// import ChronicleSeals
///
/// configuration.historySealing = .every(.seconds(10))
/// ```
public struct HistorySealingSchedule: Hashable, Sendable {
    /// The time after a seal before which no other one is made, by any process.
    public let interval: Duration
    package let hashing: any HistoryHashing

    package init(interval: Duration, hashing: any HistoryHashing) {
        (self.interval, self.hashing) = (interval, hashing)
    }

    public static func == (lhs: HistorySealingSchedule, rhs: HistorySealingSchedule) -> Bool {
        lhs.interval == rhs.interval
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(interval) }
}
