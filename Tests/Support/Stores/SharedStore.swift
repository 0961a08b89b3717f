package import Chronicle
import Foundation

/// A store that several programs with different models open, one after the other.
///
/// The checks return a description of each failure.
package struct SharedStore {
    private let open: ([any PersistentModel.Type]) throws -> ModelContainer
    private let sql: (String) throws -> String
    private let definitionQueries: String

    /// - Parameters:
    ///   - definitionQueries: Statements that return the definitions of the tables.
    ///   - open: Opens the store with models.
    ///   - sql: Runs statements of another program.
    package init(
        definitionQueries: String, open: @escaping ([any PersistentModel.Type]) throws -> ModelContainer,
        sql: @escaping (String) throws -> String
    ) {
        (self.definitionQueries, self.open, self.sql) = (definitionQueries, open, sql)
    }

    /// Opens the store as a program.
    package func open(
        _ models: [any PersistentModel.Type], as program: String, isNew: Bool = false
    ) throws -> ModelContainer {
        if !isNew { try rename(program, to: Self.ownName) }
        let result = Result { try open(models) }
        try rename(Self.ownName, to: program)
        return try result.get()
    }

    /// Renames a program in what the store records about the schemas in use.
    private func rename(_ program: String, to other: String) throws {
        _ = try sql(
            """
            UPDATE chronicle_meta SET value = replace(value, '"\(program)"', '"\(other)"') WHERE name LIKE 'known:%'
            """)
    }

    private static let ownName = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName

    // MARK: Checks

    /// The definitions of the tables, and what the store describes.
    private func definitions() throws -> Set<String> {
        let text = try sql("\(definitionQueries); SELECT name, definition FROM chronicle_entity")
        return Set(text.split(separator: "\n").map(String.init))
    }

    private func changes(since earlier: Set<String>, _ opening: String) throws -> [String] {
        try definitions().symmetricDifference(earlier).sorted().map { "\(opening): \($0)" }
    }

    private func failure(_ description: String, unless isExpected: Bool) -> [String] {
        isExpected ? [] : [description]
    }

    /// A widget that declares fewer properties opens the store of an app, which remains open.
    package func checkThatTablesServeAllPrograms() throws -> [String] {
        let app = ModelContext(try open(SharingApp.models, as: "app", isNew: true))
        let journey = SharingApp.Journey("Ring Road", code: "a")
        journey.stops = [SharingApp.Stop("Vík")]
        let (crew, vessel) = (SharingApp.Crew("night"), SharingApp.Vessel("Edda"))
        for model in [journey, crew, vessel] as [any PersistentModel] { app.insert(model) }
        try app.save()
        let before = try definitions()
        var failures: [String] = []
        for _ in 0..<2 {
            let widget = ModelContext(try open(SharingWidget.models, as: "widget"))
            failures += try changes(since: before, "the widget")
            widget.insert(SharingWidget.Vessel("Gullfoss"))
            try widget.save()
            _ = try open(SharingApp.models, as: "app")
            failures += try changes(since: before, "the app")
        }
        app.insert(SharingApp.Journey("Westfjords", code: "a"))
        try app.save()
        failures += failure(
            "duplicates", unless: try app.fetchCount(FetchDescriptor<SharingApp.Journey>()) == 1)
        let token = try app.currentHistoryToken()
        crew.vessels.append(vessel)
        try app.save()
        let transactions: [DefaultHistoryTransaction] = try app.fetchHistory(.after(token))
        let changed = Set(transactions.flatMap(\.changes).map(\.changedPersistentIdentifier.entityName))
        failures += failure("\(changed) recorded", unless: changed == ["Crew", "Vessel"])
        try app.delete(model: SharingApp.Journey.self)
        try app.delete(model: SharingApp.Crew.self)
        try app.save()
        failures += failure("orphans", unless: try app.fetchCount(FetchDescriptor<SharingApp.Stop>()) == 0)
        let vessels = try app.fetch(FetchDescriptor<SharingApp.Vessel>()).map(\.name)
        failures += failure("vessels \(vessels)", unless: vessels == ["Gullfoss", "Gullfoss"])
        return failures
    }

    private func insertJourney() throws {
        let context = ModelContext(try open(SharingApp.models, as: "app", isNew: true))
        let journey = SharingApp.Journey("Ring Road", code: "a")
        journey.stops = [SharingApp.Stop("Vík"), SharingApp.Stop("Höfn")]
        let crew = SharingApp.Crew("night")
        crew.vessels = [SharingApp.Vessel("Edda")]
        context.insert(journey)
        context.insert(crew)
        try context.save()
    }

    /// Another program declares a relationship without its inverse, and would store it in another place.
    package func checkThatRelationshipsStay(_ models: [any PersistentModel.Type]) throws -> [String] {
        try insertJourney()
        let before = try definitions()
        var failures: [String] = []
        for _ in 0..<2 {
            do {
                _ = try open(models, as: "other")
                failures.append("the other program opened the store")
            } catch let error as SwiftDataError {
                let isExpected =
                    error == .backwardMigration && error.detail?.contains("declare it as well") == true
                failures += failure("\(error)", unless: isExpected)
            }
            failures += try changes(since: before, "the other program")
            failures += try appStops(as: "app")
            let context = ModelContext(try open(SharingApp.models, as: "app"))
            let vessels = try context.fetch(FetchDescriptor<SharingApp.Crew>()).first?.vessels.map(\.name)
            failures += failure("vessels \(vessels ?? [])", unless: vessels == ["Edda"])
        }
        return failures
    }

    /// An update of the app removes the inverse of a relationship, and its extension is updated later.
    package func checkThatUpdatesMoveRelationships() throws -> [String] {
        try insertJourney()
        _ = try open(SharingApp.models, as: "extension")
        var failures = try clashStops(as: "app")
        failures += try appStops(as: "extension")
        // The update is in use already.
        failures += try clashStops(as: "app")
        return try failures + clashStops(as: "extension")
    }

    /// An update of the app renames a relationship with a delete rule that its extension still declares.
    package func checkThatRenamesKeepRules() throws -> [String] {
        let earlier = ModelContext(try open([RuledTrip.Trip.self, RuledTrip.Person.self], as: "app", isNew: true))
        let trip = RuledTrip.Trip(RuledTrip.Person())
        earlier.insert(trip)
        try earlier.save()
        _ = try open([RuledTrip.Trip.self, RuledTrip.Person.self], as: "extension")
        let context = ModelContext(try open([RenamedTrip.Trip.self, RenamedTrip.Person.self], as: "app"))
        let holders = try context.fetch(FetchDescriptor<RenamedTrip.Trip>()).map(\.holder.name)
        let columns = try sql("SELECT count(*) FROM chronicle_attribute WHERE name = 'owner'")
        return failure("\(holders)", unless: holders == ["Ada"]) + failure("\(columns) owners", unless: columns == "0")
    }

    /// An extension renames what its app uses, and later removes it.
    package func checkThatRenamesKeepValues() throws -> [String] {
        let first = ModelContext(try open(RenamedStop.First.models, as: "app", isNew: true))
        let (stop, pier) = (RenamedStop.First.Stop(), RenamedStop.First.Pier())
        for model in [stop, pier] as [any PersistentModel] { first.insert(model) }
        (stop.name, stop.note, stop.signs, pier.length) = ("Vík", "south", [RenamedStop.First.Sign()], 8)
        try first.save()
        _ = try open(RenamedStop.First.models, as: "extension")
        _ = try open(RenamedStop.Second.models, as: "extension")
        for _ in 0..<2 { _ = try open(RenamedStop.Third.models, as: "extension") }
        let context = ModelContext(try open(RenamedStop.Second.models, as: "app"))
        let found = try context.fetch(FetchDescriptor<RenamedStop.Second.Pier>())
        let values = found.map { "\($0.note) \($0.remark ?? "nil") \($0.boards.count)" }
        let widths = try context.fetch(FetchDescriptor<RenamedStop.Second.Quay>()).map(\.width)
        for model in found { context.delete(model) }
        try context.save()
        let count = try context.fetchCount(FetchDescriptor<RenamedStop.Second.Sign>())
        return failure("\(values)", unless: values == ["Vík south 1"]) + failure("\(widths)", unless: widths == [8])
            + failure("\(count) signs", unless: count == 0)
    }

    /// Programs that lack a subclass declare its property in the superclass.
    package func checkThatSubclassesKeepValues() throws -> [String] {
        let models: [any PersistentModel.Type] = [
            RatedLeg.App.Leg.self, RatedLeg.App.Flight.self, RatedLeg.App.Tag.self,
        ]
        let first = ModelContext(try open(models, as: "app", isNew: true))
        for model in [RatedLeg.App.Leg(), RatedLeg.App.Flight(), RatedLeg.App.Flight()] { first.insert(model) }
        try first.save()
        var failures: [String] = []
        // Without values, too: the column has one form.
        do {
            _ = try open([RatedLeg.Other.Leg.self], as: "extension")
            failures.append("the property has two forms")
        } catch let error as SwiftDataError { failures += failure("\(error)", unless: error == .backwardMigration) }
        let app = ModelContext(try open(models, as: "app"))
        for flight in try app.fetch(FetchDescriptor<RatedLeg.App.Flight>()).prefix(1) {
            (flight.rating, flight.tags) = (5, [RatedLeg.App.Tag()])
        }
        try app.save()
        let other = ModelContext(try open([RatedLeg.Same.Leg.self, RatedLeg.Same.Tag.self], as: "extension"))
        let ratings = try other.fetch(FetchDescriptor<RatedLeg.Same.Leg>()).map(\.rating).sorted()
        let later = ModelContext(try open(models, as: "app"))
        let values = try later.fetch(FetchDescriptor<RatedLeg.App.Flight>()).map { [$0.rating, $0.tags.count] }
        // The property is required in the superclass.
        return failures + failure("\(ratings)", unless: ratings == [3, 3, 5])
            + failure("\(values)", unless: Set(values) == [[3, 0], [5, 1]])
    }

    /// A program that lacks a subclass gives its property another name, or another form.
    package func checkThatPropertiesOfSubclassesChange() throws -> [String] {
        let models: [any PersistentModel.Type] = [
            RatedLeg.App.Leg.self, RatedLeg.App.Flight.self, RatedLeg.App.Tag.self,
        ]
        let first = ModelContext(try open(models, as: "app", isNew: true))
        let flight = RatedLeg.App.Flight()
        flight.rating = 1 << 60
        for model in [RatedLeg.App.Leg(), flight] { first.insert(model) }
        try first.save()
        var failures: [String] = []
        // The app keeps the value, which these forms do not have.
        for model in [RatedLeg.Narrow.Leg.self, RatedLeg.Real.Leg.self] as [any PersistentModel.Type] {
            do {
                _ = try open([model], as: "extension")
                failures.append("\(model) has the value")
            } catch let error as SwiftDataError { failures += failure("\(error)", unless: error == .backwardMigration) }
        }
        let other = ModelContext(try open([RatedLeg.Renamed.Leg.self], as: "extension"))
        let scores = try other.fetch(FetchDescriptor<RatedLeg.Renamed.Leg>()).map(\.score).sorted()
        failures += failure("\(scores)", unless: scores == [3, 1 << 60])
        do {
            _ = try open(models, as: "app")
            failures.append("the app does not notice the new name")
        } catch let error as SwiftDataError { failures += failure("\(error)", unless: error == .newerSchemaVersion) }
        let updated: [any PersistentModel.Type] = [
            RatedLeg.Updated.Leg.self, RatedLeg.Updated.Flight.self, RatedLeg.Updated.Tag.self,
        ]
        let later = ModelContext(try open(updated, as: "app"))
        let values = try later.fetch(FetchDescriptor<RatedLeg.Updated.Flight>()).map(\.score)
        return failures + failure("\(values)", unless: values == [1 << 60])
    }

    /// A program moves a property from the superclass to a subclass that it lacked.
    package func checkThatMovedPropertiesKeepValues() throws -> [String] {
        let models: [any PersistentModel.Type] = [CodedLeg.First.Leg.self]
        let app = ModelContext(
            try open([RatedLeg.App.Leg.self, RatedLeg.App.Flight.self, RatedLeg.App.Tag.self], as: "app", isNew: true))
        for model in [RatedLeg.App.Leg(), RatedLeg.App.Flight()] { app.insert(model) }
        try app.save()
        let first = ModelContext(try open(models, as: "extension"))
        for leg in try first.fetch(FetchDescriptor<CodedLeg.First.Leg>()) { leg.code = 7 }
        try first.save()
        let second = ModelContext(try open([CodedLeg.Second.Leg.self, CodedLeg.Second.Flight.self], as: "extension"))
        let codes = try second.fetch(FetchDescriptor<CodedLeg.Second.Flight>()).map(\.code)
        return failure("\(codes)", unless: codes == [7])
    }

    /// A class that no program declares any more does not keep the former names of properties.
    package func checkThatRemovedClassesKeepNoNames(_ verify: () throws -> Void = {}) throws -> [String] {
        let first = ModelContext(try open(NotedLeg.First.models, as: "app", isNew: true))
        let drive = NotedLeg.First.Drive()
        (drive.note, drive.mark) = ("n", "m")
        for model in [drive, NotedLeg.First.Flight()] { first.insert(model) }
        try first.save()
        _ = try open(NotedLeg.Second.models, as: "app")
        try verify()
        let third = ModelContext(try open(NotedLeg.Third.models, as: "app"))
        let values = try third.fetch(FetchDescriptor<NotedLeg.Third.Drive>()).map { [$0.remark, $0.note] }
        return failure("\(values)", unless: values == [["n", "m"]])
    }

    /// Another program declares a property without its original name, and a new property with that name.
    package func checkThatOriginalNamesAreRemembered() throws -> [String] {
        let first = ModelContext(try open([CodedLeg.First.Leg.self], as: "app", isNew: true))
        let leg = CodedLeg.First.Leg()
        leg.code = 7
        first.insert(leg)
        try first.save()
        _ = try open([CodedLeg.Renamed.Leg.self], as: "app")
        let other = ModelContext(try open([CodedLeg.Other.Leg.self], as: "extension"))
        for leg in try other.fetch(FetchDescriptor<CodedLeg.Other.Leg>()) { leg.code = 8 }
        try other.save()
        let app = ModelContext(try open([CodedLeg.Updated.Leg.self], as: "app"))
        let numbers = try app.fetch(FetchDescriptor<CodedLeg.Updated.Leg>()).map(\.number)
        return failure("\(numbers)", unless: numbers == [7])
    }

    /// An attribute without values becomes a relationship, which is removed.
    package func checkThatReferencesHaveNoDefaultValues() throws -> [String] {
        _ = try open([CodedLeg.First.Leg.self], as: "app", isNew: true)
        _ = try open([CodedLeg.Owned.Leg.self, CodedLeg.Owned.Owner.self], as: "app")
        let context = ModelContext(try open([CodedLeg.Plain.Leg.self], as: "app"))
        context.insert(CodedLeg.Plain.Leg())
        try context.save()
        let app = ModelContext(try open([CodedLeg.Owned.Leg.self, CodedLeg.Owned.Owner.self], as: "app"))
        let owners = try app.fetch(FetchDescriptor<CodedLeg.Owned.Leg>()).map(\.code)
        return failure("\(owners)", unless: owners == [nil])
    }

    /// A program renames a class, of which only another program declares the lists.
    ///
    /// - Parameter models: The models of the first program.
    package func checkThatListsRemain(_ models: [any PersistentModel.Type]) throws -> [String] {
        let app = ModelContext(
            try open([WrittenText.App.Author.self, WrittenText.App.Text.self], as: "app", isNew: true))
        let author = WrittenText.App.Author()
        author.texts = [WrittenText.App.Text()]
        app.insert(author)
        try app.save()
        _ = try open(models, as: "widget")
        let updated = ModelContext(
            try open([WrittenText.Updated.Writer.self, WrittenText.Updated.Text.self], as: "app"))
        let texts = try updated.fetch(FetchDescriptor<WrittenText.Updated.Writer>()).map(\.texts.count)
        let authors = try updated.fetch(FetchDescriptor<WrittenText.Updated.Text>()).map(\.authors.count)
        return failure("\(texts) \(authors)", unless: texts == [1] && authors == [1])
    }

    private static let stops: Set = ["Vík", "Höfn"]

    private func appStops(as program: String) throws -> [String] {
        let context = ModelContext(try open(SharingApp.models, as: program))
        let stops = try context.fetch(FetchDescriptor<SharingApp.Journey>()).first?.stops.map(\.label) ?? []
        return failure("\(program): \(stops)", unless: Set(stops) == Self.stops)
    }

    private func clashStops(as program: String) throws -> [String] {
        let context = ModelContext(try open(SharingClash.toMany, as: program))
        let stops = try context.fetch(FetchDescriptor<SharingClash.Journey>()).first?.stops.map(\.label) ?? []
        return failure("updated \(program): \(stops)", unless: Set(stops) == Self.stops)
    }
}
