package import Foundation

/// When transactions were last deleted: a row of `chronicle_meta`. It is missing if none were, and in files of earlier versions.
package struct LastDeletion: Codable, Hashable, Sendable {
    /// The floor when the row was written. If it is another one, a program that does not write the row has deleted history.
    package let floor: Int64
    /// The timestamp of the transaction that ended at the floor, in seconds since 2001-01-01 00:00 UTC, or `nil` if it is unknown.
    package let timestamp: Double?
    /// The time of the deletion, in the same unit.
    package let seconds: Double

    private enum CodingKeys: String, CodingKey {
        case floor, timestamp
        case seconds = "date"
    }

    package var date: Date { Date(timeIntervalSinceReferenceDate: seconds) }
}

extension MetaValues {
    /// Returns when transactions were last deleted, or `nil` if it is unknown.
    ///
    /// - Parameter floor: The highest deleted position.
    package func lastDeletion(floor: Int64) throws -> LastDeletion? {
        guard let text = try text(.lastDeletion) else { return nil }
        let row: LastDeletion
        do { row = try JSONDecoder().decode(LastDeletion.self, from: Data(text.utf8)) } catch {
            throw damaged(.lastDeletion, "it does not describe a deletion", underlying: error)
        }
        return row.floor == floor ? row : nil
    }

    /// Records that transactions were deleted.
    ///
    /// - Parameters:
    ///   - floor: The highest deleted position before.
    ///   - newest: The position of the newest one of the transactions.
    ///   - timestamp: Its timestamp.
    package func setLastDeletion(floor: Int64, newest: Int64, timestamp: Date?) throws {
        let seconds = timestamp?.timeIntervalSinceReferenceDate
        let known = newest > floor ? nil : try lastDeletion(floor: floor)?.timestamp
        let row = LastDeletion(
            floor: max(floor, newest),
            timestamp: newest < floor ? known : known ?? seconds.flatMap { $0.isFinite ? $0 : nil },
            seconds: Date().timeIntervalSinceReferenceDate)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        try set(.lastDeletion, String(decoding: encoder.encode(row), as: UTF8.self))
    }
}
