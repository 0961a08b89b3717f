import Foundation

/// Reads the objects of a binary property list one by one, and never follows a reference itself: a list from a file can
/// contain cycles and any depth. Foundation's reader does not return the references of keyed archives on all platforms.
struct BinaryPropertyList {
    struct Failure: Error {}

    /// Arrays and dictionaries contain the numbers of their elements.
    enum Object {
        case null
        case bool(Bool)
        case integer(Int64)
        case real(Double)
        /// Seconds since January 1, 2001.
        case date(Double)
        case data(Data)
        case text(String)
        /// A reference of a keyed archive.
        case reference(Int)
        case array([Int])
        case dictionary([(key: Int, value: Int)])
    }

    /// The bytes that may still be read.
    private final class Budget {
        private var rest: Int

        init(_ rest: Int) { self.rest = rest }

        func spend(_ count: Int) throws {
            rest -= count
            if rest < 0 { throw Failure() }
        }
    }

    private let budget: Budget
    private let bytes: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private let offsetTable: Int
    let count: Int
    /// The number of the outermost object.
    let top: Int

    /// - Parameter budget: The largest number of bytes that ``object(_:)`` reads in all calls. A few bytes can refer to the
    ///   same object many times, so that a small list has an enormous value.
    init(_ data: some Sequence<UInt8>, budget: Int = 1 << 26) throws {
        bytes = Array(data)
        // A list that has each object a few times is valid in any size.
        self.budget = Budget(budget + 4 * bytes.count)
        guard bytes.count >= 40, bytes.starts(with: Array("bplist0".utf8)) else { throw Failure() }
        let trailer = bytes.count - 32
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard let count = Self.integer(bytes, trailer + 8, 8), let top = Self.integer(bytes, trailer + 16, 8),
            let table = Self.integer(bytes, trailer + 24, 8), (1...8).contains(offsetSize),
            (1...8).contains(referenceSize), count > 0, count <= bytes.count, top < count, table < trailer,
            (trailer - table) / offsetSize >= count
        else { throw Failure() }
        (self.count, self.top, offsetTable) = (count, top, table)
    }

    /// Throws ``Failure`` if more was read than the budget permits, for example.
    func object(_ number: Int) throws -> Object {
        guard number >= 0, number < count,
            let offset = Self.integer(bytes, offsetTable + number * offsetSize, offsetSize), offset < offsetTable
        else { throw Failure() }
        // The reference, the header, and what the caller keeps of the object.
        try budget.spend(16)
        let (kind, low) = (bytes[offset] >> 4, Int(bytes[offset] & 15))
        switch kind {
        case 0: return low == 8 ? .bool(false) : low == 9 ? .bool(true) : .null
        case 1:
            // Only integers of 16 bytes are larger; the last 8 of them contain the value.
            guard low <= 4, let value = Self.bits(bytes, offset + 1 + (low == 4 ? 8 : 0), min(1 << low, 8)) else {
                throw Failure()
            }
            return .integer(Int64(bitPattern: value))
        case 2, 3:
            guard low == 2 || low == 3, let value = Self.bits(bytes, offset + 1, 1 << low) else { throw Failure() }
            let real =
                low == 2 ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: value))) : Double(bitPattern: value)
            return kind == 2 ? .real(real) : .date(real)
        case 8:
            guard low < 8, let value = Self.integer(bytes, offset + 1, low + 1) else { throw Failure() }
            return .reference(value)
        case 4, 5, 6, 7, 10, 13: return try collection(kind, low, offset)
        default: throw Failure()
        }
    }

    private func collection(_ kind: UInt8, _ low: Int, _ offset: Int) throws -> Object {
        var (count, start) = (low, offset + 1)
        if low == 15 {
            guard start < offsetTable, bytes[start] >> 4 == 1, bytes[start] & 15 <= 3 else { throw Failure() }
            let size = 1 << Int(bytes[start] & 15)
            guard let long = Self.integer(bytes, start + 1, size) else { throw Failure() }
            (count, start) = (long, start + 1 + size)
        }
        let width =
            kind == 4 || kind == 5 || kind == 7 ? 1 : kind == 6 ? 2 : kind == 10 ? referenceSize : 2 * referenceSize
        guard start <= offsetTable, count <= (offsetTable - start) / width else { throw Failure() }
        try budget.spend(count * width)
        let content = bytes[start..<start + count * width]
        switch kind {
        case 4: return .data(Data(content))
        case 5, 7: return .text(String(decoding: content, as: UTF8.self))
        case 6:
            let units = (0..<count).map { UInt16(bytes[start + 2 * $0]) << 8 | UInt16(bytes[start + 2 * $0 + 1]) }
            return .text(String(decoding: units, as: UTF16.self))
        case 10: return .array(try (0..<count).map { try reference(start, $0) })
        default:
            return .dictionary(
                try (0..<count).map { (try reference(start, $0), try reference(start, count + $0)) })
        }
    }

    private func reference(_ start: Int, _ index: Int) throws -> Int {
        guard let number = Self.integer(bytes, start + index * referenceSize, referenceSize) else { throw Failure() }
        return number
    }

    private static func integer(_ bytes: [UInt8], _ start: Int, _ size: Int) -> Int? {
        bits(bytes, start, size).flatMap { Int(exactly: $0) }
    }

    private static func bits(_ bytes: [UInt8], _ start: Int, _ size: Int) -> UInt64? {
        guard start >= 0, start <= bytes.count - size else { return nil }
        return bytes[start..<start + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
}
