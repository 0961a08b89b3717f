import Chronicle
import Foundation

/// Each of a series of processes continues to save where the previous one was killed.
final class CrashedStore<Store: DataStore> {
    let configuration: Store.Configuration
    let saves: NumberedSaves
    private(set) var acknowledged = 0
    /// The encoded tokens by the numbers of the saves.
    private(set) var tokens: [Int: Data] = [:]
    private var kills = 0
    private let harness: StoreHarness<Store>
    /// A harness that keeps the store open during the crashes, if the store supports sharing.
    private var survivor: StoreHarness<Store>?

    init(_ harness: StoreHarness<Store>) throws {
        self.harness = harness
        configuration = try harness.newConfiguration()
        saves = NumberedSaves(features: harness.features)
    }

    /// For each count, kills a process shortly after that many saves, and checks the store: once in a store that was open
    /// during the crash, and once in a newly opened one, which then performs the next save.
    func kill(afterSaves counts: [Int], _ check: (StoreHarness<Store>) throws -> Void) throws {
        for count in counts {
            try killOne(afterSaves: count)
            do {
                if let survivor { try check(survivor) }
                try harness.opening(configuration) { found in
                    try check(found)
                    let context = found.context()
                    try saves.save(NumberedSaves.last(in: context) + 1, context)
                    acknowledged = try NumberedSaves.last(in: found.context())
                }
            } catch let rule as ConformanceFailure {
                throw ConformanceFailure("after a crash with \(acknowledged) acknowledged saves, " + rule.expected)
            }
            if survivor == nil, harness.features.contains(.sharing) { survivor = try harness.opened(configuration) }
        }
    }

    func note(_ token: Data, of number: Int) { tokens[number] = token }

    private func killOne(afterSaves count: Int) throws {
        #if os(macOS) || os(Linux)
            let process = try WorkerProcess(
                WorkerCommand(.numberedSaves(harness.features), on: configuration, harness))
            try process.wait(forSaves: count)
            wait(Self.delay(ofKill: kills))
            kills += 1
            for save in try process.kill() {
                acknowledged = max(acknowledged, save.number)
                tokens[save.number] = save.token
            }
        #endif
    }

    /// The time between the last expected save and a kill, so that the process opens the store or performs the next save.
    /// The golden ratio spreads the times over 3 ms. They are the same in every run.
    private static func delay(ofKill number: Int) -> Duration {
        .milliseconds(3 * (Double(number) * 0.618_033_988_75).truncatingRemainder(dividingBy: 1))
    }

    /// The system can wake a sleeping thread much later.
    private func wait(_ delay: Duration) {
        let end = ContinuousClock.now + delay
        while ContinuousClock.now < end {}
    }
}
