import Chronicle
import Foundation

extension Journal {
    /// Writes a transaction and applies it.
    mutating func append(_ changes: Changes, _ editingState: EditingState) throws -> JournalPosition {
        let head = TransactionHead(timestamp: .now, author: editingState.author, firstChange: state.lastChange + 1)
        let record = try JournalRecord.encode(
            .transaction, after: state.history.newest, salt: salt, capacity: 128 + changes.count * 64
        ) { writer in
            head.write(&writer)
            var changeWriter = ChangeWriter()
            try changeWriter.write(changes, state.tables, &writer)
        }
        try write(record.bytes)
        do { try state.append(changes, record.position, size: record.bytes.count) } catch {
            // The transaction is saved. If it cannot be applied to the rows, the next access reads the file from the
            // start.
            state = JournalState(schema, storeIdentifier: identifier)
        }
        return record.position
    }

    /// Writes a floor, the transaction after which the history begins, and applies it.
    mutating func raiseFloor(to number: Int) throws {
        let record = try JournalRecord.encode(.floor, after: state.history.newest, salt: salt) { $0.count(number) }
        try write(record.bytes)
        state.raiseFloor(to: number, size: record.bytes.count)
    }

    private func write(_ bytes: [UInt8]) throws {
        if configuration.durability == .full { try file.synchronizeName(path) }
        do {
            try file.write(bytes, at: state.end)
            if configuration.durability == .full { try file.synchronize() }
        } catch {
            // No other process has read the record, because they wait for the lock. If this fails as well, the next
            // writer finds a torn record or, because of an error of the file system, a complete one that was reported
            // as failed.
            try file.truncate(to: state.end)
            throw error
        }
    }
}
