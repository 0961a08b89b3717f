#if Postgres
    import ChronicleCPostgres
    import Foundation

    extension Connection {
        /// A message that a session sent with NOTIFY to a channel that this session listens to.
        struct Notification: Hashable, Sendable {
            let channel: String
            let payload: String
            /// The process identifier of the session that sent it.
            let serverProcess: Int32
        }

        /// The descriptor of the connection's socket, for a program that waits for several events at a time.
        var socket: Int32 { handle.map(PQsocket) ?? -1 }

        /// Waits for notifications.
        ///
        /// Run `LISTEN` on the connection first. Use a connection for which nothing else waits, because the wait does
        /// not end when the task is canceled, but at the latest after the timeout.
        ///
        /// - Parameters:
        ///   - milliseconds: The longest time to wait, or -1 to wait without a limit.
        ///   - descriptor: Another descriptor whose input ends the wait, or -1.
        /// - Returns: The notifications, which may be none.
        /// - Throws: ``PostgresError`` if the connection is lost.
        func notifications(milliseconds: Int32, orInputOf descriptor: Int32 = -1) throws -> [Notification] {
            let handle = try open()
            var found = try receivedNotifications(handle)
            if found.isEmpty {
                // poll ignores negative descriptors.
                var sockets = [
                    pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0),
                    pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                ]
                if poll(&sockets, 2, milliseconds) < 0, errno != EINTR {
                    throw PostgresError(message: String(cString: strerror(errno)), endsSession: true)
                }
                found = try receivedNotifications(handle)
            }
            return found
        }

        private func receivedNotifications(_ handle: OpaquePointer) throws -> [Notification] {
            guard PQconsumeInput(handle) == 1, PQstatus(handle) == CONNECTION_OK else { throw PostgresError(handle) }
            var found: [Notification] = []
            while let notification = PQnotifies(handle) {
                defer { PQfreemem(notification) }
                found.append(
                    Notification(
                        channel: String(cString: notification.pointee.relname),
                        payload: String(cString: notification.pointee.extra),
                        serverProcess: notification.pointee.be_pid))
            }
            return found
        }
    }
#endif
