import ChronicleTestSupport
import Foundation

/// A client for requests that `URLSession` does not make: incomplete ones, with other hosts, without reading the response.
/// It ignores proxies.
final class HTTPClient {
    struct Response {
        let status: Int
        /// The header fields by lowercase names.
        let fields: [String: String]
        let content: Data

        var text: String { String(decoding: content, as: UTF8.self) }
    }

    private let socket: Int32
    private var received = Data()

    init(port: UInt16) throws {
        socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, size) }
        }
        guard result == 0 else { throw Shell.Failure(description: "cannot connect to port \(port)") }
        // A hanging server fails the test instead of blocking it.
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(socket) }

    func send(_ data: Data) {
        data.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                let count = Foundation.send(socket, part.baseAddress, part.count, Int32(MSG_NOSIGNAL))
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Receives some bytes; none at the end of the connection.
    private func receive() -> Data {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(socket, &bytes, bytes.count, 0)
        return Data(bytes.prefix(max(count, 0)))
    }

    /// Receives until a text has arrived, and returns everything that was received.
    func receive(until text: String) throws -> String {
        while received.range(of: Data(text.utf8)) == nil {
            let data = receive()
            guard !data.isEmpty else {
                throw Shell.Failure(description: "the connection ended: \(String(decoding: received, as: UTF8.self))")
            }
            received += data
        }
        return String(decoding: received, as: UTF8.self)
    }

    /// Receives a response, whose content ends after its length or with the connection.
    func receiveResponse() throws -> Response {
        _ = try receive(until: "\r\n\r\n")
        guard let end = received.range(of: Data("\r\n\r\n".utf8)) else {
            throw Shell.Failure(description: "no head")
        }
        let lines = String(decoding: received[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { fields[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces) }
        }
        var content = Data(received[end.upperBound...])
        let length = fields["content-length"].flatMap { Int($0) }
        while content.count < length ?? .max {
            let data = receive()
            if data.isEmpty { break }
            content += data
        }
        let status = lines[0].split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return Response(status: status, fields: fields, content: content)
    }

    /// Sends a request and returns the response.
    static func request(
        _ method: String = "GET", _ path: String, port: UInt16, host: String? = nil, fields: [String] = [],
        content: Data? = nil
    ) throws -> Response {
        let client = try HTTPClient(port: port)
        var lines =
            ["\(method) \(path) HTTP/1.1", "Host: \(host ?? "localhost:\(port)")", "Connection: close"] + fields
        if let content {
            lines += ["Content-Type: application/json", "Content-Length: \(content.count)"]
        }
        client.send(Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + (content ?? Data()))
        return try client.receiveResponse()
    }
}
