import Foundation

/// A search for a text that ignores case and diacritics, like `localizedStandardContains`.
///
/// A search finds the same texts as `text.range(of: part, options: [.caseInsensitive, .diacriticInsensitive])`. It ignores the
/// current locale, so that all processes that share a store find the same models. Create one search and use it for many texts. It
/// is fast for Latin, Greek, Cyrillic, Armenian, Hebrew and Arabic letters and for ideographs.
public struct TextSearch: Sendable {
    private let part: String
    /// The folded part; `nil` when the search has to use Foundation.
    private let folded: [UInt16]?

    /// Creates a search.
    ///
    /// - Parameter part: The text to find. The empty string is never found.
    public init(_ part: String) {
        self.part = part
        var part = part
        folded = part.withUTF8 { utf8 in
            withUnsafeTemporaryAllocation(of: UInt16.self, capacity: utf8.count) { units in
                TextFolding.fold(utf8, into: units).map { Array(units.prefix($0)) }
            }
        }
    }

    /// Returns whether a text contains the part.
    ///
    /// - Parameter text: The text to search.
    /// - Returns: `true` if the text contains the part, ignoring case and diacritics.
    /// - Complexity: O(*n*), where *n* is the length of the text.
    public func isFound(in text: String) -> Bool {
        var text = text
        return text.withUTF8 { isFound(in: $0) }
    }

    /// Returns whether a text in UTF-8 contains the part.
    ///
    /// - Parameter utf8: The text to search. Invalid UTF-8 is treated as U+FFFD.
    /// - Returns: `true` if the text contains the part, ignoring case and diacritics.
    /// - Complexity: O(*n*), where *n* is the length of the text.
    public func isFound(in utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let folded else { return isFoundByFoundation(in: utf8) }
        return withUnsafeTemporaryAllocation(of: UInt16.self, capacity: utf8.count) { units in
            guard let count = TextFolding.fold(utf8, into: units) else { return isFoundByFoundation(in: utf8) }
            return folded.withUnsafeBufferPointer { $0.isPart(of: UnsafeBufferPointer(rebasing: units[..<count])) }
        }
    }

    private func isFoundByFoundation(in utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        let text = NSString(string: String(decoding: utf8, as: UTF8.self))
        let found = text.range(of: part, options: TextFolding.options)
        // On Linux, Foundation finds a NUL character beyond the end of the text; converting that range to Swift indices
        // would end the program.
        return found.location != NSNotFound && found.location + found.length <= text.length
    }
}

extension UnsafeBufferPointer<UInt16> {
    /// As in Foundation, the empty string is never found.
    fileprivate func isPart(of text: UnsafeBufferPointer<UInt16>) -> Bool {
        guard let first, count <= text.count else { return false }
        for start in 0...(text.count - count) where text[start] == first {
            var length = 1
            while length < count, text[start + length] == self[length] { length += 1 }
            if length == count { return true }
        }
        return false
    }
}
