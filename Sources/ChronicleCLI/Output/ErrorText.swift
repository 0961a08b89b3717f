import Chronicle
import Foundation

/// The messages of errors and the exit statuses that they cause.
enum ErrorText {
    static func describe(_ error: any Error) -> (message: String, status: ExitStatus) {
        switch error {
        case let error as UsageError: (error.message, .usage)
        case let error as MissingTransaction: (error.message, .usage)
        // Descriptions contain no values of models, but names of files and entities.
        case let error as SwiftDataError: (error.description.escaped, .unreadable)
        case let error as FileFailure: (error.message, .unreadable)
        case let error as POSIXError: (String(cString: strerror(error.code.rawValue)), .unreadable)
        default: ("\(error.localizedDescription)".escaped, .unreadable)
        }
    }
}
