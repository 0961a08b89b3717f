import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Files that are opened with versions of models whose classes, relationships or superclasses change.
@Suite struct ReopenedStoreTests {
    private let file: URL
    private let store: ReopenedStore

    init() throws {
        let file = try TemporaryDirectory().file("reopened.store")
        self.file = file
        store = ReopenedStore { schema, plan, allowsSave in
            try ModelContainer(
                for: schema, migrationPlan: plan,
                configurations: ModelConfiguration(
                    url: file, allowsSave: allowsSave, durability: .relaxed, preservesValues: true))
        } sql: {
            try Shell.sqlite3(file, $0)
        }
    }

    private func expectNoProblems() throws {
        #expect(try VerificationTests.problems(in: file).map { "\($0)" } == [])
    }

    @Test(arguments: ReopenedStore.Change.allCases) func valuesAndLinksRemain(_ change: ReopenedStore.Change) throws {
        #expect(try store.check(change) == [])
        try expectNoProblems()
    }

    @Test func listOfAnotherProgramRemainsIfNamesDifferInTheirCase() throws {
        #expect(try store.checkCaseOfListOfAnotherProgram() == [])
        try expectNoProblems()
    }

    @Test func classesWhoseNamesDifferInTheirCaseAreRejected() throws {
        #expect(try store.checkCaseOfClass() == [])
        try expectNoProblems()
    }

    /// An earlier version of Chronicle renamed the tables of lists without their triggers.
    @Test func triggersWithFormerNamesAreRenamed() throws {
        let first = try store.open(StoppingTrip.First.Trip.self, StoppingTrip.First.Stop.self)
        let trip = StoppingTrip.First.Trip()
        trip.stops = [StoppingTrip.First.Stop("a")]
        first.insert(trip)
        try first.save()
        _ = try store.open(StoppingTrip.Removed.Trip.self, StoppingTrip.Removed.Stop.self)
        _ = try store.open(StoppingTrip.Renamed.Tour.self, StoppingTrip.Renamed.Stop.self)
        let query = "SELECT sql || ';' FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'Tour.stops'"
        let former = try Shell.sqlite3(file, query).replacing("chronicle_Tour.stops", with: "chronicle_Trip.stops")
        let drop =
            "SELECT 'DROP TRIGGER \"' || name || '\";' FROM sqlite_schema WHERE tbl_name = 'Tour.stops' AND type = 'trigger'"
        _ = try Shell.sqlite3(file, try Shell.sqlite3(file, drop) + former)
        let context = try store.open(
            StoppingTrip.Again.Tour.self, StoppingTrip.Again.Trip.self, StoppingTrip.Again.Stop.self)
        #expect(try context.fetchCount(FetchDescriptor<StoppingTrip.Again.Tour>()) == 1)
        try expectNoProblems()
    }
}
