import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleCLI

/// The ways to write a position.
@Suite struct PositionTests {
    private static let zone = TimeZone(secondsFromGMT: 7_200) ?? .gmt

    private func settings() -> Console.Settings {
        var settings = Console.Settings()
        settings.timeZone = Self.zone
        settings.now = { Date(timeIntervalSinceReferenceDate: 789_000_000) }
        return settings
    }

    private func position(_ text: String) throws -> Position {
        let file = try StoreFile(.file(GoldenStore.copy()), allowsSave: false)
        return try Position(text, in: file.store, settings())
    }

    @Test(arguments: [
        ("2026-01-01", 788_911_200.0), ("2026-01-01 00:00", 788_911_200), ("2026-01-01T00:00:00", 788_911_200),
        ("2026-01-01 00:00:30.5", 788_911_230.5), ("2026-01-01T00:00:00Z", 788_918_400),
        ("2026-01-01 00:00 +0100", 788_914_800), ("2026-01-01T00:00:00-05:30", 788_938_200),
        ("10s", 788_999_990), ("5m", 788_999_700), ("3h", 788_989_200), ("2d", 788_827_200), ("1w", 788_395_200),
        ("today", 788_997_600), ("yesterday", 788_911_200),
    ])
    func dates(_ text: String, _ seconds: Double) throws {
        #expect(try position(text) == .date(Date(timeIntervalSinceReferenceDate: seconds)))
    }

    /// A time that the clocks skip is the first one after it, and a time that they show twice is the first of the two.
    @Test(arguments: [
        ("Africa/Cairo", "2026-04-24", "2026-04-23T22:00:00Z"),
        ("Africa/Cairo", "2026-04-24 00:30", "2026-04-23T22:00:00Z"),
        ("Africa/Cairo", "2026-04-24 01:00", "2026-04-23T22:00:00Z"),
        ("Africa/Cairo", "2026-04-23 23:59", "2026-04-23T21:59:00Z"),
        ("Europe/Berlin", "2026-03-29 02:30", "2026-03-29T01:00:00Z"),
        ("Europe/Berlin", "2026-03-29 03:30", "2026-03-29T01:30:00Z"),
        ("Europe/Berlin", "2026-10-25 02:30", "2026-10-25T00:30:00Z"),
        ("Australia/Lord_Howe", "2026-10-04 02:15", "2026-10-03T15:30:00Z"),
        ("Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00Z"),
        ("Pacific/Apia", "2011-12-30 18:00", "2011-12-30T10:00:00Z"),
        ("America/New_York", "2026-07-01 12:00", "2026-07-01T16:00:00Z"),
    ])
    func skippedAndRepeatedTimes(_ zone: String, _ text: String, _ expected: String) throws {
        var settings = settings()
        settings.timeZone = try #require(TimeZone(identifier: zone))
        #expect(Position.date(text, settings) == (try Date(expected, strategy: .iso8601)))
    }

    @Test(arguments: ["2026-13-01", "2026-02-30", "2026-01-01 25:00", "01.01.2026", "-1", "3x", "99999999999d", ""])
    func otherTextsAreNoPositions(_ text: String) {
        #expect(throws: UsageError.self) { try position(text) }
    }

    @Test func tokensAndTags() throws {
        let file = try StoreFile(.file(GoldenStore.copy()), allowsSave: false)
        let tag = try #require(try file.store.historyTags().first).token
        let number = try #require(tag.position(in: file.store.identifier))
        let text = tag.text(in: file.store.identifier)
        let json = String(decoding: try JSONEncoder().encode(tag), as: UTF8.self)
        for form in [String(number), text, json, "planned", "tag:planned"] {
            let position = try Position(form, in: file.store, settings())
            #expect(position == .token(tag), "\(form)")
            #expect(try position.token(in: file.store).checkValue(in: file.store.identifier) == number * 1_000_000_007)
        }
        #expect(
            try Position("start", in: file.store, settings()).token(in: file.store).position(in: file.store.identifier)
                == 0)
        #expect(
            try Position("now", in: file.store, settings()).token(in: file.store) == file.store.currentHistoryToken())
    }

    /// The check value of a token detects a restored backup.
    @Test func aTokenWithAnotherCheckValueIsRejected() async throws {
        let run = try await CommandRun("log", "--after", "10-0000000000000001", GoldenStore.copy().path)
        #expect(run.status == 3)
        #expect(run.errors.contains("belongs to another transaction now"))
    }

    @Test func aNearTagIsSuggested() throws {
        let error = #expect(throws: UsageError.self) { try position("planed") }
        #expect(error?.message.contains("planned") == true)
    }

    /// Before a tracked database was recorded, and while its recording was stopped, its state is not known.
    @Test func datesWithoutARecording() async throws {
        let file = try TemporaryDirectory().file("app.db")
        _ = try Shell.sqlite3(file, "CREATE TABLE d(id INTEGER PRIMARY KEY, v); INSERT INTO d VALUES (1, 'first')")
        let start = Date()
        try TrackedDatabase(url: file).track()
        _ = try Shell.sqlite3(file, "UPDATE d SET v = 'second'")
        let recorded = Date()
        try TrackedDatabase(url: file).stop()
        let stopped = Date()
        _ = try Shell.sqlite3(file, "UPDATE d SET v = 'third'")
        try TrackedDatabase(url: file).track()
        _ = try Shell.sqlite3(file, "UPDATE d SET v = 'fourth'")
        func run(_ command: String, _ date: Date, _ arguments: String...) async throws -> CommandRun {
            let text = date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
            return try await CommandRun([command, file.path, text] + arguments)
        }
        for date in [start, stopped] {
            for run in [try await run("at", date, "d"), try await run("diff", date)] {
                #expect(run.status == 3 && run.errors.contains("were not recorded"), "\(run.errors)")
                #expect(run.output.isEmpty)
            }
        }
        let missing = try await run("show", start)
        #expect(missing.status == 1 && missing.errors.contains("there is no transaction"), "\(missing.errors)")
        for date in [recorded, stopped] {
            #expect(try await run("show", date).output.contains(#"v: "first" -> "second""#))
        }
        #expect(try await run("show", Date()).output.contains(#"v: "third" -> "fourth""#))
        #expect(try await run("at", Date(), "d").output.contains("fourth"))
    }
}
