#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Foundation
    import Testing

    /// Tables whose schema changes when the store is opened again.
    @Suite("PostgreSQL schema changes", .requiresPostgres) struct PostgresSchemaChangeTests {
        private let cluster: PostgresCluster
        private let configuration: PostgresConfiguration
        private var schemaName: String { configuration.schemaName ?? "" }

        init() throws {
            cluster = try PostgresCluster.shared.get()
            configuration = try .testing()
        }

        private func open(_ models: any PersistentModel.Type...) throws -> ModelContext {
            ModelContext(try ModelContainer(for: Schema(models), configurations: configuration))
        }

        private func sql(_ statement: String) throws -> String {
            try cluster.psql("SET search_path = \(schemaName); \(statement)")
        }

        // MARK: Models

        /// The names of their indexes would be equal: the beginning and the hash of the same long name, and a short name.
        enum Stops {
            @Model final class Trip {
                @Attribute(.unique) var stop_name = "Vík"
                @Attribute(.unique) var stop_name_in_the_language_of_the_country = "Vík"
                init() {}
            }
            @Model final class Trip_stop {
                @Attribute(.unique) var name = "Höfn"
                @Attribute(.unique) var name_in_the_language_of_the_country = "Höfn"
                init() {}
            }
        }

        enum Earlier {
            @Model final class Note {
                @Attribute(.unique) var title: String
                var text: String?
                var pages: Int
                var old = "gone"
                @Relationship(deleteRule: .cascade, inverse: \Line.note) var lines: [Line] = []
                init(_ title: String, pages: Int = 1) { (self.title, self.pages) = (title, pages) }
            }
            @Model final class Line {
                var note: Note?
                init() {}
            }
        }

        enum Later {
            @Model(originalName: "Note") final class Memo {
                @Attribute(.unique, originalName: "title") var name: String
                var text = "none"
                var pages: Int?
                var added = 7
                var reals: Double?
                @Relationship(deleteRule: .deny, inverse: \Line.note) var lines: [Line] = []
                init(_ name: String) { self.name = name }
            }
            @Model final class Line {
                var note: Memo?
                init() {}
            }
        }

        enum Renamed {
            @Model final class Stone {
                var name = ""
                init() {}
            }
            @Model(originalName: "Stone") final class Rock {
                var name = ""
                init() {}
            }
        }

        enum RenamedNotes {
            @Model final class Note {
                @Attribute(.unique, originalName: "title") var name: String
                init(_ name: String) { self.name = name }
            }
        }

        enum Hulls {
            @Model class Boat {
                var name: String
                init(_ name: String) { self.name = name }
            }
            @Model class Ship: Boat {}
            @Model final class Liner: Ship {}
        }

        enum RatedHulls {
            @Model class Boat {
                var name: String
                init(_ name: String) { self.name = name }
            }
            @Model class Ship: Boat { var rating = 5 }
            @Model final class Liner: Ship {}
        }

        enum Plain {
            @Model final class Stone {
                var name = ""
                init() {}
            }
        }

        enum Weighed {
            @Model final class Stone {
                var name = ""
                var weight: Int
                init(weight: Int) { self.weight = weight }
            }
        }

        enum Reals {
            @Model final class Stone {
                var name = ""
                var weight = 0.5
                init() {}
            }
        }

        enum Numbers {
            @Model final class Stone {
                var weight: Int?
                init() {}
            }
        }

        enum Texts {
            @Model final class Stone {
                var weight: String?
                init() {}
            }
        }

        enum Symmetric {
            final class PersonWithARatherLongNameForATableOfLinks: PersistentModel {
                @Attribute var name: String
                @Relationship(inverse: PersonWithARatherLongNameForATableOfLinks.back)
                var friends: [PersonWithARatherLongNameForATableOfLinks]
                static var back: AnyKeyPath { \PersonWithARatherLongNameForATableOfLinks.friends }

                static let properties: PropertyMap<PersonWithARatherLongNameForATableOfLinks> = [
                    "name": \.name, "friends": \.friends,
                ]
                let persistentBackingData: any BackingData<PersonWithARatherLongNameForATableOfLinks>
                init(backingData: any BackingData<PersonWithARatherLongNameForATableOfLinks>) {
                    persistentBackingData = backingData
                }
                init(_ name: String) {
                    persistentBackingData = PersonWithARatherLongNameForATableOfLinks.createBackingData()
                    self.name = name
                }
            }
        }

        enum Animals {
            @Model class Animal {
                var name: String
                init(_ name: String) { self.name = name }
            }
            @Model final class Cat: Animal {
                var lives = 9
            }
        }

        enum RenamedAnimals {
            @Model class Animal {
                var name: String
                init(_ name: String) { self.name = name }
            }
            @Model(originalName: "Cat") final class Tiger: Animal {
                var lives = 9
            }
        }

        // MARK: Tests

        /// A statement for the table changes the rows of its relatives as well, whose triggers record rows.
        @Test(arguments: [false, true]) func classesWhoseIndexesWouldHaveOneName(_ isReversed: Bool) throws {
            if isReversed { _ = try open(Stops.Trip_stop.self) } else { _ = try open(Stops.Trip.self) }
            for _ in 0..<2 {
                let context = try open(Stops.Trip.self, Stops.Trip_stop.self)
                for model in [Stops.Trip(), Stops.Trip(), Stops.Trip_stop(), Stops.Trip_stop()]
                    as [any PersistentModel]
                {
                    context.insert(model)
                    try context.save()
                }
                #expect(try context.fetchCount(FetchDescriptor<Stops.Trip>()) == 1)
                #expect(try context.fetchCount(FetchDescriptor<Stops.Trip_stop>()) == 1)
                let names = "SELECT count(DISTINCT indexname) FROM pg_indexes WHERE indexname LIKE 'chronicle_unique_%'"
                #expect(try sql("\(names) AND schemaname = '\(schemaName)'") == "4")
            }
        }

        @Test(arguments: [
            "", #"CREATE TABLE special() INHERITS ("Animal")"#,
            """
            CREATE TABLE copy AS SELECT * FROM "Animal"; DROP TABLE "Animal" CASCADE;
            CREATE TABLE "Animal"(_rowid_ bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, "$entity" text COLLATE "C", \
            name text COLLATE "C" NOT NULL, lives bigint DEFAULT 9) PARTITION BY RANGE (_rowid_);
            CREATE TABLE part1 PARTITION OF "Animal" FOR VALUES FROM (0) TO (100);
            INSERT INTO "Animal"(_rowid_, "$entity", name, lives) SELECT _rowid_, "$entity", name, lives FROM copy
            """,
        ])
        func renamedSubclassesOfTablesWithRelatives(_ change: String) throws {
            let earlier = try open(Animals.Animal.self, Animals.Cat.self)
            earlier.insert(Animals.Cat("Tom"))
            earlier.insert(Animals.Animal("Rex"))
            try earlier.save()
            let column = Schema.entityAttribute
            _ = try sql(change.replacing("$entity", with: column))
            if change.contains("INHERITS") {
                _ = try open(Animals.Animal.self, Animals.Cat.self)
                _ = try sql("INSERT INTO special(_rowid_, \"\(column)\", name, lives) VALUES (50, 'Cat', 'Kit', 9)")
            }
            let before = try open(Animals.Animal.self, Animals.Cat.self)
            let token = try before.currentHistoryToken()
            let context = try open(RenamedAnimals.Animal.self, RenamedAnimals.Tiger.self)
            #expect(try context.fetchHistory(.after(token)).isEmpty)
            let tigers = try context.fetch(FetchDescriptor<RenamedAnimals.Tiger>()).map(\.name).sorted()
            #expect(tigers == (change.contains("INHERITS") ? ["Kit", "Tom"] : ["Tom"]))
            _ = try sql("UPDATE \"Animal\" SET name = name || '!' WHERE \"\(column)\" = 'Tiger'")
            let changes = try context.fetchHistory(.after(token)).flatMap(\.changes)
            #expect(changes.map(\.changedPersistentIdentifier.entityName) == tigers.map { _ in "Tiger" })
        }

        /// The functions of the triggers have different names, however long that of the relationship is.
        @Test func symmetricRelationshipsAreMirrored() throws {
            let context = try open(Symmetric.PersonWithARatherLongNameForATableOfLinks.self)
            let people = ["a", "b"].map { Symmetric.PersonWithARatherLongNameForATableOfLinks($0) }
            for person in people { context.insert(person) }
            people[0].friends = [people[1]]
            try context.save()
            let table = "PersonWithARatherLongNameForATableOfLinks.friends"
            let pairs = "string_agg(owner || ' ' || destination, ',' ORDER BY owner, destination)"
            let links = "SELECT \(pairs) FROM \"\(table)\""
            #expect(try sql(links) == "1 2,2 1")
            _ = try sql("DELETE FROM \"\(table)\" WHERE owner = 1")
            #expect(try sql(links) == "")
            _ = try sql("INSERT INTO \"\(table)\"(owner, destination) VALUES (2, 1)")
            #expect(try sql(links) == "1 2,2 1")
            // What is complete stays as it is.
            let triggers = """
                SELECT string_agg(oid::text, ' ' ORDER BY oid) FROM pg_trigger WHERE tgname LIKE 'chronicle_mirror%' \
                AND tgrelid = '"\(table)"'::regclass
                """
            let before = try sql(triggers)
            _ = try sql("CREATE TABLE other(a int)")
            _ = try open(Symmetric.PersonWithARatherLongNameForATableOfLinks.self)
            #expect(try sql(triggers) == before)
            // A changed trigger is replaced.
            _ = try sql("ALTER TABLE \"\(table)\" DISABLE TRIGGER chronicle_mirror_insert")
            _ = try open(Symmetric.PersonWithARatherLongNameForATableOfLinks.self)
            #expect(try sql(triggers) != before)
        }

        @Test func attributesAndEntitiesAreAddedRemovedAndRenamed() throws {
            do {
                let context = try open(Earlier.Note.self, Earlier.Line.self)
                let note = Earlier.Note("a", pages: 3)
                context.insert(note)
                context.insert(Earlier.Note("b"))
                let line = Earlier.Line()
                context.insert(line)
                line.note = note
                try context.save()
            }
            let numbers = try sql("SELECT number FROM chronicle_attribute WHERE name = 'title'")
            let context = try open(Later.Memo.self, Later.Line.self)
            let memos = try context.fetch(FetchDescriptor<Later.Memo>(sortBy: [SortDescriptor(\.name)]))
            #expect(memos.map(\.name) == ["a", "b"])
            #expect(memos.map(\.text) == ["none", "none"])
            #expect(memos.map(\.pages) == [3, 1])
            #expect(memos.map(\.added) == [7, 7])
            #expect(memos.map(\.lines.count) == [1, 0])
            // The attribute keeps its number in the history.
            #expect(try sql("SELECT number FROM chronicle_attribute WHERE name = 'name' AND present") == numbers)
            // The delete rule and the uniqueness constraint apply to the new names.
            context.delete(memos[0])
            #expect(throws: SwiftDataError.deleteDenied) { try context.save() }
            context.rollback()
            context.mergePolicy = .error
            let c = Later.Memo("b")
            context.insert(c)
            #expect(throws: SwiftDataError.uniquenessViolation) { try context.save() }
            // The column of a removed property remains, for programs with the earlier model.
            c.name = "c"
            try context.save()
            #expect(try sql("SELECT old FROM \"Memo\" ORDER BY name") == "gone\ngone\ngone")
        }

        @Test func programThatIsOpenDuringARename() throws {
            let old = try open(Earlier.Note.self, Earlier.Line.self)
            _ = try open(Later.Memo.self, Later.Line.self)
            #expect(throws: SwiftDataError.newerSchemaVersion) { try old.fetch(FetchDescriptor<Earlier.Note>()) }
            old.insert(Earlier.Note("a"))
            #expect(throws: SwiftDataError.newerSchemaVersion) { try old.save() }
        }

        @Test func earlierNamesOfPropertiesAndClassesAreRejected() throws {
            _ = try open(Renamed.Stone.self)
            _ = try open(Renamed.Rock.self)
            let error = #expect(throws: SwiftDataError.self) { _ = try open(Renamed.Stone.self) }
            #expect(error == .newerSchemaVersion && error?.entityName == "Stone" && error?.propertyName == nil)
            _ = try open(Earlier.Note.self, Earlier.Line.self)
            _ = try open(RenamedNotes.Note.self)
            let other = #expect(throws: SwiftDataError.self) { _ = try open(Earlier.Note.self, Earlier.Line.self) }
            #expect(other == .newerSchemaVersion && other?.entityName == "Note" && other?.propertyName == "title")
            _ = try open(RenamedNotes.Note.self)
        }

        /// A program that lacks a subclass adds an attribute to the class from which the subclass inherits.
        @Test func attributesOfIntermediateClassesAreAddedToAllSubclasses() throws {
            do {
                let context = try open(Hulls.Boat.self, Hulls.Ship.self, Hulls.Liner.self)
                context.insert(Hulls.Liner("liner"))
                try context.save()
            }
            _ = try open(RatedHulls.Boat.self, RatedHulls.Ship.self)
            let context = try open(RatedHulls.Boat.self, RatedHulls.Ship.self, RatedHulls.Liner.self)
            let rated = FetchDescriptor<RatedHulls.Liner>(predicate: #Predicate { $0.rating == 5 })
            #expect(try context.fetch(rated).map(\.name) == ["liner"])
            #expect(try sql("SELECT name, rating FROM \"Boat\"") == "liner|5")
        }

        /// Another program adds a subclass while the store is open.
        @Test func historyHasTheChangesOfClassesThatOtherProgramsAdded() throws {
            let helper = try open(Hulls.Boat.self)
            let app = try open(Hulls.Boat.self, Hulls.Ship.self, Hulls.Liner.self)
            let liner = Hulls.Liner("a")
            app.insert(liner)
            try app.save()
            liner.name = "b"
            try app.save()
            let boat = try #require(try helper.fetch(FetchDescriptor<Hulls.Boat>()).first)
            #expect(boat.name == "b" && boat.persistentModelID.entityName == "Boat")
            #expect(try helper.history(of: boat).map(\.kind) == [.insert, .update])
            let identifier = boat.persistentModelID
            for predicate in [
                #Predicate<DefaultHistoryTransaction> {
                    $0.changes.contains { $0.changedPersistentIdentifier.entityName == "Boat" }
                },
                #Predicate<DefaultHistoryTransaction> {
                    $0.changes.contains { $0.changedPersistentIdentifier == identifier }
                },
            ] {
                #expect(try helper.fetchHistory(HistoryDescriptor(predicate: predicate)).count == 2)
            }
            // A restored row would be one of the root class.
            helper.delete(boat)
            try helper.save()
            let last = try #require(
                try helper.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
            let plan = try helper.revertPlan(for: last)
            #expect(plan.conflicts.map(\.kind) == [.unknownEntity])
            #expect(plan.conflicts.first?.allowedResolutions == [.skipModel])
        }

        @Test func newRequiredAttributeNeedsADefaultValue() throws {
            do {
                let context = try open(Plain.Stone.self)
                context.insert(Plain.Stone())
                try context.save()
            }
            let before = try sql("SELECT value FROM chronicle_meta WHERE name LIKE 'complete:%'")
            let error = try #require(throws: SwiftDataError.self) { try open(Weighed.Stone.self) }
            #expect(error == .backwardMigration)
            #expect(error.propertyName == "weight")
            #expect(try sql("SELECT value FROM chronicle_meta WHERE name LIKE 'complete:%'") == before)
            #expect(try open(Plain.Stone.self).fetchCount(FetchDescriptor<Plain.Stone>()) == 1)
        }

        @Test func changedTypeNeedsAnEmptyColumn() throws {
            do {
                let context = try open(Numbers.Stone.self)
                context.insert(Numbers.Stone())
                try context.save()
            }
            let context = try open(Texts.Stone.self)
            let stone = try #require(try context.fetch(FetchDescriptor<Texts.Stone>()).first)
            stone.weight = "heavy"
            try context.save()
            let error = try #require(throws: SwiftDataError.self) { try open(Numbers.Stone.self) }
            #expect(error == .backwardMigration)
        }

        @Test func removedNumberThatIsDeclaredAgainWithAnotherTypeHasItsDefaultValue() throws {
            do {
                let context = try open(Weighed.Stone.self)
                context.insert(Weighed.Stone(weight: .max))
                try context.save()
            }
            _ = try open(Plain.Stone.self)
            let context = try open(Reals.Stone.self)
            #expect(try context.fetch(FetchDescriptor<Reals.Stone>()).map(\.weight) == [0.5])
        }

        /// An earlier version of Chronicle described only the declarations of the last program.
        @Test func propertiesOfAnotherProgramRemainWithoutADescription() throws {
            do {
                let context = try open(Weighed.Stone.self)
                context.insert(Weighed.Stone(weight: 3))
                try context.save()
            }
            _ = try open(Plain.Stone.self)
            _ = try sql("DELETE FROM chronicle_meta WHERE name LIKE 'known:%' OR name LIKE 'properties:%'")
            _ = try open(Plain.Stone.self)
            let context = try open(Weighed.Stone.self)
            #expect(try context.fetch(FetchDescriptor<Weighed.Stone>()).map(\.weight) == [3])
        }

        @Test func openingAgainChangesNothing() throws {
            _ = try open(Trip.self)
            let before = try sql("SELECT xmin, * FROM chronicle_meta ORDER BY name")
            _ = try open(Trip.self)
            _ = try open(GraphNode.self)
            _ = try open(Trip.self)
            #expect(try sql("SELECT count(*) FROM chronicle_meta WHERE name LIKE 'complete:%'") == "2")
            _ = try open(Trip.self)
            #expect(try sql("SELECT xmin, * FROM chronicle_meta WHERE name = 'store'").isEmpty == false)
            #expect(!before.isEmpty)
        }

        @Test func storesThatAreOpenedTogetherAreCreatedOnce() throws {
            let configuration = configuration
            let identifiers = Results<String>()
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                identifiers.add {
                    let container = try ModelContainer(for: Trip.self, GraphNode.self, configurations: configuration)
                    let context = ModelContext(container)
                    context.insert(Trip(name: UUID().uuidString, destination: "Rome"))
                    try context.save()
                    return container.stores[0].identifier
                }
            }
            #expect(try Set(identifiers.values()).count == 1)
            #expect(try sql("SELECT count(*) FROM \"Trip\"") == "8")
        }

        @Test(arguments: [true, false]) func planRunsItsStages(_ isVersioned: Bool) throws {
            let models: [any PersistentModel.Type] = TravelSchemaV1.models
            let first = isVersioned ? Schema(versionedSchema: TravelSchemaV1.self) : Schema(models)
            do {
                let context = ModelContext(try ModelContainer(for: first, configurations: configuration))
                let guide = TravelSchemaV1.Person(name: "Ada")
                for days in 1...3 {
                    let trip = TravelSchemaV1.Trip(name: "Rome", days: days)
                    context.insert(trip)
                    trip.guide = days == 3 ? nil : guide
                }
                try context.save()
            }
            let container = try ModelContainer(
                for: TravelSchemaV3.Journey.self, migrationPlan: TravelMigrationPlan.self, configurations: configuration
            )
            let context = ModelContext(container)
            let journeys = try context.fetch(FetchDescriptor<TravelSchemaV3.Journey>(sortBy: [SortDescriptor(\.name)]))
            #expect(journeys.map(\.name) == ["Rome 0", "Rome 1", "Rome 2"])
            #expect(journeys.map(\.hours) == [25, 49, 73])
            #expect(journeys.map { $0.guides.map(\.name) } == [["Ada"], ["Ada"], []])
            #expect(try sql("SELECT value FROM chronicle_meta WHERE name = 'schemaVersion'") == "3.0.0")
            // A program with an earlier version must not change the tables back.
            let error = try #require(throws: SwiftDataError.self) {
                try ModelContainer(
                    for: Schema(versionedSchema: TravelSchemaV1.self), migrationPlan: TravelMigrationPlan.self,
                    configurations: configuration)
            }
            #expect(SwiftDataError.backwardMigration ~= error)
        }

        @Test func hierarchiesAreMigrated() throws {
            do {
                let context = ModelContext(
                    try ModelContainer(for: Schema(versionedSchema: FleetSchemaV1.self), configurations: configuration))
                context.insert(FleetSchemaV1.Ship(name: "Titanic"))
                context.insert(FleetSchemaV1.Ferry(name: "Styx"))
                try context.save()
            }
            let container = try ModelContainer(
                for: Schema(versionedSchema: FleetSchemaV2.self), migrationPlan: FleetMigrationPlan.self,
                configurations: configuration)
            let context = ModelContext(container)
            let vessels = try context.fetch(FetchDescriptor<FleetSchemaV2.Vessel>(sortBy: [SortDescriptor(\.name)]))
            #expect(vessels.map(\.name) == ["Styx", "Svitzer", "Titanic"])
            let ferry = try #require(vessels[0] as? FleetSchemaV2.Ferry)
            #expect(ferry.seats == 1)
            #expect(ferry.line == "unknown")
        }

        @Test func renamedHierarchiesKeepTheirClasses() throws {
            var configuration = configuration
            configuration.preservesValues = true
            func container(_ models: [any PersistentModel.Type]) throws -> ModelContainer {
                try ModelContainer(for: Schema(models), configurations: configuration)
            }
            let earlier = ModelContext(try container([Harbor.Ship.self, Harbor.Steamer.self, Harbor.Tug.self]))
            let tug = Harbor.Tug(name: "Tug")
            for ship in [Harbor.Ship(name: "Ship"), Harbor.Steamer(name: "Steamer"), tug] { earlier.insert(ship) }
            try earlier.save()
            let token = try earlier.currentHistoryToken()
            earlier.delete(tug)
            try earlier.save()

            let context = ModelContext(
                try container([RenamedHarbor.Vessel.self, RenamedHarbor.Tug.self, RenamedHarbor.Towboat.self]))
            let vessels = try context.fetch(FetchDescriptor<RenamedHarbor.Vessel>(sortBy: [SortDescriptor(\.name)]))
            #expect(vessels.map { "\(type(of: $0)) \($0.name)" } == ["Vessel Ship", "Tug Steamer"])
            // Renaming is no change, and no token expires.
            let later = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token })
            let changes = try context.fetchHistory(later).map(\.changes)
            guard changes.count == 1, changes[0].count == 1,
                case .delete(let delete as DefaultHistoryDelete<RenamedHarbor.Towboat>) = changes[0][0]
            else {
                Issue.record("\(changes)")
                return
            }
            #expect(delete.tombstone[\.name] == "Tug")
            // The history contains the name of the entity and of the attribute, which are the same text.
            let values =
                "SELECT array_to_string(new_values, ' ') FROM chronicle_change WHERE kind = 'i' ORDER BY primary_key"
            #expect(
                try sql(values).split(separator: "\n").map { $0.split(separator: " ").filter { $0.hasPrefix("t") } }
                    == [
                        ["tShip"], ["tSteamer", "tTug"], ["tTug", "tTowboat"],
                    ])
            // Changes of other programs are recorded with the new names.
            _ = try sql("UPDATE \"Vessel\" SET name = 'Other' WHERE chronicle_entity = 'Tug'")
            let last = try #require(try context.fetchHistory(later).last?.changes.first)
            if case .update(_ as DefaultHistoryUpdate<RenamedHarbor.Tug>) = last {} else { Issue.record("\(last)") }
        }
    }

    /// Results that several threads collect.
    final class Results<Value: Sendable>: @unchecked Sendable {
        // The lock protects the results.
        private let lock = NSLock()
        private var results: [Result<Value, any Error>] = []

        func add(_ body: () throws -> Value) {
            let result = Result { try body() }
            lock.withLock { results.append(result) }
        }

        func values() throws -> [Value] { try lock.withLock { try results.map { try $0.get() } } }
    }
#endif
