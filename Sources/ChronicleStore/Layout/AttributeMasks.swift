import ChronicleCore
import ChronicleSQLite

/// The numbers of the attributes that an update changed, as masks of 62 attributes each. A single mask is stored as an
/// integer, and several as text separated by commas.
struct AttributeMasks: Hashable, Sendable {
    /// Without the sign bit of SQLite's 64-bit integers, shifts and sums cannot change it.
    static let attributesPerMask = 62

    /// The trigger of an update concatenates the masks, and SQLite rejects expressions deeper than 1,000
    /// (<https://sqlite.org/limits.html>).
    static let attributeNumbers = 0...attributesPerMask * 500 - 1

    /// Nearly all entities have only this mask.
    private(set) var first: Int64 = 0
    private(set) var others: [Int64] = []

    init() {}

    init(_ first: Int64) { self.first = first }

    init?(_ text: String) {
        for (index, part) in text.split(separator: ",", omittingEmptySubsequences: false).enumerated() {
            guard let mask = Int64(part), index <= Self.attributeNumbers.upperBound / Self.attributesPerMask else {
                return nil
            }
            if index == 0 { first = mask } else { others.append(mask) }
        }
        guard isValid else { return nil }
    }

    var isEmpty: Bool { first == 0 && others.allSatisfy { $0 == 0 } }

    /// `nil` for a single mask, which is stored as an integer.
    var text: String? {
        others.isEmpty ? nil : ([first] + others).map(String.init).joined(separator: ",")
    }

    var isValid: Bool { Self.isValid(first) && others.allSatisfy(Self.isValid) }

    private static func isValid(_ mask: Int64) -> Bool { mask >> Int64(attributesPerMask) == 0 }

    @inline(__always)
    mutating func insert(_ number: Int) {
        let (index, bit) = number.quotientAndRemainder(dividingBy: Self.attributesPerMask)
        if index == 0 { return first |= 1 << Int64(bit) }
        while others.count < index { others.append(0) }
        others[index - 1] |= 1 << Int64(bit)
    }

    /// An entity with many attributes always stores the same number of masks.
    mutating func pad(to count: Int) {
        while others.count + 1 < count { others.append(0) }
    }

    mutating func formUnion(_ other: AttributeMasks) {
        first |= other.first
        for (index, mask) in other.others.enumerated() {
            if index < others.count { others[index] |= mask } else { others.append(mask) }
        }
    }

    func forEach(_ body: (Int) throws -> Void) rethrows {
        try Self.forEach(first, from: 0, body)
        for (index, mask) in others.enumerated() {
            try Self.forEach(mask, from: (index + 1) * Self.attributesPerMask, body)
        }
    }

    private static func forEach(_ mask: Int64, from first: Int, _ body: (Int) throws -> Void) rethrows {
        // Unsigned, because the sign bit of a mask in a damaged file may be set.
        var rest = UInt64(bitPattern: mask)
        while rest != 0 {
            try body(first + rest.trailingZeroBitCount)
            rest &= rest - 1
        }
    }
}

extension AttributeMasks {
    /// The expression of the stored form, from the numbers of attributes in ascending order with the conditions that they
    /// changed.
    static func expression(_ conditions: [(number: Int, condition: String)]) -> String {
        guard let last = conditions.last else { return "0" }
        let masks = (0...last.number / attributesPerMask).map { index in
            let bits = conditions.filter { $0.number / attributesPerMask == index }.map { number, condition in
                let bit = number % attributesPerMask
                return bit == 0 ? "(\(condition))" : "((\(condition)) << \(bit))"
            }
            return bits.isEmpty ? "0" : "(\(bits.joined(separator: " | ")))"
        }
        return masks.joined(separator: " || ',' || ")
    }

    /// An expression for stored masks from which ``contains(_:upTo:in:)`` reads one in constant time.
    ///
    /// Each comma becomes as many spaces as a text with all masks is long. The range of this length that begins at the index of a
    /// mask times the length therefore contains this mask, and no part of another. Functions of JSON would be shorter, but SQLite
    /// 3.38 to 3.40 rejects them in a view with `PRAGMA trusted_schema = OFF`.
    static func spaced(_ masks: String, upTo last: Int) -> String {
        guard last >= attributesPerMask else { return masks }
        return "CAST(replace(\(masks), ',', printf('%\(width(last))s', '')) AS BLOB)"
    }

    /// An expression for whether masks contain a number, which is an expression with values up to `last`.
    ///
    /// - Parameter masks: Those of ``spaced(_:upTo:)``.
    static func contains(_ number: String, upTo last: Int, in masks: String) -> String {
        // The number at the beginning of a text.
        if last < attributesPerMask { return "CAST(\(masks) AS INTEGER) >> \(number) & 1" }
        // A character has two bytes in a database with UTF-16.
        let (size, width) = (attributesPerMask, "\(Self.width(last)) * length(CAST('0' AS BLOB))")
        return
            "CAST(substr(\(masks), \(number) / \(size) * \(width) + 1, \(width)) AS INTEGER) >> (\(number) % \(size)) & 1"
    }

    /// The length of a text with all masks. One of 62 bits has at most 19 digits.
    private static func width(_ last: Int) -> Int { 20 * (last / attributesPerMask + 1) }

    var literal: String { text.map { "'\($0)'" } ?? "\(first)" }
}

extension Statement {
    func masks(_ column: Int32, at position: Int64) throws -> AttributeMasks {
        guard let masks = AttributeMasks(try text(column, of: .change(position))) else { throw invalidMasks(position) }
        return masks
    }

    private func invalidMasks(_ position: Int64) -> SwiftDataError {
        .damagedRow(.change(position), "the attribute masks are invalid")
    }
}
