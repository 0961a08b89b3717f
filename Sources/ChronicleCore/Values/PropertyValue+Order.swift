import Foundation

// The rules by which stored values are compared: those of the SQL that stores execute. Predicates, sorts and unique
// constraints in memory use these functions, so that a model matches and sorts in the same way before and after a save.
extension PropertyValue {
    /// Nil equals only nil, NaN equals nothing, `0.0` equals `-0.0`, and texts are equal if their bytes are.
    func isEqual(to other: PropertyValue) -> Bool {
        switch (self, other) {
        case (.real(let a), .real(let b)): a == b
        // Other programs may have written an integer to a column of reals.
        case (.integer(let a), .real(let b)), (.real(let b), .integer(let a)): Double(a) == b
        default: self == other
        }
    }

    /// Returns `nil` if one of the values is NaN, or if their forms have no order. Texts and blobs are ordered by their bytes. The
    /// order of the bytes of UTF-8 is that of the Unicode scalars.
    func order(to other: PropertyValue) -> ComparisonResult? {
        switch (self, other) {
        case (.integer(let a), .integer(let b)): ComparisonResult(a, b)
        case (.real(let a), .real(let b)): a.isNaN || b.isNaN ? nil : ComparisonResult(a, b)
        case (.integer(let a), .real(let b)): b.isNaN ? nil : ComparisonResult(Double(a), b)
        case (.real(let a), .integer(let b)): a.isNaN ? nil : ComparisonResult(a, Double(b))
        case (.text(let a), .text(let b)): a.orderOfBytes(to: b)
        case (.blob(let a), .blob(let b)): a.orderOfBytes(to: b)
        case (.reference(let a), .reference(let b)): ComparisonResult(a, b)
        default: nil
        }
    }

    /// Sorts nil first, NaN last.
    func sortOrder(to other: PropertyValue) -> ComparisonResult {
        switch (self, other) {
        case (.null, .null): .orderedSame
        case (.null, _): .orderedAscending
        case (_, .null): .orderedDescending
        // Stores sort NaNs by their bits, or not at all.
        case (.real(let a), .real(let b)) where a.isNaN && b.isNaN: ComparisonResult(a.bitPattern, b.bitPattern)
        default: order(to: other) ?? (isNaN ? .orderedDescending : .orderedAscending)
        }
    }

    /// The value that represents all values that are equal in a unique constraint: `0.0` for `-0.0`.
    var uniqueForm: PropertyValue {
        if case .real(let number) = self, number == 0 { .real(0) } else { self }
    }

    private var isNaN: Bool {
        if case .real(let number) = self { number.isNaN } else { false }
    }
}

extension ComparisonResult {
    init<Value: Comparable>(_ first: Value, _ second: Value) {
        self = first < second ? .orderedAscending : second < first ? .orderedDescending : .orderedSame
    }

    var reversed: ComparisonResult {
        switch self {
        case .orderedAscending: .orderedDescending
        case .orderedSame: .orderedSame
        case .orderedDescending: .orderedAscending
        }
    }
}

extension String {
    /// Unlike `==`, does not ignore how characters are composed.
    func hasSameBytes(as other: String) -> Bool {
        var (a, b) = (self, other)
        guard a.utf8.count == b.utf8.count else { return false }
        return a.withUTF8 { a in
            b.withUTF8 { b in
                guard let first = a.baseAddress, let second = b.baseAddress else { return true }
                return memcmp(first, second, a.count) == 0
            }
        }
    }

    /// Unlike `<`, does not ignore how characters are composed.
    func orderOfBytes(to other: String) -> ComparisonResult {
        var (a, b) = (self, other)
        return a.withUTF8 { a in b.withUTF8 { b in order(UnsafeRawBufferPointer(a), UnsafeRawBufferPointer(b)) } }
    }

    /// Every text contains the empty string.
    func containsBytes(of part: String) -> Bool {
        var (text, part) = (self, part)
        return text.withUTF8 { text in
            part.withUTF8 { part in
                guard let first = part.first else { return true }
                guard text.count >= part.count else { return false }
                for start in 0...(text.count - part.count) where text[start] == first {
                    if text[start..<start + part.count].elementsEqual(part) { return true }
                }
                return false
            }
        }
    }
}

extension Data {
    fileprivate func orderOfBytes(to other: Data) -> ComparisonResult {
        withUnsafeBytes { a in other.withUnsafeBytes { b in order(a, b) } }
    }
}

private func order(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> ComparisonResult {
    let common = min(a.count, b.count)
    if let first = a.baseAddress, let second = b.baseAddress, common > 0 {
        let order = memcmp(first, second, common)
        if order != 0 { return order < 0 ? .orderedAscending : .orderedDescending }
    }
    return ComparisonResult(a.count, b.count)
}
