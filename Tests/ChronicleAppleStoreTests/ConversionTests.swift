import Chronicle
import ChronicleAppleStore
import ChronicleTestSupport
import Foundation
import Testing

@Suite("Converting stores of SwiftData and Core Data")
struct ConversionTests {
    private let folder: TemporaryDirectory
    private let new: URL

    init() throws {
        folder = try TemporaryDirectory()
        new = folder.file("new.store")
    }

    private var schema: Schema { Schema([Trip.self, BusinessTrip.self, Stop.self, Person.self]) }

    private func source(
        _ schema: Schema? = nil, _ change: (inout AppleStoreScript) -> Void = { _ in }
    ) throws -> AppleStore {
        let url = try AppleTrips.write(to: TemporaryDirectory(), change)
        return try AppleStore(AppleStoreConfiguration(schema: schema ?? self.schema, url: url), migrationPlan: nil)
    }

    private func context(_ schema: Schema? = nil) throws -> ModelContext {
        ModelContext(
            try ModelContainer(for: schema ?? self.schema, configurations: [ModelConfiguration(url: new)]))
    }

    private var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: folder.url.path) } }

    private func problems() throws -> [StoreProblem] {
        var problems: [StoreProblem] = []
        try DefaultStore.verify(fileAt: new) { problems.append($0) }
        return problems
    }

    // MARK: Content

    @Test func convertsModelsAndLinks() throws {
        let source = try source()
        let conversion = try source.convert(to: new)
        #expect(
            conversion.tables.map { "\($0.name) \($0.count)" } == [
                "BusinessTrip 1", "Person 3", "Person.knows 2", "Person.trips 3", "Stop 4", "Trip 2",
            ])
        // The transient property has no value, and the others have one.
        #expect(conversion.omissions.isEmpty, "\(conversion.omissions)")
        let context = try context()
        let trips = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
        #expect(trips.map(\.name) == ["Bonn", "Oslo", "Rome"])
        let rome = trips[2]
        #expect(rome.budget == Decimal(string: "10.11"))
        #expect(rome.code == UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
        #expect(rome.mood == .calm)
        #expect(rome.place == Place(city: "Roma", latitude: 41.5))
        #expect(rome.tags == ["sea", "städte"])
        #expect(rome.photo == Data([0xCA, 0xFE]))
        #expect(rome.start == Date(timeIntervalSinceReferenceDate: 700_000_000))
        #expect(Set(rome.stops.map(\.title)) == ["Forum", "Termini"])
        #expect(Set(rome.friends.map(\.name)) == ["Anna", "Ben"])
        #expect((trips[0] as? BusinessTrip)?.client?.name == "Cleo")
        let anna = try #require(context.fetch(FetchDescriptor<Person>(sortBy: [SortDescriptor(\.name)])).first)
        #expect(Set(anna.knows.map(\.name)) == ["Ben", "Cleo"])
        #expect(rome.persistentModelID.description == "Trip/1")
        #expect(try problems().isEmpty)
        // The store is writable, and continues with new keys.
        rome.name = "Roma"
        let eva = Person(name: "Eva")
        context.insert(eva)
        try context.save()
        // The history contains a deleted person with the key 4.
        #expect(eva.persistentModelID.description == "Person/5")
        #expect(try context.fetchCount(FetchDescriptor<Person>()) == 4)
        #expect(try problems().isEmpty)
    }

    @Test func convertsTheHistory() throws {
        let source = try source()
        let conversion = try source.convert(to: new)
        #expect(conversion.transactionCount == 6)
        #expect(conversion.changeCount == 9)
        let context = try context()
        let converted = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        let original = try source.fetchHistory(HistoryDescriptor())
        func facts(_ transaction: DefaultHistoryTransaction) -> [String] {
            [
                transaction.author ?? "-", transaction.contextName ?? "-", transaction.bundleIdentifier,
                transaction.processIdentifier, "\(transaction.timestamp.timeIntervalSinceReferenceDate)",
            ]
        }
        func changes(_ transaction: DefaultHistoryTransaction) -> [String] {
            transaction.changes.map { change in
                let names =
                    if case .update(let update) = change { update.updatedAttributeNames.sorted() } else { [String]() }
                return "\(change.changedPersistentIdentifier) \(names) \(change.preservedValues.map(\.name))"
            }
        }
        #expect(converted.map(facts) == original.map(facts))
        #expect(converted.map(changes) == original.map(changes))
        #expect(converted[1].author == "widget")
        #expect(converted[1].processIdentifier == "TripApp")
        // A to-many relationship without a column is named, too.
        #expect(
            converted[4].updates(of: Trip.self).map { $0.updatedAttributeNames.sorted() } == [["friends", "stops"]])
        let delete = try #require(converted[5].changes.last)
        guard case .delete(let delete as DefaultHistoryDelete<Person>) = delete else {
            Issue.record("\(delete)")
            return
        }
        #expect(delete.tombstone[\.name] == "Dora")
        let keys = [HistoryReplayStep.MetadataKey.source, .transaction]
        let numbers = converted.map { transaction in keys.map { transaction.metadata[$0.rawValue] ?? "" } }
        #expect(numbers == original.map { [source.identifier, "\($0.transactionIdentifier)"] })
        #expect(try context.fetchHistory(.after(converted[3].token)).count == 2)
    }

    /// With the names that the file contains, which are the classes that the tool prints.
    @Test func convertsWithoutClasses() throws {
        let url = try AppleTrips.write(to: TemporaryDirectory())
        let schema = try AppleStore.schema(ofFileAt: url)
        let conversion = try source(schema).convert(to: new)
        #expect(Set(conversion.omissions.map(\.subject)) == ["Trip.place", "Trip.tags"])
        #expect(try problems().isEmpty)
        // The types of values that are not archives may be those of the program.
        let context = try context(
            Schema([Archived.Trip.self, Archived.BusinessTrip.self, Archived.Stop.self, Archived.Person.self]))
        let trips = try context.fetch(FetchDescriptor<Archived.Trip>(sortBy: [SortDescriptor(\.name)]))
        #expect(trips.map(\.name) == ["Bonn", "Oslo", "Rome"])
        #expect(trips[2].mood == .calm)
        #expect(trips[2].place == Place(city: "Roma", latitude: 41.5))
        #expect(trips[2].tags == Data(AppleTrips.archive(["sea", "städte"])))
        #expect(trips[2].budget == Decimal(string: "10.11"))
    }

    @Test func convertsAFileWithoutHistory() throws {
        let source = try source {
            $0.hasHistory = false
            $0.statements = AppleTrips.rows
        }
        let conversion = try source.convert(to: new)
        #expect(conversion.transactionCount == 0)
        #expect(conversion.omissions.map(\.subject) == ["history"])
        #expect(try context().fetchCount(FetchDescriptor<Trip>()) == 3)
        #expect(try problems().isEmpty)
    }

    // MARK: What is not carried over

    @Test func listsWhatTheClassesLack() throws {
        let source = try source(Schema([Lonely.Person.self]))
        let conversion = try source.convert(to: new)
        #expect(
            conversion.omissions.map { "\($0.subject) \($0.count ?? -1)" } == [
                "Person.knows -1", "Person.trips -1", "Stop 4", "Trip 2", "BusinessTrip 1",
            ])
        // The changes of the other entities are part of the history.
        let transactions = try context(Schema([Lonely.Person.self])).fetchHistory(
            HistoryDescriptor<DefaultHistoryTransaction>())
        #expect(
            transactions[0].changes.map { $0.changedPersistentIdentifier.entityName } == ["Trip", "Person", "Stop"])
        #expect(try problems().isEmpty)
    }

    /// Core Data enforces neither references nor types.
    @Test func listsValuesAndReferencesThatDoNotFit() throws {
        let source = try source {
            $0.statements += [
                "UPDATE ZSTOP SET ZTRIP = 77 WHERE Z_PK = 1", "INSERT INTO Z_1TRIPS VALUES (3, 88)",
                "UPDATE ZTRIP SET ZRATING = 'good', ZISDONE = 7 WHERE Z_PK = 2",
            ]
        }
        let conversion = try source.convert(to: new)
        #expect(
            conversion.omissions.map { "\($0.subject) \($0.count ?? -1)" } == [
                "Person.trips 1", "Stop.trip 1", "Trip.rating 1",
            ], "\(conversion.omissions)")
        #expect(try problems().isEmpty)
        let context = try context()
        let stop = try #require(
            context.fetch(FetchDescriptor<Stop>(predicate: #Predicate { $0.title == "Forum" })).first)
        #expect(stop.trip == nil)
    }

    @Test func keepsChangesThatTheFileDoesNotExplain() throws {
        let source = try source {
            $0.statements.append(
                """
                INSERT INTO ACHANGE(Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS) VALUES \
                (10, 16001, 0, 99, 5, 6, NULL), (11, 16001, 1, 1, 1, 6, x'FFFFFF'), (12, 16001, 1, 1, 1, 6, NULL)
                """)
        }
        let conversion = try source.convert(to: new)
        #expect(conversion.changeCount == 12)
        #expect(conversion.omissions.map { "\($0.subject) \($0.count ?? -1)" } == ["history 1"])
        let transactions = try context().fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        let changes = try #require(transactions.last).changes.suffix(3)
        #expect(changes.map { $0.changedPersistentIdentifier.entityName } == ["entity 99", "Person", "Person"])
        let names = changes.map { change in
            if case .update(let update) = change { update.updatedAttributeNames.count } else { 0 }
        }
        #expect(names == [0, 24, 1])
        #expect(try problems().isEmpty)
    }

    @Test func listsTheOrderOfRelationships() throws {
        let source = try source { $0.statements.append("ALTER TABLE ZSTOP ADD COLUMN Z_FOK_TRIP INTEGER") }
        #expect(try source.convert(to: new).omissions.map(\.subject) == ["ZSTOP.Z_FOK_TRIP"])
    }

    // MARK: Errors

    @Test func refusesAnExistingFile() throws {
        try Data("other".utf8).write(to: new)
        #expect(throws: SwiftDataError.storeFailure) { try source().convert(to: new) }
        #expect(try Data(contentsOf: new) == Data("other".utf8))
    }

    /// Each of them is noticed after rows or transactions were written.
    @Test(arguments: [
        "UPDATE ACHANGE SET ZCHANGETYPE = 8 WHERE Z_PK = 9", "UPDATE ATRANSACTION SET ZTIMESTAMP = NULL WHERE Z_PK = 6",
        "UPDATE ZPERSON SET ZNAME = NULL WHERE Z_PK = 3", "INSERT INTO Z_1KNOWS VALUES ('a', 1)",
    ])
    func leavesNoFileAfterAFailure(_ statement: String) throws {
        let source = try source { $0.statements.append(statement) }
        let before = try Data(contentsOf: source.configuration.url)
        #expect(throws: SwiftDataError.self) { try source.convert(to: new) }
        #expect(try names.isEmpty)
        #expect(try Data(contentsOf: source.configuration.url) == before)
    }

    @Test func exportsASnapshot() throws {
        let source = try source()
        var export = Data()
        let token = try ModelContainer(forHistoryOf: source).exportHistory { export.append($0) }
        #expect(token == (try source.currentHistoryToken()))
        let replica = try ModelContainer(for: schema, configurations: [ModelConfiguration(isStoredInMemoryOnly: true)])
        var rest: Data? = export
        try replica.replayHistory {
            defer { rest = nil }
            return rest
        }
        #expect(try ModelContext(replica).fetchCount(FetchDescriptor<Trip>()) == 3)
    }
}

/// The classes as the tool prints them, with the types of the program where the form of the values is the same.
private enum Archived {
    @Model class Trip {
        @Attribute(.unique, .preserveValueOnDeletion) var name: String
        var start: Date?
        var budget: Decimal?
        var rating: Double?
        var isDone: Bool = false
        var code: UUID?
        var site: URL?
        var photo: Data?
        var tags: Data?
        var mood: Mood?
        var place: Place?
        @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
        @Relationship(inverse: \Person.trips) var friends: [Person] = []

        init(name: String) { self.name = name }
    }

    @Model final class BusinessTrip: Trip {
        var perDiem: Int = 10
        var client: Person?
    }

    @Model final class Stop {
        var order: Int
        var title: String
        var trip: Trip?

        init(order: Int, title: String) { (self.order, self.title) = (order, title) }
    }

    @Model final class Person {
        @Attribute(.preserveValueOnDeletion) var name: String
        var trips: [Trip] = []
        var knows: [Person] = []

        init(name: String) { self.name = name }
    }
}

/// The only class of a program.
private enum Lonely {
    @Model final class Person {
        @Attribute(.preserveValueOnDeletion) var name: String

        init(name: String) { self.name = name }
    }
}
