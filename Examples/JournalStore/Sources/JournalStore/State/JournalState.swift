import Chronicle

/// The content of a journal, as far as it has been read: the rows, and the position of each transaction.
struct JournalState: Sendable {
    private(set) var tables: Tables
    private(set) var history = HistoryIndex()
    /// The offset of the next record.
    private(set) var end = JournalHeader.size
    /// The number of the latest change.
    private(set) var lastChange = 0
    /// The number of rows of the base that have not been read yet, or `nil` before the base.
    private var missingRows: Int?

    init(_ schema: Schema, storeIdentifier: String) {
        tables = Tables(schema, storeIdentifier: storeIdentifier)
    }

    /// Whether the base of the journal is complete. A missing part is damage and not a torn record, because a journal
    /// is complete when it is put in place.
    var hasBase: Bool { missingRows == 0 }

    /// Provides the tables to decode a record again.
    mutating func withTables<Result>(_ body: (inout Tables) throws -> Result) rethrows -> Result { try body(&tables) }

    // MARK: Records from the file

    /// Applies the record at ``end``.
    mutating func apply(_ record: JournalRecord) throws {
        do {
            try applyContent(of: record)
            end += record.size
        } catch is RecordReader.MalformedRecord {
            throw SwiftDataError.damagedFile.with(
                detail: "the record at byte \(end) is complete, but invalid after the records before it")
        }
    }

    private mutating func applyContent(of record: JournalRecord) throws {
        var reader = record.reader
        switch record.kind {
        case .base:
            guard missingRows == nil else { throw RecordReader.MalformedRecord() }
            try readBase(&reader)
            history.begin(at: JournalPosition(number: record.number, checksum: record.previous))
        case .rows:
            try requirePosition(record, isBase: true)
            var changes = ChangeReader()
            while !reader.isAtEnd {
                try tables.apply(try changes.read(&reader, &tables))
                missingRows = (missingRows ?? 0) - 1
            }
        case .transaction:
            try requirePosition(record, isBase: false)
            let head = try TransactionHead(&reader)
            guard head.firstChange == lastChange + 1 else { throw RecordReader.MalformedRecord() }
            var changes = ChangeReader()
            while !reader.isAtEnd {
                try tables.apply(try changes.read(&reader, &tables))
                lastChange += 1
            }
            history.append(checksum: record.checksum, offset: end)
        case .floor:
            try requirePosition(record, isBase: false)
            guard history.raiseFloor(to: try reader.count()) else { throw RecordReader.MalformedRecord() }
        }
    }

    /// Throws an error unless the record directly continues the history, or the base.
    private func requirePosition(_ record: JournalRecord, isBase: Bool) throws {
        let number = history.newest.number + (record.kind == .transaction ? 1 : 0)
        guard record.number == number, record.previous == history.newest.checksum, missingRows != nil, hasBase != isBase
        else { throw RecordReader.MalformedRecord() }
    }

    private mutating func readBase(_ reader: inout RecordReader) throws {
        lastChange = try reader.count()
        missingRows = try reader.count()
        while !reader.isAtEnd {
            let table = tables.number(of: try reader.text())
            tables[table].lastKey = try reader.signed()
        }
    }

    // MARK: Records of this process

    /// Applies a transaction that was just written.
    mutating func append(_ changes: Changes, _ position: JournalPosition, size: Int) throws {
        for new in changes.inserted { try tables[new.table].insert(new) }
        for change in changes.others { try tables.apply(change) }
        lastChange += changes.count
        history.append(checksum: position.checksum, offset: end)
        end += size
    }

    /// Applies a floor that was just written.
    mutating func raiseFloor(to number: Int, size: Int) {
        _ = history.raiseFloor(to: number)
        end += size
    }

    /// Writes the rows at the beginning of the history, as records for a new journal.
    func writeBase(_ emit: (JournalRecord.Kind, (inout RecordWriter) throws -> Void) throws -> Void) throws {
        try emit(.base) { writer in
            writer.count(lastChange)
            writer.count(tables.indices.reduce(0) { $0 + tables[$1].rows.count })
            for number in tables.indices {
                writer.text(tables.layout(number).name)
                writer.signed(tables[number].lastKey)
            }
        }
        for number in tables.indices {
            var rest = Array(tables[number].rows.keys)[...]
            while !rest.isEmpty {
                try emit(.rows) { writer in
                    var changes = ChangeWriter()
                    // At most about the size of one read from the file.
                    while writer.bytes.count < 1 << 20, let key = rest.popFirst() {
                        let row = tables[number].rows[key] ?? []
                        let columns = row.indices.filter { row[$0] != .absent }
                        let values = columns.map { row[$0] }
                        try changes.write(.insert, number, columns, key, values, tables, &writer)
                    }
                }
            }
        }
    }
}
