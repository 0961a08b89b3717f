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
    /// The last of the first four letters of the frame.
    enum Kind: UInt8 {
        /// The first record of every journal: where its history begins, and how many rows follow.
        case base = 0x42  // B
        /// Rows as they are where the history begins.
        case rows = 0x52  // R
        /// A save.
        case transaction = 0x54  // T
        /// The history begins later from this record on.
        case floor = 0x46  // F
    }

    static let frameSize = 24
    static let mark = Array("JRN".utf8)

    let kind: Kind
    /// The number of a transaction; for other records, that of the transaction before.
    let number: Int
    /// The checksum of the transaction before.
    let previous: UInt32
    let checksum: UInt32
    /// Bytes that contain the record, and possibly others.
    let bytes: [UInt8]
    let content: Range<Int>

    var size: Int { Self.frameSize + content.count }
    var reader: RecordReader { RecordReader(bytes, content) }

    /// The record at an index; `nil` if there is none, or only an incomplete one.
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

    /// The frame before a record's content, not validated.
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
            // Small enough that additions do not overflow.
            guard let number = Int(exactly: load(8, UInt64.self)), number < 1 << 60 else { return nil }
            (self.kind, self.number) = (kind, number)
            (length, previous, checksum) = (Int(load(4, UInt32.self)), load(16, UInt32.self), load(20, UInt32.self))
        }
    }

    /// A record's bytes.
    ///
    /// - Parameters:
    ///   - before: The transaction before.
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
            throw DataStoreError.unsupportedFeature.with(detail: "records of 4 GB: save in parts")
        }
        writer.patch(length, at: 4)
        let head = Checksum.of(writer.bytes[..<20], after: salt)
        let checksum = Checksum.of(writer.bytes[frameSize...], after: head)
        writer.patch(checksum, at: 20)
        return (writer.bytes, JournalPosition(number: number, checksum: checksum))
    }
}
