import Chronicle

/// A place in the journal's history: a transaction's number, and the checksum of its record.
struct JournalPosition: Hashable, Sendable {
    /// Before everything.
    static let start = JournalPosition(number: 0, check: 0)

    let number: Int
    let check: UInt32
}

/// A record with its frame: what length, where in the history, and a checksum of it all.
struct JournalRecord {
    /// The last letter of the frame's first four.
    enum Kind: UInt8 {
        /// What every journal begins with: where its history begins, and how many rows follow.
        case base = 0x42  // B
        /// Rows as they are where the history begins.
        case rows = 0x52  // R
        /// A save.
        case transaction = 0x54  // T
        /// The history begins later from now on.
        case floor = 0x46  // F
    }

    static let frameSize = 24
    static let mark = Array("JRN".utf8)

    let kind: Kind
    /// For a transaction its own number; for other records that of the transaction before.
    let number: Int
    /// The checksum of the transaction before.
    let previous: UInt32
    let check: UInt32
    /// Holds the record, and maybe others.
    let bytes: [UInt8]
    let content: Range<Int>

    var size: Int { Self.frameSize + content.count }
    var reader: RecordReader { RecordReader(bytes, content) }

    /// The record that begins at an index; `nil` when none does, or not a whole one.
    init?(_ bytes: [UInt8], at index: Int, salt: UInt32) {
        guard let frame = Frame(bytes, at: index), frame.length <= bytes.count - index - Self.frameSize else {
            return nil
        }
        let content = index + Self.frameSize..<index + Self.frameSize + frame.length
        let head = Checksum.of(bytes[index..<index + 20], after: salt)
        guard Checksum.of(bytes[content], after: head) == frame.check else { return nil }
        (kind, number, previous, check) = (frame.kind, frame.number, frame.previous, frame.check)
        (self.bytes, self.content) = (bytes, content)
    }

    /// What stands before a record's content, unchecked.
    struct Frame {
        let kind: Kind
        let length: Int
        let number: Int
        let previous: UInt32
        let check: UInt32

        init?(_ bytes: [UInt8], at index: Int) {
            guard bytes.count - index >= JournalRecord.frameSize, bytes[index..<index + 3].elementsEqual(mark),
                let kind = Kind(rawValue: bytes[index + 3])
            else { return nil }
            func load<Integer: FixedWidthInteger>(_ offset: Int, _ type: Integer.Type) -> Integer {
                bytes.withUnsafeBytes {
                    Integer(littleEndian: $0.loadUnaligned(fromByteOffset: index + offset, as: type))
                }
            }
            // Far from where adding to it would overflow.
            guard let number = Int(exactly: load(8, UInt64.self)), number < 1 << 60 else { return nil }
            (self.kind, self.number) = (kind, number)
            (length, previous, check) = (Int(load(4, UInt32.self)), load(16, UInt32.self), load(20, UInt32.self))
        }
    }

    /// A record's bytes.
    ///
    /// - Parameters:
    ///   - before: The transaction before.
    ///   - write: Writes the content.
    /// - Throws: `DataStoreError.unsupportedFeature` when the content is longer than a record can be.
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
        writer.fixed(before.check)
        writer.fixed(UInt32(0))
        try write(&writer)
        guard let length = UInt32(exactly: writer.bytes.count - frameSize) else {
            throw DataStoreError.unsupportedFeature.with(detail: "records of 4 GB: save in parts")
        }
        writer.patch(length, at: 4)
        let head = Checksum.of(writer.bytes[..<20], after: salt)
        let check = Checksum.of(writer.bytes[frameSize...], after: head)
        writer.patch(check, at: 20)
        return (writer.bytes, JournalPosition(number: number, check: check))
    }
}
