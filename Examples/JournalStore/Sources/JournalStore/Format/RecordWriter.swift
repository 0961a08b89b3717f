import Chronicle
import Foundation

/// Encodes the content of a record. See the README for the format.
struct RecordWriter {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    /// Appends an integer with a fixed width, in little-endian order.
    @inline(__always)
    mutating func fixed<Integer: FixedWidthInteger>(_ integer: Integer) {
        withUnsafeBytes(of: integer.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func byte(_ byte: UInt8) { bytes.append(byte) }

    /// Appends an integer with seven bits per byte, lowest first; the eighth bit is set if more bytes follow.
    @inline(__always)
    mutating func number(_ number: UInt64) {
        var rest = number
        while rest > 127 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends an integer that is never negative.
    mutating func count(_ count: Int) { number(UInt64(count)) }

    /// Appends an integer so that small absolute values are short: 0, -1, 1, -2, … are encoded as 0, 1, 2, 3, …
    @inline(__always)
    mutating func signed(_ integer: Int64) { number(Self.zigzag(integer)) }

    @inline(__always)
    static func zigzag(_ integer: Int64) -> UInt64 { UInt64(bitPattern: integer << 1 ^ integer >> 63) }

    mutating func text(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            count(utf8.count)
            bytes.append(contentsOf: utf8)
        }
    }

    /// Appends 0 for `nil`, otherwise the length plus one, and the text.
    mutating func optionalText(_ text: String?) {
        count(text.map { $0.utf8.count + 1 } ?? 0)
        if let text { bytes.append(contentsOf: text.utf8) }
    }

    mutating func raw(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

    /// Appends a key and values, each as a form and its content. They are encoded in a separate buffer and appended
    /// together, because long records consist mostly of rows.
    ///
    /// - Throws: `DataStoreError.unsupportedFeature` for references to models of other stores.
    mutating func row(_ key: Int64, _ values: [PropertyValue]) throws {
        let size = values.reduce(10) { $0 + $1.maximumSize }
        try withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { row in
            var buffer = RowBuffer(bytes: row)
            buffer.signed(key)
            for value in values { try buffer.value(value) }
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: row[..<buffer.count]))
        }
    }

    mutating func patch(_ integer: UInt32, at index: Int) {
        withUnsafeBytes(of: integer.littleEndian) { bytes.replaceSubrange(index..<index + 4, with: $0) }
    }
}

/// A buffer of sufficient size, filled from the beginning.
private struct RowBuffer {
    let bytes: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    init(bytes: UnsafeMutableRawBufferPointer) { self.bytes = bytes }

    @inline(__always)
    private mutating func byte(_ byte: UInt8) {
        bytes[count] = byte
        count += 1
    }

    @inline(__always)
    private mutating func number(_ number: UInt64) {
        var rest = number
        while rest > 127 {
            byte(UInt8(truncatingIfNeeded: rest) | 128)
            rest >>= 7
        }
        byte(UInt8(truncatingIfNeeded: rest))
    }

    @inline(__always)
    mutating func signed(_ integer: Int64) { number(RecordWriter.zigzag(integer)) }

    private mutating func text(_ text: String) {
        number(UInt64(text.utf8.count))
        count += bytes.suffix(from: count).copyBytes(text)
    }

    @inline(__always)
    mutating func value(_ value: PropertyValue) throws {
        switch value {
        case .null: byte(ValueForm.null.rawValue)
        case .integer(let integer):
            byte(ValueForm.integer.rawValue)
            signed(integer)
        case .real(let real):
            byte(ValueForm.real.rawValue)
            bytes.storeBytes(of: real.bitPattern.littleEndian, toByteOffset: count, as: UInt64.self)
            count += 8
        case .text(let text):
            byte(ValueForm.text.rawValue)
            self.text(text)
        case .blob(let data):
            byte(ValueForm.blob.rawValue)
            number(UInt64(data.count))
            count += data.copyBytes(to: UnsafeMutableRawBufferPointer(rebasing: bytes[count...]))
        case .reference(let identifier):
            guard let key = identifier.integerPrimaryKey else {
                throw DataStoreError.unsupportedFeature.with(detail: "references to models of other stores")
            }
            byte(ValueForm.reference.rawValue)
            text(identifier.entityName)
            signed(key)
        case .references:
            throw DataStoreError.unsupportedFeature.with(detail: "lists of references in a row")
        }
    }
}

extension PropertyValue {
    /// An upper bound of the encoded size: a form and one or two numbers, plus the content.
    fileprivate var maximumSize: Int {
        switch self {
        case .null, .integer, .real, .references: 11
        case .text(let text): 11 + text.utf8.count
        case .blob(let data): 11 + data.count
        case .reference(let identifier): 21 + identifier.entityName.utf8.count
        }
    }
}

extension Slice<UnsafeMutableRawBufferPointer> {
    /// Copies the UTF-8 bytes of a text, and returns their number.
    fileprivate func copyBytes(_ text: String) -> Int {
        let destination = UnsafeMutableRawBufferPointer(rebasing: self)
        var text = text
        return text.withUTF8 { utf8 in
            destination.copyMemory(from: UnsafeRawBufferPointer(utf8))
            return utf8.count
        }
    }
}

/// The byte before a value, which identifies its type.
enum ValueForm: UInt8 {
    case null, integer, real, text, blob, reference
}
