import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Preserved values can be erased from the history, which keeps the changes.
@Suite struct PreservedValueErasureTests {
    private let directory: TemporaryDirectory
    private let container: ModelContainer

    private var file: URL { directory.file("test.store") }
    private var store: DefaultStore { get throws { try #require(container.stores.first as? DefaultStore) } }

    init() throws {
        directory = try TemporaryDirectory()
        container = try ModelContainer(
            for: Schema(Trip.self),
            configurations: [ModelConfiguration(url: directory.file("test.store"), preservesValues: true)])
    }

    /// Saves trips whose names and notes are secrets, renames them, and deletes every second one.
    private func fill() throws -> [Trip] {
        let context = ModelContext(container)
        let trips = (0..<40).map { number in
            // Short and long values, so that some use overflow pages.
            Trip(
                name: "name-\(number)-" + String(repeating: "n", count: number % 4 == 0 ? 9_000 : number),
                destination: "destination-\(number)-")
        }
        for trip in trips { context.insert(trip) }
        try context.save()
        for (number, trip) in trips.enumerated() {
            trip.note = "note-\(number)-"
            try context.save()
            trip.note = nil
            trip.name = "public"
            trip.destination = "public"
            trip.startDate = Date(timeIntervalSinceReferenceDate: Double(number))
        }
        try context.save()
        for trip in trips.prefix(20) { context.delete(trip) }
        try context.save()
        return trips
    }

    private func lines() throws -> [String] { try store.fetchHistory(Descriptor()).map(\.line) }

    /// Returns the numbers of the secrets that a file contains.
    private func secrets(_ word: String, in url: URL) throws -> Set<Int> {
        // In another process, because closing the file in this one would release SQLite's locks on it.
        // https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_
        let copy = directory.file("copy")
        guard try Shell.run("/usr/bin/env", ["cp", url.path, copy.path]).status == 0 else { return [] }
        let bytes = try Data(contentsOf: copy)
        return Set((0..<40).filter { bytes.range(of: Data("\(word)-\($0)-".utf8)) != nil })
    }

    private func secrets(_ word: String) throws -> Set<Int> {
        try secrets(word, in: file).union(secrets(word, in: URL(fileURLWithPath: file.path + "-wal")))
    }

    @Test func valuesOfModelsAreErased() throws {
        let trips = try fill()
        let before = try lines()
        #expect(try secrets("name").count == 40)
        let erased = trips.enumerated().filter { $0.offset % 3 == 0 }
        try store.erasePreservedValues(of: erased.map(\.element.persistentModelID))
        let remaining = Set((0..<40).filter { $0 % 3 != 0 })
        for word in ["name", "destination", "note"] { #expect(try secrets(word) == remaining) }
        #expect(try lines() == before)

        let changes = try store.fetchHistory(Descriptor()).flatMap(\.changes)
        for (number, trip) in trips.enumerated() {
            let isErased = number % 3 == 0
            for change in changes where change.changedPersistentIdentifier == trip.persistentModelID {
                switch change {
                case .insert(let insert as DefaultHistoryInsert<Trip>):
                    #expect(insert.value(\.name)?.hasPrefix("name-\(number)-") == (isErased ? nil : true))
                    #expect(insert.preservedValues.isEmpty == isErased)
                case .update(let update as DefaultHistoryUpdate<Trip>):
                    #expect((update.previousValue(\.note) == nil) == isErased)
                    #expect(!update.updatedAttributes.isEmpty)
                case .delete(let delete as DefaultHistoryDelete<Trip>):
                    #expect(delete.tombstone[\.name] == (isErased ? nil : "public"))
                default: Issue.record("unexpected change \(change)")
                }
            }
        }
    }

    @Test func valuesOfAttributesAreErased() throws {
        _ = try fill()
        let before = try lines()
        try store.erasePreservedValues([\.note, \.destination], of: Trip.self)
        #expect(try secrets("note").isEmpty)
        #expect(try secrets("destination").isEmpty)
        #expect(try secrets("name").count == 40)
        #expect(try lines() == before)
        try store.erasePreservedValues(ofEntityNamed: "Trip")
        #expect(try secrets("name").isEmpty)
        #expect(try lines() == before)
        // The changes that follow are preserved again.
        let context = ModelContext(container)
        let trip = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
        trip.name = "again"
        try context.save()
        let change = try store.fetchHistory(Descriptor()).last?.changes.first
        guard case .update(let update as DefaultHistoryUpdate<Trip>) = change else {
            Issue.record("there is no update")
            return
        }
        #expect(update.previousValue(\.name) == "public")
        #expect(update.value(\.name) == "again")
    }

    /// Rows of random sizes move between pages while they are written and erased.
    @Test func noCopyRemainsInUnusedPartsOfPages() throws {
        var random = TestSeed.generator()
        let context = ModelContext(container)
        let trips = (0..<1_500).map { number in
            Trip(name: "s-\(number)-" + String(repeating: "s", count: random.below(600)), destination: "d")
        }
        for trip in trips { context.insert(trip) }
        try context.save()
        for round in 0..<3 {
            for (number, trip) in trips.enumerated() where random.below(2) == 0 {
                trip.note = "n-\(number)-\(round)" + String(repeating: "n", count: random.below(2_000))
            }
            try context.save()
        }
        for trip in trips { (trip.name, trip.note) = ("public", nil) }
        try context.save()
        let erased = Set((0..<1_500).filter { _ in random.below(2) == 0 })
        try store.erasePreservedValues(of: erased.map { trips[$0].persistentModelID })
        let found = try Shell.run("/usr/bin/env", ["LC_ALL=C", "grep", "-aoE", "[sn]-[0-9]+-", file.path]).output
            .split(separator: "\n").compactMap { Int($0.split(separator: "-")[1]) }
        #expect(erased.isDisjoint(with: found), "\(TestSeed.description)")
        // The values of the other models are still there.
        #expect(Set(0..<1_500).subtracting(erased).isSubset(of: found))
    }

    /// A file from another source can have rows at any position.
    @Test(arguments: [Int64.min + 1, -1, 0, 1 << 61]) func historyWithFarPositionsIsErased(_ position: Int64) throws {
        _ = try fill()
        _ = try Shell.sqlite3(
            file,
            """
            UPDATE chronicle_change SET id = \(position) WHERE id = (SELECT \(position > 0 ? "max" : "min")(id) FROM chronicle_change)
            """)
        try store.erasePreservedValues(ofEntityNamed: "Trip", attributes: ["note"])
        #expect(try secrets("note").isEmpty)
    }

    /// The note of a row that a statement may have replaced contains its values.
    @Test func valuesOfReplacedRowsAreErased() throws {
        _ = try fill()
        _ = try Shell.sqlite3(
            file,
            """
            UPDATE Trip SET name = 'name-1-' WHERE id = 30;
            INSERT OR IGNORE INTO Trip(id, name, destination, startDate, endDate, tags) VALUES (30, 'x', 'y', 0, 0, '[]')
            """)
        #expect(try Shell.sqlite3(file, "SELECT count(*) FROM chronicle_conflict") != "0")
        _ = try Shell.sqlite3(file, "UPDATE Trip SET name = 'z' WHERE id = 30")
        try store.erasePreservedValues(ofEntityNamed: "Trip")
        #expect(try secrets("name").isEmpty)
    }

    @Test func theFileMustBeWritable() throws {
        _ = try fill()
        let configuration = ModelConfiguration(url: file, allowsSave: false)
        let other = try ModelContainer(for: Schema(Trip.self), configurations: [configuration])
        let readOnly = try #require(other.stores.first as? DefaultStore)
        #expect(throws: SwiftDataError.storeReadOnly) { try readOnly.erasePreservedValues(ofEntityNamed: "Trip") }
    }

    @Test func unknownNamesThrow() throws {
        _ = try fill()
        let entity = try failure(of: { try store.erasePreservedValues(ofEntityNamed: "Tripp") })
        #expect(entity == .unknownSchema && entity?.entityName == "Tripp")
        let property = try failure(of: {
            try store.erasePreservedValues(ofEntityNamed: "Trip", attributes: ["name", "nam"])
        })
        #expect(property == .unknownSchema && property?.propertyName == "nam")
        #expect(try secrets("name").count == 40)
    }

    /// A reader that began before keeps the old pages in the log.
    @Test func aReaderKeepsTheLogFromBeingEmptied() throws {
        _ = try fill()
        let configuration = ModelConfiguration(url: file, busyTimeout: .milliseconds(10))
        let other = try ModelContainer(for: Schema(Trip.self), configurations: [configuration])
        let impatient = try #require(other.stores.first as? DefaultStore)
        try store.database.read { connection in
            try connection.deferredRead {
                _ = try connection.scalarInt64("SELECT count(*) FROM Trip")
                let error = try failure(of: { try impatient.erasePreservedValues(ofEntityNamed: "Trip") })
                #expect(error == .storeBusy && error?.detail?.contains("log") == true, "\(String(describing: error))")
            }
        }
        try impatient.erasePreservedValues(ofEntityNamed: "Trip")
        #expect(try secrets("name").isEmpty)
    }

    @Test func identifiersOfOtherStoresAreIgnored() throws {
        _ = try fill()
        let other = PersistentIdentifier.Origin(storeIdentifier: "another", entityName: "Trip").identifier(1)
        try store.erasePreservedValues(of: [other])
        #expect(try secrets("name").count == 40)
        #expect(throws: SwiftDataError.unsupportedKeyPath) {
            try store.erasePreservedValues([\.persistentModelID], of: Trip.self)
        }
    }
}
