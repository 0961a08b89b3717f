package import Foundation

/// Writes a sealed history as JSON Lines; see the article "The seal format". Its memory does not depend on the length of the
/// history.
package struct SealedExportWriter {
    private typealias Line = SealedExportLine

    private let includesValues: Bool
    private let write: (Data) throws -> Void
    private let encoder = JSONEncoder()
    private var counts = SealedExportLine.Complete()

    /// - Parameters:
    ///   - includesValues: Whether the export contains values, keys and descriptions. Without them, it can be verified as a chain.
    ///   - write: Receives each line with its line break.
    package init(includesValues: Bool, _ write: @escaping (Data) throws -> Void) {
        (self.includesValues, self.write) = (includesValues, write)
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    }

    /// Writes everything that a reader returns.
    ///
    /// - Returns: The head of the last seal; `nil` if there is no seal, and nothing is written then.
    /// - Throws: The errors of the reader and of `write`, and `CancellationError`.
    package mutating func run(_ source: any SealedHistoryReading) throws -> HistorySeal? {
        try copy(source)
    }

    private mutating func copy<Reader: SealedHistoryReading>(_ source: Reader) throws -> HistorySeal? {
        var reader = source
        var next = try reader.nextSeal()
        guard let first = next else { return nil }
        try line(
            Line(
                sealed: Exact(
                    Line.Header(
                        version: Line.version, store: SealedExportText(reader.store), includesValues: includesValues,
                        firstSeal: first.number, catalog: Exact(Line.Catalog(try reader.catalog()))))))
        for event in try reader.unsealedEvents() { try self.event(event) }
        var change = RecordedChange()
        while let seal = next {
            if ReadCancellation.isCancelled { throw CancellationError() }
            try self.seal(seal)
            while let transaction = try reader.nextTransaction(through: seal.last) {
                counts.transactions += 1
                try line(
                    Line(transaction: Exact(Line.Transaction(transaction, includesValues: includesValues))))
                while try reader.nextChange(into: &change) {
                    counts.changes += 1
                    try line(Line(change: Exact(Line.Change(change, includesValues: includesValues))))
                }
            }
            for erased in try reader.nextErasuresOfDeletedRows() {
                counts.erased += 1
                try line(Line(erased: Exact(Line.Erased(row: erased.row.integers, event: erased.event))))
            }
            next = try reader.nextSeal()
        }
        while let key = try reader.nextKey() {
            counts.keys += 1
            try line(Line(key: Exact(Line.Key(key, includesValues: includesValues))))
        }
        try line(Line(complete: Exact(counts)))
        return counts.head
    }

    private mutating func seal(_ seal: RecordedSeal) throws {
        guard let head = seal.head else {
            throw SwiftDataError.damagedFile.with(
                detail: "the seal \(seal.number) ends at the negative position \(seal.last); restore a backup")
        }
        counts.seals += 1
        counts.head = head
        try line(Line(seal: Exact(Line.Seal(seal))))
        if let catalog = seal.catalog { try line(Line(catalog: Exact(Line.Catalog(catalog)))) }
        for event in seal.events { try self.event(event) }
    }

    private mutating func event(_ event: SealedEvent) throws {
        counts.events += 1
        try line(Line(event: Exact(Line.Event(event))))
    }

    private func line(_ line: SealedExportLine) throws {
        var data = JSONEscaping.escaped(try encoder.encode(line))
        data.append(UInt8(ascii: "\n"))
        try write(data)
    }
}
