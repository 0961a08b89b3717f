import Chronicle
import ChronicleTestSupport
import Testing

/// The positions of a random history, each with the state that was read when it was the newest one.
struct KeptStates<State> {
    private(set) var all: [(token: DefaultHistoryToken, state: State)] = []

    /// Keeps the state of the newest position.
    mutating func keep(_ state: State, _ context: ModelContext) throws {
        all.append((try context.currentHistoryToken(), state))
    }

    /// Reads each position with a context, and compares what it reads.
    ///
    /// - Parameter difference: Returns a text that is empty if the context has the state.
    func expectPositions(
        in container: ModelContainer, _ difference: (_ past: ModelContext, _ state: State) throws -> String
    ) {
        for (index, (token, state)) in all.enumerated() {
            do {
                let past = try ModelContext(container, asOf: token)
                let difference = try difference(past, state)
                #expect(difference == "", "position \(index) of \(all.count), \(TestSeed.description)")
                #expect(past.asOf == token)
            } catch {
                Issue.record(error, "position \(index) of \(all.count), \(TestSeed.description)")
            }
        }
    }

    /// Calls a closure with each pair of adjacent positions, and with random pairs in any order.
    func forEachPair(
        randomPairs: Int, _ random: inout SplitMix,
        _ body: (
            _ first: (token: DefaultHistoryToken, state: State), _ second: (token: DefaultHistoryToken, state: State)
        )
            throws -> Void
    ) rethrows {
        for (first, second) in zip(all, all.dropFirst()) { try body(first, second) }
        for _ in 0..<randomPairs { try body(random.pick(all), random.pick(all)) }
    }

    /// The newest kept state at or before a position.
    func state(at token: DefaultHistoryToken, in storeIdentifier: String) -> State? {
        guard let position = token.position(in: storeIdentifier) else { return nil }
        return all.last { ($0.token.position(in: storeIdentifier) ?? .max) <= position }?.state
    }
}
