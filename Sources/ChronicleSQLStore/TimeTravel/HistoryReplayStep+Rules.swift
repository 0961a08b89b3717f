package import ChronicleCore
import Foundation

// What a store checks and keeps when it replays the transactions of another one.

extension MetaValues {
    /// The token of the source, or `nil` if none of its transactions were replayed.
    package func replayedToken() throws -> DefaultHistoryToken? {
        guard let text = try text(.replayed) else { return nil }
        do { return try JSONDecoder().decode(DefaultHistoryToken.self, from: Data(text.utf8)) } catch is DecodingError {
            throw damaged(.replayed, "the value is not a token", underlying: nil)
        }
    }
}

extension HistoryReplayStep {
    package var storedToken: String {
        get throws { String(decoding: try JSONEncoder().encode(token), as: UTF8.self) }
    }

    /// The store must have reached the ``previous`` position.
    package func requirePosition(_ meta: some MetaValues) throws {
        guard try meta.replayedToken() == previous else {
            throw SwiftDataError.historyReplayConflict.with(
                detail: "another replay to the store has continued; replay the export again")
        }
    }

    /// Each of the ``expected`` rows must exist with the values that the step changes. `values` returns `nil` if a row does
    /// not exist.
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

    /// A delete rule must not delete rows that the source did not delete. `count` is the number of recorded deletes.
    package static func requireListed(_ deleted: [DefaultSnapshot], recordedCount count: Int64) throws {
        guard count > deleted.count else { return }
        throw SwiftDataError.historyReplayConflict.with(
            detail: "a delete rule would delete models that exist in the source, because the replica changed their "
                + "relationships or another program wrote the source without foreign keys",
            entityName: deleted.first?.persistentIdentifier.entityName)
    }
}
