package import ChronicleCore
import Foundation

// What a store checks and keeps when it replays the transactions of another one.

extension MetaValues {
    /// Returns the token of the source up to which its transactions were replayed to the store, or `nil` if none were.
    ///
    /// - Throws: `SwiftDataError.damagedFile` if the stored text is not a token.
    package func replayedToken() throws -> DefaultHistoryToken? {
        guard let text = try text(.replayed) else { return nil }
        do { return try JSONDecoder().decode(DefaultHistoryToken.self, from: Data(text.utf8)) } catch is DecodingError {
            throw damaged(.replayed, "the value is not a token", underlying: nil)
        }
    }
}

extension HistoryReplayStep {
    /// The ``token`` as it is stored.
    package var storedToken: String {
        get throws { String(decoding: try JSONEncoder().encode(token), as: UTF8.self) }
    }

    /// Throws an error unless the store has reached the ``previous`` position.
    package func requirePosition(_ meta: some MetaValues) throws {
        guard try meta.replayedToken() == previous else {
            throw SwiftDataError.historyReplayConflict.with(
                detail: "another replay to the store has continued; replay the export again")
        }
    }

    /// Throws an error unless each of the ``expected`` rows exists with the values that the step changes.
    ///
    /// - Parameter values: Returns the values of a row, or `nil` if it does not exist.
    package func requireExpected(
        _ schema: Schema, _ values: (DefaultSnapshot) throws -> [PropertyValue]?
    ) throws {
        for row in expected {
            let identifier = row.persistentIdentifier
            func conflict(_ detail: String, _ slot: Int? = nil) -> SwiftDataError {
                let properties = schema.entitiesByName[identifier.entityName]?.storedProperties
                return .historyReplayConflict.with(
                    detail: detail, entityName: identifier.entityName,
                    propertyName: slot.flatMap { properties?[$0].name }, persistentIdentifier: identifier)
            }
            guard let values = try values(row) else { throw conflict("the replica deleted the model") }
            for slot in row.changed where slot >= values.count || values[slot] != row.values[slot] {
                throw conflict("the replica changed the value", slot)
            }
        }
    }

    /// Throws an error if a delete rule deleted rows that the source did not delete.
    ///
    /// - Parameters:
    ///   - deleted: The rows that the source deleted.
    ///   - count: The number of deletes that the store recorded.
    package static func requireListed(_ deleted: [DefaultSnapshot], recordedCount count: Int64) throws {
        guard count > deleted.count else { return }
        throw SwiftDataError.historyReplayConflict.with(
            detail: "a delete rule would delete models that exist in the source, because the replica changed their "
                + "relationships or another program wrote the source without foreign keys",
            entityName: deleted.first?.persistentIdentifier.entityName)
    }
}
