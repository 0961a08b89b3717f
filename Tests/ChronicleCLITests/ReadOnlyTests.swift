import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleCLI

/// Commands that read do not change the file, and create no other file.
@Suite struct ReadOnlyTests {
    @Test(arguments: [
        ["log", "FILE"], ["log", "--model", "Trip/1", "FILE"], ["show", "FILE", "planned"],
        ["diff", "FILE", "start", "now"],
        ["blame", "FILE", "Trip/1"], ["at", "FILE", "planned", "Trip"], ["schema", "FILE"], ["stats", "FILE"],
        ["consumers", "FILE"], ["verify", "FILE"], ["export", "FILE"],
        ["purge", "--dry-run", "--max-changes", "1", "FILE"], ["diff", "--sql", "FILE", "start", "now"],
        ["sql", "FILE", "SELECT * FROM Trip_revisions"], ["sql", "--at", "planned", "FILE", "SELECT * FROM Trip"],
        ["views", "FILE"],
    ])
    func theBytesStay(_ arguments: [String]) async throws {
        let file = try GoldenStore.copy()
        let before = try Data(contentsOf: file)
        let run = try await CommandRun(arguments.map { $0 == "FILE" ? file.path : $0 })
        #expect(run.status <= 1, "\(run.errors)")
        #expect(try Data(contentsOf: file) == before)
    }

    /// A store that another process has open, with changes in its write-ahead log.
    @Test func theLogOfARunningProgramStays() async throws {
        let test = try TestStore(.file)
        let context = test.context(author: "app")
        context.insert(Trip(name: "a", destination: "b"))
        try context.save()
        let files = [test.url, URL(fileURLWithPath: test.url.path + "-wal")]
        let before = try files.map { try Data(contentsOf: $0) }
        for arguments in [["log"], ["stats"], ["verify"], ["export"]] {
            let run = try await CommandRun(arguments + [test.url.path])
            #expect(run.status == 0, "\(run.errors)")
        }
        #expect(try files.map { try Data(contentsOf: $0) } == before)
    }
}
