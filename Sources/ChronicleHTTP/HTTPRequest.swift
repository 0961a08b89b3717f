import Foundation

/// A request: https://www.rfc-editor.org/rfc/rfc9112
public struct HTTPRequest: Equatable, Sendable {
    public let method: String
    /// The path without the query, not decoded.
    public let path: String
    /// The decoded query. A repeated name has its first value.
    public let query: [String: String]
    /// The header fields by lowercase names. The values of a repeated name are joined with commas.
    public let fields: [String: String]
    /// The content, if the server accepts some.
    public internal(set) var content: [UInt8] = []

    /// A request that the server refuses.
    public struct Failure: Error, Equatable {
        public let status: HTTPStatus
        public let reason: String

        public init(status: HTTPStatus, reason: String) { (self.status, self.reason) = (status, reason) }
    }

    /// The largest size of a head in bytes.
    static let maximumSize = 16_384

    /// The head ends with an empty line. Throws ``Failure`` if it is not valid.
    public init(_ head: some Collection<UInt8>) throws {
        func invalid(_ reason: String) -> Failure { Failure(status: .badRequest, reason: reason) }
        // Browsers and curl send ASCII only.
        guard head.allSatisfy({ $0 < 0x7f && ($0 >= 0x20 || [0x0d, 0x0a, 0x09].contains($0)) }) else {
            throw invalid("the request contains invalid characters")
        }
        let text = String(decoding: head, as: UTF8.self)
        var lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)[...]
        let parts = (lines.popFirst() ?? "").split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(\.isLetter) else {
            throw invalid("the request line is invalid")
        }
        guard ["HTTP/1.1", "HTTP/1.0"].contains(parts[2]) else {
            throw Failure(status: .versionNotSupported, reason: "the version is not HTTP/1.1")
        }
        let (host, targetPath) = Self.absolute(parts[1]) ?? (nil, parts[1])
        guard targetPath.hasPrefix("/") else { throw invalid("the target is not a path") }
        method = String(parts[0])
        let target = targetPath.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(target[0])
        query = Self.query(target.count > 1 ? target[1] : "")
        var fields: [String: String] = [:]
        for line in lines where !line.isEmpty {
            let pair = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            // A space before the colon, or a line that continues the previous one, is read differently by other programs.
            guard pair.count == 2, !pair[0].isEmpty, !pair[0].contains(where: \.isWhitespace), !line.contains("\r"),
                !line.contains("\n")
            else { throw invalid("a header field is invalid") }
            let name = pair[0].lowercased(), value = pair[1].trimmingCharacters(in: .whitespaces)
            if name == "host", fields[name] != nil { throw invalid("there are several host fields") }
            fields[name] = fields[name].map { "\($0), \(value)" } ?? value
        }
        if let host { fields["host"] = host }
        self.fields = fields
    }

    /// The host and the path of a target that is a URL, as proxies send it. The host replaces the header field.
    /// https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2
    private static func absolute(_ target: Substring) -> (host: String?, path: Substring)? {
        let scheme = "http://"
        guard target.prefix(scheme.count).lowercased() == scheme else { return nil }
        let rest = target.dropFirst(scheme.count)
        let host = rest.prefix { $0 != "/" && $0 != "?" }
        let path = rest[host.endIndex...]
        return (String(host), path.hasPrefix("/") ? path : Substring("/\(path)"))
    }

    private static func query(_ text: Substring) -> [String: String] {
        var query: [String: String] = [:]
        for part in text.split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = pair[0].removingPercentEncoding, query[name] == nil else { continue }
            query[name] = pair.count > 1 ? pair[1].removingPercentEncoding ?? "" : ""
        }
        return query
    }

    /// The size of the content in bytes. Throws ``Failure`` if it is not known in advance, or above a maximum.
    func contentSize(maximum: Int) throws -> Int {
        guard fields["transfer-encoding"] == nil else {
            throw Failure(status: .lengthRequired, reason: "the content has no Content-Length")
        }
        guard let text = fields["content-length"] else { return 0 }
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw Failure(status: .badRequest, reason: "the Content-Length is invalid")
        }
        // A number of too many digits is too large as well.
        guard let size = Int(text), size <= maximum else {
            throw Failure(status: .contentTooLarge, reason: "the content has more than \(maximum) bytes")
        }
        return size
    }

    /// Whether the host is a name or an address of this computer. A page of another site can let its name resolve to
    /// 127.0.0.1, and would then read the response as its own; its requests name that site.
    func isAddressed(toPort port: UInt16) -> Bool {
        let names = ["localhost", "127.0.0.1", "[::1]"]
        guard let host = fields["host"]?.lowercased() else { return false }
        return names.contains { host == "\($0):\(port)" || port == 80 && host == $0 }
    }
}

/// The status of a response.
public enum HTTPStatus: Int, Sendable {
    case ok = 200
    case created = 201
    case noContent = 204
    case badRequest = 400
    case forbidden = 403
    case notFound = 404
    case methodNotAllowed = 405
    case requestTimeout = 408
    case conflict = 409
    case gone = 410
    case lengthRequired = 411
    case contentTooLarge = 413
    case unsupportedMediaType = 415
    case headTooLarge = 431
    case internalError = 500
    case unavailable = 503
    case versionNotSupported = 505

    var phrase: String {
        switch self {
        case .ok: "OK"
        case .created: "Created"
        case .noContent: "No Content"
        case .badRequest: "Bad Request"
        case .forbidden: "Forbidden"
        case .notFound: "Not Found"
        case .methodNotAllowed: "Method Not Allowed"
        case .requestTimeout: "Request Timeout"
        case .conflict: "Conflict"
        case .gone: "Gone"
        case .lengthRequired: "Length Required"
        case .contentTooLarge: "Content Too Large"
        case .unsupportedMediaType: "Unsupported Media Type"
        case .headTooLarge: "Request Header Fields Too Large"
        case .internalError: "Internal Server Error"
        case .unavailable: "Service Unavailable"
        case .versionNotSupported: "HTTP Version Not Supported"
        }
    }
}
