import Chronicle
import Foundation

/// Decodes the content of a record. Nothing in it is trusted: a length cannot lead outside of the record.
struct RecordReader {
    /// The record has a valid checksum and invalid content.
    struct MalformedRecord: Error {}

    private let bytes: [UInt8]
    private var position: Int
    private let end: Int

    init(_ bytes: [UInt8], _ range: Range<Int>) {
        (self.bytes, position, end) = (bytes, range.lowerBound, range.upperBound)
    }

    var isAtEnd: Bool { position == end }

    mutating func byte() throws -> UInt8 {
        guard position < end else { throw MalformedRecord() }
        position += 1
        return bytes[position - 1]
    }

    private mutating func take(_ count: Int) throws -> Range<Int> {
        guard count >= 0, count <= end - position else { throw MalformedRecord() }
        position += count
        return position - count..<position
    }

    mutating func fixed<Integer: FixedWidthInteger>(_ type: Integer.Type) throws -> Integer {
        let range = try take(MemoryLayout<Integer>.size)
        return bytes.withUnsafeBytes {
            Integer(littleEndian: $0.loadUnaligned(fromByteOffset: range.lowerBound, as: type))
        }
    }

    mutating func number() throws -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: 0, to: 64, by: 7) {
            let next = try byte()
            number |= UInt64(next & 127) << UInt64(shift)
            if next < 128 { return number }
        }
        throw MalformedRecord()
    }

    mutating func count() throws -> Int {
        // Small enough that additions do not overflow.
        guard let count = Int(exactly: try number()), count < 1 << 60 else { throw MalformedRecord() }
        return count
    }

    mutating func signed() throws -> Int64 {
        let number = try number()
        return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    }

    mutating func text() throws -> String {
        let count = try count()
        return String(decoding: bytes[try take(count)], as: UTF8.self)
    }

    mutating func optionalText() throws -> String? {
        let count = try count()
        return count == 0 ? nil : String(decoding: bytes[try take(count - 1)], as: UTF8.self)
    }

    /// - Parameter origin: The origin of the identifiers of an entity.
    mutating func value(_ origin: (String) -> PersistentIdentifier.Origin) throws -> PropertyValue {
        switch ValueForm(rawValue: try byte()) {
        case .null: return .null
        case .integer: return .integer(try signed())
        case .real: return .real(Double(bitPattern: try fixed(UInt64.self)))
        case .text: return .text(try text())
        case .blob:
            let count = try count()
            return .blob(Data(bytes[try take(count)]))
        case .reference:
            let origin = origin(try text())
            return .reference(origin.identifier(try signed()))
        case nil: throw MalformedRecord()
        }
    }

    /// Skips a value.
    mutating func skipValue() throws {
        switch ValueForm(rawValue: try byte()) {
        case .null: break
        case .integer: _ = try number()
        case .real: _ = try take(8)
        case .text, .blob: _ = try take(try count())
        case .reference:
            _ = try take(try count())
            _ = try number()
        case nil: throw MalformedRecord()
        }
    }
}
