import Chronicle
import Foundation

extension JournalFile {
    /// Repeats a call that was interrupted by a signal.
    @discardableResult
    static func retrying<Result: SignedInteger>(
        _ call: () -> Result, orThrow error: (Int32) -> SwiftDataError
    ) throws -> Result {
        while true {
            let result = call()
            if result >= 0 { return result }
            let code = errno
            if code != EINTR { throw error(code) }
        }
    }

    private static func cause(_ code: Int32) -> POSIXError { POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }

    static func error(_ verb: String, _ code: Int32) -> SwiftDataError {
        let kind: SwiftDataError =
            switch code {
            case ENOSPC, EDQUOT, EFBIG: .storeFull
            case EROFS, EACCES, EPERM: .storeReadOnly
            default: .storeFailure
            }
        return kind.with(detail: "could not \(verb) the journal", underlying: cause(code))
    }

    static func openingError(_ code: Int32, _ path: String, _ creates: Bool) -> SwiftDataError {
        switch code {
        case ENOENT where creates, ENOTDIR:
            .missingDirectory.with(detail: "there is no directory for \(path)", underlying: cause(code))
        case EACCES, EPERM, EROFS:
            .fileReadOnly.with(detail: path, underlying: cause(code))
        case EISDIR:
            .notADatabase.with(detail: "\(path) is a directory", underlying: cause(code))
        default:
            .loadIssueModelContainer.with(detail: path, underlying: cause(code))
        }
    }
}
