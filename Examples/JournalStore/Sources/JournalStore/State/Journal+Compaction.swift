import Chronicle

extension Journal {
    /// Replaces the journal with one that begins where the history begins. Requires exclusive access to the file.
    mutating func compact() throws {
        let floor = state.history.floor.number
        guard floor > state.history.base.number else { return }
        // The rows as they were at the floor.
        var past = JournalState(schema, storeIdentifier: identifier)
        var scanner = try RecordScanner(file, from: past.end, salt: salt)
        while past.history.newest.number < floor || !past.hasBase,
            let record = try scanner.next(after: past.history.newest.number)
        {
            try past.apply(record)
        }
        let kept = floor < state.history.newest.number ? state.history.offset(of: floor + 1)..<state.end : nil
        try Self.replace(&file, at: path, header, past, copying: kept)
        try startOver()
        try catchUp(isWriter: true)
    }

    /// Replaces a locked file with a new one, which is locked before other processes can open it.
    ///
    /// If the directory cannot be synchronized, the new file is in place and `file` is still the old one: the next lock
    /// detects that, and the next save synchronizes the directory before it writes.
    ///
    /// - Parameter kept: The records of the old file that follow.
    static func replace(
        _ file: inout JournalFile, at path: String, _ header: JournalHeader, _ state: JournalState,
        copying kept: Range<Int>?
    ) throws {
        let new = try JournalFile(path + ".new", replacing: file)
        var end = 0
        func add(_ bytes: [UInt8]) throws {
            try new.write(bytes, at: end)
            end += bytes.count
        }
        try add(header.bytes)
        try state.writeBase { kind, write in
            try add(try JournalRecord.encode(kind, after: state.history.newest, salt: header.salt, write).bytes)
        }
        var rest = kept ?? 0..<0
        while !rest.isEmpty {
            let bytes = try file.read(at: rest.lowerBound, count: min(rest.count, 1 << 20))
            guard !bytes.isEmpty else { throw SwiftDataError.damagedFile.with(detail: "the journal became shorter") }
            try add(bytes)
            rest = rest.lowerBound + bytes.count..<rest.upperBound
        }
        try new.synchronize()
        try new.lock(.exclusive, for: .zero)
        try JournalFile.move(path + ".new", to: path)
        try new.synchronizeName(path)
        file = new
    }
}
