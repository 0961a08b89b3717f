package import Foundation

extension Unicode.Scalar {
    /// Whether a terminal may interpret the scalar, or it changes how the text around it looks.
    ///
    /// The controls of ASCII and of ISO 8859, where U+009B begins an escape sequence; marks that reverse the direction, and
    /// characters without a width; line and paragraph separators.
    package var isTerminalControl: Bool {
        if value < 0x7F { return value < 0x20 }
        return switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
        // Joins emoji.
        case .format: value != 0x200D
        default: false
        }
    }
}

/// JSON whose strings contain no ``Swift/Unicode/Scalar/isTerminalControl`` character, so that it can be shown in a terminal.
package enum JSONEscaping {
    /// JSON contains these characters only in strings.
    package static func escaped(_ json: Data) -> Data {
        // JSON encoders escape the controls of ASCII themselves, except for this one.
        guard json.contains(where: { $0 >= 0x7F }) else { return json }
        var escaped: [UInt8] = []
        escaped.reserveCapacity(json.count + 16)
        for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
            if scalar.value >= 0x7F, scalar.isTerminalControl {
                append(scalar, to: &escaped)
            } else {
                escaped.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
        return Data(escaped)
    }

    /// Appends `\u001b`, or the escape sequences of a surrogate pair.
    package static func append(_ scalar: Unicode.Scalar, to json: inout [UInt8]) {
        for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
            let digits = String(unit, radix: 16)
            json.append(contentsOf: "\\u".utf8)
            json.append(contentsOf: String(repeating: "0", count: 4 - digits.utf8.count).utf8)
            json.append(contentsOf: digits.utf8)
        }
    }
}
