import ChronicleCSQLite

/// The library that the program uses, which may be that of the system.
package enum SQLiteLibrary {
    /// The version, such as 3040001 for 3.40.1. <https://www.sqlite.org/c3ref/libversion.html>
    package static var versionNumber: Int32 { sqlite3_libversion_number() }

    /// Whether a version can damage a file if one connection copies the write-ahead log while another one resets it. The
    /// defect is in the versions from 3.7.0 to 3.51.2, except 3.44.6 and 3.50.7 and their successors.
    /// <https://sqlite.org/wal.html#walresetbug>
    package static func hasLogResetDefect(_ number: Int32) -> Bool {
        switch number {
        case ..<3_007_000, 3_044_006..<3_045_000, 3_050_007..<3_051_000, 3_051_003...: false
        default: true
        }
    }
}
