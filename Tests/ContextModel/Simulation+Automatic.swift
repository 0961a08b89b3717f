import Chronicle

// Automatic saves and merges of the main context.
extension Simulation {
    /// Waits until the main context has saved its changes and merged those of others.
    nonisolated(nonsending) func turn() async throws -> Bool {
        guard environment.kind == .main else { return false }
        let context = contexts[0]
        let hasChanges = !isUnchanged(context)
        // The changes of others may be merged before or after the save.
        if hasChanges { try requireCurrent(context) }
        if hasChanges {
            guard let outcome = try? context.save(world), !outcome.mayFail,
                !outcome.repairsOneToOne || Self.repairsOneToOne
            else { return false }
            try await wait { context.context.hasChanges ? Difference("the context does not save automatically") : nil }
            try didSave(context, outcome)
        }
        departMissing(context)
        context.readAll(world)
        context.token = tokens.last
        try await wait {
            do { try checkAll(context) } catch let difference as Difference { return difference }
            return nil
        }
        return true
    }

    nonisolated(nonsending) func wait(until difference: () throws -> Difference?) async throws {
        for _ in 0..<10 { await Task.yield() }
        // Long enough for a machine with other work.
        let end = ContinuousClock.now + .seconds(60)
        while let difference = try difference() {
            if ContinuousClock.now > end { throw difference }
            try await Task.sleep(for: .milliseconds(1))
        }
    }
}
