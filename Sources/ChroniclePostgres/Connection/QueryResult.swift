#if Postgres
    import ChronicleCPostgres
    import Foundation

    /// The rows that a statement returned, or the number of rows that it wrote.
    ///
    /// Values are in the binary formats of the server. Methods do not check types: statements name the types of their
    /// columns by casts where these are not those of a table of Chronicle.
    final class QueryResult {
        /// libpq's result, which this object owns.
        let handle: OpaquePointer
        /// The number of rows.
        let count: Int

        init(_ handle: OpaquePointer) {
            self.handle = handle
            count = Int(PQntuples(handle))
        }

        deinit { PQclear(handle) }

        /// The number of rows that the statement inserted, updated or deleted.
        var affectedRows: Int { PQcmdTuples(handle).flatMap { Int(String(cString: $0)) } ?? 0 }

        /// Returns whether a value is NULL.
        @inline(__always)
        func isNull(_ row: Int, _ column: Int) -> Bool { PQgetisnull(handle, Int32(row), Int32(column)) == 1 }

        /// Returns the bytes of a value, which are valid as long as the result.
        @inline(__always)
        func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(
                start: PQgetvalue(handle, Int32(row), Int32(column)),
                count: Int(PQgetlength(handle, Int32(row), Int32(column))))
        }

        /// Returns an integer of 2, 4 or 8 bytes, or a Boolean as 0 or 1; 0 for NULL and for other lengths.
        @inline(__always)
        func int64(_ row: Int, _ column: Int) -> Int64 {
            let bytes = bytes(row, column)
            switch bytes.count {
            case 8: return Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
            case 4: return Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
            case 2: return Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
            case 1: return Int64(bytes[0])
            default: return 0
            }
        }

        /// Returns a `boolean`; `false` for NULL.
        func bool(_ row: Int, _ column: Int) -> Bool { int64(row, column) != 0 }

        /// Returns a `double precision`; 0 for NULL.
        @inline(__always)
        func double(_ row: Int, _ column: Int) -> Double {
            let bytes = bytes(row, column)
            guard bytes.count == 8 else { return 0 }
            return Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)))
        }

        /// Returns a text; empty for NULL.
        @inline(__always)
        func text(_ row: Int, _ column: Int) -> String { String(decoding: bytes(row, column), as: UTF8.self) }

        /// Returns a `bytea`; empty for NULL.
        func data(_ row: Int, _ column: Int) -> Data { Data(bytes(row, column)) }

        /// Returns the elements of an array of integers, empty for NULL.
        ///
        /// - Throws: ``PostgresError`` if the value is not an array with at most one dimension.
        func int64s(_ row: Int, _ column: Int) throws -> [Int64] {
            try elements(row, column).map { element in
                guard let element else { return 0 }
                switch element.count {
                case 8: return Int64(bigEndian: element.loadUnaligned(as: Int64.self))
                case 4: return Int64(Int32(bigEndian: element.loadUnaligned(as: Int32.self)))
                case 2: return Int64(Int16(bigEndian: element.loadUnaligned(as: Int16.self)))
                default: return 0
                }
            }
        }

        /// Returns the elements of an array of texts, with `nil` for NULL; empty if the array is NULL.
        ///
        /// - Throws: ``PostgresError`` if the value is not an array with at most one dimension.
        func texts(_ row: Int, _ column: Int) throws -> [String?] {
            try elements(row, column).map { $0.map { String(decoding: $0, as: UTF8.self) } }
        }

        /// Returns the bytes of the elements of an array in the binary format; see ``ParameterArray``.
        func elements(_ row: Int, _ column: Int) throws -> [UnsafeRawBufferPointer?] {
            var rest = bytes(row, column)
            guard !rest.isEmpty else { return [] }
            func malformed() -> PostgresError { PostgresError(message: "column \(column) is not an array") }
            func word() throws -> Int32 {
                guard rest.count >= 4 else { throw malformed() }
                defer { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(4)) }
                return Int32(bigEndian: rest.loadUnaligned(as: Int32.self))
            }
            let dimensions = try word()
            _ = try (word(), word())
            if dimensions == 0 { return [] }
            guard dimensions == 1 else { throw malformed() }
            let count = try word()
            _ = try word()
            var result: [UnsafeRawBufferPointer?] = []
            for _ in 0..<max(0, count) {
                let length = try Int(word())
                guard length >= 0 else {
                    result.append(nil)
                    continue
                }
                guard rest.count >= length else { throw malformed() }
                result.append(UnsafeRawBufferPointer(rebasing: rest.prefix(length)))
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(length))
            }
            return result
        }
    }
#endif
