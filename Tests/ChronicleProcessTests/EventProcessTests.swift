import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Processes that follow a file by commit events only.
@Suite("Events of several processes", .timeLimit(.minutes(4)))
struct EventProcessTests {
    @Test func followersSeeEveryTransaction() throws {
        let (writers, saves, foreign) = (3, 1_000, 200)
        let file = try TemporaryDirectory().file("followed.store")
        _ = try Worker("open", file.path).finish()
        let total = "\(writers * saves)"
        let followers = try (0..<2).map { _ in try Worker("follow", file.path, total) }
        for follower in followers { try follower.wait(forBytes: "following\n".utf8.count) }
        let writing = try (0..<writers).map { try Worker("write", file.path, "writer\($0)", String(saves)) }
        let script = Array(repeating: "INSERT INTO Page(body) VALUES ('shell')", count: foreign)
        _ = try Shell.sqlite3(file, script.joined(separator: ";"))
        for writer in writing { #expect(try writer.finish() == "wrote\n") }
        for follower in followers {
            let words = try follower.finish().split(whereSeparator: \.isWhitespace)
            #expect(words.prefix(2) == [Substring(total), "ordered"])
        }
    }

    @Test func followerSeesTheLastTransaction() throws {
        let file = try TemporaryDirectory().file("followed.store")
        _ = try Worker("open", file.path).finish()
        let follower = try Worker("follow", file.path, "3000")
        try follower.wait(forBytes: "following\n".utf8.count)
        #expect(try Worker("write", file.path, "writer", "3000").finish() == "wrote\n")
        #expect(try follower.finish() == "3000 ordered complete\n")
    }

    @Test func followerSurvivesKilledWriters() throws {
        let file = try TemporaryDirectory().file("followed.store")
        _ = try Worker("open", file.path).finish()
        let follower = try Worker("follow", file.path, "500")
        try follower.wait(forBytes: "following\n".utf8.count)
        for seed in 0..<5 {
            let writer = try Worker("churn", file.path, "\(seed)", "automatic")
            try writer.wait(forBytes: 20)
            writer.kill()
        }
        #expect(try Worker("write", file.path, "writer", "500").finish() == "wrote\n")
        let words = try follower.finish().split(whereSeparator: \.isWhitespace)
        #expect(words.dropFirst().first == "ordered")
    }
}
