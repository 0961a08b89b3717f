import Foundation

/// Looks for a text in others as `localizedStandardContains` does: in whatever case, with whatever diacritics.
///
/// It finds what `text.range(of: part, options: [.caseInsensitive, .diacriticInsensitive])` does, without a locale:
/// processes that share a store find the same in it. Make one for a question and ask it of every text: texts of
/// Latin, Greek, Cyrillic, Armenian, Hebrew and Arabic letters, and of ideographs, take a fraction of Foundation's time.
///
/// ```swift
/// let search = TextSearch("CAFE")
/// search.isFound(in: "Le Café")   // true
/// ```
public struct TextSearch: Sendable {
    private let part: String
    /// What the part folds to; `nil` when only Foundation knows.
    private let folded: [UInt16]?

    /// - Parameter part: What to look for. The empty text is found nowhere.
    public init(_ part: String) {
        self.part = part
        var part = part
        folded = part.withUTF8 { utf8 in
            withUnsafeTemporaryAllocation(of: UInt16.self, capacity: utf8.count) { units in
                TextFolding.fold(utf8, into: units).map { Array(units.prefix($0)) }
            }
        }
    }

    public func isFound(in text: String) -> Bool {
        var text = text
        return text.withUTF8 { isFound(in: $0) }
    }

    /// - Parameter utf8: A text; what is no UTF-8 counts as U+FFFD.
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
        // On Linux a NUL is found behind the end, and the range of Swift's method would end the program.
        return found.location != NSNotFound && found.location + found.length <= text.length
    }
}

extension UnsafeBufferPointer<UInt16> {
    /// Nothing is found when there is nothing to look for, as with Foundation.
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
