import Chronicle
import Foundation

/// Standard output, or the pager, with its colors and width. Text is collected and written in larger parts. A write to a
/// closed pipe throws ``ClosedOutput``.
final class Console {
    /// The properties of the output and of the environment, which tests replace.
    struct Settings: Sendable {
        var isTerminal = false
        /// The width is at least 20.
        var columns = 80
        var usesColor = false
        var usesPager = false
        var timeZone = TimeZone.current
        var environment: [String: String] = [:]
        var now: @Sendable () -> Date = { Date() }
        /// What `verify` says about the version of SQLite.
        var libraryNotice = DefaultStore.libraryNotice
    }

    /// The reader, for example `head` or a pager, has closed the output. The process exits quietly.
    struct ClosedOutput: Error {}

    var settings: Settings
    /// The store of the command, for errors.
    var file: String?
    private let sink: (Data) throws -> Void
    private let errorSink: (Data) -> Void
    private var buffer = Data()
    private var pager: Pager?

    init(_ settings: Settings, output: @escaping (Data) throws -> Void, errors: @escaping (Data) -> Void) {
        self.settings = settings
        sink = output
        errorSink = errors
    }

    // MARK: Writing

    /// Values in the line must be ``Swift/StringProtocol/escaped``.
    func line(_ text: String = "") throws { try write(text + "\n") }

    func line(_ json: JSON) throws { try line(json.text) }

    func write(_ text: String) throws { try append(text.utf8) }

    func write(_ data: Data) throws { try append(data) }

    private func append(_ bytes: some Sequence<UInt8>) throws {
        try startPager()
        buffer.append(contentsOf: bytes)
        if buffer.count >= 1 << 16 { try flush() }
    }

    /// Commands that wait for new output call this.
    func flush() throws {
        guard !buffer.isEmpty else { return }
        defer { buffer.removeAll(keepingCapacity: true) }
        if let pager { try pager.write(buffer) } else { try sink(buffer) }
    }

    /// Waits until the user has closed the pager.
    func finish() throws {
        defer {
            pager?.finish()
            pager = nil
        }
        try flush()
    }

    func message(_ text: String) {
        // What precedes the message was printed before it. If the output is closed, the next write reports it.
        try? flush()
        errorSink(Data("\(Self.withoutConnectionStrings(text))\n".utf8))
    }

    /// Connection strings of PostgreSQL can contain a password.
    static func withoutConnectionStrings(_ text: String) -> String {
        // Until the end of the server's name, also if the password contains spaces.
        text.replacing(/postgres(ql)?:\/\/(.*@\S*|\S*)/, with: "postgresql://…")
    }

    /// Replaces the last line of standard error, for ``Progress``.
    func status(_ text: String) { errorSink(Data(text.utf8)) }

    private func startPager() throws {
        guard settings.usesPager else { return }
        settings.usesPager = false
        pager = try Pager(settings.environment)
    }

    // MARK: Styles

    enum Style: String {
        case bold = "1"
        case dim = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
        case blue = "34"
        case cyan = "36"
    }

    /// Unchanged if the output has no colors.
    func styled(_ text: String, _ style: Style) -> String {
        settings.usesColor && !text.isEmpty ? "\u{1b}[\(style.rawValue)m\(text)\u{1b}[0m" : text
    }

    // MARK: Dates

    /// Returns a date in the time zone of the user, such as `2026-03-01 14:05:09 +0100`.
    func text(_ date: Date) -> String { DateText.text(date, in: settings.timeZone) }
}
