import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

/// The positions of one snapshot of the file, which are the keys of the rows of `ATRANSACTION`.
struct HistoryFacts {
    private let connection: Connection
    private let storeIdentifier: String
    /// Its transaction may have been deleted.
    let newest: Int64
    /// All transactions up to this position were deleted.
    let floor: Int64
    private let newestRow: Int64?

    private static let check = HistoryTokenCheck(
        hasHeaders: false, causeOfLoss: "a restored backup, or another copy of the file,")

    init(_ connection: Connection, storeIdentifier: String) throws {
        (self.connection, self.storeIdentifier) = (connection, storeIdentifier)
        // Each is found at an end of the index.
        newestRow = try connection.scalarInt64("SELECT max(Z_PK) FROM ATRANSACTION WHERE Z_PK > 0")
        let oldest = try connection.scalarInt64("SELECT min(Z_PK) FROM ATRANSACTION WHERE Z_PK > 0")
        let assigned = try connection.scalarInt64(
            "SELECT max(CAST(Z_MAX AS INTEGER)) FROM Z_PRIMARYKEY WHERE Z_ENT >= \(AppleEntities.firstInternalNumber) "
                + "AND Z_NAME = 'TRANSACTION'")
        newest = max(newestRow ?? 0, assigned ?? 0, 0)
        floor = oldest.map { $0 - 1 } ?? newest
    }

    /// The token of the newest transaction, or of the position to which all were deleted.
    func newestToken() throws -> DefaultHistoryToken {
        guard let newestRow else { return token(newest, nil) }
        return token(newestRow, try timestamp(newestRow))
    }

    var earliestToken: DefaultHistoryToken { token(floor, nil) }

    func token(_ position: Int64, _ timestamp: Double?) -> DefaultHistoryToken {
        DefaultHistoryToken(
            storeIdentifier: storeIdentifier, position: position,
            checkValue: timestamp.map { Int64(bitPattern: $0.bitPattern) })
    }

    /// - Parameters:
    ///   - isInclusive: Whether the transaction of the token is requested, too.
    ///   - isUpper: Whether the token is an upper bound, whose transaction may have been deleted.
    func position(_ token: DefaultHistoryToken, isInclusive: Bool = false, isUpper: Bool = false) throws -> Int64 {
        let position = token.position(in: storeIdentifier)
        guard let failure = try failure(position, token.checkValue(in: storeIdentifier), isInclusive, isUpper) else {
            return position ?? 0
        }
        throw Self.check.error(
            failure, position: position, HistoryPositionFacts(newest: newest, floor: max(floor, position ?? 0)))
    }

    private func failure(
        _ position: Int64?, _ checkValue: Int64?, _ isInclusive: Bool, _ isUpper: Bool
    ) throws -> HistoryTokenCheck.Failure? {
        guard let position else { return .ofAnotherStore }
        if position < 0 { return .forked }
        if position > newest { return .ahead }
        if position <= floor {
            if isUpper { return nil }
            return position < floor || isInclusive && floor > 0 ? .expired : nil
        }
        guard let timestamp = try timestamp(position) else {
            // The newest transactions can have been deleted, too.
            return isUpper || position == newest && !isInclusive && checkValue == nil ? nil : .expired
        }
        let expected = Int64(bitPattern: timestamp.bitPattern)
        return checkValue == nil || checkValue == expected ? nil : .forked
    }

    func timestamp(_ position: Int64) throws -> Double? {
        let statement = try connection.cached("SELECT ZTIMESTAMP FROM ATRANSACTION WHERE Z_PK = ?")
        defer { statement.reset() }
        try statement.bind(position, at: 1)
        return try statement.step() ? statement.double(0) : nil
    }
}
