import Foundation

/// The file cannot be opened or created.
struct FileFailure: Error {
    let path: String
    let code: POSIXErrorCode

    /// Creates the failure of the last call of the system.
    init(_ path: String) { self.init(path, POSIXErrorCode(rawValue: errno) ?? .EIO) }

    init(_ path: String, _ code: POSIXErrorCode) { (self.path, self.code) = (path, code) }

    var message: String { "\(path.escaped): \(String(cString: strerror(code.rawValue)))" }
}
