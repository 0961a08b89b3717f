import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleCLI

/// Text, JSON and dates.
@Suite struct OutputTests {
    @Test(arguments: [
        ("plain äöü 👩‍🚀", "plain äöü 👩‍🚀"),
        ("a\u{1b}[31mred", "a\\u{1b}[31mred"),
        ("title\u{1b}]0;pwned\u{7}", "title\\u{1b}]0;pwned\\u{7}"),
        ("line\nbreak\r\ttab\0nul", "line\\nbreak\\r\\ttab\\0nul"),
        ("\u{9b}31m", "\\u{9b}31m"),
        ("\u{202e}gpj.exe", "\\u{202e}gpj.exe"),
        ("a\u{200b}b\u{2028}c", "a\\u{200b}b\\u{2028}c"),
        ("\\n", "\\\\n"),
        ("\u{7f}", "\\u{7f}"),
    ])
    func controlCharactersAreEscaped(_ text: String, _ expected: String) {
        #expect(text.escaped == expected)
    }

    @Test func everyControlCharacterIsEscaped() {
        for value in (0...0x9f as ClosedRange<UInt32>) where value < 0x20 || value >= 0x7f {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = String(Character(scalar))
            #expect(text.escaped.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value < 0x7f })
            #expect(JSON.string(text).text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value < 0x7f })
        }
    }

    /// A script that polls with the last token sees each change once, also if a transaction of another program goes on.
    @Test(arguments: [[], ["--entity", "LinkTag"], ["--attribute", "weight"]], [true, false])
    func eachChangeIsListedOnce(_ options: [String], _ isTracked: Bool) async throws {
        let file = try isTracked ? TemporaryDirectory().file("a.db") : GoldenStore.copy()
        if isTracked {
            _ = try Shell.sqlite3(
                file,
                "CREATE TABLE LinkTag(id INTEGER PRIMARY KEY, name, weight); CREATE TABLE other(id INTEGER PRIMARY KEY)"
            )
            try TrackedDatabase(url: file).track()
        }
        struct Line: Decodable {
            struct Change: Decodable { let model: String }
            let token: String
            let changes: [Change]
        }
        var token: String?
        var models: [String] = []
        for number in 101...106 {
            _ = try Shell.sqlite3(file, "INSERT INTO LinkTag(id, name, weight) VALUES (\(number), 'x', 1)")
            // A transaction with later changes of another entity only is not repeated either.
            if isTracked { _ = try Shell.sqlite3(file, "INSERT INTO other VALUES (\(number))") }
            let position = token.map { ["--after", $0] } ?? (isTracked ? [] : ["--after", "now"])
            if !isTracked, token == nil {
                token = try await CommandRun("stats", "--json", file.path).output.firstMatch(
                    of: /"currentToken":"([^"]+)"/)?.output.1.description
                continue
            }
            let run = try await CommandRun(["log", "--json", "--reverse"] + options + position + [file.path])
            for line in run.output.split(separator: "\n") {
                let transaction = try JSONDecoder().decode(Line.self, from: Data(line.utf8))
                models += transaction.changes.map(\.model).filter { $0.hasPrefix("LinkTag") }
                token = transaction.token
            }
        }
        #expect(models == (isTracked ? 101...106 : 102...106).map { "LinkTag/\($0)" })
    }

    @Test func changesOfOneModelAreListedOnce() async throws {
        let file = try GoldenStore.copy()
        var lines: [Substring] = []
        var token = "start"
        for number in 1...4 {
            _ = try Shell.sqlite3(file, "UPDATE Trip SET destination = 'City \(number)' WHERE id = 1")
            let run = try await CommandRun(
                "log", "--json", "--reverse", "--model", "Trip/1", "--after", token, file.path)
            lines += run.output.split(separator: "\n")
            token = try #require(lines.last?.firstMatch(of: /"token":"([^"]+)"/)).output.1.description
        }
        for number in 1...4 {
            #expect(lines.count { $0.contains("\"new\":{\"destination\":\"City \(number)\"}") } == 1)
        }
    }

    /// The result of `at` does not depend on the number of models that it lists.
    @Test(arguments: [0, 1, 1_000]) func atSucceedsIfAModelMatches(_ limit: Int) async throws {
        let path = try GoldenStore.copy().path
        let found = try await CommandRun("at", path, "now", "Trip", "-n", "\(limit)")
        #expect(found.status == 0 && found.output.isEmpty == (limit == 0))
        let none = try await CommandRun("at", path, "now", "Trip", "-n", "\(limit)", "--where", "name = \"nowhere\"")
        #expect(none.status == 1 && none.output.isEmpty)
    }

    /// Numbers in any form.
    @Test func atComparesNumbers() async throws {
        let file = try TemporaryDirectory().file("prices.store")
        let context = ModelContext(try ModelContainer(for: Schema(Priced.self), configurations: [.init(url: file)]))
        for price in [
            "9.5", "0.1", "100", "9223372036854775808", "-12345678901234567.89",
        ] { context.insert(Priced(price)) }
        try context.save()
        for (condition, count) in [
            ("price >= 100", 2), ("price = 9.50", 1), ("price = 0.1", 1), ("price < 1", 2), ("price != 100", 4),
            ("price = -12345678901234567.89", 1), ("price < -12345678901234567.88", 1),
            ("price < -12345678901234567.89", 0), ("price > -10000000000000000001", 5),
            ("price = 9223372036854775808", 1), ("price > 9223372036854775807", 1), ("price > 1e300", 0),
        ] {
            let run = try await CommandRun("at", file.path, "now", "Priced", "--json", "--where", condition)
            #expect(run.output.split(separator: "\n").count == count, "\(condition)")
        }
    }

    /// As in predicates, and as they are printed.
    @Test func atComparesPrintedValuesAndBytes() async throws {
        let file = try TemporaryDirectory().file("weights.store")
        let context = ModelContext(try ModelContainer(for: Schema(Weighed.self), configurations: [.init(url: file)]))
        let weighed = Weighed()
        context.insert(weighed)
        try context.save()
        let uuid = weighed.uuid.uuidString
        for (condition, count) in [
            ("weight = 0.1", 1), ("weight != 0.1", 0), ("weight > 0.1", 0), ("weight < 0.2", 1),
            ("name = \"caf\u{e9}\"", 1), ("name = \"cafe\u{301}\"", 0), ("name contains \"\u{e9}\"", 1),
            ("name contains \"e\"", 0), ("uuid = \"\(uuid)\"", 1), ("uuid = \"\(uuid.lowercased())\"", 1),
            ("uuid != \"\(uuid)\"", 0), ("uuid contains \"\(uuid.prefix(8).lowercased())\"", 1),
        ] {
            let run = try await CommandRun("at", file.path, "now", "Weighed", "--json", "--where", condition)
            #expect(run.output.split(separator: "\n").count == count, "\(condition)")
        }
    }

    /// A restored backup has another transaction at the position.
    @Test func atRejectsTheNewestPositionOfAnotherHistory() async throws {
        let file = try TemporaryDirectory().file("prices.store")
        let context = ModelContext(try ModelContainer(for: Schema(Priced.self), configurations: [.init(url: file)]))
        context.insert(Priced("1"))
        try context.save()
        let token = try context.currentHistoryToken()
        let store = token.storeIdentifier
        let check = try #require(token.checkValue(in: store))
        for (value, status) in [(check, 0), (check ^ 1, 3)] {
            let other = DefaultHistoryToken(
                storeIdentifier: store, position: try #require(token.position(in: store)), checkValue: value)
            let text = String(decoding: try JSONEncoder().encode(other), as: UTF8.self)
            let run = try await CommandRun("at", file.path, text, "Priced")
            #expect(run.status == status, "\(run.errors)")
        }
    }

    @Test func datesHaveDigitsOfASCII() async throws {
        let run = try await CommandRun("at", GoldenStore.copy().path, "２０２６-０３-０１", "Trip")
        #expect(run.status == 2 && run.output.isEmpty)
    }

    @Test(arguments: [
        (JSON.null, "null"), (.bool(true), "true"), (.integer(-7), "-7"), (.number(1.5), "1.5"),
        (.number(.nan), "\"nan\""), (.number(-.infinity), "\"-inf\""),
        (.string("a\"b\\c\n\u{1b}"), "\"a\\\"b\\\\c\\n\\u001b\""),
        (.array([.integer(1), .null]), "[1,null]"), (.members(["b": .integer(1), "a": nil]), "{\"b\":1}"),
    ])
    func jsonIsValid(_ json: JSON, _ expected: String) throws {
        #expect(json.text == expected)
        #expect(throws: Never.self) {
            try JSONSerialization.jsonObject(with: Data(json.text.utf8), options: .fragmentsAllowed)
        }
    }

    @Test(arguments: [nil, "SQLite 3.40.1 has a defect"])
    func verifyNamesDefectsOfTheLibrary(_ notice: String?) async throws {
        let run = try await CommandRun(["verify", GoldenStore.copy().path]) { $0.libraryNotice = notice }
        #expect(run.status == 0 && run.errors == (notice.map { "Note: \($0).\n" } ?? ""))
    }

    /// No JSON contains a character that a terminal may interpret, and all can be read back.
    @Test func jsonContainsNoTerminalControls() throws {
        let scalars = (0...0x10FFFF).compactMap(Unicode.Scalar.init).filter(\.isTerminalControl)
        #expect(scalars.count > 200 && scalars.contains("\u{9b}") && scalars.contains("\u{202e}"))
        for scalar in scalars + ["<", "\"", "\\", "é", "\u{200d}", "🚲"] {
            let text = "a\(Character(scalar))b"
            var bytes = JSONBytes()
            bytes.append(text)
            let encoded = JSONEscaping.escaped(try JSONEncoder().encode([text]))
            for json in [
                JSON.array([.string(text)]).text, "[\(String(decoding: bytes.bytes, as: UTF8.self))]",
                String(decoding: encoded, as: UTF8.self),
            ] {
                #expect(!json.unicodeScalars.contains { $0.isTerminalControl }, "\(scalar.value)")
                #expect(try JSONDecoder().decode([String].self, from: Data(json.utf8)) == [text], "\(scalar.value)")
            }
        }
    }

    @Test(arguments: [
        ["schema", "--json"], ["export"], ["log", "--json"], ["log"], ["stats", "--json"], ["schema"], ["timeline"],
    ])
    func namesAndValuesAreEscaped(_ arguments: [String]) async throws {
        let file = try TemporaryDirectory().file("tracked.db")
        let name = "T\u{9b}31m\u{7f}\u{85}\u{202e}x"
        _ = try Shell.sqlite3(file, "CREATE TABLE \"\(name)\"(id INTEGER PRIMARY KEY, \"\(name)\")")
        #expect(try await CommandRun("track", file.path).status == 0)
        _ = try Shell.sqlite3(file, "INSERT INTO \"\(name)\"(\"\(name)\") VALUES ('\(name)')")
        let output = arguments == ["timeline"] ? ["-o", file.path + ".html"] : []
        let run = try await CommandRun(arguments + output + [file.path])
        #expect(run.status == 0, "\(run.errors)")
        let text =
            output.isEmpty ? run.output : try String(contentsOf: URL(fileURLWithPath: output[1]), encoding: .utf8)
        #expect(!text.unicodeScalars.contains { $0.isTerminalControl && $0 != "\n" })
    }

    @Test(arguments: [
        (0.0, "Europe/Vienna", "2001-01-01 01:00:00 +0100"), (0, "America/St_Johns", "2000-12-31 20:30:00 -0330"),
        (788_918_400, "GMT", "2026-01-01 00:00:00 +0000"),
        (804_556_800.5, "Europe/Vienna", "2026-07-01 02:00:00 +0200"),
        (-63_114_076_800, "GMT", "-63114076800.0 +0000"), (-1e300, "GMT", "-1e+300 +0000"),
        (5_000_000.999, "GMT", "2001-02-27 20:53:20 +0000"),
    ])
    func datesAreInTheTimeZone(_ seconds: Double, _ zone: String, _ expected: String) throws {
        let zone = try #require(TimeZone(identifier: zone))
        #expect(DateText.text(Date(timeIntervalSinceReferenceDate: seconds), in: zone) == expected)
    }

    @Test func datesAgreeWithFoundation() throws {
        var random = TestSeed.generator()
        // After 1582, because Foundation uses the Julian calendar before.
        let style = Date.ISO8601FormatStyle(timeZone: try #require(TimeZone(identifier: "GMT")))
            .year().month().day().dateTimeSeparator(.space).time(includingFractionalSeconds: false)
        for _ in 0..<1_000 {
            let date = Date(
                timeIntervalSinceReferenceDate: Double(random.below(70_000_000_000) - 12_000_000_000))
            #expect(
                DateText.text(date, in: .gmt).hasPrefix(date.formatted(style)), "\(date.timeIntervalSinceReferenceDate)"
            )
        }
    }

    @Test func datesInJSONHaveMicroseconds() {
        #expect(DateText.iso8601(Date(timeIntervalSinceReferenceDate: 0.25)) == "2001-01-01T00:00:00.250000Z")
        #expect(DateText.iso8601(Date(timeIntervalSinceReferenceDate: -0.25)) == "2000-12-31T23:59:59.750000Z")
        #expect(DateText.iso8601(Date(timeIntervalSinceReferenceDate: .infinity)) == "inf")
    }

    @Test func tablesAreAligned() {
        #expect(
            TextLayout.table([["a", "1", "x"], ["long", "100", "y"]], rightAligned: [1]) == [
                "a       1  x", "long  100  y",
            ])
        #expect(TextLayout.table([]) == [])
    }

    @Test(arguments: [
        (999, "999 bytes"), (1_000, "1.0 kB"), (999_949, "999.9 kB"), (999_951, "1.0 MB"), (Int64.max, "9.2 EB"),
    ])
    func bytesHaveAUnit(_ count: Int64, _ expected: String) { #expect(NumberText.bytes(count) == expected) }

    @Test func numbersAreGrouped() {
        #expect([0, 999, 1_000, -1_234_567].map(NumberText.grouped) == ["0", "999", "1,000", "-1,234,567"])
    }

    @Test func longTextIsTruncated() {
        #expect(TextLayout.truncated("abcdef", to: 4) == "abc…")
        #expect(TextLayout.truncated("abc", to: 3) == "abc")
        #expect(TextLayout.truncated("abc", to: 0).isEmpty)
    }
}

@Model private final class Weighed {
    var weight: Float = 0.1
    var name = "caf\u{e9}"
    var uuid = UUID()
    init() {}
}

@Model private final class Priced {
    var price: Decimal
    init(_ price: String) { self.price = Decimal(string: price) ?? 0 }
}
