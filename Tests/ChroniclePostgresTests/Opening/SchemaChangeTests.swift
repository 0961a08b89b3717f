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

        // MARK: Tests

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
