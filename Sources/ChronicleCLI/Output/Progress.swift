import Foundation

/// A line on standard error, on a terminal only, that shows how far a command is if it takes longer than a second.
final class Progress {
    private let console: Console
    private let isShown: Bool
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private var last: ContinuousClock.Instant
    private var isVisible = false

    init(_ console: Console, isTerminal: Bool = isatty(STDERR_FILENO) == 1) {
        self.console = console
        isShown = isTerminal
        start = clock.now
        last = start
    }

    /// Shows a text at most ten times per second.
    func show(_ text: @autoclosure () -> String) {
        guard isShown else { return }
        let now = clock.now
        guard now - start >= .seconds(1), now - last >= .milliseconds(100) else { return }
        last = now
        isVisible = true
        let line = TextLayout.truncated(text().escaped, to: console.settings.columns - 1)
        console.status("\r\u{1b}[K\(line)")
    }

    /// `part` is between 0 and 1.
    func show(_ text: String, part: Double) {
        let part = min(max(part, 0), 1)
        let cells = min(30, max(console.settings.columns - text.count - 10, 0))
        let filled = Int((part * Double(cells)).rounded())
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: cells - filled)
        show("\(text) \(bar) \(Int(part * 100)) %")
    }

    func finish() {
        if isVisible { console.status("\r\u{1b}[K") }
        isVisible = false
    }
}
