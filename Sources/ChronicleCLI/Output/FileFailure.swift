import Foundation

/// The file cannot be opened or created.
struct FileFailure: Error {
    let message: String

    /// Creates the failure of the last call of the system.
    init(_ path: String) { self.init(path, POSIXErrorCode(rawValue: errno) ?? .EIO) }

    init(_ path: String, _ code: POSIXErrorCode) {
        message = "\(path.escaped): \(String(cString: strerror(code.rawValue)))"
    }

    init(unreadable path: String) { message = "\(path.escaped) is not readable; change its permissions" }
}

extension FileHandle {
    /// Opens a file. Throws ``FileFailure`` if it cannot be read.
    static func reading(_ path: String) throws -> FileHandle {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure(path) }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }
}
