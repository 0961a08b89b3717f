#if Postgres
    import ChronicleCPostgres
    import Foundation

    /// Values are in the binary formats of the server. Methods do not check types: statements name the types of their
    /// columns by casts where these are not those of a table of Chronicle.
    final class QueryResult {
        /// This object owns the handle.
        let handle: OpaquePointer
        let count: Int

        init(_ handle: OpaquePointer) {
            self.handle = handle
            count = Int(PQntuples(handle))
        }

        deinit { PQclear(handle) }

        var affectedRows: Int { PQcmdTuples(handle).flatMap { Int(String(cString: $0)) } ?? 0 }

        var columnNames: [String] {
            (0..<PQnfields(handle)).map { column in PQfname(handle, column).map { String(cString: $0) } ?? "" }
        }

        /// The type of a column as the server numbers it.
        func type(_ column: Int) -> Oid { PQftype(handle, Int32(column)) }

        @inline(__always)
        func isNull(_ row: Int, _ column: Int) -> Bool { PQgetisnull(handle, Int32(row), Int32(column)) == 1 }

        /// The bytes are valid as long as the result.
        @inline(__always)
        func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(
                start: PQgetvalue(handle, Int32(row), Int32(column)),
                count: Int(PQgetlength(handle, Int32(row), Int32(column))))
        }

        /// 2, 4 or 8 bytes, or a Boolean; 0 for NULL and for other lengths.
        @inline(__always)
        func int64(_ row: Int, _ column: Int) -> Int64 { bytes(row, column).int64 }

        /// `false` for NULL.
        func bool(_ row: Int, _ column: Int) -> Bool { int64(row, column) != 0 }

        /// 0 for NULL.
        @inline(__always)
        func double(_ row: Int, _ column: Int) -> Double {
            let bytes = bytes(row, column)
            guard bytes.count == 8 else { return 0 }
            return Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)))
        }

        /// Returns an empty text for NULL.
        @inline(__always)
        func text(_ row: Int, _ column: Int) -> String { String(decoding: bytes(row, column), as: UTF8.self) }

        /// Returns empty data for NULL.
        func data(_ row: Int, _ column: Int) -> Data { Data(bytes(row, column)) }
    }
#endif
