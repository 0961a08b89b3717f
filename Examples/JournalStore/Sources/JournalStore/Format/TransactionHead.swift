import Foundation

/// The part of a transaction's record before its changes.
struct TransactionHead {
    let timestamp: Date
    let author: String?
    /// The number of the first change; changes are numbered across the whole history.
    let firstChange: Int

    init(timestamp: Date, author: String?, firstChange: Int) {
        (self.timestamp, self.author, self.firstChange) = (timestamp, author, firstChange)
    }

    init(_ reader: inout RecordReader) throws {
        timestamp = Date(timeIntervalSinceReferenceDate: Double(bitPattern: try reader.fixed(UInt64.self)))
        author = try reader.optionalText()
        firstChange = try reader.count()
    }

    func write(_ writer: inout RecordWriter) {
        writer.fixed(timestamp.timeIntervalSinceReferenceDate.bitPattern)
        writer.optionalText(author)
        writer.count(firstChange)
    }
}
