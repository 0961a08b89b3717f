#if Postgres
    import ChronicleCPostgres
    import ChronicleCore
    import Foundation

    /// Waits for results, and cancels the statement on the server if the task of a read is canceled meanwhile.
    final class CancellationCheck {
        private let handle: OpaquePointer
        private let commitLimit: CommitLimit?
        private let isCancellable: Bool
        private var isCanceled = false
        /// The interval in milliseconds; a check costs little compared with a wait of this length.
        private static let interval: Int32 = 50

        /// - Parameter commitLimit: `nil` if the statements commit nothing.
        /// - Parameter isCancellable: Whether the statements end if the task of a read is canceled.
        init(_ handle: OpaquePointer, _ commitLimit: CommitLimit? = nil, isCancellable: Bool = true) {
            (self.handle, self.commitLimit, self.isCancellable) = (handle, commitLimit, isCancellable)
        }

        /// Throws ``PostgresError`` if the connection is lost, or if a commit takes too long.
        func wait(_ sql: String?) throws {
            while PQisBusy(handle) == 1 {
                // What could not be sent yet is sent while waiting.
                let isFlushed = PQflush(handle)
                if isFlushed < 0 { throw PostgresError(handle, sql: sql) }
                var socket = pollfd(
                    fd: PQsocket(handle), events: Int16(POLLIN) | (isFlushed > 0 ? Int16(POLLOUT) : 0), revents: 0)
                let ready = poll(&socket, 1, Self.interval)
                if ready < 0, errno != EINTR {
                    throw PostgresError(message: String(cString: strerror(errno)), endsSession: true)
                }
                // The last message of the server, with the reason for the end of the session, can still be read as a result.
                if ready > 0, PQconsumeInput(handle) != 1 { return }
                if isCancellable, !isCanceled, ReadCancellation.isCancelled { cancel() }
                // The limit begins with the first wait, so that a quick commit needs no clock.
                if ready == 0 { try commitLimit?.check() }
            }
        }

        /// The request to the server may arrive too late.
        private func cancel() {
            isCanceled = true
            guard let cancel = PQgetCancel(handle) else { return }
            defer { PQfreeCancel(cancel) }
            // Without success, the statement ends as usual: that is the same as a request that arrives too late.
            var message = [CChar](repeating: 0, count: 256)
            _ = PQcancel(cancel, &message, Int32(message.count))
        }

        /// `CancellationError` if the statement was canceled with the task.
        func error(for error: PostgresError) -> any Error {
            isCanceled && error.isCanceled ? CancellationError() : error
        }
    }
#endif
