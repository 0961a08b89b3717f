import Chronicle

/// A position in the journal's history: a transaction's number, and the checksum of its record.
struct JournalPosition: Hashable, Sendable {
    /// The position before the first transaction.
    static let start = JournalPosition(number: 0, checksum: 0)

    let number: Int
    let checksum: UInt32
}

/// A record with its frame: length, position in the history, and a checksum.
struct JournalRecord {
    /// The fourth byte of the frame, after ``JournalRecord/mark``.
    enum Kind: UInt8 {
        /// The first record of every journal: the beginning of its history, and the number of rows that follow.
        case base = 0x42  // B
        /// Rows in their state at the beginning of the history.
        case rows = 0x52  // R
        /// A save.
        case transaction = 0x54  // T
        /// A new beginning of the history, after a deletion.
        case floor = 0x46  // F
    }

    static let frameSize = 24
    static let mark = Array("JRN".utf8)

    let kind: Kind
    /// The number of the transaction; in other records, that of the previous transaction.
    let number: Int
    /// The checksum of the previous transaction.
    let previous: UInt32
    let checksum: UInt32
    /// A buffer that contains the record, and possibly others.
    let bytes: [UInt8]
    let content: Range<Int>

    var size: Int { Self.frameSize + content.count }
    var reader: RecordReader { RecordReader(bytes, content) }

    /// Decodes the record at an index, or returns `nil` if there is none or an incomplete one.
    init?(_ bytes: [UInt8], at index: Int, salt: UInt32) {
        guard let frame = Frame(bytes, at: index), frame.length <= bytes.count - index - Self.frameSize else {
            return nil
        }
        let content = index + Self.frameSize..<index + Self.frameSize + frame.length
        let head = Checksum.of(bytes[index..<index + 20], after: salt)
        guard Checksum.of(bytes[content], after: head) == frame.checksum else { return nil }
        (kind, number, previous, checksum) = (frame.kind, frame.number, frame.previous, frame.checksum)
        (self.bytes, self.content) = (bytes, content)
    }

    /// The part of a record before its content, without validation of the checksum.
    struct Frame {
        let kind: Kind
        let length: Int
        let number: Int
        let previous: UInt32
        let checksum: UInt32

        init?(_ bytes: [UInt8], at index: Int) {
            guard bytes.count - index >= JournalRecord.frameSize, bytes[index..<index + 3].elementsEqual(mark),
                let kind = Kind(rawValue: bytes[index + 3])
            else { return nil }
            func load<Integer: FixedWidthInteger>(_ offset: Int, _ type: Integer.Type) -> Integer {
                bytes.withUnsafeBytes {
                    Integer(littleEndian: $0.loadUnaligned(fromByteOffset: index + offset, as: type))
                }
            }
            // Small enough to prevent overflows in additions.
            guard let number = Int(exactly: load(8, UInt64.self)), number < 1 << 60 else { return nil }
            (self.kind, self.number) = (kind, number)
            (length, previous, checksum) = (Int(load(4, UInt32.self)), load(16, UInt32.self), load(20, UInt32.self))
        }
    }

    /// Encodes a record.
    ///
    /// - Parameters:
    ///   - before: The position of the previous transaction.
    ///   - write: Writes the content.
    /// - Throws: `DataStoreError.unsupportedFeature` if the content is too long for a record.
    static func encode(
        _ kind: Kind, after before: JournalPosition, salt: UInt32, capacity: Int = 256,
        _ write: (inout RecordWriter) throws -> Void
    ) throws -> (bytes: [UInt8], position: JournalPosition) {
        let number = kind == .transaction ? before.number + 1 : before.number
        var writer = RecordWriter(capacity: capacity)
        writer.raw(mark)
        writer.byte(kind.rawValue)
        writer.fixed(UInt32(0))
        writer.fixed(UInt64(number))
        writer.fixed(before.checksum)
        writer.fixed(UInt32(0))
        try write(&writer)
        guard let length = UInt32(exactly: writer.bytes.count - frameSize) else {
            throw DataStoreError.unsupportedFeature.with(detail: "records of more than 4 GB; save in parts")
        }
        writer.patch(length, at: 4)
        let head = Checksum.of(writer.bytes[..<20], after: salt)
        let checksum = Checksum.of(writer.bytes[frameSize...], after: head)
        writer.patch(checksum, at: 20)
        return (writer.bytes, JournalPosition(number: number, checksum: checksum))
    }
}
