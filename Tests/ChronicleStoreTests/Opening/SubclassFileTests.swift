import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// The table of models that inherit from models, and files from before a subclass was added.
@Suite struct SubclassFileTests {
    private let file: URL

    init() throws { file = try TemporaryDirectory().file("hierarchy.store") }

    private func context(_ types: [any PersistentModel.Type], preservesValues: Bool = false) throws -> ModelContext {
        let configuration = ModelConfiguration(url: file, durability: .relaxed, preservesValues: preservesValues)
        return ModelContext(try ModelContainer(for: Schema(types), configurations: [configuration]))
    }

    @Test func aHierarchyHasOneTable() throws {
        let context = try context(vehicleModels)
        context.insert(Vehicle("bike"))
        context.insert(Taxi("taxi"))
        try context.save()
        let rows = "SELECT name, fare, chronicle_entity FROM Vehicle ORDER BY id"
        #expect(try Shell.sqlite3(file, rows) == "bike||\ntaxi|2.5|Taxi")
        #expect(try Shell.sqlite3(file, "SELECT name FROM sqlite_schema WHERE name IN ('Car', 'Taxi', 'Truck')") == "")
        let superentities = """
            SELECT e.name, s.name FROM chronicle_entity AS e JOIN chronicle_entity AS s ON s.id = e.superentity \
            ORDER BY e.name
            """
        #expect(try Shell.sqlite3(file, superentities) == "Car|Vehicle\nTaxi|Car\nTruck|Vehicle")
    }

    /// Triggers determine the class from the row.
    @Test func changesOfOtherProgramsAreOfTheClassOfTheRow() throws {
        let context = try context(vehicleModels)
        _ = try Shell.sqlite3(
            file,
            """
            INSERT INTO Vehicle(name, seats, mileage, chronicle_entity) VALUES ('a', 2, 1.5, 'Car');
            INSERT INTO Vehicle(name) VALUES ('b');
            UPDATE Vehicle SET wheels = 3;
            REPLACE INTO Vehicle(id, name, fare, seats, mileage, chronicle_entity) VALUES (1, 'c', 1, 1, 0, 'Taxi');
            DELETE FROM Vehicle WHERE name = 'c';
            """)
        let changes = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).flatMap(\.changes)
        let lines = changes.map { change in
            let name = change.changedPersistentIdentifier.entityName
            return switch change {
            case .insert: "insert \(name)"
            case .update: "update \(name)"
            case .delete: "delete \(name)"
            }
        }
        #expect(
            lines == [
                "insert Car", "insert Vehicle", "update Car", "update Vehicle", "delete Car", "insert Taxi",
                "delete Taxi",
            ])
        guard case .delete(let delete as DefaultHistoryDelete<Car>) = changes[4] else {
            Issue.record("\(changes[4])")
            return
        }
        #expect(delete.tombstone[\.name] == "a" && delete.tombstone[\.mileage] == 1.5)
    }

    /// A program reads the rows of a class that only other programs have as instances of the root class.
    @Test(arguments: [["Boat", "SailBoat"], ["Boat", "Canoe"], ["Boat"]])
    func rowsOfUnknownClassesAreOfTheRoot(_ names: [String]) throws {
        let models: [any PersistentModel.Type] = [Boat.self, SailBoat.self, Canoe.self]
        let known = models.filter { names.contains($0.entityName) }
        let all = try context([Boat.self, SailBoat.self, Canoe.self], preservesValues: true)
        for boat in [Boat("boat"), SailBoat("sail"), Canoe("canoe")] { all.insert(boat) }
        try all.save()
        let context = try context(known, preservesValues: true)
        let consumer = try context.container.historyConsumer(named: "reader", startingNewAt: .snapshot)
        func expected(_ name: String) -> String { names.contains(name) ? name : "Boat" }
        let boats = try context.fetch(FetchDescriptor<Boat>())
        #expect(boats.map(\.name) == ["boat", "sail", "canoe"])
        let classes = ["Boat", "SailBoat", "Canoe"].map(expected)
        #expect(boats.map(\.persistentModelID.entityName) == classes)
        #expect(try context.fetchCount(FetchDescriptor<Boat>()) == 3)
        var found: [String] = []
        while let batch = try consumer.nextBatch() {
            if case .snapshot(let identifiers) = batch.content { found += identifiers.map(\.entityName) }
            try consumer.acknowledge(batch)
        }
        #expect(found.sorted() == classes.sorted())
        let token = try #require(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last?.token)
        let past = try ModelContext(context.container, asOf: token)
        #expect(try past.fetch(FetchDescriptor<Boat>()).map(\.persistentModelID.entityName) == classes)
        boats[2].name = "changed"
        try context.save()
        #expect(try all.fetchCount(FetchDescriptor<Canoe>(predicate: #Predicate { $0.name == "changed" })) == 1)
        try context.delete(model: Boat.self, includeSubclasses: false)
        #expect(try all.fetchCount(FetchDescriptor<Boat>()) == names.count - 1)
    }

    /// A program without the subclass adds and moves properties that the subclass inherits.
    @Test func inheritedPropertiesOfOtherProgramsKeepTheirValues() throws {
        let first = try context([Early.Boat.self, Early.Ark.self, Early.Yacht.self, Early.Guest.self])
        for boat in [Early.Ark("ark"), Early.Yacht("yacht")] {
            boat.guest = Early.Guest("guest of \(boat.name)")
            first.insert(boat)
        }
        try first.save()
        do {
            let helper = try context([Late.Boat.self, Late.Guest.self])
            for boat in try helper.fetch(FetchDescriptor<Late.Boat>()) {
                #expect(boat.guests.map(\.name) == ["guest of \(boat.name)"])
                (boat.rating, boat.stars) = (5, 4)
            }
            try helper.save()
        }
        let app = try context([Late.Boat.self, Late.Ark.self, Late.Yacht.self, Late.Guest.self])
        let boats = try app.fetch(FetchDescriptor<Late.Boat>(sortBy: [SortDescriptor(\.name)]))
        #expect(boats.map(\.name) == ["ark", "yacht"])
        #expect(boats.map(\.rating) == [5, 5] && boats.map(\.stars) == [4, 4])
        #expect(boats.map { $0.guests.map(\.name) } == [["guest of ark"], ["guest of yacht"]])
    }

    @Test func addingSubclassesKeepsTheModels() throws {
        let old = try context([Boat.self])
        old.insert(Boat("old"))
        try old.save()
        let store = try #require(old.container.stores.first as? DefaultStore)
        let token = try #require(try store.currentHistoryToken())
        let first = try context([Boat.self, SailBoat.self])
        let sail = SailBoat("sail")
        sail.masts = 3
        first.insert(sail)
        try first.save()
        #expect(try first.fetch(FetchDescriptor<Boat>()).map { "\(type(of: $0))" } == ["Boat", "SailBoat"])
        let added = try context([Boat.self, SailBoat.self, Canoe.self])
        #expect(try added.fetchCount(FetchDescriptor<Canoe>()) == 0)
        added.insert(Canoe("canoe"))
        try added.save()
        let since = try added.fetchHistory(
            HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token }))
        #expect(since.flatMap(\.changes).map(\.changedPersistentIdentifier.entityName) == ["SailBoat", "Canoe"])
        // A program that does not know the subclasses reads instances of the superclass.
        #expect(try old.fetch(FetchDescriptor<Boat>()).map(\.name) == ["old", "sail", "canoe"])
    }

    @Test func newAttributesOfSubclassesHaveTheirDefaultInRowsOfTheSubclass() throws {
        let old = try context([Boat.self, SailBoat.self])
        old.insert(Boat("boat"))
        old.insert(SailBoat("sail"))
        try old.save()
        let new = try context([V2.Boat.self, V2.SailBoat.self])
        #expect(try new.fetch(FetchDescriptor<V2.SailBoat>()).map(\.flag) == ["none"])
        #expect(try Shell.sqlite3(file, "SELECT name, flag FROM Boat ORDER BY id") == "boat|\nsail|none")
        let error = #expect(throws: SwiftDataError.self) { _ = try context([V3.Boat.self, V3.SailBoat.self]) }
        #expect(error == .backwardMigration && error?.propertyName == "captain" && error?.entityName == "SailBoat")
    }

    /// A program with the earlier version of the class is still open.
    @Test func rowsOfEarlierVersionsHaveTheDefaultsOfSubclasses() throws {
        let old = try context([Boat.self, SailBoat.self])
        let new = try context([V4.Boat.self, V4.SailBoat.self])
        old.insert(SailBoat("sail"))
        try old.save()
        for boat in try new.fetch(FetchDescriptor<V4.SailBoat>()) {
            #expect(boat.flag == "none" && boat.crew == 3 && boat.speed == 1.5 && boat.isFast && boat.log == [1])
            #expect(boat.built == Date(timeIntervalSinceReferenceDate: 7))
            boat.name = "changed"
        }
        #expect(try new.fetch(FetchDescriptor<V4.Boat>()).count == 1)
        try new.save()
        let reader = try context([V4.Boat.self, V4.SailBoat.self])
        let boat = try #require(try reader.fetch(FetchDescriptor<V4.SailBoat>()).first)
        #expect(boat.name == "changed" && boat.flag == "none" && boat.crew == 3)
        boat.flag = "red"
        boat.crew += 1
        try reader.save()
        #expect(try Shell.sqlite3(file, "SELECT flag, crew FROM Boat") == "red|4")
    }

    /// A program with the earlier version of the class inserts a row, and the attribute moves to the superclass.
    @Test func attributesWithoutAValueMoveToTheSuperclass() throws {
        let old = try context([Boat.self, SailBoat.self], preservesValues: true)
        let new = try context([V2.Boat.self, V2.SailBoat.self], preservesValues: true)
        for boat in [Boat("boat"), SailBoat("sail")] { old.insert(boat) }
        try old.save()
        let token = try new.currentHistoryToken()
        let earlier = try ModelContext(new.container, asOf: token)
        #expect(try earlier.fetch(FetchDescriptor<V2.SailBoat>()).map(\.flag) == ["none"])
        // The next opening that changes the file sets the value, and records the change.
        let later = try context([V5.Boat.self, V5.SailBoat.self], preservesValues: true)
        let none = FetchDescriptor<V5.Boat>(predicate: #Predicate { $0.flag == "none" })
        #expect(try later.fetch(none).map(\.name) == ["boat", "sail"])
        let changes = try later.changes(between: token, and: later.currentHistoryToken())
        #expect(changes.map(\.persistentIdentifier.entityName).contains("SailBoat"))
        let past = try ModelContext(later.container, asOf: token)
        #expect(try past.fetch(FetchDescriptor<V5.SailBoat>()).map(\.flag) == ["none"])
        #expect(try VerificationTests.problems(in: file) == [])
    }

    /// A program that lacks a subclass adds an attribute to the class from which the subclass inherits.
    @Test func attributesOfIntermediateClassesAreAddedToAllSubclasses() throws {
        let first = try context([Hull.Boat.self, Hull.Ship.self, Hull.Liner.self])
        first.insert(Hull.Liner("liner"))
        try first.save()
        _ = try context([Rated.Boat.self, Rated.Ship.self])
        let error = #expect(throws: SwiftDataError.self) {
            _ = try context([Required.Boat.self, Required.Ship.self, Required.Liner.self])
        }
        #expect(error == .backwardMigration && error?.entityName == "Liner" && error?.propertyName == "rating")
        let later = try context([Rated.Boat.self, Rated.Ship.self, Rated.Liner.self])
        let rated = FetchDescriptor<Rated.Liner>(predicate: #Predicate { $0.rating == 5 })
        #expect(try later.fetch(rated).map(\.name) == ["liner"])
        #expect(try Shell.sqlite3(file, "SELECT name, rating FROM Boat") == "liner|5")
    }

    @Test func changedInheritanceIsRejected() throws {
        _ = try context([Boat.self, SailBoat.self])
        let apart = #expect(throws: SwiftDataError.self) { _ = try context([Apart.SailBoat.self]) }
        #expect(apart == .backwardMigration && apart?.entityName == "SailBoat")
        let other = try TemporaryDirectory().file("apart.store")
        func open(_ types: [any PersistentModel.Type]) throws {
            _ = try ModelContainer(
                for: Schema(types), configurations: [ModelConfiguration(url: other, durability: .relaxed)])
        }
        try open([Apart.SailBoat.self])
        let joined = #expect(throws: SwiftDataError.self) { try open([Boat.self, SailBoat.self]) }
        #expect(joined == .backwardMigration && joined?.entityName == "SailBoat")
    }

    @Test func preservedValuesAreThoseOfTheClass() throws {
        let context = try context([Boat.self, SailBoat.self, Canoe.self], preservesValues: true)
        let boat = SailBoat("sail")
        context.insert(boat)
        try context.save()
        boat.masts = 4
        try context.save()
        let changes = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).flatMap(\.changes)
        guard case .insert(let insert as DefaultHistoryInsert<SailBoat>) = changes[0],
            case .update(let update as DefaultHistoryUpdate<SailBoat>) = changes[1]
        else {
            Issue.record("\(changes)")
            return
        }
        #expect(insert.preservedValues.map(\.name) == ["name", "masts"])
        #expect(update.preservedValues.map(\.name) == ["masts"])
    }

    @Test func aFileDescribesTheHierarchy() throws {
        _ = try context(vehicleModels)
        let schema = try DefaultStore.schema(ofFileAt: file)
        #expect(schema.entitiesByName["Taxi"]?.superentity?.superentity?.name == "Vehicle")
        #expect(schema.links.map(\.name) == Schema(vehicleModels).links.map(\.name))
    }

    @Test func fetchesOfASubclassUseAnIndex() throws {
        _ = try context(vehicleModels)
        let plan = try Shell.sqlite3(
            file, "EXPLAIN QUERY PLAN SELECT id FROM Vehicle AS t WHERE t.chronicle_entity IS 'Taxi' ORDER BY t._rowid_"
        )
        #expect(plan.contains("chronicle_index_Vehicle_chronicle_entity"))
    }
}

@Model private class Boat {
    var name: String
    init(_ name: String) { self.name = name }
}

@Model private final class SailBoat: Boat {
    var masts = 1
}

@Model private final class Canoe: Boat {
    var paddles = 2
}

private enum V2 {
    @Model fileprivate class Boat {
        var name = ""
        init() {}
    }

    @Model fileprivate final class SailBoat: Boat {
        var masts = 1
        var flag = "none"
    }
}

private enum V3 {
    @Model fileprivate class Boat {
        var name = ""
        init() {}
    }

    @Model fileprivate final class SailBoat: Boat {
        var masts = 1
        var flag = "none"
        var captain: String

        override init() {
            captain = ""
            super.init()
        }
    }
}

private enum Apart {
    @Model fileprivate final class SailBoat {
        var masts = 1
    }
}

private enum Early {
    @Model fileprivate class Boat {
        var name: String
        var guest: Guest?
        init(_ name: String) { self.name = name }
    }

    // Their names are before and after that of their superclass.
    @Model fileprivate final class Ark: Boat { var decks = 1 }
    @Model fileprivate final class Yacht: Boat { var decks = 2 }

    @Model fileprivate final class Guest {
        var name: String
        init(_ name: String) { self.name = name }
    }
}

private enum Late {
    @Model fileprivate class Boat {
        var name: String
        @Relationship(originalName: "guest") var guests: [Guest] = []
        var rating: Int?
        var stars = 1
        init(_ name: String) { self.name = name }
    }

    @Model fileprivate final class Ark: Boat { var decks = 1 }
    @Model fileprivate final class Yacht: Boat { var decks = 2 }

    @Model fileprivate final class Guest {
        var name: String
        init(_ name: String) { self.name = name }
    }
}

private enum V5 {
    @Model fileprivate class Boat {
        var name = ""
        var flag = "none"
        init() {}
    }

    @Model fileprivate final class SailBoat: Boat {
        var masts = 1
    }
}

private enum Hull {
    @Model fileprivate class Boat {
        var name: String
        init(_ name: String) { self.name = name }
    }
    @Model fileprivate class Ship: Boat {}
    @Model fileprivate final class Liner: Ship {}
}

private enum Rated {
    @Model fileprivate class Boat {
        var name: String
        init(_ name: String) { self.name = name }
    }
    @Model fileprivate class Ship: Boat { var rating = 5 }
    @Model fileprivate final class Liner: Ship {}
}

private enum Required {
    @Model fileprivate class Boat {
        var name: String
        init(_ name: String) { self.name = name }
    }
    @Model fileprivate class Ship: Boat {
        var rating: Int
        override init(_ name: String) {
            rating = 1
            super.init(name)
        }
    }
    @Model fileprivate final class Liner: Ship {}
}

private enum V4 {
    @Model fileprivate class Boat {
        var name = ""
        init() {}
    }

    @Model fileprivate final class SailBoat: Boat {
        var masts = 1
        var flag = "none"
        var crew = 3
        var speed = 1.5
        var isFast = true
        var log = [1]
        var built = Date(timeIntervalSinceReferenceDate: 7)
    }
}
