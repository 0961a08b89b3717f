import Chronicle

/// Reads records one after the other, from an offset in a journal to its end.
struct RecordScanner {
    private let file: JournalFile
    private let salt: UInt32
    private let size: Int
    /// The offset of the next record; after the last one, the offset at which to write the next.
    private(set) var offset: Int
    private var window: [UInt8] = []
    private var windowStart = 0

    private static let windowSize = 1 << 20

    init(_ file: JournalFile, from offset: Int, salt: UInt32) throws {
        (self.file, self.offset, self.salt, size) = (file, offset, salt, try file.size)
    }

    /// Whether bytes are left that are not a record: an incomplete one, from a process or machine that stopped while
    /// writing.
    var isTorn: Bool { offset < size }

    /// Returns the next record, or `nil` at the end and before a torn record.
    ///
    /// - Parameter newest: The number of the newest transaction so far.
    /// - Throws: `SwiftDataError.damagedFile` if the next record is incomplete and others follow it.
    mutating func next(after newest: Int) throws -> JournalRecord? {
        guard offset < size else { return nil }
        if let record = try record(at: offset) {
            offset += record.size
            return record
        }
        // Records are written one at a time, so that only the last can be torn.
        guard let whole = try wholeRecord(after: offset, newest: newest) else { return nil }
        throw SwiftDataError.damagedFile.with(
            detail: "the record at byte \(offset) is damaged, and there are others after it, the next at byte \(whole)")
    }

    private mutating func record(at offset: Int) throws -> JournalRecord? {
        try load(offset, JournalRecord.frameSize)
        guard let frame = JournalRecord.Frame(window, at: offset - windowStart),
            frame.length <= size - offset - JournalRecord.frameSize
        else { return nil }
        try load(offset, JournalRecord.frameSize + frame.length)
        return JournalRecord(window, at: offset - windowStart, salt: salt)
    }

    /// Ensures that the window contains the bytes at an offset.
    private mutating func load(_ offset: Int, _ count: Int) throws {
        guard offset < windowStart || offset + count > windowStart + window.count else { return }
        window = try file.read(at: offset, count: min(max(count, Self.windowSize), size - offset))
        windowStart = offset
    }

    /// Finds a record that was written after a broken one.
    ///
    /// A blob in a torn record may contain records, too. Those of another journal have wrong checksums here, and those
    /// of this journal are older: their numbers are not higher than the newest one.
    private mutating func wholeRecord(after broken: Int, newest: Int) throws -> Int? {
        let numbers = newest + 1...newest + 1 + size / JournalRecord.frameSize
        var offset = broken + 1
        while offset + JournalRecord.frameSize <= size {
            try load(offset, JournalRecord.frameSize)
            guard let frame = JournalRecord.Frame(window, at: offset - windowStart), numbers.contains(frame.number),
                try record(at: offset) != nil
            else {
                offset += 1
                continue
            }
            return offset
        }
        return nil
    }
}
