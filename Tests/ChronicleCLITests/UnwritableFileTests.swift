import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Commands on a disk that can only be read, with and without the log of another program.
///
/// https://github.com/steipete/CodexBar/issues/2544
@Suite(.enabled(if: Mounts.arePossible, "needs a file system of its own, by `unshare`"))
struct UnwritableFileTests {
    private static let readers = ["log", "at", "stats", "schema", "verify", "export"]

    /// - Parameters:
    ///   - hasLog: Whether another program left transactions in a log.
    ///   - hasIndex: Whether the index of the log is in the directory.
    @Test(arguments: [true, false], [true, false])
    func commandsReadOrNameWhatIsMissing(_ hasLog: Bool, _ hasIndex: Bool) throws {
        let directory = try TemporaryDirectory()
        let isReadable = !hasLog || hasIndex
        // These commands run until they are ended, if the file can be read.
        let commands = Self.readers + ["watch"] + (isReadable ? [] : ["log --follow", "serve"])
        let insert = "INSERT INTO Page(body) VALUES ('other')"
        let script = """
            run() {
                command="$1"; shift
                message=$("$(dirname "$worker")/chronicle" $command "$store" "$@" 2>&1 > /dev/null)
                echo "$command: $? $message" | head -n 1
            }
            "$worker" write "$store" "" 3 > /dev/null
            \(hasLog ? "sqlite3 \"$store\" '.dbconfig no_ckpt_on_close on' \"\(insert)\" > /dev/null" : "")
            \(hasIndex ? "test -e \"$store-shm\" || truncate -s 32768 \"$store-shm\"" : "rm -f \"$store-shm\"")
            mount -o remount,ro "$directory"
            \(commands.map { command in
                "run '\(command)' \(command == "at" ? "now Note" : command == "watch" ? "--name page -- true" : "")"
            }.joined(separator: "\n"))
            """
        let said = try Mounts.run(script, in: directory.url, kilobytes: 4_096)
        let lines = said.split(separator: "\n")
        #expect(lines.count == commands.count, "\(said)")
        for (command, line) in zip(commands, lines) {
            if !isReadable {
                #expect(line.hasPrefix("\(command): 3 ") && line.contains("test.store-shm is missing"), "\(said)")
            } else if command == "watch" {
                #expect(line.hasPrefix("watch: 3 chronicle: ") && line.contains("is not writable"), "\(said)")
            } else {
                #expect(line.hasPrefix("\(command): 0"), "\(said)")
            }
        }
    }
}
