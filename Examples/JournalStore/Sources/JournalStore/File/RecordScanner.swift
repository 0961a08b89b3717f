import Chronicle

/// Reads one record after the other, from a place in a journal to its end.
struct RecordScanner {
    private let file: JournalFile
    private let salt: UInt32
    private let size: Int
    /// Where the next record begins. After the last one, where the next is to be written.
    private(set) var offset: Int
    private var window: [UInt8] = []
    private var windowStart = 0

    private static let windowSize = 1 << 20

    init(_ file: JournalFile, from offset: Int, salt: UInt32) throws {
        (self.file, self.offset, self.salt, size) = (file, offset, salt, try file.size)
    }

    /// Whether bytes are left that are no record: one that was being written when its process or the machine stopped.
    var isTorn: Bool { offset < size }

    /// The next record; `nil` at the end, and before a torn record.
    ///
    /// - Parameter newest: The number of the newest transaction so far.
    /// - Throws: `SwiftDataError.damagedFile` when the next record is not whole, and others come after it.
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

    /// Makes sure that the window has what stands at a place.
    private mutating func load(_ offset: Int, _ count: Int) throws {
        guard offset < windowStart || offset + count > windowStart + window.count else { return }
        window = try file.read(at: offset, count: min(max(count, Self.windowSize), size - offset))
        windowStart = offset
    }

    /// Looks for a record that was written after a broken one.
    ///
    /// A blob in a torn record may hold records, too. Those of another journal have wrong checksums here, and those of
    /// this journal are from its past: they have numbers that it has passed.
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
