import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// After random saves, seals, purges, deletions and erasures of a store, the events explain each row that is missing.
@Suite struct RandomSealEventTests {
    @Test(arguments: StoreKind.allCases, TestSeed.rounds(2))
    func eventsExplainWhatIsMissing(_ kind: StoreKind, _ number: Int) async throws {
        var random = TestSeed.generator(number)
        let store = try TestStore(kind)
        try store.beginSealing()
        try await run(store, &random) { _ in
            try store.seal()
            return []
        }
    }

    /// The history has holes from before its first seal. Runs of the sealer are killed, and another process changes the history
    /// meanwhile.
    @Test(arguments: StoreKind.allCases, TestSeed.rounds(2))
    func eventsExplainWhatTheSealerSealed(_ kind: StoreKind, _ number: Int) async throws {
        var random = TestSeed.generator(number)
        let store = try TestStore(kind, preservesValues: true)
        for number in 0..<24 { try store.add("trip", author: number % 3 == 0 ? "b" : "a") }
        try store.context().deleteHistory(Descriptor(predicate: #Predicate { $0.author == "b" }))
        _ = try store.sealChain()
        let other = kind == .file ? try #require(try store.reopened().stores.first as? DefaultStore) : nil
        try await run(store, &random) { random in
            let (end, changed) = (Int.random(in: 0..<60, using: &random), Int.random(in: 0..<20, using: &random))
            let kindOfChange = Int.random(in: 0..<5, using: &random)
            var count = 0
            do {
                _ = try store.sealChain { step in
                    count += 1
                    if count == end { throw Killed() }
                    if let other, count == changed, step != .begin { try change(other, kindOfChange) }
                }
            } catch is Killed {}
            return try store.chainFailures()
        }
    }

    private struct Killed: Error {}

    private func change(_ store: DefaultStore, _ kind: Int) throws {
        switch kind {
        case 0: try store.deleteHistory(Descriptor(predicate: #Predicate { $0.author == "a" }))
        case 1: try store.deleteHistory(Descriptor())
        case 2: try store.erasePreservedValues(ofEntityNamed: "Trip")
        case 3: try store.erase()
        default:
            let retention = HistoryRetention(maximumAge: .zero, maximumSilence: .zero)
            _ = try store.purgeHistory(store.planHistoryPurge(retention, at: .now))
        }
    }

    /// - Parameter seal: Returns differences of the chain.
    private func run(
        _ store: TestStore, _ random: inout SplitMix, seal: (inout SplitMix) throws -> [String]
    ) async throws {
        var steps: [String] = []
        var newestEvent: Int64 = 0
        for _ in 0..<80 {
            var failures: [String] = []
            if Int.random(in: 0..<7, using: &random) == 0 {
                failures = try seal(&random)
                steps.append("seal")
            } else {
                steps.append(try await step(store, &random))
            }
            failures += try unexplained(store)
            let event = try store.number("SELECT max(id) FROM chronicle_event") ?? 0
            if event < newestEvent { failures.append("event \(newestEvent)") }
            newestEvent = event
            guard failures.isEmpty else {
                Issue.record("\(steps.joined(separator: ", ")): \(failures), \(TestSeed.description)")
                return
            }
        }
        #expect(try store.problems().isEmpty)
    }

    private func step(_ store: TestStore, _ random: inout SplitMix) async throws -> String {
        switch Int.random(in: 0..<18, using: &random) {
        case 0..<9:
            let author = ["a", "b", "c"].randomElement(using: &random) ?? "a"
            try store.add("trip", author: author)
            return "save \(author)"
        case 9..<11:
            try store.foreign("UPDATE Trip SET note = hex(randomblob(4))")
            return "foreign"
        case 11:
            try store.store.erasePreservedValues([\Trip.note, \Trip.name], of: Trip.self)
            return "erase values"
        case 12..<14:
            let author = ["a", "b", "c"].randomElement(using: &random) ?? "a"
            try store.context().deleteHistory(Descriptor(predicate: #Predicate { $0.author == author }))
            return "delete \(author)"
        case 14:
            guard let token = try store.history().randomElement(using: &random)?.token else { return "none" }
            try store.context().deleteHistory(.before(token))
            return "delete before \(token)"
        case 15..<17:
            let maximum = Int.random(in: 0..<12, using: &random)
            let silence: Duration? = Bool.random(using: &random) ? .zero : nil
            let isByAge = Int.random(in: 0..<4, using: &random) == 0
            _ = try await store.container.purgeHistory(
                HistoryRetention(
                    maximumAge: isByAge ? .zero : nil, maximumChanges: isByAge ? nil : maximum, maximumSilence: silence)
            )
            return "purge \(isByAge ? "all" : "\(maximum)") \(silence as Any)"
        default:
            guard Int.random(in: 0..<3, using: &random) == 0 else { return "none" }
            try store.container.erase()
            return "erase"
        }
    }

    private struct Ranges: Decodable { let ranges: [[Int64]] }
    private struct Through: Decodable { let through: Int64 }
    private struct Begun: Decodable { let newest: Int64 }

    /// What the events say is missing.
    private struct Missing {
        var through: Int64 = 0
        var unproven: Set<Int64> = []
        /// The deleted entries of each seal.
        var deleted: [Int64: Set<Int>] = [:]

        init(_ events: [TestStore.Event]) throws {
            for event in events {
                let detail = Data(event.detail.utf8)
                switch event.kind {
                case "purge": through = max(through, try JSONDecoder().decode(Through.self, from: detail).through)
                case "begun": through = max(through, try JSONDecoder().decode(Begun.self, from: detail).newest)
                case "unproven":
                    for range in try JSONDecoder().decode(Ranges.self, from: detail).ranges {
                        unproven.formUnion(range[0]...range[1])
                    }
                case "deletion":
                    for (seal, content) in event.parts { deleted[seal, default: []].formUnion(Self.entries(content)) }
                default: break
                }
            }
        }

        private static func entries(_ content: String) -> [Int] {
            let digits = Array(content)
            return stride(from: 0, to: digits.count, by: 2).flatMap { index in
                let byte = UInt8(String(digits[index...index + 1]), radix: 16) ?? 0
                return (0..<8).filter { byte & 1 << $0 != 0 }.map { index * 4 + $0 }
            }
        }
    }

    /// The rows that are missing without an event, and those that an event wrongly calls unproven.
    private func unexplained(_ store: TestStore) throws -> [String] {
        let rows = Set(try store.integers("SELECT id FROM chronicle_change"))
        let missing = try Missing(store.events(sealed: true))
        func isExplained(_ row: Int64) -> Bool {
            row <= missing.through || rows.contains(row) || missing.unproven.contains(row)
        }
        var (failures, next): ([String], Int64) = ([], 1)
        for (number, positions) in try store.sealedPositions() {
            for (index, last) in positions.enumerated() {
                let isDeleted = missing.deleted[number]?.contains(index) ?? false
                if !isDeleted, !(next..<last + 1).allSatisfy(isExplained) {
                    failures.append("entry \(index) of seal \(number)")
                }
                next = last + 1
            }
        }
        failures += (next..<max(next, (rows.max() ?? 0) + 1)).filter { !isExplained($0) }.map { "row \($0)" }
        return failures + rows.intersection(missing.unproven).sorted().map { "unproven row \($0)" }
    }
}
