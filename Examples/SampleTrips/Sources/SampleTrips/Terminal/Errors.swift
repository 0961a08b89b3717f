import Chronicle

/// An operation that failed, with a message that tells the user what to do.
public struct Failure: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}

/// An invalid command line.
public struct UsageError: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}

extension SwiftDataError {
    /// The message for a user of the program, for the errors that a user can cause.
    public func explanation(_ store: TripStore) -> String {
        let path = store.name
        return switch self {
        case .missingDirectory: "the directory of \(path) does not exist."
        case .notADatabase: notThis(store)
        case .notAChronicleStore: "\(path) is a database of another program. It was left as it is."
        case .unsupportedFileVersion: "\(path) has a format that this version does not support. Update this program."
        case .fileReadOnly, .storeReadOnly: "\(path) cannot be written; see its permissions, and the directory's."
        case .damagedFile: damaged(store)
        case .storeBusy: "\(path) is kept locked by another program. Try again."
        case .storeFull: "there is no space left on the disk of \(path)."
        case .modelNotFound: "another program deleted it in this moment. Look again with `list`."
        default: description
        }
    }

    private func notThis(_ store: TripStore) -> String {
        switch store.kind {
        case .sqlite:
            "\(store.url.path) is not an SQLite database. It was left as it is. Journals have names that end with .journal."
        case .postgres: description
        case .journal:
            "\(store.url.path) is not a journal, though its name ends with .journal. It was left as it is."
        }
    }

    private func damaged(_ store: TripStore) -> String {
        switch store.kind {
        case .sqlite:
            "\(store.url.path) is damaged. Restore a backup, or try `sqlite3 \(store.url.path) .recover`."
        case .postgres: description
        case .journal: "\(store.url.path) is damaged: \(detail ?? "it makes no sense"). Restore a backup."
        }
    }
}
