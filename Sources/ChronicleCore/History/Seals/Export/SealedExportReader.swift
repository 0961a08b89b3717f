package import Foundation

/// Reads a sealed export. Its memory does not depend on the length of the export, except for 64 bytes for each numbered key.
package struct SealedExportReader: SealedHistoryReading {
    /// The beginning of each sealed export.
    package static let beginning = Data("{\"sealed\":".utf8)

    package let store: [UInt8]
    package let includesValues: Bool
    private let presentCatalog: SealedCatalog
    private var unsealed: [SealedEvent] = []
    private var lines: ExportLines
    private var counts = SealedExportLine.Complete()
    /// The number of the seal whose transactions are read, and its last position.
    private var number: Int64?
    private var last: Int64?
    /// The position of the transaction that was read last.
    private var position: Int64?
    /// Whether changes of the transaction can follow.
    private var isInTransaction = false
    /// The commitments (K) in the changes, which are a part of their hashes. Those of the keys, which follow later, are not.
    private var commitments: [SealedKey: HistoryDigest] = [:]
    /// The key that was read last.
    private var key: SealedKey?

    /// - Parameter url: The URL of a file.
    /// - Throws: ``SwiftDataError/invalidHistoryExport`` with the number of the line, as all methods do, which also throw
    ///   ``SwiftDataError/damagedFile`` if valid lines contradict each other.
    package init(_ url: URL) throws {
        lines = try ExportLines(url)
        guard let header = try lines.next()?.sealed?.content else { throw lines.invalid("the first line is missing") }
        (store, includesValues) = (header.store.bytes, header.includesValues)
        do { presentCatalog = try header.catalog.content.catalog() } catch let error as SealedExportLine.Invalid {
            throw lines.invalid(error.detail)
        }
        unsealed = try nextEvents()
        guard let seal = try lines.peek()?.seal?.content, seal.number == header.firstSeal else {
            throw lines.invalid("the seal \(header.firstSeal) is missing")
        }
    }

    private mutating func nextEvents() throws -> [SealedEvent] {
        var events: [SealedEvent] = []
        while let event = try lines.peek()?.event?.content {
            lines.skip()
            counts.events += 1
            events.append(event.recorded)
        }
        return events
    }

    // MARK: Reading

    package mutating func nextSeal() throws -> RecordedSeal? {
        try skipTransactions()
        guard let line = try lines.peek()?.seal?.content else {
            guard try lines.peek()?.key != nil else {
                try requireEnd()
                return nil
            }
            return nil
        }
        var seal = try lines.converting { try line.recorded() }
        // Otherwise, a seal could follow a later one that differs.
        guard number.map({ $0 < seal.number }) ?? true else {
            throw lines.invalid("the seal \(seal.number) is not in the order of the numbers")
        }
        number = seal.number
        lines.skip()
        if let catalog = try lines.peek()?.catalog?.content {
            seal.catalog = try lines.converting { try catalog.bytes() }
            lines.skip()
        }
        seal.events = try nextEvents()
        counts.seals += 1
        counts.head = seal.head
        (last, isInTransaction) = (seal.last, false)
        return seal
    }

    /// Lines that are not used are also decoded, so that each export is either valid or not.
    private mutating func skipTransactions() throws {
        var change = RecordedChange()
        while let last, try nextTransaction(through: last) != nil {
            while try nextChange(into: &change) {}
        }
        _ = try nextErasuresOfDeletedRows()
    }

    package mutating func nextTransaction(through last: Int64) throws -> RecordedTransaction? {
        var change = RecordedChange()
        while try nextChange(into: &change) {}
        guard let line = try lines.peek()?.transaction?.content else { return nil }
        guard let end = self.last, line.position <= end, position.map({ $0 < line.position }) ?? true else {
            throw lines.invalid("the position \(line.position) is not in the order of the seals")
        }
        guard line.position <= last else { return nil }
        let includesValues = includesValues
        let transaction = try lines.converting { try line.recorded(includesValues: includesValues) }
        lines.skip()
        counts.transactions += 1
        // A void header has no changes.
        (position, isInTransaction) = (line.position, transaction.kind != nil)
        return transaction
    }

    package mutating func nextChange(into change: inout RecordedChange) throws -> Bool {
        guard let line = try lines.peek()?.change?.content else { return false }
        guard isInTransaction else { throw lines.invalid("the change belongs to no transaction") }
        let includesValues = includesValues
        try lines.converting { try line.record(to: &change, includesValues: includesValues) }
        if case .numbered(let number, let commitment) = change.key {
            let key = SealedKey(entity: change.entity, number: number)
            guard commitments.updateValue(commitment, forKey: key) ?? commitment == commitment else {
                throw lines.damaged("the key \(number) has another commitment than in an earlier change")
            }
        }
        lines.skip()
        counts.changes += 1
        return true
    }

    /// They follow the last transaction of a seal.
    package mutating func nextErasuresOfDeletedRows() throws -> [(row: RecordedRow, event: Int64)] {
        var rows: [(row: RecordedRow, event: Int64)] = []
        while let line = try lines.peek()?.erased?.content {
            guard last != nil else { throw lines.invalid("the row belongs to no seal") }
            isInTransaction = false
            rows.append(try lines.converting { try line.recorded() })
            lines.skip()
            counts.erased += 1
        }
        return rows
    }

    package mutating func nextKey() throws -> RecordedKey? {
        guard let key = try lines.peek()?.key?.content else {
            try requireEnd()
            if let key = commitments.keys.first {
                throw lines.damaged("the key \(key.number) of the entity \(key.entity) is missing")
            }
            return nil
        }
        // The same number cannot be that of two keys.
        guard self.key.map({ ($0.entity, $0.number) < (key.entity, key.number) }) ?? true else {
            throw lines.invalid("the key \(key.number) of the entity \(key.entity) is not in the order of the numbers")
        }
        self.key = SealedKey(entity: key.entity, number: key.number)
        let known = commitments.removeValue(forKey: SealedKey(entity: key.entity, number: key.number))
        guard known == nil || known == key.commitment.content.hash?.digest else {
            throw lines.damaged("the key \(key.number) has another commitment than in the changes")
        }
        guard (key.columns != nil) == includesValues else {
            throw lines.invalid("the columns of the key are missing, or are not allowed without values")
        }
        lines.skip()
        counts.keys += 1
        return key.recorded
    }

    package func catalog() throws -> SealedCatalog { presentCatalog }

    package func unsealedEvents() throws -> [SealedEvent] { unsealed }

    /// An export contains what is sealed.
    package func transactionCount(after position: Int64) throws -> Int { 0 }

    package func bounds() throws -> RecordedHistoryBounds? { nil }

    /// Requires the last line, and no line after it. May be called again.
    private mutating func requireEnd() throws {
        guard let complete = try lines.peek()?.complete?.content else { throw lines.invalid("the line is misplaced") }
        guard complete == counts else { throw lines.invalid("lines before it are missing or were added") }
        try lines.requireEnd()
    }
}

/// The lines of a file, of which the next one can be looked at.
private struct ExportLines {
    private var lines: HistoryLineReader
    private let name: String
    private let decoder = JSONDecoder()
    private var number = 0
    private var line: SealedExportLine?

    init(_ url: URL) throws {
        let file: FileHandle
        do { file = try FileHandle(forReadingFrom: url) } catch {
            throw SwiftDataError.invalidHistoryExport.with(
                detail: "\(url.path) cannot be opened; check the URL", underlying: error)
        }
        name = url.lastPathComponent
        func part() throws -> Data? {
            do {
                let part = try file.read(upToCount: 1 << 16)
                return part?.isEmpty == false ? part : nil
            } catch {
                throw SwiftDataError.invalidHistoryExport.with(
                    detail: "\(url.path) cannot be read; use a complete copy", underlying: error)
            }
        }
        // Another file may have no lines, and is not read to its end.
        var first = try part()
        guard let beginning = first, beginning.starts(with: SealedExportReader.beginning) else {
            throw SwiftDataError.invalidHistoryExport.with(
                detail: "\(url.path) is not a sealed export; use a file of `chronicle export --sealed`")
        }
        lines = HistoryLineReader {
            if let part = first {
                first = nil
                return part
            }
            return try part()
        }
    }

    /// Returns the next line, and stays before it. Throws an error at the end: the last line is the one that says so.
    mutating func peek() throws -> SealedExportLine? {
        if let line { return line }
        guard let data = try lines.next(), data.last == UInt8(ascii: "\n") else {
            throw SwiftDataError.invalidHistoryExport.with(
                detail: "\(name) ends after line \(number); use a complete copy")
        }
        number += 1
        let decoded: SealedExportLine
        do {
            try JSONNames.requireUnique(data.dropLast())
            decoded = try decoder.decode(Exact<SealedExportLine>.self, from: data).content
        } catch let error as SealedExportLine.Invalid {
            throw invalid(error.detail)
        } catch {
            throw SwiftDataError.invalidHistoryExport.with(
                detail: "\(name): line \(number) is not a line of a sealed export; use a complete copy",
                underlying: error)
        }
        guard decoded.memberCount == 1 else { throw invalid("the object must have one name, the kind of the line") }
        if let version = decoded.sealed?.content.version, version != SealedExportLine.version {
            throw invalid(
                "the format has version \(version), which this version of Chronicle does not support; update it")
        }
        line = decoded
        return decoded
    }

    mutating func next() throws -> SealedExportLine? {
        defer { line = nil }
        return try peek()
    }

    mutating func skip() { line = nil }

    mutating func requireEnd() throws {
        guard try lines.next() == nil else { throw invalid("lines follow the last one") }
    }

    /// Converts the line that was looked at.
    func converting<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as SealedExportLine.Invalid { throw invalid(error.detail) }
    }

    /// A difference between lines that the format allows.
    func damaged(_ detail: String) -> SwiftDataError {
        .damagedFile.with(detail: "\(name): line \(number): \(detail)")
    }

    func invalid(_ detail: String) -> SwiftDataError {
        .invalidHistoryExport.with(detail: "\(name): line \(number): \(detail)")
    }
}

/// What JSON decoders accept, but could be read in two ways.
enum JSONNames {
    /// Requires an object in UTF-8 whose objects have each name once, written without escape sequences, and whose numbers are
    /// integers. It need not be valid JSON otherwise; a decoder finds that.
    static func requireUnique(_ line: some DataProtocol) throws {
        let bytes = Array(line)
        guard bytes.first == UInt8(ascii: "{") else {
            throw SealedExportLine.Invalid(detail: "it is not a JSON object")
        }
        // The names of the objects that are not closed.
        var objects: [[ArraySlice<UInt8>]] = []
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "{"): objects.append([])
            case UInt8(ascii: "}"): _ = objects.popLast()
            case UInt8(ascii: "\""):
                let (end, hasEscapes) = try endOfString(bytes, from: index)
                if end + 1 < bytes.count, bytes[end + 1] == UInt8(ascii: ":") {
                    let name = bytes[index + 1..<end]
                    // Decoders compare names as Swift does: U+212A in place of the letter K is the same name.
                    guard let names = objects.last, !hasEscapes, !names.contains(name), name.allSatisfy({ $0 < 0x80 })
                    else {
                        throw SealedExportLine.Invalid(
                            detail: "an object has a name twice, with escape sequences, or with other letters")
                    }
                    objects[objects.count - 1].append(name)
                }
                index = end
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                guard index + 1 == bytes.count || !Self.isInFraction(bytes[index + 1]) else {
                    throw SealedExportLine.Invalid(detail: "a number is not an integer")
                }
            case ..<0x21, 0x7F...:
                throw SealedExportLine.Invalid(detail: "there is a space, or a character that is not JSON")
            default: break
            }
            index += 1
        }
    }

    private static func isInFraction(_ byte: UInt8) -> Bool {
        [UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E")].contains(byte)
    }

    /// Returns the index of the quotation mark that ends a string, and whether a backslash is before it.
    private static func endOfString(_ bytes: [UInt8], from start: Int) throws -> (end: Int, hasEscapes: Bool) {
        var (index, hasEscapes) = (start + 1, false)
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""): return (index, hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                index += 1
            case ..<0x20: throw SealedExportLine.Invalid(detail: "a string contains a control character")
            default: break
            }
            index += 1
        }
        throw SealedExportLine.Invalid(detail: "a string has no end")
    }
}
