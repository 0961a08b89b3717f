import ChronicleCore
import ChronicleSQLite
import Foundation

// The rows of the history as their hashes contain them. The sealer and ``SealedFileReader`` read them with this code.

/// A header, or a void one.
struct SealedHeader {
    let position: Int64
    let checkValue: Int64
    /// The number of the source; `nil` for a void header.
    let source: Int64?
    /// Seconds since the reference date; 0 for a void header.
    let time: Double
    /// The position of the first change; its own for a void header.
    let first: Int64
    /// The text of the process as it is stored. That of ``HistoryHeader`` has no invalid sequences.
    let process: [UInt8]?

    /// The statement selects ``ChangeTable/columns``.
    init(_ statement: Statement) throws {
        position = try statement.position(ChangeTable.Column.id)
        checkValue = try statement.integer(ChangeTable.Column.checkValue, of: .change(position))
        guard try statement.kind(ChangeTable.Column.kind, at: position).isHeader else {
            (source, time, first, process) = (nil, 0, position, nil)
            return
        }
        let header = try HistoryHeader(statement)
        (source, time, first) = (header.source, header.timestamp.timeIntervalSinceReferenceDate, header.first)
        let column = ChangeTable.Column.process
        process = statement.isNull(column) ? nil : statement.withText(column) { Array($0) }
    }

    /// `nil` for a void header.
    var kind: SealedTransaction.Kind? { source.map { $0 == SourceTable.external ? .external : .ordinary } }

    /// The number of positions, from the first change to the header. That of a void header is 1.
    var rowCount: Int { source == nil ? 1 : Int(position - first) }

    func requireBeginning(after end: Int64) throws {
        guard first > end else {
            throw SwiftDataError.damagedRow(.change(position), "the transaction begins before the previous one ends")
        }
    }
}

/// A row before the header of its transaction.
struct SealedRow {
    let position: Int64
    let entity: Int64
    let operation: ChangeTable.Operation
    let primaryKey: Int64

    /// The statement selects ``ChangeTable/columns``.
    init(_ statement: Statement) throws {
        position = try statement.position(ChangeTable.Column.id)
        let kind = try statement.kind(ChangeTable.Column.kind, at: position)
        guard kind.isChange, let operation = kind.operation else {
            throw SwiftDataError.damagedRow(.change(position), "the row is no change")
        }
        (entity, self.operation) = (kind.entity, operation)
        primaryKey = try statement.integer(ChangeTable.Column.primaryKey, of: .change(position))
    }

    /// `nil` for a row that only has a preserved value of the change before it.
    var change: SealedTransaction.Change? {
        switch operation {
        case .insert: .insert
        case .update: .update
        case .delete: .delete
        case .preservedValue: nil
        }
    }

    /// Whether the row can have a preserved value.
    var isSlot: Bool { operation != .update }

    /// The attribute of the preserved value; `nil` if there is none.
    func attribute(_ statement: Statement) throws -> Int64? {
        let column = ChangeTable.Column.attributes
        return statement.isNull(column) ? nil : try statement.integer(column, of: .change(position))
    }

    /// Appends the numbers of the attributes of an update.
    func appendAttributes(_ statement: Statement, to attributes: inout [Int64]) throws {
        guard operation == .update else { return }
        let column = ChangeTable.Column.attributes
        let masks =
            statement.isInteger(column)
            ? AttributeMasks(statement.int64(column)) : try statement.masks(column, at: position)
        guard masks.isValid else {
            throw SwiftDataError.damagedRow(.change(position), "the attribute masks are invalid")
        }
        masks.forEach { attributes.append(Int64($0)) }
    }
}

/// The change to which the rows of a transaction belong.
struct SealedRowOrder {
    private var change: (entity: Int64, primaryKey: Int64)?

    /// Returns `false` for a row whose change a purge has deleted, which is no part of the transaction. Throws an error for another
    /// row that does not belong to the change before it.
    ///
    /// - Parameter isPurged: Whether a purge has deleted a part of the transaction.
    mutating func add(_ row: SealedRow, isPurged: @autoclosure () throws -> Bool) throws -> Bool {
        if row.operation != .preservedValue {
            change = (row.entity, row.primaryKey)
            return true
        }
        if let change, change == (row.entity, row.primaryKey) { return true }
        guard try change == nil && isPurged() else {
            throw SwiftDataError.damagedRow(.change(row.position), "a preserved value without a change")
        }
        return false
    }
}

/// Reads what headers say about their transactions, in the order of the headers.
struct SealedDescriptions {
    private struct Source {
        let author, context, program: [UInt8]?
    }

    static let selectMetadata =
        "SELECT position, name, value FROM \(MetadataTable.name) WHERE position >= ? ORDER BY position"

    private let connection: Connection
    private let metadata: Statement
    private let first: Int64
    private var isStarted = false
    /// The position of the row of ``metadata``; the highest integer after the last one.
    private var position: Int64 = 0
    private var sources: [Int64: Source] = [:]
    private static let maximumSources = 1_000

    /// - Parameters:
    ///   - first: The first position.
    ///   - metadata: A statement for ``selectMetadata``, which nothing else uses.
    init(from first: Int64, metadata: Statement, _ connection: Connection) {
        (self.first, self.metadata, self.connection) = (first, metadata, connection)
    }

    /// `nil` for a void header.
    mutating func description(of header: SealedHeader) throws -> SealedDescription? {
        guard let number = header.source else { return nil }
        var description = SealedDescription(time: header.time)
        let source = try source(number)
        description.author = source.author
        description.context = source.context
        description.program = source.program
        description.process = header.process
        if !isStarted {
            isStarted = true
            try metadata.bind(first, at: 1)
            try step()
        }
        while position < header.position { try step() }
        while position == header.position {
            let row = FileRow.metadata(position)
            description.metadata.append((try metadata.bytes(1, of: row) ?? [], try metadata.bytes(2, of: row) ?? []))
            try step()
        }
        return description
    }

    private mutating func step() throws {
        position = try metadata.step() ? metadata.int64(0) : .max
    }

    private mutating func source(_ number: Int64) throws -> Source {
        if let source = sources[number] { return source }
        let statement = try connection.cached("SELECT author, context, program FROM \(SourceTable.name) WHERE id = ?")
        defer { statement.reset() }
        try statement.bind(number, at: 1)
        let row = FileRow.source(number)
        guard try statement.step() else { throw SwiftDataError.damagedRow(row, "the row is missing") }
        let source = Source(
            author: try statement.bytes(0, of: row), context: try statement.bytes(1, of: row),
            program: try statement.bytes(2, of: row))
        if sources.count >= Self.maximumSources { sources = [:] }
        sources[number] = source
        return source
    }
}

extension Statement {
    /// Returns a value of the history, whose bytes are valid until the next step.
    ///
    /// - Parameter classes: The classes, if the value is the name of one.
    func sealedValue(_ column: Int32, _ classes: SealedClasses? = nil) -> SealedValue {
        switch value(column) {
        case .null: .null
        case .integer(let integer): .integer(integer)
        case .real(let real): .real(real)
        case .text(let text):
            if let number = classes?.numbers[Array(text)] {
                .entity(number)
            } else {
                .text(UnsafeRawBufferPointer(text))
            }
        case .blob(let bytes): .binary(bytes)
        }
    }

    func recordedValue(_ column: Int32) -> RecordedValue {
        switch value(column) {
        case .null: .null
        case .integer(let integer): .integer(integer)
        case .real(let real): .real(real)
        case .text(let text): .text(Array(text))
        case .blob(let bytes): .binary(Array(bytes))
        }
    }
}
