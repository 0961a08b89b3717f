import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

// The statements of ``SealedFileReader``. A row is read when it is needed, so that an error belongs to its transaction.

/// Where a statement is.
private enum CursorState {
    /// The next row has to be read.
    case before
    case row
    case end
}

extension Statement {
    /// Reads the next row if it is needed. Returns whether there is one.
    @inline(__always)
    fileprivate func read(_ state: inout CursorState) throws -> Bool {
        if state == .before { state = try step() ? .row : .end }
        return state == .row
    }
}

/// The headers and void headers.
struct SealedHeaderCursor {
    private let statement: Statement
    private var state = CursorState.before
    private var present: SealedHeader?

    init(_ statement: Statement) { self.statement = statement }

    /// The present one; `nil` after the last one.
    mutating func header() throws -> SealedHeader? {
        if present == nil, try statement.read(&state) { present = try SealedHeader(statement) }
        return present
    }

    mutating func advance() {
        (state, present) = (state == .row ? .before : state, nil)
    }
}

/// All rows of the history.
struct SealedRowCursor {
    let statement: Statement
    private var state = CursorState.before
    private var present: Int64 = 0

    init(_ statement: Statement) { self.statement = statement }

    /// The position of the present row; `nil` after the last one.
    @inline(__always)
    mutating func position() throws -> Int64? {
        if state == .before {
            guard try statement.read(&state) else { return nil }
            present = try statement.position(ChangeTable.Column.id)
        }
        return state == .row ? present : nil
    }

    /// Whether the present row is a void header.
    var isVoid: Bool {
        get throws { try statement.kind(ChangeTable.Column.kind, at: present) == .void }
    }

    @inline(__always)
    mutating func advance() {
        if state == .row { state = .before }
    }
}

/// The commitments, without those after the newest seal, which have no meaning and are never reached.
struct SealedCommitmentCursor {
    static let columns = "position, attribute, key, commitment, event"

    private let statement: Statement
    private var state = CursorState.before
    /// The rows that were passed and belong to erased values of deleted transactions.
    var erasures: [(row: RecordedRow, event: Int64)] = []

    init(_ statement: Statement) { self.statement = statement }

    /// Passes the rows before a position, and returns the commitment at the position.
    mutating func commitment(at position: Int64) throws -> RecordedCommitment? {
        try skip(through: position - 1)
        guard try statement.read(&state), statement.int64(0) == position else { return nil }
        state = .before
        return try Self.commitment(statement)
    }

    /// Passes the rows up to a position.
    mutating func skip(through position: Int64) throws {
        while try statement.read(&state), statement.int64(0) <= position {
            if !statement.isNull(4) {
                let row = statement.int64(0)
                erasures.append((.position(row), try statement.integer(4, of: .commitment(row))))
            }
            state = .before
        }
    }

    /// The commitment to a description. Those of the changes, which precede the header, are read afterwards.
    static func commitment(at position: Int64, _ connection: Connection) throws -> RecordedCommitment? {
        let statement = try connection.cached("SELECT \(columns) FROM \(SealTables.commitment) WHERE position = ?")
        defer { statement.reset() }
        try statement.bind(position, at: 1)
        return try statement.step() ? commitment(statement) : nil
    }

    private static func commitment(_ statement: Statement) throws -> RecordedCommitment {
        let position = statement.int64(0)
        func integer(_ column: Int32) throws -> Int64? {
            statement.isNull(column) ? nil : try statement.integer(column, of: .commitment(position))
        }
        func digest(_ column: Int32) throws -> HistoryDigest? {
            statement.isNull(column) ? nil : try statement.digest(column, of: .commitment(position))
        }
        return RecordedCommitment(
            attribute: try integer(1), key: try digest(2), commitment: try digest(3), event: try integer(4))
    }
}
