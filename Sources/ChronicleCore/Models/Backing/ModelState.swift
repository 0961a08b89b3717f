/// The state of a model in its context.
///
/// This is the only record of whether the model has a row and what a save does with it. A test compares ``after(_:hasEdits:)`` with
/// the table in `Documentation/Design/0041-model-states.md`.
enum ModelState: UInt8, CaseIterable {
    /// Never inserted, or removed from its context.
    case detached
    /// Inserted and not saved.
    case new
    /// Inserted by a revert, with the identifier of a deleted row.
    case restored
    /// As stored, possibly with unsaved edits.
    case saved
    /// Has unsaved edits, and its row is gone.
    case missing
    /// Deleted by the program; the row exists until the save.
    case deleted
    /// A new model that a delete rule deleted. It leaves the context with the next save or rollback.
    case discarded
    /// The row was deleted, by this context or by another writer.
    case gone
    /// Another instance represents the row.
    case replaced

    /// What happens to a model.
    enum Event: CaseIterable {
        case inserted
        case deleted
        /// A delete rule of another model deleted it.
        case deletedByRule
        /// The delete rule that deleted the model does not apply any more.
        case causeRemoved
        case rowRead
        case rowNotFound
        /// A batch delete of the context deleted the row.
        case batchDeleted
        case written
        /// A save did not write the model, because its row is gone.
        case dropped
        /// A save wrote the new model as an update of a row with the same unique values.
        case merged
        case replaced
        /// A save was committed, but the result of the store does not identify the row.
        case writtenUnidentified
        case rolledBack
    }

    /// Returns `nil` if the event cannot occur in this state or is an error.
    func after(_ event: Event, hasEdits: Bool) -> ModelState? {
        switch event {
        case .inserted:
            switch self {
            case .detached, .discarded: .new
            case .new, .restored, .saved, .missing: self
            case .deleted: .saved
            case .gone, .replaced: nil
            }
        case .deleted:
            switch self {
            case .new, .discarded: .detached
            case .saved: .deleted
            case .restored, .missing: .gone
            case .detached, .deleted, .gone, .replaced: self
            }
        case .deletedByRule:
            switch self {
            case .detached: nil
            case .new: .discarded
            case .saved: .deleted
            case .restored, .missing: .gone
            case .deleted, .discarded, .gone, .replaced: self
            }
        case .causeRemoved:
            switch self {
            case .deleted: .saved
            case .discarded: .new
            case .detached, .new, .restored, .saved, .missing, .gone, .replaced: nil
            }
        case .rowRead:
            switch self {
            case .restored, .saved, .missing: .saved
            case .deleted: .deleted
            case .detached, .new, .discarded, .gone, .replaced: nil
            }
        case .rowNotFound:
            switch self {
            case .saved: hasEdits ? .missing : .gone
            case .deleted: .gone
            case .restored, .missing, .gone, .replaced: self
            case .detached, .new, .discarded: nil
            }
        case .batchDeleted:
            switch self {
            case .saved, .missing, .deleted: .gone
            case .restored, .gone, .replaced: self
            case .detached, .new, .discarded: nil
            }
        case .written:
            switch self {
            case .new, .restored, .saved, .missing: .saved
            case .deleted: .gone
            case .discarded: .detached
            case .detached, .gone, .replaced: nil
            }
        case .dropped: self == .saved || self == .missing ? .gone : nil
        case .merged: self == .new ? .saved : nil
        case .replaced:
            switch self {
            case .detached, .discarded: nil
            case .gone: .gone
            case .new, .restored, .saved, .missing, .deleted, .replaced: .replaced
            }
        case .writtenUnidentified:
            switch self {
            case .new, .discarded: .detached
            case .restored, .missing, .deleted: .gone
            case .saved: .saved
            case .detached, .gone, .replaced: nil
            }
        case .rolledBack:
            switch self {
            case .detached, .new, .discarded: .detached
            case .saved, .deleted: .saved
            case .restored, .missing, .gone: .gone
            case .replaced: .replaced
            }
        }
    }

    var isInContext: Bool { self == .saved || self == .new || self == .restored || self == .missing }

    var isLinkable: Bool { isInContext && self != .missing }

    var isInserted: Bool { self == .new || self == .restored }

    var isDeleted: Bool { self == .deleted || self == .gone || self == .replaced }

    var hasLeft: Bool { self == .gone || self == .replaced }

    var recordsEdits: Bool { isInContext || self == .deleted }

    var mayHaveRow: Bool { self == .saved || self == .deleted || self == .missing || hasLeft }
}
