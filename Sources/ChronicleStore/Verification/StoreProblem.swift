/// Something in a store's file that contradicts the file format.
///
/// ``DefaultStore/verify(fileAt:progress:_:)`` finds problems. A problem is not necessarily an error of a program that
/// uses the store: readers of the history throw ``SwiftDataError/damagedFile`` only for what they read.
public struct StoreProblem: Hashable, Sendable {
    /// The subject of a problem.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// SQLite's own check of the database failed. Restore the file from a backup.
        case database
        /// A table of the history is missing or has another definition. Restore the file from a backup.
        case definition
        /// A property of the file is missing or invalid.
        case property
        /// The description of an entity or attribute is invalid, or does not match the table.
        case entity
        /// The table of a model, a link table, or a column is missing.
        case table
        /// An index that the models require is missing or different. Opening the file with write access creates it.
        case index
        /// A trigger of the recorder is missing, changed, or not known: changes may not have been recorded. Opening the
        /// file with write access creates it, and records a gap.
        case trigger
        /// A view of ``DefaultStore/installHistoryViews()`` was dropped or changed. Calling the method again creates it.
        case view
        /// Positions of the history are missing, or outside of the valid range.
        case position
        /// A row of the history is neither a valid change nor a valid header.
        case change
        /// A preserved value belongs to no change, or its change did not affect the attribute.
        case value
        /// A header does not describe the changes before it.
        case header
        /// A source is missing, or may be deleted too early.
        case source
        /// A range of the history is described wrongly, so that readers could miss transactions.
        case summary
        /// Metadata belongs to no transaction, or is not text.
        case metadata
        /// A tag is invalid.
        case tag
        /// A consumer is invalid.
        case consumer
        /// A relationship references a row that does not exist.
        case reference
        /// A one-to-one relationship of a row is not that of the other row. Saving a change of one of the models repairs
        /// it, unless a model would lose a required destination. Assign another destination to that model, or delete it.
        case inverse
        /// A column contains a value of another type than its attribute, or a text that is no JSON instead of a `Codable`
        /// value.
        case column
        /// A row differs from the history that is recorded about it.
        case row
        /// A recorded change of a tracked database does not continue the earlier ones: it replaced a value that differs from the
        /// one recorded last, or its row was inserted or deleted without a record before. A program made a change without a record,
        /// or several triggers changed the row in one statement. Reads as of positions before the change can return a wrong value,
        /// return a row that did not exist, or omit a row that existed; later ones are right. The history cannot be repaired. To
        /// remove the problem, delete the history through the change; `chronicle track --reconcile` also removes it for rows.
        case unrecordedChange
    }

    /// The subject of the problem.
    public let kind: Kind
    /// The name of the table, or `nil` if the problem concerns the file.
    public let table: String?
    /// The row: a position of `chronicle_change`, or the primary key of another table; `nil` if there is none.
    public let row: Int64?
    /// What is wrong, without values of models.
    public let detail: String
}

extension StoreProblem: CustomStringConvertible {
    public var description: String {
        let place = [table, row.map(String.init)].compactMap(\.self).joined(separator: "/")
        return place.isEmpty ? detail : "\(place): \(detail)"
    }
}
