import Chronicle
import Foundation
import SampleTrips

extension App {
    /// Displays the list whenever it changes.
    ///
    /// Commits of any process wake the program. Another run of the app may have cleared a mark, which is no commit, so it
    /// also compares the marks once a second. It reads the changes and the trips only if one of these changed.
    static func watch(_ arguments: inout Arguments) async throws {
        let once = arguments.flag("--once")
        let timeout = try arguments.value("--timeout").map(seconds)
        try arguments.end()
        // Whenever the program waits, its state is stored, so it may end at any time.
        Program.exitWhenInterrupted()

        let session = try Session<Transaction>(arguments)
        // Created before the first list, so that no later commit is missed.
        let observer = try HistoryObserver(modelContainer: session.context.container)
        var seen = try State(session)
        var shown = try lines(session)
        show(shown)
        for await _ in wakeUps(observer, timeout) {
            let state = try State(session)
            guard state != seen else { continue }
            seen = state
            let lines = try lines(session.renewed())
            guard lines != shown else { continue }
            shown = lines
            show([""] + lines)
            if once { return }
        }
        if once { throw Failure("nothing changed.") }
    }

    /// Returns a sequence with an element after commits, and once a second, that ends after the timeout.
    private static func wakeUps(_ observer: HistoryObserver, _ timeout: Duration?) -> AsyncStream<Void> {
        // Several commits during one pass of the loop need only one more pass.
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { wakeUps in
            let tasks: [Task<Void, any Error>] = [
                Task { for await _ in observer.eventCounts { wakeUps.yield() } },
                Task {
                    while true {
                        try await Task.sleep(for: .seconds(1))
                        wakeUps.yield()
                    }
                },
                Task {
                    guard let timeout else { return }
                    try await Task.sleep(for: timeout)
                    wakeUps.finish()
                },
            ]
            wakeUps.onTermination = { _ in tasks.forEach { $0.cancel() } }
        }
    }

    /// The state that the list depends on.
    private struct State: Equatable {
        let token: Transaction.TokenType?
        let marks: Set<TripMark>

        init(_ session: Session<Transaction>) throws {
            token = try TripHistory<Transaction>(session.context).currentToken()
            marks = try session.keeper.load().marks
        }
    }

    private static func lines(_ session: Session<Transaction>) throws -> [String] {
        let unread = try session.catchUp()
        return TripList().lines(try session.context.trips(), unread)
    }

    private static func seconds(_ text: String) throws -> Duration {
        guard let seconds = Double(text), seconds > 0, seconds < 1e9 else {
            throw UsageError("“\(text)” is no number of seconds")
        }
        return .seconds(seconds)
    }
}
