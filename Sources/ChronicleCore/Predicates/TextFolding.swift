import Foundation

/// Removes case and diacritics from characters that fold to a single character.
///
/// Supported are the letters, digits and signs of the Latin, Greek, Cyrillic, Armenian, Hebrew and Arabic alphabets up
/// to U+07FF, whose UTF-8 takes at most two bytes, and dashes, quotation marks and ideographs, which stay unchanged.
///
/// Foundation has to handle combining marks, characters that fold to several characters such as `ß`, characters that
/// can consist of several scalars such as kana and Hangul, invisible characters, and all others.
enum TextFolding {
    static let options: String.CompareOptions = [.caseInsensitive, .diacriticInsensitive]

    /// Writes at most one character for each byte. Returns `nil` if a character is not supported or the text is not valid UTF-8.
    static func fold(_ utf8: UnsafeBufferPointer<UInt8>, into units: UnsafeMutableBufferPointer<UInt16>) -> Int? {
        table.withUnsafeBufferPointer { table in
            var (index, count) = (0, 0)
            while index < utf8.count {
                let first = utf8[index]
                index += 1
                var unit = unknown
                if first < 0x80 {
                    unit = table[Int(first)]
                } else if let scalar = scalar(first, utf8[index...]) {
                    index += scalar < 0x800 ? 1 : 2
                    unit = scalar < 0x800 ? table[scalar] : isPlain(scalar) ? UInt16(scalar) : unknown
                }
                guard unit != unknown else { return nil }
                units[count] = unit
                count += 1
            }
            return count
        }
    }

    /// `nil` unless the encoding takes two or three bytes.
    private static func scalar(_ first: UInt8, _ rest: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
        func bits(_ index: Int) -> Int? {
            guard index < rest.endIndex, 0x80...0xBF ~= rest[index] else { return nil }
            return Int(rest[index] & 0x3F)
        }
        guard let second = bits(rest.startIndex) else { return nil }
        if 0xC2...0xDF ~= first { return Int(first & 0x1F) << 6 | second }
        guard 0xE0...0xEF ~= first, let third = bits(rest.startIndex + 1) else { return nil }
        let scalar = Int(first & 0x0F) << 12 | second << 6 | third
        return scalar < 0x800 ? nil : scalar
    }

    /// Returns whether a scalar encoded in three bytes is a character by itself, without case and diacritics.
    private static func isPlain(_ scalar: Int) -> Bool {
        switch scalar {
        case 0x2010...0x2027, 0x3001...0x3003, 0x4E00...0x9FFF: true
        default: false
        }
    }

    private static let unknown = UInt16.max

    /// Computed with Foundation once, in about two milliseconds.
    private static let table: [UInt16] = (0..<UInt16(0x800)).map { value in
        if value < 0x80 { return value | (isCapital(value) ? 0x20 : 0) }
        guard let scalar = Unicode.Scalar(value), isSingleCharacter(scalar) else { return unknown }
        let folded = String(scalar).folding(options: options, locale: nil).unicodeScalars
        guard let first = folded.first, folded.count == 1, first.value < 0x800, isSingleCharacter(first) else {
            return unknown
        }
        return UInt16(first.value)
    }

    private static func isCapital(_ value: UInt16) -> Bool { 0x41...0x5A ~= value }

    /// Returns whether a scalar is a character by itself in any context.
    private static func isSingleCharacter(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        return properties.isGraphemeBase && !properties.isGraphemeExtend && !properties.isDefaultIgnorableCodePoint
            && properties.canonicalCombiningClass == .notReordered
    }
}
