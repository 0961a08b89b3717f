import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Consumers in several processes, and processes that are killed.
@Suite struct ConsumerProcessTests {
    @Test func lockIsReleasedWhenItsProcessIsKilled() throws {
        let store = try TestStore(.file)
        try store.add("a")
        let consumer = try store.container.historyConsumer(named: "reader", startingNewAt: .beginning)
        let worker = try Worker("hold-consumer", store.url.path, "reader")
        try worker.wait(forBytes: 1)
        let fence = try #require(try store.store.consumerRecord(named: "reader")?.fence)
        #expect(try failure { _ = try consumer.nextBatch() } == .historyConsumerInUse)
        worker.kill()
        let batch = try #require(try consumer.nextBatch())
        #expect(batch.attempt == 2)
        #expect(try store.store.consumerRecord(named: "reader")?.fence == fence + 1)
        try consumer.acknowledge(batch)
    }

    /// The work and the acknowledgement commit together, so that neither is lost or repeated.
    @Test(arguments: 0..<2)
    func workIsDoneExactlyOnceUnderKills(_ round: Int) throws {
        let file = try TemporaryDirectory().file("once.store")
        var random = TestSeed.generator(round)
        let comment: Comment = "\(TestSeed.description)"
        _ = try Worker("open", file.path).finish()
        let writer = try Worker("write", file.path, "writer", "400")
        for _ in 0..<12 {
            let worker = try Worker("consume", file.path, "endless")
            try worker.wait(forBytes: 1 + random.below(4))
            // Busy-waits without a clock, to reach some point of the next save.
            var spin = random.below(200_000)
            while spin > 0 { spin -= 1 }
            worker.kill()
        }
        #expect(try writer.finish() == "wrote\n")
        _ = try Worker("consume", file.path, "rest").finish()
        let notes = "SELECT group_concat(id) FROM (SELECT id FROM Note ORDER BY id)"
        let work =
            "SELECT group_concat(n) FROM (SELECT CAST(substr(body, 6) AS INTEGER) AS n FROM Page "
            + "WHERE body LIKE 'work %' ORDER BY n)"
        let done = try Shell.sqlite3(file, work)
        #expect(try done == Shell.sqlite3(file, notes), comment)
        #expect(done.split(separator: ",").count == 400)
    }

    @Test(.enabled(if: Mounts.arePossible, "needs a file system of its own, by `unshare`"))
    func acknowledgementIsUndoneWhenTheDiskIsFull() throws {
        let directory = try TemporaryDirectory()
        let output = try Mounts.run(
            "head -c 300000 /dev/zero > \"$directory/filler\"; \"$worker\" fill-consumer \"$store\"",
            in: directory.url, kilobytes: 1_536)
        #expect(output == "storeFull, attempt 2, acknowledged\n")
    }
}
