#if Postgres
    /// The elements of an array with at most one dimension, in the binary format of the server; see ``ParameterArray``.
    struct ArrayElements {
        private let bytes: UnsafeRawBufferPointer
        private var offset = 20
        private(set) var count = 0

        /// - Parameter bytes: The value, which has no bytes if it is NULL. It must outlive the elements.
        init(_ bytes: UnsafeRawBufferPointer) throws {
            self.bytes = bytes
            guard !bytes.isEmpty else { return }
            guard bytes.count >= 12 else { throw Self.malformed }
            switch word(at: 0) {
            case 0: return
            case 1 where bytes.count >= offset: count = max(0, word(at: 12))
            default: throw Self.malformed
            }
        }

        /// `nil` if the element is NULL. There must be an element.
        mutating func next() throws -> UnsafeRawBufferPointer? {
            guard count > 0, bytes.count - offset >= 4 else { throw Self.malformed }
            let length = word(at: offset)
            offset += 4
            count -= 1
            guard length >= 0 else { return nil }
            guard bytes.count - offset >= length else { throw Self.malformed }
            defer { offset += length }
            return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length])
        }

        /// NULL is 0.
        mutating func int64s() throws -> [Int64] {
            var values: [Int64] = []
            while count > 0 { values.append(try next()?.int64 ?? 0) }
            return values
        }

        private func word(at offset: Int) -> Int {
            Int(Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)))
        }

        private static var malformed: PostgresError { PostgresError(message: "a value is not an array") }
    }

    extension UnsafeRawBufferPointer {
        /// 2, 4 or 8 bytes, or a Boolean; 0 for other lengths.
        @inline(__always)
        var int64: Int64 {
            switch count {
            case 8: Int64(bigEndian: loadUnaligned(as: Int64.self))
            case 4: Int64(Int32(bigEndian: loadUnaligned(as: Int32.self)))
            case 2: Int64(Int16(bigEndian: loadUnaligned(as: Int16.self)))
            case 1: Int64(self[0])
            default: 0
            }
        }
    }
#endif
