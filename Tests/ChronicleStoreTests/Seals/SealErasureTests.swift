import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Erasures of preserved values remove the keys of their commitments, and are events.
@Suite struct SealErasureTests {
    private struct Commitments: Equatable {
        /// The numbers of the values with and without a key.
        let present, erased: Int64?
    }

    /// Two seals, each with a trip whose note was changed, and a trip that is not sealed.
    private func filled(_ kind: StoreKind) throws -> (store: TestStore, trips: [Trip], context: ModelContext) {
        let store = try TestStore(kind, preservesValues: true)
        try store.beginSealing()
        let context = store.context(author: "app")
        var trips: [Trip] = []
        for number in 0..<3 {
            let trip = Trip(name: "trip \(number)", destination: "somewhere")
            trip.note = "first"
            context.insert(trip)
            try context.save()
            trip.note = "second"
            try context.save()
            if number < 2 { try store.seal() }
            trips.append(trip)
        }
        return (store, trips, context)
    }

    private func number(_ attribute: String, _ store: TestStore) throws -> Int64 {
        try #require(
            try store.number(
                "SELECT number FROM chronicle_attribute WHERE name = '\(attribute)' AND entity = \(entity(store))"))
    }

    private func entity(_ store: TestStore) throws -> Int64 {
        try #require(try store.number("SELECT id FROM chronicle_entity WHERE name = 'Trip'"))
    }

    private func commitments(_ store: TestStore, _ attribute: String? = nil) throws -> Commitments {
        let condition = try attribute.map { "attribute = \(try number($0, store))" } ?? "attribute IS NOT NULL"
        let table = "SELECT count(*) FROM chronicle_commitment WHERE commitment IS NOT NULL AND \(condition)"
        return Commitments(
            present: try store.number("\(table) AND key IS NOT NULL AND event IS NULL"),
            erased: try store.number("\(table) AND key IS NULL AND event IS NOT NULL"))
    }

    @Test(arguments: StoreKind.allCases) func theKeysOfErasedValuesAreRemoved(_ kind: StoreKind) throws {
        let (store, _, _) = try filled(kind)
        let (all, notes) = (try commitments(store), try commitments(store, "note"))
        #expect(notes == Commitments(present: 4, erased: 0))
        try HistoryAuthor.withValue("ann") {
            try store.store.erasePreservedValues([\Trip.note], of: Trip.self)
        }
        #expect(try commitments(store, "note") == Commitments(present: 0, erased: 4))
        #expect(try commitments(store).present == all.present.map { $0 - 4 })
        let note = try number("note", store)
        let events = try store.events()
        #expect(events.map(\.kind) == ["erasure", "emptied"] && events.map(\.author) == ["ann", "ann"])
        // Two of the values are not sealed. The seal that will contain the event computes the parts.
        #expect(events[0].detail == #"{"attributes":[\#(note)],"entities":[\#(try entity(store))],"values":6}"#)
        #expect(events[0].parts == [1: "", 2: ""])
        #expect(events[1].detail == "{}")
        #expect(try store.problems().isEmpty)
        // Nothing is left.
        try store.store.erasePreservedValues([\Trip.note], of: Trip.self)
        #expect(try store.events() == events)
    }

    @Test(arguments: StoreKind.allCases) func theValuesOfOneModelAreErased(_ kind: StoreKind) throws {
        let (store, trips, _) = try filled(kind)
        let all = try #require(try commitments(store).present)
        try store.store.erasePreservedValues(of: [trips[1].persistentModelID])
        let erased = try #require(try commitments(store).erased)
        #expect(erased > 0 && erased * 2 == all)
        let event = try #require(try store.events().first)
        #expect(event.parts == [2: ""])
        #expect(event.detail.contains("\"models\":1,\"values\":\(erased)"))
    }

    /// The batches of an erasure extend one event, which a seal makes final.
    @Test(arguments: StoreKind.allCases) func aSealedEventDoesNotChange(_ kind: StoreKind) throws {
        let (store, trips, _) = try filled(kind)
        for trip in trips.prefix(2) { try store.store.erasePreservedValues(of: [trip.persistentModelID]) }
        #expect(try store.events().map(\.kind) == ["erasure", "emptied", "erasure", "emptied"])
        try store.seal()
        let sealed = try store.events(sealed: true)
        try store.store.erasePreservedValues(ofEntityNamed: "Trip")
        #expect(try store.events(sealed: true).prefix(sealed.count) == sealed[...])
        #expect(try store.events().map(\.kind) == ["erasure", "emptied"])
        #expect(try store.events()[0].parts == [3: ""])
        #expect(try commitments(store).present == 0)
    }

    /// The values of the second call are others, also if the first one failed before it had emptied the log.
    @Test(arguments: StoreKind.allCases) func eachCallIsAnEvent(_ kind: StoreKind) throws {
        let (store, trips, _) = try filled(kind)
        for trip in trips.prefix(2) {
            try store.store.erasePreservedValues(of: [trip.persistentModelID])
            try store.foreign("DELETE FROM chronicle_event WHERE kind = 'emptied'")
        }
        let events = try store.events()
        #expect(events.map(\.kind) == ["erasure", "erasure"])
        #expect(events.allSatisfy { $0.detail.contains("\"models\":1,") })
        #expect(events.map { $0.parts.keys.sorted() } == [[1], [2]])
    }

    /// Another process has erased values since the file was rebuilt, or more values of the same erasure.
    @Test(arguments: StoreKind.allCases) func aLaterErasureIsNotConfirmed(_ kind: StoreKind) throws {
        let (store, _, _) = try filled(kind)
        let position = try #require(
            try store.number("SELECT min(position) FROM chronicle_commitment WHERE attribute IS NOT NULL"))
        func erase(extending canExtend: Bool) throws -> SealedEvent.State? {
            try withSeals(store) { seals in
                try seals.recordErasedValues([position], ErasureDetail(entities: [1], values: 1)) { _ in canExtend }
                return try seals.newestErasure()
            }
        }
        let first = try #require(try erase(extending: false))
        for canExtend in [true, false] {
            let newest = try #require(try erase(extending: canExtend))
            #expect((newest.id == first.id) == canExtend)
            try withSeals(store) { try $0.recordEmptiedLog(of: first) }
            #expect(try store.events().allSatisfy { $0.kind == "erasure" })
        }
        try withSeals(store) { seals in
            try seals.recordEmptiedLog(of: try #require(try seals.newestErasure()))
            #expect(try seals.newestErasure() == nil)
        }
        #expect(try store.events().last?.kind == "emptied")
    }

    private func withSeals<Result>(_ store: TestStore, _ body: (SealedHistory) throws -> Result) throws -> Result {
        try store.database.write { connection in
            try connection.immediate { try body(try #require(try SealedHistory(connection))) }
        }
    }

    /// Neither a page nor the log has a copy of a key, which would make the value guessable.
    @Test func theFileContainsNoErasedKey() throws {
        let (store, _, _) = try filled(.file)
        let keys = try store.database.write { connection in
            let statement = try connection.prepare("SELECT key FROM chronicle_commitment WHERE attribute IS NOT NULL")
            var keys: [Data] = []
            while try statement.step() { keys.append(statement.withBlob(0) { Data($0) }) }
            return keys
        }
        #expect(keys.count > 4)
        func copies() throws -> Int {
            // In another process, because closing the file in this one would release SQLite's locks on it.
            var bytes = Data()
            for suffix in ["", "-wal"] {
                let copy = store.directory.file("copy")
                _ = try Shell.run("/usr/bin/env", ["cp", store.url.path + suffix, copy.path])
                bytes += try Data(contentsOf: copy)
            }
            return keys.count { bytes.range(of: $0) != nil }
        }
        #expect(try copies() == keys.count)
        try store.store.erasePreservedValues(ofEntityNamed: "Trip")
        #expect(try copies() == 0)
    }

    @Test(arguments: StoreKind.allCases) func aRuleIsAnErasure(_ kind: StoreKind) throws {
        let (store, _, _) = try filled(kind)
        let rule = PreservedValueRule(\Trip.note, maximumAge: .seconds(60))
        let plan = try store.store.planHistoryPurge(HistoryRetention(valueRules: [rule]), at: .now + 3_600)
        #expect(plan.keptFor == ["chronicle.seals"])
        while try !store.store.purgeHistory(plan).isLast {}
        // The values that are not sealed are kept, as for other consumers.
        #expect(try commitments(store, "note") == Commitments(present: 0, erased: 4))
        let note = try number("note", store)
        #expect(
            try store.events() == [
                .init(
                    kind: "erasure",
                    detail: """
                        {"attributes":[\(note)],"entities":[\(try entity(store))],"maximumAge":60,"values":4}
                        """, parts: [1: "", 2: ""])
            ])
        #expect(try store.problems().isEmpty)
    }

    /// A program of an earlier version had the file open when it was sealed, and left the keys.
    @Test(arguments: StoreKind.allCases) func keysThatAnEarlierVersionLeftAreRemoved(_ kind: StoreKind) throws {
        let (store, _, _) = try filled(kind)
        let note = try number("note", store)
        try store.foreign(
            """
            UPDATE chronicle_change SET attributes = NULL, old_value = NULL, new_value = NULL \
            WHERE kind & 15 <> 2 AND kind > 0 AND attributes = \(note)
            """)
        #expect(try commitments(store, "note") == Commitments(present: 4, erased: 0))
        try store.store.erasePreservedValues([\Trip.note], of: Trip.self)
        #expect(try commitments(store, "note") == Commitments(present: 0, erased: 4))
        #expect(try store.events()[0].detail.contains("\"values\":0"))
        #expect(try store.events()[0].parts == [1: "", 2: ""])
    }

    @Test(arguments: StoreKind.allCases) func deletedTransactionsKeepTheRowsOfErasedValues(_ kind: StoreKind) throws {
        let (store, trips, context) = try filled(kind)
        try store.store.erasePreservedValues(of: [trips[0].persistentModelID])
        let erased = try store.integers("SELECT position FROM chronicle_commitment WHERE event IS NOT NULL ORDER BY 1")
        #expect(!erased.isEmpty)
        let end = try #require(try store.number("SELECT min(last) FROM chronicle_seal"))
        try context.deleteHistory(.before(try #require(try store.history().last { $0.id <= end }?.token)))
        #expect(
            try store.integers("SELECT position FROM chronicle_commitment WHERE position <= \(end) ORDER BY 1")
                == erased)
        #expect(
            try store.number(
                "SELECT count(*) FROM chronicle_commitment WHERE event IS NOT NULL AND commitment IS NOT NULL") == 0)
    }
}

/// Changes of names in a sealed history are events.
@Suite struct SealNamesTests {
    @Test func aNewModelIsAnEvent() throws {
        let store = try TestStore(.file)
        try store.beginSealing()
        try store.seal()
        _ = try store.reopened()
        #expect(try store.events().isEmpty, "no name changed")
        _ = try store.reopened([Trip.self, LinkItem.self])
        #expect(try store.events().map(\.kind) == ["names"] && store.events()[0].detail == "{}")
        _ = try store.reopened([Trip.self, LinkItem.self])
        #expect(try store.events().count == 1)
    }

    /// The bytes of the catalog are what the hash of each seal contains.
    @Test func theCatalogHasTheNamesAsTheyAreStored() throws {
        let store = try TestStore(.file)
        try store.beginSealing()
        try store.shell("UPDATE chronicle_attribute SET type = CAST(x'ff00c328' AS TEXT) WHERE name = 'note'")
        let catalog = try store.database.read { connection in
            try connection.deferredRead { try SealedCatalog(connection) }
        }
        let trip = try #require(catalog.entities.first { $0.name == Array("Trip".utf8) })
        let note = try #require(catalog.attributes.first { $0.entity == trip.number && $0.name == Array("note".utf8) })
        #expect(note.type == [0xff, 0, 0xc3, 0x28] && note.isPresent)
        try store.shell("UPDATE chronicle_attribute SET type = x'00' WHERE name = 'note'")
        #expect(throws: SwiftDataError.damagedFile) {
            try store.database.read { connection in try connection.deferredRead { try SealedCatalog(connection) } }
        }
    }

    @Test func aRenamedColumnOfATrackedTableIsAnEvent() throws {
        let fixture = try TrackedFixture("CREATE TABLE a(id INTEGER PRIMARY KEY, v, w)")
        try fixture.beginSealing()
        try fixture.app.execute("ALTER TABLE a RENAME COLUMN v TO value")
        _ = try fixture.store(allowsSave: true)
        #expect(try fixture.app.scalarInt64("SELECT count(*) FROM chronicle_event WHERE kind = 'names'") == 1)
        try fixture.app.execute("CREATE TABLE b(id INTEGER PRIMARY KEY, v)")
        try fixture.database.track()
        #expect(try fixture.app.scalarInt64("SELECT count(*) FROM chronicle_event WHERE kind = 'names'") == 2)
        _ = try fixture.store(allowsSave: true)
        #expect(try fixture.app.scalarInt64("SELECT count(*) FROM chronicle_event WHERE kind = 'names'") == 2)
        #expect(try fixture.problems().isEmpty)
    }
}
