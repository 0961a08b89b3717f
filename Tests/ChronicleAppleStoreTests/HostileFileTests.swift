import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleAppleStore

/// Files with random damage: rows, tables and pages. Each use returns or throws an error that a program can handle.
@Suite("Damaged stores of SwiftData")
struct HostileFileTests {
    @Test(arguments: 0..<60) func survivesDamagedRows(_ number: Int) throws {
        var generator = TestSeed.generator(number)
        var script = AppleTrips.script
        for _ in 0..<1 + generator.below(5) { script.statements.append(Self.statement(&generator)) }
        let url = try TemporaryDirectory().file("default.store")
        do { try script.write(to: url) } catch is SQLiteError {
            // Two statements may exclude each other.
            return
        }
        Self.use(url)
    }

    @Test(arguments: 0..<60) func survivesDamagedPages(_ number: Int) throws {
        var generator = TestSeed.generator(1_000 + number)
        let url = try AppleTrips.write(to: TemporaryDirectory())
        var data = try Data(contentsOf: url)
        for _ in 0..<1 + generator.below(12) {
            let position = generator.below(8) == 0 ? generator.below(100) : 100 + generator.below(data.count - 100)
            data[position] = UInt8(truncatingIfNeeded: generator.next())
        }
        try data.write(to: url)
        Self.use(url)
    }

    private static let cells = [
        ("ACHANGE", ["Z_PK", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID", "ZCOLUMNS", "ZTOMBSTONE0"]),
        ("ATRANSACTION", ["Z_PK", "ZAUTHORTS", "ZBUNDLEIDTS", "ZPROCESSIDTS", "ZTIMESTAMP", "ZAUTHOR"]),
        ("ATRANSACTIONSTRING", ["ZNAME"]), ("Z_PRIMARYKEY", ["Z_ENT", "Z_NAME", "Z_SUPER", "Z_MAX"]),
        ("Z_METADATA", ["Z_UUID", "Z_PLIST"]), ("Z_MODELCACHE", ["Z_CONTENT"]),
        ("ZTRIP", ["Z_PK", "Z_ENT", "ZNAME", "ZBUDGET", "ZCODE", "ZISDONE", "ZPHOTO", "ZSTART", "ZTAGS", "ZCLIENT"]),
        ("ZSTOP", ["Z_ENT", "ZORDER", "ZTRIP"]), ("Z_1TRIPS", ["Z_1FRIENDS", "Z_3TRIPS"]), ("Z_1KNOWS", ["Z_1OWNER"]),
    ]
    private static let values = [
        "NULL", "-1", "0", "9223372036854775807", "-9223372036854775808", "9e999", "-9e999", "1e308", "'text'", "''",
        "x''",
        "x'00'", "x'FFFFFFFFFFFFFFFFFFFF'", "zeroblob(5000)", "x'02'", "x'62706C697374303000'", "randomblob(64)",
        "16001", "77",
        "'9223372036854775808'", "1.5", "char(0)",
    ]

    private static func statement(_ generator: inout SplitMix) -> String {
        let (table, columns) = generator.pick(cells)
        let column = generator.pick(columns)
        switch generator.below(10) {
        case 0: return "DROP TABLE \(table)"
        case 1: return "ALTER TABLE \(table) RENAME COLUMN \(column) TO ZOTHER"
        case 2: return "DELETE FROM \(table) WHERE abs(random()) % 2 = 0"
        case 3: return "INSERT INTO \(table)(\(column)) VALUES (\(generator.pick(values)))"
        default:
            return "UPDATE OR IGNORE \(table) SET \(column) = \(generator.pick(values)) WHERE abs(random()) % 3 > 0"
        }
    }

    /// The new file is valid, or there is none.
    private static func convert(_ url: URL) throws {
        let schema = try AppleStore.schema(ofFileAt: url)
        let store = try AppleStore(AppleStoreConfiguration(url: url), schema: schema)
        let folder = try TemporaryDirectory()
        let new = folder.file("new.store")
        do { try store.convert(to: new) } catch {
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty, "\(error)")
            throw error
        }
        try DefaultStore.verify(fileAt: new) { problem in
            // A column of the file may contain values of another type.
            #expect([.column, .inverse].contains(problem.kind), "\(problem): \(TestSeed.description)")
        }
        _ = try DefaultStore(readingHistoryAt: new).fetchHistory(HistoryDescriptor())
    }

    /// Uses every part of a file, with classes and without.
    private static func use(_ url: URL) {
        func attempt(_ body: () throws -> Void) {
            do { try body() } catch {
                #expect(
                    error is SwiftDataError || error is DataStoreError,
                    "\(type(of: error)) \(error): \(TestSeed.description)")
            }
        }
        attempt {
            let schema = try AppleStore.schema(ofFileAt: url)
            let store = try AppleStore(AppleStoreConfiguration(url: url), schema: schema)
            for entity in schema.entities {
                attempt { _ = try store.fetchCount(ofEntity: entity.name) }
                attempt { try store.fetchRows(ofEntity: entity.name) { _ in } }
            }
            attempt { _ = try store.fetchHistory(HistoryDescriptor()) }
            attempt { _ = try store.historyCounts() }
            attempt { _ = try store.earliestHistoryToken() }
            attempt { if let token = try store.currentHistoryToken() { _ = try store.fetchHistory(.after(token)) } }
            attempt {
                for transaction in try store.fetchHistoryWithoutChanges(HistoryDescriptor()) {
                    attempt {
                        _ = try store.fetchHistoryChanges(HistoryChangesRequest(transaction, after: nil, limit: 3))
                    }
                }
            }
        }
        attempt { try convert(url) }
        attempt {
            let container = try ModelContainer(
                for: Trip.self, BusinessTrip.self, Stop.self, Person.self,
                configurations: AppleStoreConfiguration(url: url))
            let context = ModelContext(container)
            attempt {
                for trip in try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.budget)])) {
                    _ = (trip.name, trip.tags, trip.mood, trip.place, trip.photo)
                }
            }
            attempt { _ = try context.fetch(FetchDescriptor<Stop>(predicate: #Predicate { $0.trip?.name == "Rome" })) }
            attempt {
                _ = try context.fetch(
                    FetchDescriptor<Trip>(predicate: #Predicate { $0.friends.contains { $0.name == "Ben" } }))
            }
            attempt { _ = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()) }
        }
    }
}
