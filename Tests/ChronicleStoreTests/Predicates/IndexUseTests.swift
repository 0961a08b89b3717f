import Chronicle
import ChronicleSQL
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// The SQL must allow SQLite to use an index.
@Suite("Predicates: indexes")
struct IndexUseTests {
    private let store: DefaultStore

    init() throws {
        store = try #require(try TestStore(.inMemory).container.stores.first as? DefaultStore)
    }

    /// The query plan without the names of indexes.
    private func plan(_ descriptor: FetchDescriptor<Trip>, _ lookup: DataStoreLookup? = nil) throws -> String {
        let query = try FetchSQL(
            descriptor, lookup: lookup, schema: store.schema, storeIdentifier: store.identifier)
        return try store.database.read { connection in
            let statement = try connection.prepare("EXPLAIN QUERY PLAN \(query.identifiers.sql)")
            var lines: [String] = []
            while try statement.step() { lines.append(statement.text(3)) }
            return lines.joined(separator: "; ").replacing(/USING (COVERING )?INDEX \S+\s/, with: "")
        }
    }

    private func plan(_ predicate: Predicate<Trip>) throws -> String {
        try plan(FetchDescriptor(predicate: predicate))
    }

    private let sorted = "; USE TEMP B-TREE FOR ORDER BY"

    @Test("Attributes of a uniqueness constraint")
    func attributes() throws {
        let names = ["a", "b"]
        let (from, to) = (Date(timeIntervalSinceReferenceDate: 1), Date(timeIntervalSinceReferenceDate: 2))
        #expect(try plan(#Predicate { $0.name == "x" }) == "SEARCH t (name=?)\(sorted)")
        #expect(try plan(#Predicate { $0.name.starts(with: "x") }) == "SEARCH t (name>? AND name<?)\(sorted)")
        #expect(try plan(#Predicate { $0.name.starts(with: "x") && $0.note != "y" }).hasPrefix("SEARCH t (name>?"))
        #expect(try plan(#Predicate { names.contains($0.name) }) == "SEARCH t (name=?)\(sorted)")
        #expect(try plan(#Predicate { $0.name >= "x" && $0.name < "y" }) == "SEARCH t (name>? AND name<?)\(sorted)")
        #expect(
            try plan(#Predicate { $0.name == "x" && $0.startDate > from && $0.startDate < to })
                == "SEARCH t (name=? AND startDate>? AND startDate<?)\(sorted)")
        let longList = (0...SQLList.longest).map(String.init)
        #expect(try plan(#Predicate { longList.contains($0.name) }).hasPrefix("SEARCH t (name=?); LIST SUBQUERY"))
    }

    @Test("A long list is read once")
    func longLists() throws {
        let names = (0...SQLList.longest).map(String.init)
        let dates = (0...SQLList.longest).map { Date(timeIntervalSinceReferenceDate: .pi * Double($0)) }
        let scan = "SCAN json_each VIRTUAL TABLE INDEX 1:"
        let byName = try plan(#Predicate { names.contains($0.name) })
        #expect(byName.components(separatedBy: "SCAN").count == 2 && byName.contains(scan))
        // Not one statement for each power of two of them.
        let byDate = try plan(#Predicate { dates.contains($0.startDate) && $0.name == "x" })
        #expect(byDate.components(separatedBy: "SCAN").count == 2 && byDate.contains(scan), "\(byDate)")
    }

    @Test("Identifiers and relationships")
    func identifiers() throws {
        let trip = PersistentIdentifier.Origin(storeIdentifier: store.identifier, entityName: "Trip").identifier(7)
        let inn = PersistentIdentifier.Origin(storeIdentifier: store.identifier, entityName: "LivingAccommodation")
            .identifier(7)
        #expect(try plan(#Predicate { $0.persistentModelID == trip }) == "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)")
        #expect(
            try plan(#Predicate { $0.livingAccommodation?.persistentModelID == inn })
                == "SEARCH t (livingAccommodation=?)")
        #expect(
            try plan(#Predicate { $0.livingAccommodation?.placeName == "Inn" })
                == "SCAN t; SEARCH j1 USING INTEGER PRIMARY KEY (rowid=?)")
        #expect(
            try plan(#Predicate { $0.bucketList.contains { $0.title == "x" } })
                == "SCAN t; CORRELATED SCALAR SUBQUERY 1; SEARCH e1 (trip=?)")
    }

    private func identifiers(_ entityName: String, _ keys: some Sequence<Int>) -> Set<PersistentIdentifier> {
        let origin = PersistentIdentifier.Origin(storeIdentifier: store.identifier, entityName: entityName)
        return Set(keys.map { origin.identifier(Int64($0)) })
    }

    @Test("Lookups")
    func lookups() throws {
        let accommodation = try #require(store.schema.entity(for: Trip.self)?.property(named: "livingAccommodation"))
        func plan(_ keys: some Sequence<Int>) throws -> [String] {
            let lookups: [DataStoreLookup] = [
                .identifiers(identifiers("Trip", keys)),
                .references(accommodation, to: identifiers("LivingAccommodation", keys)),
            ]
            return try lookups.map { try self.plan(FetchDescriptor(), $0) }
        }
        let byKey = "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)"
        #expect(try plan([7]) == [byKey, "SEARCH t (livingAccommodation=?)"])
        #expect(try plan(1...3) == [byKey, "SEARCH t (livingAccommodation=?)\(sorted)"])
        let long = try plan(0...SQLList.longest)
        #expect(long[0].hasPrefix("\(byKey); LIST SUBQUERY"))
        #expect(long[1].hasPrefix("SEARCH t (livingAccommodation=?); LIST SUBQUERY"))
    }

    @Test("The SQL of a lookup compares a single parameter if it has one identifier")
    func lookupSQL() throws {
        func condition(_ lookup: DataStoreLookup, _ predicate: Predicate<Trip>? = nil) throws -> (
            String, [PropertyValue]
        ) {
            let query = try FetchSQL(
                FetchDescriptor(predicate: predicate), lookup: lookup, schema: store.schema,
                storeIdentifier: store.identifier
            ).identifiers
            let sql = query.sql.replacing(/^.* WHERE | ORDER BY .*$/, with: "")
            return (sql, query.bindings)
        }
        #expect(try condition(.identifiers(identifiers("Trip", [7]))) == (#"t."_rowid_" = ?"#, [.integer(7)]))
        #expect(try condition(.identifiers(identifiers("Trip", [7, 8]))).0 == #"t."_rowid_" IN (?, ?)"#)
        #expect(try condition(.identifiers([])) == ("0", []))
        #expect(try condition(.identifiers(identifiers("LivingAccommodation", [7]))) == ("0", []))
        #expect(
            try condition(.identifiers(identifiers("Trip", [7])), #Predicate { $0.name == "x" || $0.name == "y" })
                == (#"t."_rowid_" = ? AND (t."name" = ? OR t."name" = ?)"#, [.integer(7), .text("x"), .text("y")]))
        let bucketList = try #require(store.schema.entity(for: Trip.self)?.property(named: "bucketList"))
        #expect(throws: SwiftDataError.unsupportedKeyPath) { try condition(.references(bucketList, to: [])) }
    }

    @Test("Order")
    func order() throws {
        let byName = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name), SortDescriptor(\.startDate)])
        #expect(try plan(byName).hasPrefix("SCAN t"))
        #expect(try plan(FetchDescriptor<Trip>()) == "SCAN t")
    }
}
