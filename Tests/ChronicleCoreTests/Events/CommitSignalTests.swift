import Testing

@testable import ChronicleCore

@Suite("Commit signals", .timeLimit(.minutes(5)))
struct CommitSignalTests {
    @Test func signalBeforeTheWaitIsKept() async {
        let signal = CommitSignal()
        signal.signal()
        #expect(await signal.wait())
    }

    @Test func severalSignalsAreOne() async {
        let signal = CommitSignal()
        for _ in 0..<100 { signal.signal() }
        #expect(await signal.wait())
        let waiting = Task { await signal.wait() }
        signal.end()
        #expect(await waiting.value == false)
    }

    @Test func signalWakesAWaitingTask() async {
        let signal = CommitSignal()
        let waiting = Task { await signal.wait() }
        signal.signal()
        #expect(await waiting.value)
    }

    @Test func cancelledTaskStopsWaiting() async {
        let signal = CommitSignal()
        let waiting = Task { await signal.wait() }
        waiting.cancel()
        #expect(await waiting.value == false)
        #expect(signal.isEnded)
    }

    @Test func everySignalOfManyThreadsIsFollowedByAWait() async {
        let signal = CommitSignal()
        let sent = Task {
            await withTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask { for _ in 0..<1_000 { signal.signal() } }
                }
            }
            signal.end()
        }
        var wakes = 0
        while await signal.wait() { wakes += 1 }
        await sent.value
        #expect((0...4_000).contains(wakes))
        #expect(await signal.wait() == false)
    }
}
