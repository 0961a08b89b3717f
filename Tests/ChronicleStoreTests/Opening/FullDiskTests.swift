import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// A disk that is full before a program opens the store.
///
/// https://github.com/groue/GRDB.swift/issues/1251
@Suite(.enabled(if: Mounts.arePossible, "needs a file system of its own, by `unshare`"))
struct FullDiskTests {
    /// What the program before left beside the file, and the statements that leave it.
    static let remains: [(name: String, script: String)] = [
        ("nothing", ""), ("an empty log", ": > \"$store-wal\""),
        ("a log and its index", log), ("a log", log + "; rm \"$store-shm\""),
        ("an index", "truncate -s 32768 \"$store-shm\""), ("no events", "rm \"$store-events\""),
        ("only a file of zero bytes", "rm \"$store\" \"$store-events\"; : > \"$store\""),
    ]
    private static let log =
        "sqlite3 \"$store\" '.dbconfig no_ckpt_on_close on' \"INSERT INTO chronicle_meta VALUES ('other', 1)\" > /dev/null"

    @Test(arguments: remains.indices, ["", "read-only"])
    func fullDiskIsNoDamage(_ index: Int, _ mode: String) throws {
        let directory = try TemporaryDirectory()
        let isEmpty = Self.remains[index].name == "only a file of zero bytes"
        let script = """
            "$worker" write "$store" "" 3 > /dev/null
            \(Self.remains[index].script)
            dd if=/dev/zero of="$directory/fill" bs=4k 2> /dev/null
            "$worker" start "$store" \(mode) && echo then
            rm "$directory/fill" && "$worker" start "$store" && "$worker" open "$store"
            sqlite3 "$store" 'PRAGMA integrity_check; SELECT count(*) FROM Note'
            """
        let said = try Mounts.run(script, in: directory.url, kilobytes: 1_024)
        let parts = said.split(separator: "then\n").map { $0.split(separator: "\n") }
        try #require(parts.count == 2)
        // A file of zero bytes becomes a store when it is opened.
        let allowed = isEmpty && mode == "read-only" ? ["loadIssueModelContainer"] : ["ok", "storeFull"]
        #expect(parts[0].allSatisfy { line in allowed.contains { line.hasSuffix(" \($0)") } }, "\(said)")
        #expect(parts[1].prefix(6).allSatisfy { $0.hasSuffix(" ok") }, "\(said)")
        #expect(parts[1].suffix(3) == ["opened \(isEmpty ? 1 : 4)", "ok", "\(isEmpty ? 1 : 4)"], "\(said)")
    }
}
