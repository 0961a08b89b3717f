import Foundation
import Synchronization

extension Process {
    private static let starting = Mutex(())

    /// Runs the process, but not while another one is being started: Foundation notices the end of a process on Linux by a socket
    /// that it closes after the start. A process that is started meanwhile would inherit the socket, and the end would be noticed
    /// only when both have ended.
    package func start() throws {
        try Self.starting.withLock { _ in try run() }
    }
}
