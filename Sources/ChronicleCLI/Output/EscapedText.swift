import Chronicle

extension StringProtocol {
    /// Values cannot send commands to the terminal: control characters become escape sequences as in Swift (`\n`, `\t`,
    /// `\u{1b}`), and so do characters that change the direction of the following text, and the backslash.
    var escaped: String {
        guard unicodeScalars.contains(where: \.requiresEscape) else { return String(self) }
        var text = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\0": text += "\\0"
            case _ where scalar.requiresEscape: text += "\\u{\(String(scalar.value, radix: 16))}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    var quoted: String { "\"\(escaped.replacing("\"", with: "\\\""))\"" }
}

extension Unicode.Scalar {
    fileprivate var requiresEscape: Bool { self == "\\" || isTerminalControl }
}
