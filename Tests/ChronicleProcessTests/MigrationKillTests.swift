import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// A migration in other processes, which end at any time or run at the same time.
@Suite struct MigrationKillTests {
    private let tripCount = 30

    private func makeFile() throws -> URL {
        let file = try TemporaryDirectory().file("killed.store")
        let context = ModelContext(
            try ModelContainer(
                for: Schema(versionedSchema: TravelSchemaV1.self),
                configurations: ModelConfiguration(url: file, durability: .relaxed)))
        let guide = TravelSchemaV1.Person(name: "Ada")
        for number in 0..<tripCount {
            let trip = TravelSchemaV1.Trip(name: "Rome", days: number)
            context.insert(trip)
            trip.guide = guide
        }
        try context.save()
        return file
    }

    /// Whether the file has the version before or after a stage, and nothing of another version.
    private func isConsistent(_ file: URL) throws -> Bool {
        let version = try Shell.sqlite3(file, "SELECT value FROM chronicle_meta WHERE name = 'schemaVersion'")
        let (table, condition) =
            switch version {
            case "1.0.0": ("Trip", "name = 'Rome'")
            case "2.0.0": ("Trip", "name = 'Rome ' || (id - 1) AND hours = days * 24 AND guide = 1")
            default:
                (
                    "Journey",
                    "hours = (id - 1) * 24 + 1 AND (SELECT count(*) FROM \"Journey.guides\" WHERE owner = Journey.id) = 1"
                )
            }
        let values = try Shell.sqlite3(file, "SELECT count(*), min(\(condition)) FROM \(table)")
        return ["1.0.0", "2.0.0", "3.0.0"].contains(version) && values == "\(tripCount)|1"
    }

    @Test(arguments: 0..<2) func everyKillLeavesAVersion(_ round: Int) throws {
        var random = TestSeed.generator(round)
        for attempt in 0..<6 {
            let file = try makeFile()
            let comment: Comment = "\(TestSeed.description), attempt \(attempt)"
            let worker = try Worker("migrate", file.path)
            try worker.wait(forBytes: Int.random(in: 1...tripCount * 3, using: &random))
            // Busy-waits without a clock, to reach some point of the next save or the commit.
            var spin = Int.random(in: 0...100_000, using: &random)
            while spin > 0 { spin -= 1 }
            worker.kill()
            #expect(try isConsistent(file), comment)
            #expect(try Shell.sqlite3(file, "PRAGMA integrity_check") == "ok", comment)
            // The next opening continues.
            let end = try Worker("migrate", file.path).finish()
            #expect(end.hasSuffix("migrated \(tripCount)\n"), comment)
            #expect(try isConsistent(file), comment)
            #expect(
                try Shell.sqlite3(file, "SELECT value FROM chronicle_meta WHERE name = 'schemaVersion'") == "3.0.0",
                comment)
        }
    }

    @Test func processesThatOpenTogetherMigrateOnce() throws {
        let file = try makeFile()
        let workers = try (0..<3).map { _ in try Worker("migrate", file.path) }
        let outputs = try workers.map { try $0.finish() }
        // Each save of a stage prints a dot, in whichever process it runs.
        #expect(outputs.joined().count { $0 == "." } == tripCount * 3)
        #expect(outputs.allSatisfy { $0.hasSuffix("migrated \(tripCount)\n") })
        #expect(try isConsistent(file))
    }
}
