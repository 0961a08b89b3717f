import Foundation

/// A file that cannot be opened or created.
struct FileFailure: Error {
    let path: String
    let code: POSIXErrorCode

    /// Creates the failure of the last call of the system.
    init(_ path: String) { (self.path, code) = (path, POSIXErrorCode(rawValue: errno) ?? .EIO) }

    var message: String { "\(path.escaped): \(String(cString: strerror(code.rawValue)))" }
}
