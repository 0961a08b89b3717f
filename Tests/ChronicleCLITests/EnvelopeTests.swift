import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleCLI

/// The lines of `chronicle watch --format`.
@Suite struct EnvelopeTests {
    private func watch(
        _ file: URL, _ format: String, from start: String = "start", consumer: String = "envelope", batch: Int = 1_000,
        _ options: String...
    ) async throws -> [JSON] {
        let output = try TemporaryDirectory().url.appending(path: "lines")
        let arguments = ["--name", consumer, "--from", start, "--format", format, "--batch", "\(batch)", "--once"]
        let run = try await CommandRun(
            ["watch"] + arguments + options + [file.path, "--", "sh", "-c", "cat >> '\(output.path)'"])
        #expect(run.status == 0, "\(run.errors)")
        guard let text = try? String(contentsOf: output, encoding: .utf8) else { return [] }
        return try text.split(separator: "\n").map { try JSONDecoder().decode(JSON.self, from: Data($0.utf8)) }
    }

    /// The rows that result from the messages are those of the table, and each message begins with the present row.
    @Test(arguments: ModelConfiguration.Recorder.allCases, 0..<4)
    func messagesOfDebeziumHaveTheRows(_ recorder: ModelConfiguration.Recorder, _ number: Int) async throws {
        var random = TestSeed.generator(number)
        let file = try TemporaryDirectory().file("parcels.store")
        var configuration = ModelConfiguration(url: file, durability: .relaxed, preservesValues: true)
        configuration.recorder = recorder
        let container = try ModelContainer(for: Parcel.self, configurations: configuration)
        var rows: [Int64: JSON] = [:]
        for _ in 0..<4 {
            for _ in 0..<8 { try change(container, file, &random) }
            for line in try await watch(file, "debezium") {
                let (before, after) = (line["before"], line["after"])
                guard case .integer(let key)? = (after == .null ? before : after)?["_id"] else {
                    throw Unexpected(line)
                }
                #expect(before == rows[key] ?? .null, "\(line.text), \(TestSeed.description)")
                rows[key] = after == .null ? nil : after
                let operation: JSON = before == .null ? .string("c") : after == .null ? .string("d") : .string("u")
                #expect(line["op"] == operation && line["source"]?["table"] == .string("Parcel"))
            }
            let table = try await CommandRun("at", "--json", file.path, "now", "Parcel").output
            let present = try table.split(separator: "\n")
                .map { try JSONDecoder().decode(JSON.self, from: Data($0.utf8)) }
            #expect(present.count == rows.count)
            for model in present {
                guard case .string(let name)? = model["model"], case .object(let values)? = model["values"],
                    let key = Int64(name.dropFirst("Parcel/".count))
                else { throw Unexpected(model) }
                let expected = (values + [.init(name: "_id", value: .integer(key))]).sorted { $0.name < $1.name }
                #expect(rows[key] == .object(expected), "\(TestSeed.description)")
            }
        }
        // The rows of a batch are read once.
        let batches = try await watch(file, "debezium", consumer: "batches")
        let transactions = try await watch(file, "debezium", consumer: "transactions", batch: 1)
        #expect(transactions.count == batches.count)
        for (transaction, batch) in zip(transactions, batches) {
            // Dates are not compared: changes without a header have the time of the read.
            for name in ["before", "after", "op", "transaction"] {
                #expect(transaction[name] == batch[name], "\(name), \(TestSeed.description)")
            }
        }
    }

    private struct Unexpected: Error {
        let json: JSON
        init(_ json: JSON) { self.json = json }
    }

    private func change(_ container: ModelContainer, _ file: URL, _ random: inout SplitMix) throws {
        if random.below(4) == 0 {
            // Several changes of a row in one transaction.
            _ = try Shell.sqlite3(
                file,
                """
                BEGIN;
                INSERT INTO "Parcel"(name, weight) VALUES ('other \(random.below(9))', 1);
                UPDATE "Parcel" SET weight = weight + 1; UPDATE "Parcel" SET name = name || '!' WHERE weight > 3;
                DELETE FROM "Parcel" WHERE weight > 5;
                COMMIT
                """)
            return
        }
        let context = ModelContext(container)
        let parcels = try context.fetch(FetchDescriptor<Parcel>(sortBy: [SortDescriptor(\.name)]))
        for _ in 0...random.below(3) {
            switch random.below(4) {
            case 0: context.insert(Parcel("p\(random.below(99))"))
            case 1: if !parcels.isEmpty { context.delete(random.pick(parcels)) }
            default:
                guard !parcels.isEmpty else { continue }
                let parcel = random.pick(parcels)
                if random.below(2) == 0 { parcel.name = "n\(random.below(9))" }
                parcel.weight = random.pick([nil, 0.5, 2])
                parcel.size = random.pick([nil, Parcel.Size(width: random.below(5))])
                parcel.next = random.pick([nil, random.pick(parcels)])
            }
        }
        try context.save()
    }

    @Test func messagesWithoutPreservedValuesHaveThePlaceholder() async throws {
        let file = try TemporaryDirectory().file("parcels.store")
        let container = try ModelContainer(for: Parcel.self, configurations: ModelConfiguration(url: file))
        let context = ModelContext(container)
        let parcel = Parcel("a")
        context.insert(parcel)
        try context.save()
        parcel.name = "b"
        try context.save()
        context.delete(parcel)
        try context.save()
        let lines = try await watch(file, "debezium")
        let unknown = JSON.string("__debezium_unavailable_value")
        #expect(lines.map { $0["op"] } == [.string("c"), .string("u"), .string("d")])
        #expect(lines[1]["before"]?["name"] == unknown && lines[1]["after"]?["_id"] == .integer(1))
        #expect(lines[2]["before"]?["name"] == .string("b") && lines[2]["before"]?["weight"] == unknown)
    }

    /// A transaction between those of the consumer changes the row.
    @Test func messagesOfAnAuthorHaveTheValuesOfTheirTime() async throws {
        let file = try TemporaryDirectory().file("parcels.store")
        let container = try ModelContainer(
            for: Parcel.self, configurations: ModelConfiguration(url: file, preservesValues: true))
        let (own, other) = (ModelContext(container), ModelContext(container))
        own.author = "app"
        let parcel = Parcel("a")
        own.insert(parcel)
        try own.save()
        try #require(other.fetch(FetchDescriptor<Parcel>()).first).name = "b"
        try other.save()
        own.insert(Parcel("c"))
        try own.save()
        let lines = try await watch(file, "debezium", "--author", "app")
        #expect(lines.map { $0["after"]?["name"] } == [.string("a"), .string("c")])
    }

    /// The history does not preserve the values of an insert, but the row has those that no later change has replaced.
    @Test(arguments: [true, false]) func insertsHaveTheValuesOfTheirRow(isTracked: Bool) async throws {
        let file = try TemporaryDirectory().file("parcels.store")
        if isTracked {
            _ = try Shell.sqlite3(file, #"CREATE TABLE "Parcel"(id INTEGER PRIMARY KEY, name, weight)"#)
            #expect(try await CommandRun("track", "--no-values", file.path).status == 0)
            _ = try Shell.sqlite3(file, #"INSERT INTO "Parcel" VALUES (1, 'a', 0.5)"#)
        } else {
            let container = try ModelContainer(for: Parcel.self, configurations: ModelConfiguration(url: file))
            let context = ModelContext(container)
            let parcel = Parcel("a")
            parcel.weight = 0.5
            context.insert(parcel)
            try context.save()
        }
        let insert = try #require(try await watch(file, "debezium").first)
        #expect(insert["after"]?["name"] == .string("a") && insert["after"]?["weight"] == .number(0.5))
        #expect(!insert.text.contains("unavailable"), "\(insert.text)")
        _ = try Shell.sqlite3(file, #"UPDATE "Parcel" SET weight = 2"#)
        let earlier = try #require(try await watch(file, "debezium", consumer: "later", batch: 1).first)
        #expect(earlier["op"] == .string("c") && earlier["after"]?["name"] == .string("a"))
        #expect(earlier["after"]?["weight"] == .string("__debezium_unavailable_value"), "\(earlier.text)")
    }

    /// A column can have the name of the member that other models have.
    @Test func rowsOfTrackedTablesHaveTheirKey() async throws {
        let file = try TemporaryDirectory().file("app.db")
        _ = try Shell.sqlite3(
            file, "CREATE TABLE a(tid INTEGER PRIMARY KEY, _id TEXT); CREATE TABLE b(k TEXT PRIMARY KEY, v)")
        #expect(try await CommandRun("track", file.path).status == 0)
        _ = try Shell.sqlite3(
            file, "INSERT INTO a VALUES (7, 'x'); INSERT INTO b VALUES ('k', 1); UPDATE a SET _id = 'y'; DELETE FROM a")
        let lines = try await watch(file, "debezium")
        #expect(lines.count == 4)
        let row = { JSON.members(["_id": .string($0), "tid": .integer(7)]) }
        #expect(lines[0]["after"] == row("x") && lines[2]["before"] == row("x") && lines[2]["after"] == row("y"))
        #expect(lines[1]["after"] == .members(["k": .string("k"), "v": .integer(1)]))
        #expect(lines[3]["before"] == row("y"))
    }

    @Test func eventsHaveTheSameIdentifiersInEveryDelivery() async throws {
        let file = try TemporaryDirectory().file("parcels.store")
        let container = try ModelContainer(
            for: Parcel.self, configurations: ModelConfiguration(url: file, preservesValues: true))
        let context = ModelContext(container)
        context.author = "anna"
        for number in 0..<3 { context.insert(Parcel("\(number)")) }
        try context.save()
        let failed = try await CommandRun(
            "watch", "--name", "envelope", "--from", "start", "--once", file.path, "--", "sh", "-c",
            "cat > /dev/null; false")
        #expect(failed.status == 1)
        let lines = try await watch(file, "cloudevents")
        #expect(
            Set(lines.map { $0["id"]?.text }).count == 3 && lines.allSatisfy { $0["specversion"] == .string("1.0") })
        #expect(lines.compactMap { $0["sequence"]?.text }.sorted() == lines.compactMap { $0["sequence"]?.text })
        #expect(lines.allSatisfy { $0["type"] == .string("chronicle.model.inserted") })
        #expect(lines.allSatisfy { $0["data"]?["author"] == .string("anna") })
        #expect(lines.first?["subject"] == .string("Parcel/1") && lines.first?["partitionkey"] == .string("Parcel/1"))
        #expect(lines.first?["data"]?["change"]?["values"]?["name"] == .string("0"))
        let consumer = try await CommandRun("consumers", "--remove", "envelope", file.path)
        #expect(consumer.status == 0)
        #expect(try await watch(file, "cloudevents") == lines)
    }

    /// A transaction of other programs grows between deliveries, and its token changes.
    @Test(arguments: [true, false], ["cloudevents", "debezium"])
    func changesOfOtherProgramsKeepTheirIdentifiers(isTracked: Bool, format: String) async throws {
        let file = try TemporaryDirectory().file("parcels.store")
        if isTracked {
            _ = try Shell.sqlite3(file, #"CREATE TABLE "Parcel"(name TEXT PRIMARY KEY, weight)"#)
            #expect(try await CommandRun("track", file.path).status == 0)
        } else {
            _ = try ModelContainer(for: Parcel.self, configurations: ModelConfiguration(url: file))
        }
        var seen: [[String]] = []
        for number in 0..<4 {
            // A tag needs a header before it.
            if number == 3 { #expect(try await CommandRun("tag", file.path, "end").status == 0) }
            let insert = #"INSERT INTO "Parcel"(name) VALUES ('\#(number)')"#
            if number < 3 { _ = try Shell.sqlite3(file, insert) }
            let lines = try await watch(file, format, consumer: "delivery \(number)")
            #expect(lines.count == min(number + 1, 3))
            seen.append(
                lines.map { line in
                    let parts = [line["id"], line["sequence"], line["source"]?["txId"], line["transaction"]]
                    return parts.map { $0?.text ?? "" }.joined(separator: " ")
                })
            let sequence = lines.compactMap { $0["sequence"]?.text }
            #expect(sequence.sorted() == sequence)
        }
        for identifiers in seen {
            #expect(Set(identifiers).count == identifiers.count)
            #expect(identifiers[...] == seen[3].prefix(identifiers.count))
        }
    }

    @Test(arguments: ["cloudevents", "debezium"]) func snapshotsContainEveryModel(_ format: String) async throws {
        let file = try TemporaryDirectory().file("parcels.store")
        let container = try ModelContainer(for: Parcel.self, configurations: ModelConfiguration(url: file))
        let context = ModelContext(container)
        context.insert(Parcel("a"))
        try context.save()
        let lines = try await watch(file, format, from: "snapshot")
        let models = lines.filter { $0["op"] == .string("r") || $0["type"] == .string("chronicle.model.read") }
        #expect(models.count == 1)
        let values = models.first?["after"] ?? models.first?["data"]?["values"]
        #expect(values?["name"] == .string("a"))
    }

    @Test func unknownFormatsAreRefused() async throws {
        let file = try TemporaryDirectory().file("parcels.store")
        _ = try ModelContainer(for: Parcel.self, configurations: ModelConfiguration(url: file))
        let watch = try await CommandRun("watch", "--name", "x", "--format", "avro", "--once", file.path, "--", "cat")
        #expect(watch.status == 2 && watch.errors.contains("it is one of json, cloudevents, debezium"))
        let stats = try await CommandRun("stats", "--format", "xml", file.path)
        #expect(stats.status == 2 && stats.errors.contains("it is one of text, json, prometheus"))
        let both = try await CommandRun("stats", "--json", "--format", "prometheus", file.path)
        #expect(both.status == 2 && both.errors.contains("--json and --format prometheus exclude each other"))
        #expect(try await CommandRun("stats", "--json", "--format", "json", file.path).output.hasPrefix("{"))
    }

    /// A consumer that begins before the purged history starts over, which its envelopes say.
    @Test func aPositionBeforeThePurgedHistoryIsAReset() async throws {
        let file = try GoldenStore.copy()
        #expect(try await CommandRun("purge", "--max-changes", "1", file.path).status == 0)
        let event = try #require(try await watch(file, "cloudevents", from: "1").first)
        #expect(event["type"] == .string("chronicle.history.reset") && event["data"]?["reset"] == .string("expired"))
        #expect(try await CommandRun("consumers", "--remove", "envelope", file.path).status == 0)
        let message = try #require(try await watch(file, "debezium", from: "1").first)
        #expect(message["op"] == .string("m") && message["message"]?["prefix"] == .string("chronicle.reset"))
    }

    @Test func gaugesOfTrackedDatabases() async throws {
        let file = try TemporaryDirectory().file("mail.db")
        _ = try Shell.sqlite3(file, "CREATE TABLE label(name TEXT PRIMARY KEY)")
        #expect(try await CommandRun("track", file.path).status == 0)
        _ = try Shell.sqlite3(file, "INSERT INTO label VALUES ('red')")
        let output = try await CommandRun("stats", "--format", "prometheus", file.path).output
        #expect(output.contains("history_changes{") && output.contains(#"entity="label"} 1"#), "\(output)")
        #expect(!output.contains("last_deletion"), "\(output)")

        let recorded = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: -3_600))
        let schema = try DefaultStore.schema(ofFileAt: file)
        let store = try DefaultStore(ModelConfiguration(schema: schema, url: file), migrationPlan: nil)
        try store.deleteHistory(HistoryDescriptor())
        let gauges = try await CommandRun("stats", "--format", "prometheus", file.path).output
        let gauge = #/chronicle_history_last_deletion_timestamp_seconds\{[^}]*\} [0-9.]+\n/#
        #expect(gauges.contains(gauge), "\(gauges)")
        let past = try await CommandRun("at", file.path, recorded, "label")
        #expect(past.status != 0 && past.errors.contains("were deleted; use a later date"), "\(past)")
    }

    @Test func gaugesOfTrackedTables() async throws {
        let file = try TrackedFile.make()
        func expect(interrupted: Int, lacksRecords: Int) async throws {
            let lines = try await CommandRun("stats", "--format", "prometheus", file.path).output.split(separator: "\n")
            func value(_ name: String, _ table: String) -> Substring? {
                let line = lines.first {
                    $0.hasPrefix("chronicle_table_\(name){") && $0.contains("table=\"\(table)\"}")
                }
                return line?.split(separator: " ").last
            }
            #expect(value("interrupted", "account") == "\(interrupted)" && value("interrupted", "label") == "0")
            #expect(value("lacks_records", "label") == "\(lacksRecords)" && value("lacks_records", "folder") == "0")
            #expect(value("interrupted", "settings") == nil)
            #expect((value("lacks_records", "account") == nil) == (interrupted == 1))
        }
        try await expect(interrupted: 0, lacksRecords: 0)
        let app = try Connection(path: file.path, mode: .readWrite)
        try app.setTriggersEnabled(false)
        try app.execute("INSERT INTO label VALUES ('green', 2)")
        app.close()
        try await expect(interrupted: 0, lacksRecords: 1)
        _ = try Shell.sqlite3(file, "ALTER TABLE account ADD COLUMN name")
        try await expect(interrupted: 1, lacksRecords: 1)
    }

    /// Changes of another program have no date until a program that uses Chronicle saves.
    @Test func unknownDatesHaveNoGauge() async throws {
        let file = try TemporaryDirectory().file("parcels.store")
        let container = try ModelContainer(for: Parcel.self, configurations: ModelConfiguration(url: file))
        let context = ModelContext(container)
        context.insert(Parcel("a"))
        try context.save()
        let _: HistoryConsumer<DefaultHistoryTransaction> = try container.historyConsumer(
            named: "c", startingNewAt: .now)
        _ = try Shell.sqlite3(file, #"INSERT INTO "Parcel"(name) VALUES ('b')"#)
        let output = try await CommandRun("stats", "--format", "prometheus", file.path).output
        for name in ["history_newest_timestamp_seconds", "consumer_lag_seconds"] {
            #expect(!output.contains("chronicle_\(name){"), "\(output)")
        }
        for name in ["history_oldest_timestamp_seconds", "consumer_lag_transactions", "log_bytes"] {
            #expect(output.contains("chronicle_\(name){"), "\(output)")
        }
        let help = "# HELP chronicle_consumer_lag_changes Changes that the consumer has not acknowledged, at most."
        #expect(output.contains(help))
        let consumers = try await CommandRun("consumers", "--json", file.path).output
        #expect(consumers.contains(#""transactions":1,"#) && consumers.contains(#""seconds":null"#), "\(consumers)")
        #expect(!consumers.contains(#""changes":0"#), "\(consumers)")

        context.insert(Parcel("c"))
        try context.save()
        let later = try await CommandRun("stats", "--format", "prometheus", file.path).output
        #expect(later.contains("chronicle_history_newest_timestamp_seconds{"), "\(later)")
        #expect(later.contains("chronicle_consumer_lag_seconds{"), "\(later)")
    }

    @Test func gaugesHaveTheFormOfPrometheus() async throws {
        let file = try TemporaryDirectory().file("parcels.store")
        let container = try ModelContainer(for: Parcel.self, configurations: ModelConfiguration(url: file))
        let _: HistoryConsumer<DefaultHistoryTransaction> = try container.historyConsumer(
            named: "a \"b\"\\c", startingNewAt: .now)
        let context = ModelContext(container)
        for number in 0..<3 { context.insert(Parcel("\(number)")) }
        try context.save()
        let lines = try await CommandRun("stats", "--format", "prometheus", file.path).output.split(separator: "\n")
        let sample = #/chronicle_[a-z_]+\{[a-z]+="([^"\\]|\\.)*"(,[a-z]+="([^"\\]|\\.)*")*\} -?[0-9.e+]+/#
        for line in lines { #expect(line.hasPrefix("# ") || line.wholeMatch(of: sample) != nil, "\(line)") }
        func value(_ name: String) -> Substring? {
            lines.first { $0.hasPrefix("chronicle_\(name){") }?.split(separator: " ").last
        }
        #expect(value("history_transactions") == "1" && value("history_changes") == "3" && value("models") == "3")
        #expect(value("consumer_lag_changes") == "3" && value("consumer_starts_over") == "0")
        #expect(lines.contains { $0.contains(#"consumer="a \"b\"\\c""#) })
        for name in Set(lines.filter { !$0.hasPrefix("#") }.map { $0.prefix { $0 != "{" } }) {
            #expect(lines.filter { $0 == "# TYPE \(name) gauge" }.count == 1)
        }
    }
}

extension JSON {
    fileprivate subscript(_ name: String) -> JSON? {
        if case .object(let members) = self { members.first { $0.name == name }?.value } else { nil }
    }
}

@Model private final class Parcel {
    struct Size: Codable { var width: Int }

    @Attribute(.preserveValueOnDeletion) var name: String
    var weight: Double?
    var size: Size?
    @Relationship var next: Parcel?

    init(_ name: String) { self.name = name }
}
