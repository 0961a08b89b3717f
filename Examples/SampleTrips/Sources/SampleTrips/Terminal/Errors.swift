import Chronicle

/// Something that cannot be done, said so that the user knows what to do.
public struct Failure: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}

/// A command line that makes no sense.
public struct UsageError: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}

extension SwiftDataError {
    /// The error for somebody who uses a program, as far as it is one that can happen to them.
    func explanation(store: String) -> String {
        switch self {
        case .missingDirectory: "the directory of \(store) does not exist."
        case .notADatabase: "\(store) is not a store. It was left as it is."
        case .fileOfAnotherApplication: "\(store) is a database of another program. It was left as it is."
        case .fileOfNewerFormat: "\(store) was written by a later version. Update this program."
        case .fileIsReadOnly, .storeIsReadOnly: "\(store) cannot be written; see its permissions, and the directory's."
        case .damagedFile: "\(store) is damaged. Restore a backup, or try `sqlite3 \(store) .recover`."
        case .storeIsBusy: "\(store) is kept locked by another program. Try again."
        case .storeIsFull: "there is no space left on the disk of \(store)."
        case .modelNotFound: "another program deleted it in this moment. Look again with `list`."
        default: description
        }
    }
}
