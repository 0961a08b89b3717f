import Chronicle
import Foundation
import SampleTrips

extension App {
    /// Shows the list whenever it changes.
    ///
    /// Asks for the store's current position ten times a second, which costs a look at the end of the history, and
    /// whether another run of the app has cleared a mark. Only then the news and the trips are read.
    static func watch(_ arguments: inout Arguments) throws {
        let once = arguments.flag("--once")
        let timeout = try arguments.value("--timeout").map(seconds)
        try arguments.end()
        // Everything is remembered by now whenever the program waits, so that it may end at any time.
        signal(SIGINT) { _ in _exit(0) }

        let session = try Session<Transaction>(arguments)
        let clock = ContinuousClock()
        let end = timeout.map { clock.now + $0 }
        var seen = try State(session)
        var shown = try lines(session)
        show(shown)
        while end.map({ clock.now < $0 }) ?? true {
            Thread.sleep(forTimeInterval: 0.1)
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

    /// What the list depends on.
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
