import Foundation

/// The states of an operation that nothing interrupts.
struct Reference: Codable {
    /// The state before the operation and after each step.
    var states: [State]
    /// The number of calls of each kind, see `FAULT_KINDS`.
    var calls: [Int64]
}

/// A violated expectation.
enum Failure: Error, CustomStringConvertible {
    /// An acknowledged change is missing, or one that failed is present.
    case lost(String)
    /// The store cannot be used, or is damaged.
    case invalid(String)

    var description: String {
        switch self {
        case .lost(let text): "lost: \(text)"
        case .invalid(let text): "invalid: \(text)"
        }
    }
}

/// Checks the store after an interruption: it opens, has the acknowledged changes, allows to repeat the operation and to save,
/// and is valid.
struct Check {
    let operation: Operation
    let reference: Reference

    /// - Parameters:
    ///   - allowed: The numbers of the steps after which the store may be.
    ///   - repeats: Whether to run the operation again.
    func run(_ store: any StoreUnderTest, allowed: ClosedRange<Int>, repeats: Bool) throws {
        let state = try valid("opening") {
            if !store.isOpen { try store.open() }
            return try store.state()
        }
        try require(state, allowed)
        if repeats {
            try valid("repeating") { try operation.run(store, Steps(nil)) }
            let repeated = try valid("reading") { try store.state() }
            guard let last = reference.states.last, repeated.rows == last.rows else {
                throw Failure.lost("after a repetition: \(repeated.difference(from: reference.states.last ?? State()))")
            }
        }
        guard try valid("saving", { try store.saveMore() }) else { throw Failure.lost("the next save") }
        store.close()
        let problems = try valid("verifying") { try store.verify() }
        if !problems.isEmpty { throw Failure.invalid(problems.prefix(5).joined(separator: "; ")) }
    }

    private func require(_ state: State, _ allowed: ClosedRange<Int>) throws {
        let states = reference.states[allowed.clamped(to: 0...reference.states.count - 1)]
        switch operation.guarantee {
        case .steps:
            if states.contains(state) { return }
        case .rows:
            let transactions = states.map(\.transactions)
            let range = (transactions.min() ?? 0)...(transactions.max() ?? 0)
            if range.contains(state.transactions),
                states.contains(where: { $0.rows == state.rows && $0.consumers == state.consumers })
            {
                return
            }
        case .resumption:
            if allowed.lowerBound < reference.states.count - 1 || states.contains(state) { return }
        }
        throw Failure.lost(
            "after step \(allowed): \(state.difference(from: states.first ?? State()))"
                + (states.count > 1 ? ", or \(state.difference(from: states.last ?? State()))" : ""))
    }

    private func valid<Result>(_ what: String, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let failure as Failure { throw failure } catch {
            throw Failure.invalid("\(what) fails: \(error)")
        }
    }
}
