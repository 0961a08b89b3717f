package import Foundation

/// The file that an export writes.
package enum ExportFile {
    /// Writes data to a file at its current offset, in large parts.
    ///
    /// - Parameter body: Receives a closure that writes data.
    package static func write<Result>(
        to file: FileHandle, _ body: ((Data) throws -> Void) throws -> Result
    ) throws -> Result {
        var buffer = Data()
        func flush() throws {
            do { try file.write(contentsOf: buffer) } catch {
                throw SwiftDataError.storeFailure.with(
                    detail: "the export cannot be written to its file", underlying: error)
            }
            buffer.removeAll(keepingCapacity: true)
        }
        let result = try body { data in
            buffer.append(data)
            if buffer.count >= 1 << 16 { try flush() }
        }
        try flush()
        return result
    }

    /// Writes data to a file beside the one at a URL, which it replaces if no error is thrown.
    ///
    /// - Parameter body: Receives a closure that writes data.
    package static func replace<Result>(
        _ url: URL, _ body: ((Data) throws -> Void) throws -> Result
    ) throws -> Result {
        func failure(_ error: any Error) -> SwiftDataError {
            .storeFailure.with(
                detail:
                    "the export cannot be written to \(url.path); check that its directory exists and can be written",
                underlying: error)
        }
        func systemError() -> POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        let file = url.resolvingSymlinksInPath()
        let partial = file.deletingLastPathComponent()
            .appending(path: ".\(file.lastPathComponent)-\(UUID().uuidString)")
        var attributes: [FileAttributeKey: Any] = [:]
        if FileManager.default.fileExists(atPath: file.path) {
            let device: FileHandle?
            do {
                attributes = try FileManager.default.attributesOfItem(atPath: file.path)
                let isFile = attributes[.type] as? FileAttributeType == .typeRegular
                device = isFile ? nil : try FileHandle(forWritingTo: file)
            } catch { throw failure(error) }
            // Devices and pipes are not replaced.
            if let device {
                defer { device.closeFile() }
                return try write(to: device, body)
            }
        }
        let isReplaced = !attributes.isEmpty
        // The export contains values, and a file that is replaced keeps its permissions.
        guard
            FileManager.default.createFile(
                atPath: partial.path, contents: nil, attributes: isReplaced ? [.posixPermissions: 0o600] : [:])
        else { throw failure(systemError()) }
        do {
            let handle: FileHandle
            do { handle = try FileHandle(forWritingTo: partial) } catch { throw failure(error) }
            let result = try write(to: handle, body)
            do {
                try handle.synchronize()
                try handle.close()
                if let permissions = attributes[.posixPermissions] {
                    try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: partial.path)
                }
            } catch { throw failure(error) }
            guard rename(partial.path, file.path) == 0 else { throw failure(systemError()) }
            return result
        } catch {
            // The error is more important than one of this call.
            unlink(partial.path)
            throw error
        }
    }
}
