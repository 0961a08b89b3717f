import Chronicle
import Foundation

enum ErrorText {
    static func describe(_ error: any Error) -> (message: String, status: ExitStatus) {
        switch error {
        case let error as UsageError: (error.message, .usage)
        case let error as MissingTransaction: (error.message, .usage)
        // Descriptions contain no values of models, but names of files and entities.
        case let error as SwiftDataError: (text(of: error).escaped, .unreadable)
        case let error as FileFailure: (error.message, .unreadable)
        case let error as POSIXError: (String(cString: strerror(error.code.rawValue)), .unreadable)
        default: ("\(error.localizedDescription)".escaped, .unreadable)
        }
    }

    /// The detail of a file that cannot be opened says everything, and its kind is a name for programs.
    private static func text(of error: SwiftDataError) -> String {
        guard SwiftDataError.loadIssueModelContainer ~= error, error != .damagedFile, error.entityName == nil,
            let detail = error.detail
        else { return error.description }
        return detail
    }
}
