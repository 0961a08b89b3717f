import Synchronization

/// Wakes one task. Signals that arrive before the task waits are merged into one.
final class CommitSignal: Sendable {
    private enum State {
        case idle
        /// Signalled since the last wait.
        case pending
        case waiting(CheckedContinuation<Bool, Never>)
        case ended
    }

    private let state = Mutex(State.idle)

    var isEnded: Bool {
        state.withLock { state in if case .ended = state { true } else { false } }
    }

    func signal() {
        let waiting: CheckedContinuation<Bool, Never>? = state.withLock { state in
            switch state {
            case .idle: state = .pending
            case .waiting(let continuation):
                state = .idle
                return continuation
            case .pending, .ended: break
            }
            return nil
        }
        waiting?.resume(returning: true)
    }

    func end() {
        let waiting: CheckedContinuation<Bool, Never>? = state.withLock { state in
            defer { state = .ended }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume(returning: false)
    }

    /// Only one task may wait at a time; another one returns immediately. Returns `false` if the signal has ended, or the task was
    /// cancelled.
    func wait() async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let result: Bool? = state.withLock { state in
                    switch state {
                    case .idle:
                        state = .waiting(continuation)
                        return nil
                    case .pending:
                        state = .idle
                        return true
                    case .waiting, .ended: return false
                    }
                }
                if let result { continuation.resume(returning: result) }
            }
        } onCancel: {
            end()
        }
    }

    /// See ``wait()``.
    func wait(atMost interval: Duration) async -> Bool {
        // The wait ends with the signal or the timer, whichever is first.
        let timer = Task {
            try await Task.sleep(for: interval)
            signal()
        }
        defer { timer.cancel() }
        return await wait()
    }
}
