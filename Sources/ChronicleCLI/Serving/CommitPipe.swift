import Chronicle
import ChronicleHTTP

/// A thread can wait for commits of any process, and for its client at the same time.
final class CommitPipe: Sendable {
    private let pipe: WakePipe
    /// The handler keeps the pipe open.
    private let observation: CommitObservation

    /// Throws if the process has too many open files, or a server accepts no further connection.
    init(_ store: any ToolStore) throws {
        let pipe = try WakePipe()
        self.pipe = pipe
        observation = try store.observeCommits { pipe.wake() }
    }

    /// Readable if something may have been committed since ``drain()``.
    var descriptor: Int32 { pipe.descriptor }

    /// Read the history afterwards.
    func drain() { pipe.drain() }

    /// Waits until something may have been committed since ``drain()``.
    func wait() throws { try pipe.wait() }
}
