import Foundation
import Synchronization

/// A server on the loopback addresses, which only programs on the same computer can reach. Each connection has a thread, so
/// that a slow client does not delay others, and serves one request.
public final class HTTPServer: Sendable {
    /// What the server accepts, and its responses to what it refuses.
    public struct Options: Sendable {
        /// Further connections receive 503.
        public var connections = 32
        /// The longest time to receive a request, and the longest time without progress of a response.
        public var timeout = Duration.seconds(10)
        /// Other methods receive 405.
        public var methods = ["GET", "HEAD"]
        /// The largest size of a content in bytes. Any content is ignored if it is 0.
        public var maximumContent = 0
        /// Sends the response to a refused request.
        public var refuse:
            @Sendable (HTTPConnection, HTTPStatus, String, _ fields: KeyValuePairs<String, String>) throws -> Void = {
                try $0.send($1, $2, fields: $3)
            }

        public init() {}
    }

    /// A port at which the server cannot listen.
    public enum PortError: Error {
        case inUse
        case requiresPermissions
    }

    /// An error ends the connection, so a handler sends a response for others than ``HTTPConnection/Closed``.
    public typealias Handler = @Sendable (HTTPRequest, HTTPConnection) throws -> Void

    public let port: UInt16
    private let listeners: [Int32]
    private let options: Options
    private let handler: Handler
    private let connectionCount = Mutex(0)

    /// Listens at a port of 127.0.0.1 and, if the computer has it, ::1. The port 0 is any free one. Several threads call
    /// the handler. Throws ``PortError`` if that is not possible.
    public init(port: UInt16, options: Options = Options(), handler: @escaping Handler) throws {
        (self.options, self.handler) = (options, handler)
        var attempts = port == 0 ? 16 : 1
        while true {
            attempts -= 1
            do {
                (listeners, self.port) = try Self.listeners(port)
                return
            } catch PortError.inUse where attempts > 0 {
                // The port that is free for one kind of address is in use for the other.
            }
        }
    }

    private static func listeners(_ requested: UInt16) throws -> ([Int32], UInt16) {
        let listener = try listen(address4(requested), requested)
        let port = port(of: listener)
        do {
            // `localhost` can mean either address.
            return ([listener, try listen(address6(port), port)], port)
        } catch let error as POSIXError where [.EAFNOSUPPORT, .EADDRNOTAVAIL].contains(error.code) {
            // The computer has no IPv6.
            return ([listener], port)
        } catch {
            close(listener)
            throw error
        }
    }

    deinit {
        for listener in listeners { close(listener) }
    }

    // MARK: Connections

    /// Accepts connections on the current thread until an error occurs.
    public func run() throws {
        while true {
            var descriptors = listeners.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&descriptors, nfds_t(descriptors.count), -1) > 0 else {
                guard errno == EINTR else { throw Self.error() }
                continue
            }
            for descriptor in descriptors where descriptor.revents != 0 { try accept(descriptor.fd) }
        }
    }

    private func accept(_ listener: Int32) throws {
        let socket = Foundation.accept(listener, nil, nil)
        guard socket >= 0 else {
            switch errno {
            case EMFILE, ENFILE, ENOBUFS, ENOMEM:
                // The connection waits until others have ended.
                poll(nil, 0, 50)
            // Of errors of the connection, others are not affected. https://man7.org/linux/man-pages/man2/accept.2.html
            case EBADF, EFAULT, EINVAL, ENOTSOCK, EOPNOTSUPP: throw Self.error()
            default: break
            }
            return
        }
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        let count = connectionCount.withLock { count in
            count += 1
            return count
        }
        // Twice the limit, so that refused clients learn the reason, but cannot use up the threads.
        guard count <= options.connections * 2 else {
            close(socket)
            return connectionCount.withLock { $0 -= 1 }
        }
        let isRefused = count > options.connections
        let thread = Thread { [self] in
            serve(socket, isRefused: isRefused)
            connectionCount.withLock { $0 -= 1 }
        }
        thread.name = "chronicle-http"
        thread.stackSize = 1 << 20
        thread.start()
    }

    private func serve(_ socket: Int32, isRefused: Bool) {
        let connection = HTTPConnection(socket, timeout: options.timeout)
        do {
            let request = try connection.receive(maximumContent: options.maximumContent)
            connection.sendsContent = request.method != "HEAD"
            let methods = options.methods.joined(separator: ", ")
            if isRefused {
                try options.refuse(
                    connection, .unavailable, "The server has too many connections; close a page or try again.", [:])
            } else if !request.isAddressed(toPort: port) {
                try options.refuse(
                    connection, .forbidden, "The server is only available as localhost, 127.0.0.1 or [::1].", [:])
            } else if !options.methods.contains(request.method) {
                try options.refuse(
                    connection, .methodNotAllowed, "The server supports only these methods: \(methods).",
                    ["Allow": methods])
            } else {
                try handler(request, connection)
            }
        } catch let failure as HTTPRequest.Failure {
            // The client may have closed the connection.
            try? options.refuse(connection, failure.status, "The request is refused: \(failure.reason).", [:])
        } catch {
            // The client has closed the connection, so an error cannot be sent.
        }
        connection.finish()
    }

    // MARK: Sockets

    private static func listen<Address>(_ address: Address, _ port: UInt16) throws -> Int32 {
        var address = address
        let isIPv6 = address is sockaddr_in6
        #if canImport(Glibc)
            let type = Int32(SOCK_STREAM.rawValue)
        #else
            let type = SOCK_STREAM
        #endif
        let listener = socket(isIPv6 ? AF_INET6 : AF_INET, type, 0)
        guard listener >= 0 else { throw error() }
        _ = fcntl(listener, F_SETFD, FD_CLOEXEC)
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        // Allows the port that an ended process has used shortly before, but not one that is in use.
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, size)
        if isIPv6 { setsockopt(listener, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &on, size) }
        let bound = withUnsafeBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { bind(listener, $0.baseAddress, socklen_t(bytes.count)) }
        }
        guard bound == 0, Foundation.listen(listener, 64) == 0 else {
            let error = error()
            close(listener)
            switch error.code {
            case .EADDRINUSE: throw PortError.inUse
            case .EACCES: throw PortError.requiresPermissions
            default: throw error
            }
        }
        return listener
    }

    private static func address4(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }

    private static func address6(_ port: UInt16) -> sockaddr_in6 {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        address.sin6_addr = in6addr_loopback
        return address
    }

    private static func port(of listener: Int32) -> UInt16 {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutableBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { getsockname(listener, $0.baseAddress, &size) }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    private static func error() -> POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
