import ChronicleContextModel
import ChronicleTestSupport
import Foundation
import Testing

/// Random operations on contexts, compared with a reference; `make model` runs more of them.
@Suite(.serialized) struct ContextModelTests {
    /// Each kind of store for some seconds, with other sequences in each run.
    @Test(arguments: [Environment.Kind.hook, .triggers, .file, .stores])
    func randomSequences(_ kind: Environment.Kind) async throws {
        try await ContextModel.run(SequenceRunner(kind), seconds: 3)
    }

    @Test @MainActor func randomSequencesOfTheMainContext() async throws {
        try await ContextModel.run(SequenceRunner(.main), seconds: 2)
    }
}

enum ContextModel {
    /// Runs random sequences and records the first one that fails, as short as possible.
    nonisolated(nonsending) static func run(_ runner: SequenceRunner, seconds: Double) async throws {
        var random = TestSeed.generator(runner.kind.rawValue.utf8.reduce(0) { $0 &* 31 &+ Int($1) })
        let end = Date(timeIntervalSinceNow: seconds)
        var count = 0
        // At least some sequences, also on a slow machine.
        while count < 20 || Date.now < end {
            if let failure = try await runner.run(seed: random.next()) {
                Issue.record("\(TestSeed.description): \(try await runner.shrink(failure))")
                return
            }
            count += 1
        }
    }
}
