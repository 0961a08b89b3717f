package import Chronicle
import Foundation

/// A store that is opened with versions of models whose classes, relationships or superclasses change.
///
/// The checks return a description of each failure.
package struct ReopenedStore {
    package enum Change: CaseIterable, Sendable {
        case oneWayRelationship, removedSymmetricRelationship, symmetricRelationshipOfRenamedClass
        case classesThatPassOnNames, exchangedClasses, replacedClass, listOfFormerName
        case caseOfList, caseOfRemovedList
        case updateWithoutRenameOfProperty, updateWithoutRenameOfClass
        case previousSuperclass, newSuperclass, removedInheritedProperty, addedInheritedProperty
        case readOnly
    }

    package typealias Open = (
        _ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)?, _ allowsSave: Bool
    ) throws -> ModelContainer

    private let container: Open
    private let sql: (String) throws -> String

    /// - Parameters:
    ///   - open: Opens the store with a schema.
    ///   - sql: Runs statements of another program.
    package init(open: @escaping Open, sql: @escaping (String) throws -> String) {
        (container, self.sql) = (open, sql)
    }

    package func open(_ models: any PersistentModel.Type..., allowsSave: Bool = true) throws -> ModelContext {
        ModelContext(try container(Schema(models), nil, allowsSave))
    }

    private func open(
        _ version: any VersionedSchema.Type, plan: (any SchemaMigrationPlan.Type)? = nil, allowsSave: Bool = true
    ) throws -> ModelContext {
        ModelContext(try container(Schema(versionedSchema: version), plan, allowsSave))
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
        case .oneWayRelationship: try checkOneWayRelationship()
        case .removedSymmetricRelationship: try checkRemovedSymmetricRelationship()
        case .symmetricRelationshipOfRenamedClass: try checkSymmetricRelationshipOfRenamedClass()
        case .classesThatPassOnNames: try checkClassesThatPassOnNames()
        case .exchangedClasses: try checkExchangedClasses()
        case .replacedClass: try checkReplacedClass()
        case .listOfFormerName: try checkListOfFormerName()
        case .caseOfList: try checkCaseOfList()
        case .caseOfRemovedList: try checkCaseOfRemovedList()
        case .updateWithoutRenameOfProperty: try checkUpdateWithoutRenameOfProperty()
        case .updateWithoutRenameOfClass: try checkUpdateWithoutRenameOfClass()
        case .previousSuperclass: try checkPreviousSuperclass()
        case .newSuperclass: try checkNewSuperclass()
        case .removedInheritedProperty: try checkRemovedInheritedProperty()
        case .addedInheritedProperty: try checkAddedInheritedProperty()
        case .readOnly: try checkReadOnly()
        }
    }

    // MARK: Symmetric relationships

    private func insertFriends() throws {
        let context = try open(FriendlyTrip.First.Trip.self)
        let (a, b) = (FriendlyTrip.First.Trip(), FriendlyTrip.First.Trip())
        (a.name, b.name, a.friends) = ("a", "b", [b])
        context.insert(a)
        try context.save()
    }

    private func checkOneWayRelationship() throws -> [String] {
        try insertFriends()
        let context = try open(FriendlyTrip.OneWay.Trip.self)
        let (c, d) = (FriendlyTrip.OneWay.Trip(), FriendlyTrip.OneWay.Trip())
        (c.name, d.name, c.friends) = ("c", "d", [d])
        context.insert(c)
        let first = try context.fetch(
            FetchDescriptor<FriendlyTrip.OneWay.Trip>(predicate: #Predicate { $0.name == "a" }))
        first.first?.friends = []
        try context.save()
        let trips = try open(FriendlyTrip.OneWay.Trip.self).fetch(
            FetchDescriptor<FriendlyTrip.OneWay.Trip>(sortBy: [SortDescriptor(\.name)]))
        let friends = trips.map { $0.friends.map(\.name) }
        return failure("\(friends)", unless: friends == [[], ["a"], ["d"], []])
    }

    private func checkRemovedSymmetricRelationship() throws -> [String] {
        try insertFriends()
        _ = try open(FriendlyTrip.Removed.Trip.self)
        let context = try open(FriendlyTrip.Renamed.Journey.self)
        for trip in try context.fetch(FetchDescriptor<FriendlyTrip.Renamed.Journey>()) { context.delete(trip) }
        try context.save()
        let count = try context.fetchCount(FetchDescriptor<FriendlyTrip.Renamed.Journey>())
        return failure("\(count) trips", unless: count == 0)
    }

    private func checkSymmetricRelationshipOfRenamedClass() throws -> [String] {
        try insertFriends()
        let context = try open(FriendlyTrip.RenamedWithFriends.Journey.self)
        let c = FriendlyTrip.RenamedWithFriends.Journey()
        c.name = "c"
        context.insert(c)
        let a = try context.fetch(
            FetchDescriptor<FriendlyTrip.RenamedWithFriends.Journey>(predicate: #Predicate { $0.name == "a" }))
        c.friends = a
        try context.save()
        let trips = try open(FriendlyTrip.RenamedWithFriends.Journey.self).fetch(
            FetchDescriptor<FriendlyTrip.RenamedWithFriends.Journey>(sortBy: [SortDescriptor(\.name)]))
        let friends = trips.map { $0.friends.map(\.name).sorted() }
        return failure("\(friends)", unless: friends == [["b", "c"], ["a"], ["a"]])
    }

    // MARK: Lists of classes that are renamed

    private func insertPair() throws {
        let context = try open(TaggedPair.First.self)
        let (a, b) = (TaggedPair.First.A(), TaggedPair.First.B())
        a.tags = [TaggedPair.First.Tag("a")]
        a.tagsWithANameThatHasMoreThanFortyThreeBytes = [TaggedPair.First.Tag("long a")]
        b.tags = [TaggedPair.First.Tag("b")]
        b.tagsWithANameThatHasMoreThanFortyThreeBytes = [TaggedPair.First.Tag("long b")]
        context.insert(a)
        context.insert(b)
        try context.save()
    }

    private func checkClassesThatPassOnNames() throws -> [String] {
        try insertPair()
        let context = try open(TaggedPair.Passed.B.self, TaggedPair.Passed.C.self, TaggedPair.Passed.Tag.self)
        let (b, c) = (
            try context.fetch(FetchDescriptor<TaggedPair.Passed.B>()),
            try context.fetch(FetchDescriptor<TaggedPair.Passed.C>())
        )
        let tags = (b.map(\.tags) + c.map(\.tags)).map { $0.map(\.name) }
        let long =
            (b.map(\.tagsWithANameThatHasMoreThanFortyThreeBytes)
            + c.map(\.tagsWithANameThatHasMoreThanFortyThreeBytes)).map { $0.map(\.name) }
        b.first?.tags.append(TaggedPair.Passed.Tag("b"))
        try context.save()
        return failure("\(tags)", unless: tags == [["a"], ["b"]])
            + failure("\(long)", unless: long == [["long a"], ["long b"]])
    }

    private enum Exchange: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [TaggedPair.First.self, TaggedPair.Exchanged.self] }
        static var stages: [MigrationStage] {
            [.lightweight(fromVersion: TaggedPair.First.self, toVersion: TaggedPair.Exchanged.self)]
        }
    }

    private func checkExchangedClasses() throws -> [String] {
        try insertPair()
        let context = try open(TaggedPair.Exchanged.self, plan: Exchange.self)
        let (a, b) = (
            try context.fetch(FetchDescriptor<TaggedPair.Exchanged.A>()),
            try context.fetch(FetchDescriptor<TaggedPair.Exchanged.B>())
        )
        let tags = (a.map(\.tags) + b.map(\.tags)).map { $0.map(\.name) }
        let long =
            (a.map(\.tagsWithANameThatHasMoreThanFortyThreeBytes)
            + b.map(\.tagsWithANameThatHasMoreThanFortyThreeBytes)).map { $0.map(\.name) }
        return failure("\(tags)", unless: tags == [["b"], ["a"]])
            + failure("\(long)", unless: long == [["long b"], ["long a"]])
    }

    private func insertStops() throws {
        let context = try open(StoppingTrip.First.Trip.self, StoppingTrip.First.Stop.self)
        let trip = StoppingTrip.First.Trip()
        trip.stops = [StoppingTrip.First.Stop("a")]
        context.insert(trip)
        try context.save()
    }

    private func checkReplacedClass() throws -> [String] {
        try insertStops()
        let context = try open(
            StoppingTrip.Replaced.Walk.self, StoppingTrip.Replaced.Trip.self, StoppingTrip.Replaced.Stop.self)
        let trip = StoppingTrip.Replaced.Trip()
        trip.stops = [StoppingTrip.Replaced.Stop("b")]
        context.insert(trip)
        try context.save()
        let walks = try context.fetch(FetchDescriptor<StoppingTrip.Replaced.Walk>()).map { $0.stops.map(\.name) }
        let trips = try context.fetch(FetchDescriptor<StoppingTrip.Replaced.Trip>()).map { $0.stops.map(\.name) }
        return failure("\(walks) \(trips)", unless: walks == [["a"]] && trips == [["b"]])
    }

    private func checkListOfFormerName() throws -> [String] {
        try insertStops()
        _ = try open(StoppingTrip.Removed.Trip.self, StoppingTrip.Removed.Stop.self)
        _ = try open(StoppingTrip.Renamed.Tour.self, StoppingTrip.Renamed.Stop.self)
        let context = try open(
            StoppingTrip.Again.Tour.self, StoppingTrip.Again.Trip.self, StoppingTrip.Again.Stop.self)
        let trip = StoppingTrip.Again.Trip()
        trip.stops = [StoppingTrip.Again.Stop("b")]
        context.insert(trip)
        try context.save()
        for tour in try context.fetch(FetchDescriptor<StoppingTrip.Again.Tour>()) { context.delete(tour) }
        try context.save()
        let trips = try context.fetch(FetchDescriptor<StoppingTrip.Again.Trip>()).map { $0.stops.map(\.name) }
        return failure("\(trips)", unless: trips == [["b"]])
    }

    // MARK: Names that differ in their case

    private func insertTags() throws {
        let context = try open(CasedTrip.First.Trip.self, CasedTrip.First.Tag.self)
        let trip = CasedTrip.First.Trip()
        trip.tags = [CasedTrip.First.Tag("a")]
        context.insert(trip)
        try context.save()
    }

    private func checkCaseOfList() throws -> [String] {
        try insertTags()
        let context = try open(CasedTrip.Renamed.Trip.self, CasedTrip.Renamed.Tag.self)
        let tags = try context.fetch(FetchDescriptor<CasedTrip.Renamed.Trip>()).map { $0.Tags.map(\.name) }
        return failure("\(tags)", unless: tags == [["a"]])
    }

    private func checkCaseOfRemovedList() throws -> [String] {
        try insertTags()
        _ = try open(CasedTrip.Removed.Trip.self, CasedTrip.Removed.Tag.self)
        let context = try open(CasedTrip.New.Trip.self, CasedTrip.New.Tag.self)
        let trips = try context.fetch(FetchDescriptor<CasedTrip.New.Trip>())
        let tags = trips.map { $0.Tags.map(\.name) }
        trips.first?.Tags.append(CasedTrip.New.Tag("b"))
        try context.save()
        // The first list is new as well.
        let again = try open(CasedTrip.Removed.Trip.self, CasedTrip.Removed.Tag.self)
        for trip in try again.fetch(FetchDescriptor<CasedTrip.Removed.Trip>()) { again.delete(trip) }
        try again.save()
        return failure("\(tags)", unless: tags == [[]])
    }

    /// For databases that compare the names of tables without regard to their case.
    package func checkCaseOfListOfAnotherProgram() throws -> [String] {
        try insertTags()
        let failures = try expect(.backwardMigration) {
            _ = try asProgram("extension") { try open(CasedTrip.New.Trip.self, CasedTrip.New.Tag.self) }
        }
        let tags = try open(CasedTrip.First.Trip.self, CasedTrip.First.Tag.self)
            .fetch(FetchDescriptor<CasedTrip.First.Trip>()).map { $0.tags.map(\.name) }
        return failures + failure("\(tags)", unless: tags == [["a"]])
    }

    /// For databases that compare the names of tables without regard to their case.
    package func checkCaseOfClass() throws -> [String] {
        let context = try open(CasedItem.First.URLItem.self, CasedItem.First.Place.self)
        let item = CasedItem.First.URLItem()
        item.title = "a"
        context.insert(item)
        try context.save()
        var failures = try expect(.backwardMigration) {
            _ = try open(CasedItem.Second.UrlItem.self, CasedItem.Second.Place.self)
        }
        failures += try expect(.backwardMigration) { _ = try open(CasedItem.Passed.UrlItem.self) }
        let renamed = try open(CasedItem.Renamed.UrlItem.self, CasedItem.Renamed.Place.self)
        let titles = try renamed.fetch(FetchDescriptor<CasedItem.Renamed.UrlItem>()).map(\.title)
        return failures + failure("\(titles)", unless: titles == ["a"])
    }

    // MARK: Updates without the renames of another program

    private func insertItem() throws {
        let context = try open(WidgetItem.App.Item.self)
        let item = WidgetItem.App.Item()
        item.a = "a"
        context.insert(item)
        try context.save()
        _ = try asProgram("widget") { try open(WidgetItem.Widget.Item.self) }
    }

    private func checkUpdateWithoutRenameOfProperty() throws -> [String] {
        try insertItem()
        _ = try open(WidgetItem.RenamedProperty.Item.self)
        var failures: [String] = []
        for allowsSave in [true, false] {
            failures += try expect(.newerSchemaVersion) {
                _ = try asProgram("widget") { try open(WidgetItem.UnawareWidget.Item.self, allowsSave: allowsSave) }
            }
        }
        let items = try asProgram("widget") {
            try open(WidgetItem.WidgetWithProperty.Item.self).fetch(
                FetchDescriptor<WidgetItem.WidgetWithProperty.Item>()
            ).map(\.b)
        }
        return failures + failure("\(items)", unless: items == ["a"])
    }

    private func checkUpdateWithoutRenameOfClass() throws -> [String] {
        try insertItem()
        _ = try open(WidgetItem.RenamedClass.Thing.self)
        var failures: [String] = []
        for allowsSave in [true, false] {
            failures += try expect(.newerSchemaVersion) {
                _ = try asProgram("widget") { try open(WidgetItem.UnawareWidget.Item.self, allowsSave: allowsSave) }
            }
        }
        let things = try asProgram("widget") {
            try open(WidgetItem.WidgetWithClass.Thing.self).fetch(
                FetchDescriptor<WidgetItem.WidgetWithClass.Thing>()
            ).map(\.a)
        }
        return failures + failure("\(things)", unless: things == ["a"])
    }

    // MARK: Superclasses

    private func checkPreviousSuperclass() throws -> [String] {
        let first = try open(OwnedDog.First.Animal.self, OwnedDog.First.Pet.self, OwnedDog.First.Dog.self)
        let dog = OwnedDog.First.Dog()
        dog.owner = "Ann"
        first.insert(dog)
        try first.save()
        _ = try open(OwnedDog.Second.Animal.self, OwnedDog.Second.Pet.self, OwnedDog.Second.Dog.self)
        let third = try open(OwnedDog.Third.Animal.self, OwnedDog.Third.Pet.self, OwnedDog.Third.Dog.self)
        let owners = try third.fetch(FetchDescriptor<OwnedDog.Third.Dog>()).map(\.owner)
        return failure("\(owners)", unless: owners == ["none"])
    }

    private func checkNewSuperclass() throws -> [String] {
        let first = try open(
            OwnedDog.BeforeOptional.Animal.self, OwnedDog.BeforeOptional.Pet.self, OwnedDog.BeforeOptional.Dog.self)
        first.insert(OwnedDog.BeforeOptional.Dog())
        let pet = OwnedDog.BeforeOptional.Pet()
        pet.owner = "Ann"
        first.insert(pet)
        try first.save()
        let second = try open(
            OwnedDog.WithOptional.Animal.self, OwnedDog.WithOptional.Pet.self, OwnedDog.WithOptional.Dog.self)
        let owners = try second.fetch(FetchDescriptor<OwnedDog.WithOptional.Dog>()).map(\.owner)
        let pets = try second.fetch(FetchDescriptor<OwnedDog.WithOptional.Pet>()).map(\.owner)
        return failure("\(owners)", unless: owners == ["none"])
            + failure("\(pets)", unless: Set(pets) == ["Ann", "none"])
    }

    private func checkRemovedInheritedProperty() throws -> [String] {
        let first = try open(ChartedLeg.First.Leg.self, ChartedLeg.First.Flight.self, ChartedLeg.First.Charter.self)
        for leg in [ChartedLeg.First.Flight(), ChartedLeg.First.Charter()] {
            leg.gate = "old"
            first.insert(leg)
        }
        try first.save()
        _ = try open(ChartedLeg.Removed.Leg.self, ChartedLeg.Removed.Flight.self, ChartedLeg.Removed.Charter.self)
        _ = try asProgram("widget") { try open(ChartedLeg.Widget.Leg.self, ChartedLeg.Widget.Flight.self) }
        return try checkGates()
    }

    private func checkAddedInheritedProperty() throws -> [String] {
        let first = try open(
            ChartedLeg.Removed.Leg.self, ChartedLeg.Removed.Flight.self, ChartedLeg.Removed.Charter.self)
        first.insert(ChartedLeg.Removed.Flight())
        first.insert(ChartedLeg.Removed.Charter())
        try first.save()
        _ = try asProgram("widget") { try open(ChartedLeg.Widget.Leg.self, ChartedLeg.Widget.Flight.self) }
        return try checkGates()
    }

    private func checkGates() throws -> [String] {
        let last = try open(ChartedLeg.Again.Leg.self, ChartedLeg.Again.Flight.self, ChartedLeg.Again.Charter.self)
        let gates = try last.fetch(FetchDescriptor<ChartedLeg.Again.Flight>()).map(\.gate)
        return failure("\(gates)", unless: gates == ["new", "new"])
    }

    // MARK: Reading

    private func checkReadOnly() throws -> [String] {
        _ = try open(WidgetItem.App.Item.self)
        _ = try open(WidgetItem.RenamedProperty.Item.self)
        var failures = try expect(.newerSchemaVersion) { _ = try open(WidgetItem.App.Item.self, allowsSave: false) }
        _ = try open(WidgetItem.WidgetWithClass.Thing.self)
        failures += try expect(.newerSchemaVersion) {
            _ = try open(WidgetItem.RenamedProperty.Item.self, allowsSave: false)
        }
        _ = try open(TitledTrip.First.self)
        _ = try open(TitledTrip.Second.self)
        return failures
            + (try expect(.newerSchemaVersion) { _ = try open(TitledTrip.First.self, allowsSave: false) })
    }
}
