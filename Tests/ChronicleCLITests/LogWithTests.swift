import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleCLI

/// `log --with`: the changes of a model and of the models that relationships reached.
@Suite struct LogWithTests {
    @Test func pathsAreShown() async throws {
        let file = try GoldenStore.copy()
        let run = try await CommandRun("log", "--model", "LinkItem/1", "--with", "tags, tags.items", file.path)
        #expect(run.status == 0, "\(run.errors)")
        // The tag was deleted after it had been removed.
        #expect(run.output.contains("insert LinkTag/1 (tags)") && !run.output.contains("delete LinkTag/1"))
        #expect(run.output.contains("update LinkItem/1 (tags.items)"))
        let json = try await CommandRun(
            "log", "--model", "Trip/1", "--with", "bucketList", "--json", "--entity", "BucketListItem", file.path)
        #expect(json.status == 0, "\(json.errors)")
        let lines = json.output.split(separator: "\n")
        #expect(lines.count == 2 && lines.allSatisfy { $0.contains(#""paths":["bucketList"]"#) }, "\(json.output)")
        let plain = try await CommandRun("log", "--model", "Trip/1", "--json", file.path)
        #expect(!plain.output.contains("paths"))
    }

    @Test func conditionsSelectChanges() async throws {
        let file = try GoldenStore.copy()
        func numbers(_ arguments: String...) async throws -> [String] {
            let run = try await CommandRun(
                ["log", "--oneline", "--model", "Trip/1", "--with", "bucketList"] + arguments + [file.path])
            #expect(run.status == 0, "\(run.errors)")
            return run.output.split(separator: "\n").map { String($0.prefix { $0 != " " }) }
        }
        let all = try await numbers()
        #expect(all.count == 4)
        #expect(try await numbers("--reverse") == all.reversed())
        #expect(try await numbers("-n", "1") == [all[0]])
        #expect(try await numbers("--after", "planned") == Array(all.dropLast()))
        #expect(try await numbers("--author", "widget") == [all[2]])
        #expect(try await numbers("--attribute", "isDone") == [all[0], all[3]])
        #expect(try await numbers("--author", "x").isEmpty)
    }

    @Test(arguments: [
        (
            ["--model", "Trip/1", "--with", "bucketlist"],
            "Trip has no relationship bucketlist; did you mean bucketList?"
        ),
        (
            ["--model", "Trip/1", "--with", "bucketList.tripp"],
            "BucketListItem has no relationship tripp; did you mean trip?"
        ),
        (["--model", "Trip/1", "--with", "bucketList,"], "Trip has no relationship "),
        (["--model", "Trip/1", "--with", "note"], "note of Trip is an attribute and not a relationship"),
        (["--with", "bucketList"], "--with requires a model, such as --model Order/7"),
        (["--model", "Trip/1", "--with", "bucketList", "-f"], "--with cannot be combined with --follow"),
    ])
    func errors(_ arguments: [String], _ message: String) async throws {
        let run = try await CommandRun(["log"] + arguments + [GoldenStore.copy().path])
        #expect(run.status == 2)
        #expect(run.errors.contains(message), "\(run.errors)")
        #expect(run.output.isEmpty)
    }

    @Test func aPositionBeforeThePurgedHistoryIsAnError() async throws {
        let file = try GoldenStore.copy()
        #expect(try await CommandRun("purge", "--max-changes", "1", file.path).status == 0)
        let arguments = ["log", "--model", "Trip/1", "--with", "bucketList"]
        let run = try await CommandRun(arguments + ["--after", "1", file.path])
        #expect(run.status == 3 && run.errors.contains("was deleted"), "\(run.errors)")
        #expect(try await CommandRun(arguments + [file.path]).status == 0)
    }

    @Test func aStoreWithoutPreservedValuesSaysWhatToEnable() async throws {
        let test = try TestStore(.file, [BucketListItem.self, Trip.self])
        let context = test.context()
        let (trip, item) = (Trip(name: "a", destination: "b"), BucketListItem(title: "c"))
        context.insert(trip)
        context.insert(item)
        item.trip = trip
        try context.save()
        // The history of the insert does not contain the trip.
        item.trip = nil
        try context.save()
        let run = try await CommandRun("log", "--model", "Trip/1", "--with", "bucketList", test.url.path)
        #expect(run.status == 3 && run.output.isEmpty)
        #expect(
            run.errors.contains("trip of BucketListItem/1") || run.errors.contains("BucketListItem.trip"),
            "\(run.errors)")
        #expect(run.errors.contains("enable preserving values"), "\(run.errors)")
        #expect(try await CommandRun("log", "--model", "Trip/1", test.url.path).status == 0)
    }
}
