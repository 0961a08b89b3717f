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
        let bytes = read()
        guard !bytes.isEmpty else { throw Closed() }
        return bytes
    }

    private static func end(of head: [UInt8], from start: Int) -> Int? {
        let mark: [UInt8] = [13, 10, 13, 10]
        guard head.count >= mark.count else { return nil }
        return (start...head.count - mark.count).first { head[$0..<$0 + mark.count].elementsEqual(mark) }
            .map { $0 + mark.count }
    }

    private func wait(until deadline: ContinuousClock.Instant) -> Bool {
        var descriptors = [pollfd(fd: socket, events: Int16(POLLIN), revents: 0)]
        return Self.poll(&descriptors, until: deadline)
    }

    /// Returns `false` after the deadline.
    private static func poll(_ descriptors: inout [pollfd], until deadline: ContinuousClock.Instant) -> Bool {
        while true {
            let milliseconds = ((deadline - .now) / .milliseconds(1)).rounded(.up)
            guard milliseconds > 0 else { return false }
            let count = Foundation.poll(&descriptors, nfds_t(descriptors.count), Int32(min(milliseconds, 86_400_000)))
            if count > 0 { return true }
        }
    }

    /// Empty at the end of what the client sends, and after an error.
    private func read() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 4_096) { buffer, count in
            count = max(recv(socket, buffer.baseAddress, buffer.count, 0), 0)
        }
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
            var descriptors = [socket, descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard Self.poll(&descriptors, until: deadline) else { return .timeout }
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

    // MARK: Server-sent events

    /// Begins a response that consists of events.
    ///
    /// - Throws: ``Closed``, as ``send(_:type:length:fields:)`` does.
    /// - Note: https://html.spec.whatwg.org/multipage/server-sent-events.html
    public func beginEvents() throws {
        try send(.ok, type: "text/event-stream", length: nil)
        // The client connects again after this number of milliseconds.
        try send(Data("retry: 1000\n\n".utf8))
    }

    /// Sends an event.
    ///
    /// - Parameters:
    ///   - name: `nil` for `message`.
    ///   - identifier: What the client sends as `Last-Event-ID` when it connects again, or `nil` to keep that of the event before.
    ///   - data: A text without line breaks.
    /// - Throws: ``Closed``, as ``send(_:)`` does.
    public func sendEvent(_ name: String? = nil, identifier: String? = nil, _ data: some Sequence<UInt8>) throws {
        var event = Data()
        if let name { event += Data("event: \(name)\n".utf8) }
        if let identifier { event += Data("id: \(identifier)\n".utf8) }
        try send(event + Data("data: ".utf8) + data + Data("\n\n".utf8))
    }

    /// Waits until a descriptor can be read before the next event.
    ///
    /// - Returns: Whether it can be read; `false` if the client has closed the connection.
    /// - Throws: ``Closed``, as ``send(_:)`` does.
    public func waitBetweenEvents(for descriptor: Int32) throws -> Bool {
        while true {
            switch wait(for: descriptor, timeout: .seconds(15)) {
            case .readable: return true
            case .closed: return false
            // A comment, which fails if the client has gone.
            case .timeout: try send(Data(":\n\n".utf8))
            }
        }
    }

    // MARK: The end

    /// Waits shortly until the client has received the response: if a socket is closed with data that was not read, such as
    /// the content of a refused request, the system discards the response.
    /// https://www.rfc-editor.org/rfc/rfc9112#section-9.6
    func finish() {
        shutdown(socket, Int32(SHUT_WR))
        let deadline = ContinuousClock.now + min(timeout, .seconds(1))
        var count = 0
        while count < 1 << 20, wait(until: deadline) {
            let bytes = read()
            guard !bytes.isEmpty else { return }
            count += bytes.count
        }
    }
}
