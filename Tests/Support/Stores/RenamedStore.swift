package import Chronicle
import Foundation
import Synchronization

/// A store in which later versions of the models, or other programs, rename or remove classes and properties.
///
/// The checks return a description of each failure.
package struct RenamedStore {
    package enum Change: CaseIterable, Sendable {
        case removedClass, removedSubclass, descriptionsOfEarlierVersions
        case stageBack, stageBackWithoutWillMigrate
        case foreignKeys
        case valuesOfAnotherProgram, valuesOfAnotherProgramInCustomStage
        case undeclaredOriginalName, namesThatArePassedOn
        case replacedProperty
        case constraintOfAnotherProgram
    }

    package typealias Open = (_ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)?) throws -> ModelContainer
    /// Returns the described schema, and the rows of an entity by the names of the properties, as a tool reads them. Opens
    /// the store for writing as well.
    package typealias Inspect = (_ entity: String) throws -> (schema: Schema, rows: [[String: PropertyValue]])

    private let container: Open
    private let sql: (String) throws -> String
    private let inspect: Inspect
    private let indexQuery: String

    /// - Parameters:
    ///   - indexQuery: A statement that returns the names of the indexes.
    ///   - open: Opens the store with a schema.
    ///   - sql: Runs statements of another program.
    ///   - inspect: Opens the store as a tool.
    package init(
        indexQuery: String, open: @escaping Open, sql: @escaping (String) throws -> String, inspect: @escaping Inspect
    ) {
        (self.indexQuery, container, self.sql, self.inspect) = (indexQuery, open, sql, inspect)
    }

    private func open(_ models: any PersistentModel.Type...) throws -> ModelContext {
        ModelContext(try container(Schema(models), nil))
    }

    private func open(
        _ version: any VersionedSchema.Type, plan: (any SchemaMigrationPlan.Type)? = nil
    ) throws -> ModelContext {
        ModelContext(try container(Schema(versionedSchema: version), plan))
    }

    /// Opens the store as another program.
    private func asProgram<Result>(_ program: String, _ body: () throws -> Result) throws -> Result {
        try rename(Self.ownName, to: "other")
        try rename(program, to: Self.ownName)
        let result = Swift.Result { try body() }
        try rename(Self.ownName, to: program)
        try rename("other", to: Self.ownName)
        return try result.get()
    }

    private func rename(_ program: String, to other: String) throws {
        _ = try sql(
            """
            UPDATE chronicle_meta SET value = replace(value, '"\(program)"', '"\(other)"') WHERE name LIKE 'known:%'
            """)
    }

    private static let ownName = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName

    private func failure(_ description: String, unless isExpected: Bool) -> [String] {
        isExpected ? [] : [description]
    }

    private func expect(_ kind: SwiftDataError, _ body: () throws -> Void) throws -> [String] {
        do { try body() } catch let error as SwiftDataError { return failure("\(error)", unless: error == kind) }
        return ["no error"]
    }

    // MARK: Checks

    package func check(_ change: Change) throws -> [String] {
        switch change {
        case .removedClass: try checkRemovedClass()
        case .removedSubclass: try checkRemovedSubclass(restoringDescriptions: false)
        case .descriptionsOfEarlierVersions: try checkRemovedSubclass(restoringDescriptions: true)
        case .stageBack: try checkStageBack(Back.self, Forward.self)
        case .stageBackWithoutWillMigrate: try checkStageBack(PlainBack.self, PlainForward.self)
        case .foreignKeys: try checkForeignKeys()
        case .valuesOfAnotherProgram: try checkValuesOfAnotherProgram(Lightweight.self)
        case .valuesOfAnotherProgramInCustomStage: try checkValuesOfAnotherProgram(Custom.self)
        case .undeclaredOriginalName: try checkUndeclaredOriginalName()
        case .namesThatArePassedOn: try checkNamesThatArePassedOn()
        case .replacedProperty: try checkReplacedProperty()
        case .constraintOfAnotherProgram: try checkConstraintOfAnotherProgram()
        }
    }

    private func checkRemovedClass() throws -> [String] {
        let first = try open(
            NotedTrip.First.Trip.self, NotedTrip.First.Note.self, NotedTrip.First.Place.self,
            NotedTrip.First.Label.self)
        let (trip, note) = (NotedTrip.First.Trip(), NotedTrip.First.Note())
        (note.text, note.trip) = ("a", trip)
        (note.places, note.labels) = ([NotedTrip.First.Place()], [NotedTrip.First.Label()])
        first.insert(note)
        try first.save()
        var failures: [String] = []
        func checkNotes(of destination: String) throws {
            let (schema, rows) = try inspect("Note")
            failures += failure("\(rows)", unless: rows.map { $0["text"] } == [.text("a")])
            if case .reference(let identifier)? = rows.first?["trip"] {
                failures += failure("\(identifier)", unless: identifier.entityName == destination)
            } else {
                failures.append("the note has no trip")
            }
            let relationship = schema.entitiesByName["Note"]?.propertiesByName["trip"]?.relationship
            failures += failure("the inverse remains", unless: relationship?.inverseName == nil)
            let names = schema.entitiesByName["Note"]?.properties.map(\.name) ?? []
            failures += failure("\(names)", unless: Set(names) == ["text", "trip", "labels"])
        }
        _ = try open(NotedTrip.Second.Trip.self, NotedTrip.Second.Place.self, NotedTrip.Second.Label.self)
        try checkNotes(of: "Trip")
        let third = try open(NotedTrip.Third.Journey.self, NotedTrip.Third.Place.self, NotedTrip.Third.Label.self)
        for _ in 0..<2 { try checkNotes(of: "Journey") }
        // The rows of the class keep their delete rules.
        for journey in try third.fetch(FetchDescriptor<NotedTrip.Third.Journey>()) { third.delete(journey) }
        try third.save()
        return try failures + failure("notes remain", unless: inspect("Note").rows.isEmpty)
    }

    /// - Parameter restoringDescriptions: Whether the description of the subclass becomes the one before the rename: earlier
    ///   versions of Chronicle did not update it.
    private func checkRemovedSubclass(restoringDescriptions: Bool) throws -> [String] {
        let first = try open(CrewedLeg.First.Leg.self, CrewedLeg.First.Flight.self, CrewedLeg.First.Person.self)
        let flight = CrewedLeg.First.Flight(CrewedLeg.First.Person())
        (flight.name, flight.rating) = ("a", 2)
        first.insert(flight)
        try first.save()
        let definition = try sql("SELECT definition FROM chronicle_entity WHERE name = 'Flight'")
        let context = try open(CrewedLeg.Second.Leg.self, CrewedLeg.Second.Person.self)
        if restoringDescriptions {
            let literal = definition.trimmingCharacters(in: .newlines).replacing("'", with: "''")
            _ = try sql("UPDATE chronicle_entity SET definition = '\(literal)' WHERE name = 'Flight'")
        }
        let (schema, rows) = try inspect("Flight")
        let names = schema.entitiesByName["Flight"]?.properties.map(\.name) ?? []
        var failures = failure("\(names)", unless: Set(names) == ["title", "rating", "pilot"])
        let values = rows.map { [$0["title"], $0["rating"]] }
        failures += failure("\(values)", unless: values == [[.text("a"), .integer(2)]])
        // The relationship of the flight is still required.
        for person in try context.fetch(FetchDescriptor<CrewedLeg.Second.Person>()) { context.delete(person) }
        failures += try expect(.deleteDenied) { try context.save() }
        return failures
    }

    private func checkStageBack(
        _ back: any SchemaMigrationPlan.Type, _ forward: any SchemaMigrationPlan.Type
    ) throws -> [String] {
        let first = try open(TitledTrip.First.self)
        let trip = TitledTrip.First.Trip()
        trip.name = "a"
        first.insert(trip)
        first.insert(TitledTrip.First.Stop())
        try first.save()
        var failures: [String] = []
        let copiesValues = back == Back.self
        for round in 0..<3 {
            let second = try open(TitledTrip.Second.self, plan: forward)
            let trips = try second.fetch(FetchDescriptor<TitledTrip.Second.Trip>())
            let title = round == 0 || !copiesValues ? "a" : String(repeating: "!", count: round) + "a"
            failures += failure("\(round): \(trips.map(\.title))", unless: trips.map(\.title) == [title])
            let halts = try second.fetchCount(FetchDescriptor<TitledTrip.Second.Halt>())
            failures += failure("\(round): \(halts) halts", unless: halts == 1)
            // Only the plan returns to the first version.
            failures += try expect(.newerSchemaVersion) { _ = try open(TitledTrip.First.self) }
            let earlier = try open(TitledTrip.First.self, plan: back)
            let names = try earlier.fetch(FetchDescriptor<TitledTrip.First.Trip>()).map(\.name)
            let name = copiesValues ? "!\(title)" : ""
            failures += failure("\(round): \(names) before", unless: names == [name])
            let again = try open(TitledTrip.First.self)
            failures += failure(
                "not opened again", unless: try again.fetchCount(FetchDescriptor<TitledTrip.First.Trip>()) == 1)
        }
        return failures
    }

    private enum PlainBack: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [TitledTrip.First.self] }
        static var stages: [MigrationStage] {
            [
                .custom(
                    fromVersion: TitledTrip.Second.self, toVersion: TitledTrip.First.self, willMigrate: nil,
                    didMigrate: { _ in })
            ]
        }
    }

    private enum PlainForward: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [TitledTrip.First.self, TitledTrip.Second.self] }
        static var stages: [MigrationStage] {
            [.lightweight(fromVersion: TitledTrip.First.self, toVersion: TitledTrip.Second.self)]
        }
    }

    /// The titles of the trips during a stage.
    private static let titles = Mutex<[PersistentIdentifier: String]>([:])

    private enum Back: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [TitledTrip.First.self] }
        static var stages: [MigrationStage] {
            [
                .custom(
                    fromVersion: TitledTrip.Second.self, toVersion: TitledTrip.First.self,
                    willMigrate: { context in
                        for trip in try context.fetch(FetchDescriptor<TitledTrip.Second.Trip>()) {
                            let (identifier, title) = (trip.persistentModelID, trip.title)
                            titles.withLock { $0[identifier] = title }
                        }
                    },
                    didMigrate: { context in
                        for trip in try context.fetch(FetchDescriptor<TitledTrip.First.Trip>()) {
                            let identifier = trip.persistentModelID
                            trip.name = "!" + (titles.withLock { $0[identifier] } ?? "")
                        }
                    })
            ]
        }
    }

    private enum Forward: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [TitledTrip.First.self, TitledTrip.Second.self] }
        static var stages: [MigrationStage] {
            [
                .custom(
                    fromVersion: TitledTrip.First.self, toVersion: TitledTrip.Second.self,
                    willMigrate: { context in
                        for trip in try context.fetch(FetchDescriptor<TitledTrip.First.Trip>()) {
                            let (identifier, title) = (trip.persistentModelID, trip.name)
                            titles.withLock { $0[identifier] = title }
                        }
                    },
                    didMigrate: { context in
                        for trip in try context.fetch(FetchDescriptor<TitledTrip.Second.Trip>()) {
                            let identifier = trip.persistentModelID
                            trip.title = titles.withLock { $0[identifier] } ?? ""
                        }
                    })
            ]
        }
    }

    private func checkForeignKeys() throws -> [String] {
        let first = try open(OwnedTrip.First.Trip.self, OwnedTrip.First.Person.self)
        let trip = OwnedTrip.First.Trip()
        trip.code = "a"
        let people = ["owner", "guide", "helper"].map { name in
            let person = OwnedTrip.First.Person()
            person.name = name
            return person
        }
        (trip.owner, trip.guide, trip.helper) = (people[0], people[1], people[2])
        first.insert(trip)
        try first.save()
        _ = try open(OwnedTrip.Second.Trip.self, OwnedTrip.Second.Person.self)
        _ = try open(OwnedTrip.Third.Trip.self, OwnedTrip.Third.Person.self)
        let context = try open(OwnedTrip.Fourth.Journey.self, OwnedTrip.Fourth.Person.self)
        let descriptor = FetchDescriptor<OwnedTrip.Fourth.Person>(predicate: #Predicate { $0.name != "guide" })
        for person in try context.fetch(descriptor) { context.delete(person) }
        try context.save()
        let last = try open(OwnedTrip.Fifth.Journey.self, OwnedTrip.Fifth.Person.self)
        let journeys = try last.fetch(FetchDescriptor<OwnedTrip.Fifth.Journey>())
        let values = journeys.map { [$0.number, $0.owner?.name, $0.helper?.name, $0.driver?.name] }
        return failure("\(values)", unless: values == [["a", nil, "guide", nil]])
    }

    private enum Lightweight: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [TitledFlight.First.self, TitledFlight.Second.self] }
        static var stages: [MigrationStage] {
            [.lightweight(fromVersion: TitledFlight.First.self, toVersion: TitledFlight.Second.self)]
        }
    }

    private enum Custom: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [TitledFlight.First.self, TitledFlight.Second.self] }
        static var stages: [MigrationStage] {
            [
                .custom(
                    fromVersion: TitledFlight.First.self, toVersion: TitledFlight.Second.self, willMigrate: { _ in },
                    didMigrate: nil)
            ]
        }
    }

    private enum Capitalized: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [TitledFlight.First.self, TitledFlight.Capitalized.self] }
        static var stages: [MigrationStage] {
            [.lightweight(fromVersion: TitledFlight.First.self, toVersion: TitledFlight.Capitalized.self)]
        }
    }

    private func insertFlight() throws {
        let context = try open(TitledFlight.App.Leg.self, TitledFlight.App.Flight.self)
        let flight = TitledFlight.App.Flight()
        (flight.name, flight.title) = ("a", "b")
        context.insert(flight)
        try context.save()
        _ = try asProgram("extension") { try open(TitledFlight.First.self) }
    }

    private func flights() throws -> [[String?]] {
        try open(TitledFlight.App.Leg.self, TitledFlight.App.Flight.self)
            .fetch(FetchDescriptor<TitledFlight.App.Flight>()).map { [$0.name, $0.title] }
    }

    private func checkValuesOfAnotherProgram(_ plan: any SchemaMigrationPlan.Type) throws -> [String] {
        try insertFlight()
        let failures = try expect(.backwardMigration) {
            _ = try asProgram("extension") { try open(TitledFlight.Second.self, plan: plan) }
        }
        let flights = try flights()
        return failures + failure("\(flights)", unless: flights == [["a", "b"]])
    }

    /// For databases that compare the names of columns without regard to their case.
    package func checkNamesThatDifferInTheirCase() throws -> [String] {
        try insertFlight()
        let failures = try expect(.backwardMigration) {
            _ = try asProgram("extension") { try open(TitledFlight.Capitalized.self, plan: Capitalized.self) }
        }
        let flights = try flights()
        return failures + failure("\(flights)", unless: flights == [["a", "b"]])
    }

    private func insertSuccessors() throws {
        let first = try open(Successor.First.Trip.self, Successor.First.Road.self)
        let (trip, road) = (Successor.First.Trip(), Successor.First.Road())
        (trip.a, road.name) = ("first", "first")
        first.insert(trip)
        first.insert(road)
        try first.save()
        _ = try open(Successor.Second.Trip.self, Successor.Second.Street.self)
        let third = try open(Successor.Third.Trip.self, Successor.Third.Street.self, Successor.Third.Road.self)
        for trip in try third.fetch(FetchDescriptor<Successor.Third.Trip>()) { trip.a = "second" }
        let other = Successor.Third.Road()
        other.name = "second"
        third.insert(other)
        try third.save()
    }

    private func checkUndeclaredOriginalName() throws -> [String] {
        try insertSuccessors()
        _ = try asProgram("widget") { try open(Successor.Widget.Trip.self, Successor.Widget.Street.self) }
        let last = try open(Successor.Fourth.Trip.self, Successor.Fourth.Street.self, Successor.Fourth.Road.self)
        let values = try last.fetch(FetchDescriptor<Successor.Fourth.Trip>()).map { [$0.b, $0.a, $0.c] }
        let streets = try last.fetch(FetchDescriptor<Successor.Fourth.Street>()).map(\.name)
        let roads = try last.fetch(FetchDescriptor<Successor.Fourth.Road>()).map(\.name)
        return failure("\(values)", unless: values == [["first", "second", nil]])
            + failure("\(streets) \(roads)", unless: streets == ["first"] && roads == ["second"])
    }

    private func checkNamesThatArePassedOn() throws -> [String] {
        try insertSuccessors()
        _ = try open(Successor.Unnamed.Trip.self, Successor.Unnamed.Street.self, Successor.Unnamed.Road.self)
        let last = try open(Successor.Passed.Lane.self, Successor.Passed.Street.self)
        let lanes = try last.fetch(FetchDescriptor<Successor.Passed.Lane>()).map(\.name)
        let streets = try last.fetch(FetchDescriptor<Successor.Passed.Street>()).map(\.name)
        return failure("\(lanes) \(streets)", unless: lanes == ["first"] && streets == ["second"])
    }

    private func checkReplacedProperty() throws -> [String] {
        let first = try open(CodedTrip.First.Trip.self)
        let trip = CodedTrip.First.Trip()
        trip.name = "name"
        first.insert(trip)
        try first.save()
        let second = try open(CodedTrip.Second.Trip.self)
        for trip in try second.fetch(FetchDescriptor<CodedTrip.Second.Trip>()) { trip.code = "code" }
        try second.save()
        _ = try open(CodedTrip.Third.Trip.self)
        var failures = try expect(.newerSchemaVersion) { _ = try open(CodedTrip.First.Trip.self) }
        failures += try expect(.newerSchemaVersion) { _ = try open(CodedTrip.Second.Trip.self) }
        let third = try open(CodedTrip.Third.Trip.self)
        let names = try third.fetch(FetchDescriptor<CodedTrip.Third.Trip>()).map(\.name)
        failures += failure("\(names)", unless: names == ["code"])
        // Nothing has the name any more.
        let fourth = try open(CodedTrip.Fourth.Trip.self)
        let titles = try fourth.fetch(FetchDescriptor<CodedTrip.Fourth.Trip>()).map(\.title)
        failures += failure("\(titles)", unless: titles == ["code"])
        return failures + (try expect(.newerSchemaVersion) { _ = try open(CodedTrip.First.Trip.self) })
    }

    private func checkConstraintOfAnotherProgram() throws -> [String] {
        let app = try open(NumberedFlight.App.Leg.self, NumberedFlight.App.Flight.self, NumberedFlight.App.Ferry.self)
        let flight = NumberedFlight.App.Flight()
        (flight.note, flight.gate) = ("a", "b")
        app.insert(flight)
        try app.save()
        _ = try asProgram("extension") {
            try open(NumberedFlight.Extension.Leg.self, NumberedFlight.Extension.Ferry.self)
        }
        let schema = try inspect("Flight").schema
        let entity = schema.entitiesByName["Flight"]
        let names = entity?.properties.map(\.name) ?? []
        var failures = failure("\(names)", unless: Set(names) == ["remark", "rating", "pier"])
        let constraints = entity?.uniquenessConstraints ?? []
        failures += failure("\(constraints)", unless: constraints == [["remark", "rating"]])
        // The constraint holds before the app is updated.
        failures += failure(
            "the constraint is missing",
            unless: try sql(indexQuery).contains("chronicle_unique_Leg_remark"))
        let updated = try open(
            NumberedFlight.Updated.Leg.self, NumberedFlight.Updated.Flight.self, NumberedFlight.Updated.Ferry.self)
        let values = try updated.fetch(FetchDescriptor<NumberedFlight.Updated.Flight>()).map { [$0.remark, $0.pier] }
        return failures + failure("\(values)", unless: values == [["a", "b"]])
    }
}
