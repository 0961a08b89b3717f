package import Foundation

/// The name of a property in the table `chronicle_meta`. Those that only one store has are declared there.
package struct MetaName: Hashable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static let format = MetaName("format")
    /// The UUID that was generated when the store was created.
    package static let storeIdentifier = MetaName("store")
    /// `on` or `off`.
    package static let history = MetaName("history")
    /// `on` or `off`.
    package static let preservesValues = MetaName("preservesValues")
    /// A version such as `1.0.0`, if a program declared it; see ``StoreVersion``.
    package static let schemaVersion = MetaName("schemaVersion")
    /// The hash of the schema with that version.
    package static let schemaHash = MetaName("schemaHash")

    /// The position from which the history contains relationships of the entity with this number as the schema stores
    /// them, after one changed between to-one and to-many.
    package static func relationships(_ entity: Int64) -> MetaName { MetaName("\(relationshipsPrefix)\(entity)") }

    package static let relationshipsPrefix = "relationships:"

    /// The date at which the recording of a tracked database began, or at which any recording last resumed after a gap.
    /// Missing if neither happened, and in files of earlier versions.
    package static let recordedSince = MetaName("recordedSince")

    /// The token up to which the transactions of another store were replayed, as JSON.
    package static let replayed = MetaName("replayed")

    /// What was deleted from the middle of the history; see ``SelectiveDeletions``.
    package static let deletions = MetaName("deletions")

    /// See ``LastDeletion``.
    package static let lastDeletion = MetaName("lastDeletion")

    /// The properties of an entity: those of its newest declaration, and removed ones whose columns or links remain; see
    /// `StoredEntity`.
    package static func properties(_ entity: Int64) -> MetaName { MetaName("properties:\(entity)") }

    /// The store was opened with a schema; `key` is its `Schema.declarationKey(_:)`. See ``KnownSchemas``.
    package static func known(_ key: String) -> MetaName { MetaName(knownPrefix + key) }
    package static let knownPrefix = "known:"

    /// The tables meet the requirements of the schema with this signature. The value is the digest of their definitions.
    package static func completeFor(_ signature: String) -> MetaName { MetaName("complete:\(signature)") }
    /// The condition for the rows of ``completeFor(_:)``.
    package static let isCompletion = "name >= 'complete:' AND name < 'complete;'"
}

/// The content of `chronicle_meta`.
package protocol MetaValues {
    /// What errors call the store: `file` or `store`.
    static var noun: String { get }

    func text(_ name: MetaName) throws -> String?
    func set(_ name: MetaName, _ text: String) throws
    /// Chronicle cannot have written the row.
    func damaged(_ name: MetaName, _ detail: String, underlying: (any Error)?) -> any Error
}

extension MetaValues {
    /// See ``MetaName/recordedSince``.
    ///
    /// - Parameter gap: The position of the gap after which recording resumed, or 0 if there is none. An earlier version may have
    ///   added another gap since, without a date.
    package func recordedSince(gap: Int64) throws -> Date? {
        guard let text = try text(.recordedSince) else { return nil }
        let parts = text.split(separator: " ")
        guard parts.count == 2, let position = Int64(parts[0]), let seconds = Double(parts[1]), seconds.isFinite else {
            throw damaged(.recordedSince, "it is not a position and a date", underlying: nil)
        }
        return position == gap ? Date(timeIntervalSinceReferenceDate: seconds) : nil
    }

    package func setRecordedSince(gap: Int64) throws {
        try set(.recordedSince, "\(gap) \(Date().timeIntervalSinceReferenceDate)")
    }
}
