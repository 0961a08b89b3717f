#if Postgres
    import ChronicleCPostgres
    import Foundation

    extension Connection {
        /// A message that was sent with NOTIFY to a channel that this session listens to.
        struct Notification: Hashable, Sendable {
            let channel: String
            let payload: String
            let serverProcess: Int32
        }

        /// The socket, for a program that waits for several events at a time.
        var socket: Int32 { handle.map(PQsocket) ?? -1 }

        /// Waits for notifications, which may be none. Run `LISTEN` first, on a connection for which nothing else waits:
        /// the wait does not end when the task is canceled.
        ///
        /// - Parameter milliseconds: -1 to wait without a limit.
        /// - Parameter descriptor: Another descriptor whose input ends the wait, or -1.
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
