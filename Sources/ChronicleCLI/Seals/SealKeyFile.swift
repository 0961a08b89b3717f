import Chronicle
import Foundation

#if Seals
    import ChronicleSeals
#endif

/// A file with a key that signs seals: its 32 bytes in base64url without padding, in a line.
enum SealKeyFile {
    #if Seals
        /// Creates a file that only its owner can read, and returns the text of the public key. Throws ``UsageError`` if there is a
        /// file at the path.
        static func generate(_ path: String) throws -> String {
            let key = SealSigningKey()
            let publicKey = try key.publicKey.description
            let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else {
                if errno == EEXIST {
                    throw UsageError("\(path.escaped) exists; choose another path, a key is never replaced")
                }
                throw FileFailure(path)
            }
            defer { close(descriptor) }
            do {
                try Console.write(Data("\(Base64URL.text(key.rawRepresentation))\n".utf8), to: descriptor)
                // What is signed with a key that a power failure removes cannot be continued.
                guard fsync(descriptor) == 0 else { throw FileFailure(path) }
            } catch {
                unlink(path)
                throw error
            }
            return publicKey
        }

        /// Reads a key. Throws ``UsageError`` if the file contains none.
        static func key(_ path: String, _ console: Console) throws -> SealSigningKey {
            let handle = try FileHandle.reading(path)
            var status = stat()
            if fstat(handle.fileDescriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                status.st_mode & 0o077 != 0
            {
                console.message("Note: others can read the key \(path.escaped); change its permissions to 0600.")
            }
            // The key and a line break. More is read to notice another file.
            let data = try handle.read(upToCount: 256) ?? Data()
            let line = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            guard let key = Base64URL.bytes(line).flatMap({ SealSigningKey(rawRepresentation: Data($0)) }) else {
                throw UsageError(
                    "\(path.escaped) contains no key; `chronicle seal --generate-key KEYFILE` creates one")
            }
            return key
        }
    #else
        static func generate(_ path: String) throws -> String {
            try StoreFile.requireSeals()
            return ""
        }

        static func key(_ path: String, _ console: Console) throws -> SealSigningKey {
            try StoreFile.requireSeals()
            throw SwiftDataError.unsupportedFeature
        }
    #endif
}
