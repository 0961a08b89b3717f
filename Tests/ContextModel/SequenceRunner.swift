import ChronicleTestSupport

/// Runs random sequences and shrinks those that fail.
package struct SequenceRunner {
    /// A sequence after whose last step a context or a store differs from the reference.
    package struct Failure: Error, CustomStringConvertible {
        package let seed: UInt64
        package let kind: Environment.Kind
        package let steps: [Step]
        package let message: String

        package var description: String {
            "seed \(seed), \(kind.rawValue), \(steps.count) steps:\n"
                + steps.map { "    \($0)\n" }.joined() + "    -> \(message)"
        }
    }

    package let kind: Environment.Kind
    private let environment: Environment
    /// The names of steps to leave out, because they have a known defect.
    package var excluded: Set<String> = []

    package init(_ kind: Environment.Kind) throws {
        self.init(try Environment(kind))
    }

    package init(_ environment: Environment) {
        (kind, self.environment) = (environment.kind, environment)
    }

    /// Runs the sequence with a seed.
    ///
    /// - Returns: The failure, or `nil`.
    package nonisolated(nonsending) func run(seed: UInt64) async throws -> Failure? {
        var steps: [Step] = []
        return try await generate(seed, &steps).map { Failure(seed: seed, kind: kind, steps: steps, message: $0) }
    }

    /// One sequence of eight replays its history.
    private static func replays(_ seed: UInt64) -> Bool { seed % 8 == 0 }

    private nonisolated(nonsending) func generate(_ seed: UInt64, _ steps: inout [Step]) async throws -> String? {
        var random = SplitMix(state: seed)
        let (length, contexts) = (10 + random.below(51), 2 + random.below(2))
        var generator = Generator(random)
        let simulation = try Simulation(environment, contexts: contexts, replays: Self.replays(seed))
        do {
            var attempts = 0
            while steps.count < length, attempts < 2 * length {
                let step = generator.step(attempts + 1, in: simulation)
                attempts += 1
                guard excluded.isEmpty || !excluded.contains(step.name) else { continue }
                steps.append(step)
                do {
                    if try await !simulation.perform(step) { steps.removeLast() }
                } catch is Simulation.MergeRequired {
                    guard !excluded.contains("merge") else {
                        steps.removeLast()
                        continue
                    }
                    steps[steps.count - 1] = .merge(step.context ?? 0, generator.random.pick(MergeForm.allCases))
                    try await simulation.perform(steps[steps.count - 1])
                    steps.append(step)
                    do { if try await !simulation.perform(step) { steps.removeLast() } } catch is Simulation
                        .MergeRequired
                    {
                        steps.removeLast()
                    }
                }
            }
            for index in 0..<contexts {
                steps.append(.check(index))
                try await simulation.perform(.check(index))
            }
            try simulation.checkHistoryOfSequence(generator.random)
        } catch let difference as Difference {
            return difference.description
        }
        return nil
    }

    /// Returns the difference that a sequence shows, or `nil`.
    ///
    /// - Parameters:
    ///   - isThorough: Whether to compare everything that the history says about the sequence at its end.
    ///   - replays: Whether to replay a copy of the history after some of the commits.
    package nonisolated(nonsending) func failure(
        of steps: [Step], isThorough: Bool = false, replays: Bool = false
    ) async throws -> String? {
        let contexts = (steps.compactMap(\.context).max() ?? 0) + 1
        let simulation = try Simulation(environment, contexts: contexts, replays: replays)
        do {
            for step in steps {
                // Without the steps before it, another step may have more than one result.
                do { try await simulation.perform(step) } catch is Simulation.MergeRequired {}
            }
            if isThorough { try simulation.checkHistoryOfSequence(nil) }
        } catch let difference as Difference { return difference.description }
        return nil
    }

    /// Removes steps as long as the sequence fails in the same way.
    package nonisolated(nonsending) func shrink(_ failure: Failure) async throws -> Failure {
        func group(_ message: String) -> String { message.filter { !$0.isNumber } }
        var (steps, message) = (failure.steps, failure.message)
        let replays = Self.replays(failure.seed)
        let isThorough = try await self.failure(of: steps, replays: replays) == nil
        var size = steps.count / 2
        while size > 0 {
            var start = 0
            var hasChanged = false
            while start < steps.count {
                var shorter = steps
                shorter.removeSubrange(start..<min(start + size, steps.count))
                if let found = try await self.failure(
                    of: shorter, isThorough: isThorough, replays: replays),
                    group(found) == group(failure.message)
                {
                    (steps, message, hasChanged) = (shorter, found, true)
                } else {
                    start += size
                }
            }
            if size > 1 { size /= 2 } else if !hasChanged { size = 0 }
        }
        return Failure(seed: failure.seed, kind: kind, steps: steps, message: message)
    }
}
