#if os(Linux)
    import ChronicleSQLite
    import ChronicleTestSupport
    import Foundation
    import Testing

    /// A failing disk is not reported as a damaged file.
    @Suite struct UnreadableFileTests {
        let directory: TemporaryDirectory

        init() throws { directory = try TemporaryDirectory() }

        /// Makes every read of an open file fail with EIO, by replacing its descriptor with the memory of this process.
        private func makeUnreadable(_ path: String) throws {
            let memory = open("/proc/self/mem", O_RDONLY)
            try #require(memory >= 0)
            defer { close(memory) }
            var count = 0
            for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
                guard let number = Int32(name), let target = realpath("/proc/self/fd/\(name)", nil) else { continue }
                defer { free(target) }
                guard String(cString: target) == path else { continue }
                #expect(dup2(memory, number) == number)
                count += 1
            }
            try #require(count > 0)
        }

        private func filled() throws -> Connection {
            let connection = try Connection(path: directory.path(), mode: .readWriteCreate)
            try connection.enableWAL()
            try connection.execute("PRAGMA wal_autocheckpoint = 0; CREATE TABLE t(a)")
            try connection.execute(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) "
                    + "INSERT INTO t SELECT zeroblob(1000) FROM n")
            return connection
        }

        @Test(arguments: ["", "-wal"])
        func failedReadIsNotDamage(_ suffix: String) throws {
            let writer = try filled()
            if suffix.isEmpty { try writer.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
            let reader = try Connection(path: directory.path(), mode: .readOnly)
            #expect(try reader.scalarInt64("SELECT rowid FROM t") == 1)
            try makeUnreadable(directory.path() + suffix)
            let error = try sqliteError { _ = try reader.scalarInt64("SELECT sum(length(a)) FROM t") }
            #expect(error.isInputOutput && !error.isCorrupt, "\(error)")
            #expect(error.message.hasSuffix(String(cString: strerror(EIO))))
        }
    }
#endif
