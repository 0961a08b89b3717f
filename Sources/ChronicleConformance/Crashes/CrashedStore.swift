import Chronicle
import Foundation

/// A store on which processes work that are killed, one after the other: what one leaves is where the next goes on.
final class CrashedStore<Store: DataStore> {
    let configuration: Store.Configuration
    let saves: NumberedSaves
    /// The highest number of a save that returned.
    private(set) var acknowledged = 0
    /// The tokens that were given out, by the numbers of their saves.
    private(set) var tokens: [Int: Data] = [:]
    private var kills = 0
    private let harness: StoreHarness<Store>
    /// One that had the store open all the time, where that may be.
    private var survivor: StoreHarness<Store>?

    init(_ harness: StoreHarness<Store>) throws {
        self.harness = harness
        configuration = try harness.newConfiguration()
        saves = NumberedSaves(features: harness.features)
    }

    /// Kills a process after each of so many saves and a moment, and looks at what it left: once in a store that had it
    /// open, and once in one that opens it now, which then goes on with a save of its own.
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
                throw ConformanceFailure("after a kill, with \(acknowledged) saves acknowledged, " + rule.expected)
            }
            if survivor == nil, harness.features.contains(.sharing) { survivor = try harness.opened(configuration) }
        }
    }

    /// Remembers a token that the store gave out.
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

    /// Moments in the next save, or in opening: spread over 3 ms by the golden ratio, the same ones in every run. Whatever
    /// the moment, the rules hold.
    private static func delay(ofKill number: Int) -> Duration {
        .milliseconds(3 * (Double(number) * 0.618_033_988_75).truncatingRemainder(dividingBy: 1))
    }

    /// Not a sleep, from which the system wakes a thread when it sees fit: after most of these moments.
    private func wait(_ delay: Duration) {
        let end = ContinuousClock.now + delay
        while ContinuousClock.now < end {}
    }
}
