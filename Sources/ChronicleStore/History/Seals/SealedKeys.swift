import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

/// The commitments to the keys that a tracked database numbers; see ``KeyTable``. They are never deleted, because each change with
/// the key has the commitment in its hash.
struct SealedKeys {
    let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    // MARK: Reading

    /// `nil` if no seal contains the key.
    func commitment(to key: SealedKey) throws -> SealedKeyCommitment? {
        let statement = try connection.cached(
            "SELECT key, commitment FROM \(SealTables.commitmentKey) WHERE entity = ? AND number = ?")
        defer { statement.reset() }
        try statement.bind(key.entity, at: 1)
        try statement.bind(key.number, at: 2)
        return try statement.step() ? Self.commitment(statement, 0, of: key) : nil
    }

    static let select =
        "SELECT entity, number, key, commitment FROM \(SealTables.commitmentKey) ORDER BY entity, number"

    static func commitment(_ statement: Statement, _ column: Int32, of key: SealedKey) throws -> SealedKeyCommitment {
        SealedKeyCommitment(
            key: try statement.digest(column, of: key.row), commitment: try statement.digest(column + 1, of: key.row))
    }

    /// Passes a statement whose columns are the values of the key; `nil` if the history does not have them, because another program
    /// dropped the table of the keys after the recording ended.
    func withColumns<Result>(of key: SealedKey, _ body: (Statement?) throws -> Result) throws -> Result {
        let table = NumberedKey.table(of: key.entity)
        let statement: Statement
        do {
            statement = try connection.cached("SELECT k.* FROM main.\(quoted(table)) AS k WHERE k.id = ?")
        } catch {
            let exists = try connection.scalarInt64("SELECT 1 FROM main.sqlite_schema WHERE name = ?") {
                try $0.bind(table, at: 1)
            }
            guard exists == nil else { throw error }
            return try body(nil)
        }
        defer { statement.reset() }
        try statement.bind(key.number, at: 1)
        return try body(statement.step() ? statement : nil)
    }

    /// The indexes of the values of a key in a statement of ``withColumns(of:_:)``. The first column is the number.
    static func columns(_ statement: Statement?) -> Range<Int32> { 1..<max(statement?.columnCount ?? 1, 1) }

    // MARK: Sealing

    /// Computes the commitment to a key (K). If the history does not have the values of the key, it is a commitment to none.
    func commitment(to key: SealedKey, with secret: HistoryDigest, _ hashing: any HistoryHashing) throws
        -> HistoryDigest
    {
        try withColumns(of: key) { statement in
            let values = statement.map { row in Self.columns(row).map { row.sealedValue($0) } } ?? []
            return try hashing.commitment(toKeyOf: key.entity, columns: values, key: secret)
        }
    }

    func insert(_ commitment: SealedKeyCommitment, to key: SealedKey) throws {
        let statement = try connection.cached(
            "INSERT INTO \(SealTables.commitmentKey)(entity, number, key, commitment) VALUES (?, ?, ?, ?)")
        try statement.bind(key.entity, at: 1)
        try statement.bind(key.number, at: 2)
        try commitment.key.withUnsafeBytes { try statement.bind($0, at: 3) }
        try commitment.commitment.withUnsafeBytes { try statement.bind($0, at: 4) }
        try statement.run()
    }
}

extension SealedKey {
    var row: FileRow { .commitmentKey(entity: entity, number: number) }
}
