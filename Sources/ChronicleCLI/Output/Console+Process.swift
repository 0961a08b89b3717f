import Foundation

extension Console {
    /// `write` reports a closed pipe as an error, so `SIGPIPE` must be ignored.
    convenience init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        var settings = Settings()
        settings.environment = environment
        settings.isTerminal = isatty(STDOUT_FILENO) == 1
        settings.columns = Self.columns(environment)
        settings.usesColor =
            settings.isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
        settings.usesPager = settings.isTerminal
        self.init(
            settings, output: { try Self.write($0, to: STDOUT_FILENO) },
            // Standard error may be closed; there is no other place to report it.
            errors: { try? Self.write($0, to: STDERR_FILENO) })
    }

    func apply(_ arguments: Arguments) {
        switch arguments.value("color") {
        case "always": settings.usesColor = true
        case "never": settings.usesColor = false
        default: break
        }
        if arguments.has("no-pager") { settings.usesPager = false }
    }

    private static func columns(_ environment: [String: String]) -> Int {
        var size = winsize()
        if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return max(Int(size.ws_col), 20) }
        return max(environment["COLUMNS"].flatMap { Int($0) } ?? 80, 20)
    }

    /// Throws ``ClosedOutput`` if the reader of a pipe has ended, or `POSIXError`.
    static func write(_ data: Data, to descriptor: Int32) throws {
        try data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Foundation.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count >= 0 {
                    rest = rest.dropFirst(count)
                } else if errno == EPIPE {
                    throw ClosedOutput()
                } else if errno != EINTR {
                    throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
                }
            }
        }
    }
}
