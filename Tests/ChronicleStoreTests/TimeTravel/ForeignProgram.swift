import ChronicleSQLite
import ChronicleTestSupport
import Foundation

/// A program without Chronicle that writes to a file: `sqlite3`, or a connection of another process.
struct ForeignProgram {
    private let file: URL

    init(_ file: URL) { self.file = file }

    func write(_ sql: String, _ random: inout SplitMix) throws {
        if random.below(3) == 0 {
            _ = try Shell.sqlite3(file, "PRAGMA foreign_keys = ON; \(sql)")
        } else {
            let connection = try Connection(path: file.path, mode: .readWrite)
            try connection.execute("PRAGMA foreign_keys = ON; PRAGMA recursive_triggers = ON")
            try connection.execute(sql)
        }
    }
}
