import Foundation

/// The style of text: bold type and colors in a terminal, plain text everywhere else.
public struct Style: Sendable {
    let isTerminal: Bool
    private let hasColors: Bool

    /// The style of the standard output.
    public static let output = Style()

    init() {
        let environment = ProcessInfo.processInfo.environment
        isTerminal = isatty(STDOUT_FILENO) == 1
        // https://no-color.org
        hasColors = isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }

    public func bold(_ text: String) -> String { wrapped(text, "1") }
    public func dim(_ text: String) -> String { wrapped(text, "2") }
    public func green(_ text: String) -> String { wrapped(text, "32") }
    public func red(_ text: String) -> String { wrapped(text, "31") }
    /// New content.
    public func accent(_ text: String) -> String { wrapped(text, "1;36") }

    /// The mark before a trip with unread changes.
    public var mark: String { isTerminal ? accent("●") : "*" }

    /// What to print before and after a match in a longer text.
    public var matchDelimiters: (start: String, end: String) {
        hasColors ? ("\u{1B}[1;36m", "\u{1B}[0m") : ("[", "]")
    }

    private func wrapped(_ text: String, _ code: String) -> String {
        hasColors && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
