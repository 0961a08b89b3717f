import ChronicleCore
import ChronicleSQLite
import Synchronization

/// A notice about a version of SQLite with a defect that can damage files.
enum LibraryNotice {
    /// `nil` for a version without such a defect.
    static func text(_ number: Int32 = SQLiteLibrary.versionNumber) -> String? {
        guard SQLiteLibrary.hasLogResetDefect(number) else { return nil }
        return
            "SQLite \(version(number)) can, in rare cases, damage a file if another program than Chronicle copies the "
            + "write-ahead log while it is reset (https://sqlite.org/wal.html#walresetbug); use 3.51.3, 3.50.7, 3.44.6, or a "
            + "later version of these series"
    }

    static func version(_ number: Int32) -> String {
        "\(number / 1_000_000).\(number / 1_000 % 1_000).\(number % 1_000)"
    }

    private static let isLogged = Atomic(false)

    /// Logs the notice once in the process.
    static func log(_ configuration: ModelConfiguration) { log(configuration, SQLiteLibrary.versionNumber, isLogged) }

    static func log(_ configuration: ModelConfiguration, _ number: Int32, _ isLogged: borrowing Atomic<Bool>) {
        guard configuration.allowsSave, !configuration.isStoredInMemoryOnly, configuration.logger != nil,
            let text = text(number), !isLogged.exchange(true, ordering: .relaxed)
        else { return }
        configuration.log(.notice, event: "libraryDefect", text, metadata: ["version": version(number)])
    }
}
