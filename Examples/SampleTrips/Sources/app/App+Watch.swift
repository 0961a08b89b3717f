import Chronicle
import Foundation
import SampleTrips

extension App {
    /// Displays the list whenever it changes.
    ///
    /// Ten times a second, fetches the store's current token, which only reads the end of the history, and checks
    /// whether another run of the app has cleared a mark. It reads the changes and the trips only if one of these
    /// changed.
    static func watch(_ arguments: inout Arguments) throws {
        let once = arguments.flag("--once")
        let timeout = try arguments.value("--timeout").map(seconds)
        try arguments.end()
        // Whenever the program waits, its state is stored, so it may end at any time.
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
