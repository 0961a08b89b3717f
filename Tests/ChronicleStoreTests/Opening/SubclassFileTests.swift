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

    @Test func rowsOfUnknownEntitiesThrow() throws {
        let context = try context(vehicleModels)
        _ = try Shell.sqlite3(file, "INSERT INTO Vehicle(name, chronicle_entity) VALUES ('a', 'Boat')")
        let error = #expect(throws: SwiftDataError.self) { try context.fetch(FetchDescriptor<Vehicle>()) }
        #expect(error == .undecodableValue && error?.propertyName == Schema.entityAttribute)
        #expect(try context.fetch(FetchDescriptor<Car>()).isEmpty)
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
