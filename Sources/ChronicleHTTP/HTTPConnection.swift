public import Foundation

/// A client sends one request; one thread uses the connection.
public final class HTTPConnection {
    /// The client has closed the connection, or does not receive what is sent.
    public struct Closed: Error {}

    #if canImport(Darwin)
        // The programs ignore SIGPIPE.
        private static let sendFlags: Int32 = 0
    #else
        private static let sendFlags = Int32(MSG_NOSIGNAL)
    #endif

    private let socket: Int32
    /// A response without content ends after its head, as if the client had closed the connection.
    var sendsContent = true
    private let timeout: Duration

    /// - Parameter timeout: The longest time to receive a request, and the longest time without progress of a response.
    init(_ socket: Int32, timeout: Duration) {
        (self.socket, self.timeout) = (socket, timeout)
        var interval = timeval(tv_sec: Int(timeout.components.seconds), tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &interval, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(socket) }

    // MARK: Receiving

    /// Throws ``HTTPRequest/Failure`` if the request is invalid, too large, or incomplete after the timeout.
    ///
    /// - Parameter maximumContent: The largest size of a content in bytes. Any content is ignored if it is 0.
    func receive(maximumContent: Int) throws -> HTTPRequest {
        let deadline = ContinuousClock.now + timeout
        var head: [UInt8] = []
        while true {
            // The end may be split between two parts.
            let start = max(head.count - 3, 0)
            head += try read(until: deadline)
            if let end = Self.end(of: head, from: start) {
                var request = try HTTPRequest(head[..<end])
                if maximumContent > 0 {
                    request.content = try content(of: request, Array(head[end...]), maximumContent, deadline)
                }
                return request
            }
            guard head.count <= HTTPRequest.maximumSize else {
                throw HTTPRequest.Failure(
                    status: .headTooLarge, reason: "the request has more than \(HTTPRequest.maximumSize) bytes")
            }
        }
    }

    /// - Parameter received: What was received after the head.
    private func content(
        of request: HTTPRequest, _ received: [UInt8], _ maximum: Int, _ deadline: ContinuousClock.Instant
    ) throws -> [UInt8] {
        let size = try request.contentSize(maximum: maximum)
        var content = received
        // A client may wait for this before it sends a long content.
        if content.count < size, request.fields["expect"]?.lowercased() == "100-continue" {
            try send(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        }
        while content.count < size { content += try read(until: deadline) }
        return Array(content.prefix(size))
    }

    private func read(until deadline: ContinuousClock.Instant) throws -> [UInt8] {
        guard wait(until: deadline) else {
            throw HTTPRequest.Failure(status: .requestTimeout, reason: "the request is incomplete")
        }
        guard let bytes = read(), !bytes.isEmpty else { throw Closed() }
        return bytes
    }

    private static func end(of head: [UInt8], from start: Int) -> Int? {
        let mark: [UInt8] = [13, 10, 13, 10]
        guard head.count >= mark.count else { return nil }
        return (start...head.count - mark.count).first { head[$0..<$0 + mark.count].elementsEqual(mark) }
            .map { $0 + mark.count }
    }

    private func wait(until deadline: ContinuousClock.Instant) -> Bool {
        while true {
            let milliseconds = ((deadline - .now) / .milliseconds(1)).rounded(.up)
            guard milliseconds > 0 else { return false }
            var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            if poll(&descriptor, 1, Int32(milliseconds)) > 0 { return true }
        }
    }

    /// An empty array at the end, or `nil` after an error.
    private func read() -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: 4_096) { buffer, count in
            count = max(recv(socket, buffer.baseAddress, buffer.count, 0), 0)
            // An error ends the connection like its end.
        }
        return bytes
    }

    /// The reason why ``wait(for:timeout:)`` has ended.
    public enum Event: Sendable {
        case readable
        case timeout
        case closed
    }

    /// Waits until a descriptor can be read, such as that of a ``WakePipe``, or the client has closed the connection.
    public func wait(for descriptor: Int32, timeout: Duration) -> Event {
        let deadline = ContinuousClock.now + timeout
        while true {
            let milliseconds = ((deadline - .now) / .milliseconds(1)).rounded(.up)
            guard milliseconds > 0 else { return .timeout }
            var descriptors = [socket, descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&descriptors, 2, Int32(min(milliseconds, 86_400_000))) > 0 else { continue }
            if descriptors[0].revents != 0, isClosedAfterEvent() { return .closed }
            if descriptors[1].revents != 0 { return .readable }
        }
    }

    /// What the client sends after its request is ignored.
    private func isClosedAfterEvent() -> Bool {
        var byte = [UInt8](repeating: 0, count: 1_024)
        let count = recv(socket, &byte, byte.count, Int32(MSG_DONTWAIT))
        return count == 0 || count < 0 && errno != EAGAIN && errno != EINTR
    }

    // MARK: Sending

    /// - Parameter length: `nil` if the content ends with the connection.
    /// - Throws: ``Closed`` if the client has closed the connection, or has requested only the head.
    public func send(
        _ status: HTTPStatus, type: String, length: Int?, fields: KeyValuePairs<String, String> = [:]
    ) throws {
        var head = "HTTP/1.1 \(status.rawValue) \(status.phrase)\r\nContent-Type: \(type)\r\n"
        if let length { head += "Content-Length: \(length)\r\n" }
        for (name, value) in fields { head += "\(name): \(value)\r\n" }
        head += """
            Cache-Control: no-store\r
            Connection: close\r
            Cross-Origin-Resource-Policy: same-origin\r
            Referrer-Policy: no-referrer\r
            X-Content-Type-Options: nosniff\r
            X-Frame-Options: DENY\r
            \r

            """
        try send(Data(head.utf8))
        if !sendsContent { throw Closed() }
    }

    /// The response consists of a sentence.
    public func send(_ status: HTTPStatus, _ text: String, fields: KeyValuePairs<String, String> = [:]) throws {
        let content = Data("\(text)\n".utf8)
        try send(status, type: "text/plain; charset=utf-8", length: content.count, fields: fields)
        try send(content)
    }

    /// Throws ``Closed`` if the client has closed the connection, or has not received anything for the timeout.
    public func send(_ data: Data) throws {
        try data.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                let count = Foundation.send(socket, part.baseAddress, part.count, Self.sendFlags)
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if count == 0 || errno != EINTR {
                    throw Closed()
                }
            }
        }
    }

    /// Waits shortly until the client has received the response: if a socket is closed with data that was not read, such as
    /// the content of a refused request, the system discards the response.
    /// https://www.rfc-editor.org/rfc/rfc9112#section-9.6
    func finish() {
        shutdown(socket, Int32(SHUT_WR))
        let deadline = ContinuousClock.now + min(timeout, .seconds(1))
        var count = 0
        while count < 1 << 20, wait(until: deadline), let bytes = read(), !bytes.isEmpty { count += bytes.count }
    }
}
