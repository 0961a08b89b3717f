import Chronicle
import Foundation

/// Puts together what stands in a record. See the README for the format.
struct RecordWriter {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    /// Fixed width, little-endian.
    @inline(__always)
    mutating func fixed<Integer: FixedWidthInteger>(_ integer: Integer) {
        withUnsafeBytes(of: integer.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func byte(_ byte: UInt8) { bytes.append(byte) }

    /// Seven bits a byte, the lowest first; the eighth bit says that more follow.
    @inline(__always)
    mutating func number(_ number: UInt64) {
        var rest = number
        while rest > 127 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// For what is never negative.
    mutating func count(_ count: Int) { number(UInt64(count)) }

    /// Small absolute values are short: 0, -1, 1, -2, … are 0, 1, 2, 3, …
    @inline(__always)
    mutating func signed(_ integer: Int64) { number(UInt64(bitPattern: integer << 1 ^ integer >> 63)) }

    mutating func text(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            count(utf8.count)
            bytes.append(contentsOf: utf8)
        }
    }

    /// 0 for `nil`, else the length and one.
    mutating func optionalText(_ text: String?) {
        count(text.map { $0.utf8.count + 1 } ?? 0)
        if let text { bytes.append(contentsOf: text.utf8) }
    }

    mutating func raw(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

    /// A form, and what it holds.
    ///
    /// - Throws: `DataStoreError.unsupportedFeature` for references that are not to models of this store.
    mutating func value(_ value: PropertyValue) throws {
        switch value {
        case .null: byte(ValueForm.null.rawValue)
        case .integer(let integer):
            byte(ValueForm.integer.rawValue)
            signed(integer)
        case .real(let real):
            byte(ValueForm.real.rawValue)
            fixed(real.bitPattern)
        case .text(let text):
            byte(ValueForm.text.rawValue)
            self.text(text)
        case .blob(let data):
            byte(ValueForm.blob.rawValue)
            count(data.count)
            bytes.append(contentsOf: data)
        case .reference(let identifier):
            guard let key = identifier.integerPrimaryKey else {
                throw DataStoreError.unsupportedFeature.adding(detail: "references to models of other stores")
            }
            byte(ValueForm.reference.rawValue)
            text(identifier.entityName)
            signed(key)
        case .references:
            throw DataStoreError.unsupportedFeature.adding(detail: "lists of references in a row")
        }
    }

    mutating func patch(_ integer: UInt32, at index: Int) {
        withUnsafeBytes(of: integer.littleEndian) { bytes.replaceSubrange(index..<index + 4, with: $0) }
    }
}

/// The byte before a value.
enum ValueForm: UInt8 {
    case null, integer, real, text, blob, reference
}
