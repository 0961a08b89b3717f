import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@Suite struct MacroModelTests {
    private static let macros: [any PersistentModel.Type] = [
        Journey.self, Stop.self, Lodging.self, Companion.self, Club.self,
    ]
    private static let byHand: [any PersistentModel.Type] = [
        ByHand.Journey.self, ByHand.Stop.self, ByHand.Lodging.self, ByHand.Companion.self, ByHand.Club.self,
    ]

    private func description(_ schema: Schema) -> [String] {
        schema.entities.map { entity in
            let properties = entity.properties.map { property in
                let kind =
                    property.attribute.map {
                        "\($0.options.reduce(0) { $0 | $1.rawValue }) \($0.storage) \($0.isOptional) \($0.valueType)"
                    }
                    ?? property.relationship.map {
                        "\($0.deleteRule) \($0.destination) \($0.isToMany) \($0.inverseName ?? "-")"
                    }
                return "\(property.name) \(property.previousName ?? "-") \(property.slot) "
                    + "\(String(describing: property.defaultValue)) \(kind ?? "-")"
            }
            let unique = entity.uniquenessConstraints.map { $0.joined(separator: ",") }
            return "\(entity.name): \(properties) \(unique)"
        }
    }

    @Test func schemaMatchesHandwrittenModels() throws {
        let (macros, byHand) = (Schema(Self.macros), Schema(Self.byHand))
        #expect(description(macros) == description(byHand))
    }

    /// Opening the file with the other models does not change it: the recorded completeness is the same.
    @Test func fileMatchesHandwrittenModels() throws {
        let byHand = try TestStore(.file, Self.byHand)
        let context = byHand.context()
        let journey = ByHand.Journey(name: "Rome", code: 1)
        context.insert(journey)
        context.insert(ByHand.Stop(place: "Forum", journey: journey))
        try context.save()
        let schema = try byHand.shell("SELECT * FROM sqlite_schema; SELECT * FROM chronicle_meta")

        let other = ModelContext(try byHand.reopened(Self.macros))
        #expect(try byHand.shell("SELECT * FROM sqlite_schema; SELECT * FROM chronicle_meta") == schema)
        let read = try #require(other.fetch(FetchDescriptor<Journey>()).first)
        #expect(read.name == "Rome" && read.stops.map(\.place) == ["Forum"])
        read.stops.append(Stop(place: "Pantheon"))
        try other.save()

        let again = ModelContext(try byHand.reopened(Self.byHand))
        let stops = try again.fetch(FetchDescriptor<ByHand.Journey>()).first?.stops
        #expect(stops?.map(\.place) == ["Forum", "Pantheon"])
    }

    @Test(arguments: StoreKind.allCases) func valuesRoundTrip(_ kind: StoreKind) throws {
        let store = try TestStore(kind, Self.macros)
        let context = store.context()
        let journey = Journey(name: "Rome", code: 7)
        journey.note = "umbrella"
        journey.kind = .business
        journey.address = Journey.Address(street: "Via Appia", zip: 178)
        journey.tags = ["a", "b"]
        journey.rating = 5
        journey.visit()
        #expect(journey.observed == [3])
        let lodging = Lodging()
        lodging.name = "Albergo"
        journey.lodging = lodging
        journey.stops = [Stop(place: "Forum"), Stop(place: "Pantheon")]
        journey.companions = [Companion(name: "Ada"), Companion(name: "Grace")]
        context.insert(journey)
        #expect(lodging.journey === journey)
        try context.save()

        let other = store.context()
        let read = try #require(other.fetch(FetchDescriptor<Journey>()).first)
        #expect(read.name == "Rome" && read.code == 7 && read.note == "umbrella" && read.kind == .business)
        #expect(read.address == Journey.Address(street: "Via Appia", zip: 178) && read.tags == ["a", "b"])
        #expect(read.rating == 5 && read.visits == 1 && read.start == Date(timeIntervalSinceReferenceDate: 0))
        #expect(read.observed.isEmpty && read.summary == "Rome 7")
        #expect(read.lodging?.name == "Albergo" && read.lodging?.journey === read)
        #expect(Set(read.stops.map(\.place)) == ["Forum", "Pantheon"])
        #expect(Set(read.companions.map(\.name)) == ["Ada", "Grace"])
        #expect(read.companions.allSatisfy { $0.journey === read })
    }

    @Test func saveReportsMissingValues() throws {
        let store = try TestStore(.inMemory, Self.macros)
        let context = store.context()
        // None of the class's own initializers, which would have set it.
        let stop = Stop(backingData: Stop.createBackingData())
        context.insert(stop)
        let error = try #require(try failure { try context.save() })
        #expect(error == .modelValidationFailure && "\(error)".contains("place"))
    }

    /// The context reuses parts of a released model's backing data.
    @Test(arguments: StoreKind.allCases) func fetchedModelsAreIndependent(_ kind: StoreKind) throws {
        let store = try TestStore(kind, Self.macros)
        let context = store.context()
        for index in 0..<100 {
            context.insert(
                Stop(place: "\(index)", journey: index % 10 == 0 ? Journey(name: "\(index)", code: index) : nil))
        }
        try context.save()
        let other = store.context()
        let stops = try other.fetch(FetchDescriptor<Stop>())
        #expect(Set(stops.map { ObjectIdentifier($0.persistentBackingData) }).count == 100)
        #expect(Set(stops.map(\.persistentModelID)).count == 100)
        for stop in stops where stop.journey == nil { stop.place += "!" }
        for stop in stops { #expect(stop.hasChanges == (stop.journey == nil)) }
        try other.save()
        other.delete(stops[1])
        #expect(stops[1].isDeleted && !stops[2].isDeleted)
        other.rollback()
        let places = try store.context().fetch(FetchDescriptor<Stop>()).map(\.place)
        #expect(places == (0..<100).map { $0 % 10 == 0 ? "\($0)" : "\($0)!" })
    }

    /// Swift selects the wrapper's initializer for relationships by type.
    @Test func propertiesOfModelTypeAreRelationships() {
        let hub = Hub(one: Spoke(), some: [Spoke()], optionalBag: [Spoke()])
        #expect(hub.one != nil && hub.some?.count == 1 && hub.optionalBag?.count == 1)
        for case let (name?, wrapper) in Mirror(reflecting: hub).children where name != "persistentBackingData" {
            #expect("\(wrapper)".contains("[relationship]") || wrapper is Relationship<[Spoke]?>, "\(name)")
        }
    }

    @Test(arguments: StoreKind.allCases) func modelsMayBeNested(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [Stop.Leg.self])
        #expect(store.container.schema.entities.map(\.name) == ["Leg", "Ticket"])
        let context = store.context()
        context.insert(Stop.Leg(tickets: [SchemaVersion.Ticket(price: 3), SchemaVersion.Ticket(price: 4)]))
        try context.save()
        let other = store.context()
        let dear = FetchDescriptor<SchemaVersion.Ticket>(predicate: #Predicate { $0.price == 4 })
        let leg = try #require(try other.fetch(dear).first?.leg)
        #expect(leg.tickets.count == 2)
    }

    @Test func optionalToManyRelationshipsAreNotNilInAContext() throws {
        let context = try TestStore(.inMemory, Self.macros).context()
        let club = Club()
        #expect(club.members?.isEmpty == true)
        club.members = nil
        context.insert(club)
        #expect(club.members?.isEmpty == true)
        let ada = Companion(name: "Ada")
        context.insert(ada)
        ada.club = club
        #expect(club.members?.map(\.name) == ["Ada"])
        club.members = nil
        #expect(ada.club == nil)
        try context.save()
    }

    @Test(arguments: StoreKind.allCases, [true, false])
    func predicatesFollowOptionalToManyRelationships(_ kind: StoreKind, _ isSaved: Bool) throws {
        let context = try TestStore(kind, Self.macros).context()
        let (empty, full, ada) = (Club(), Club(), Companion(name: "Ada"))
        context.insert(Companion(name: "Eve"))
        context.insert(empty)
        context.insert(full)
        full.members = [ada]
        if isSaved { try context.save() }
        func clubs(_ predicate: Predicate<Club>) throws -> [Bool] {
            try context.fetch(FetchDescriptor(predicate: predicate)).map { $0 === full }
        }
        #expect(try clubs(#Predicate { $0.members?.isEmpty == false }) == [true])
        #expect(try clubs(#Predicate { $0.members?.isEmpty != false }) == [false])
        #expect(try clubs(#Predicate { $0.members?.isEmpty ?? false }) == [false])
        #expect(try clubs(#Predicate { $0.members!.isEmpty }) == [false])
        #expect(try clubs(#Predicate { $0.members.flatMap { $0.contains { $0.name == "Ada" } } == true }) == [true])
        #expect(try clubs(#Predicate { $0.members?.contains { $0.name == "Bob" } ?? false }) == [])
        #expect(try clubs(#Predicate { if let all = $0.members { all.count > 0 } else { false } }) == [true])
        func names(_ predicate: Predicate<Companion>) throws -> [String] {
            try context.fetch(FetchDescriptor(predicate: predicate)).map(\.name)
        }
        #expect(try names(#Predicate { $0.club?.members?.count == 1 }) == ["Ada"])
        #expect(try names(#Predicate { $0.club?.members?.isEmpty == nil }) == ["Eve"])
        #expect(try names(#Predicate { $0.club?.members?.isEmpty != true }).sorted() == ["Ada", "Eve"])
    }

    @Test func classesWithTheSameNameAreDistinguished() {
        let schema = Schema([Journey.self, ByHand.Journey.self])
        let error = #expect(throws: SwiftDataError.self) { try schema.validate() }
        #expect(error?.description.contains("ChronicleMacrosTests.ByHand.Journey") == true)
    }

    @Test func uniqueMacroDeclaresConstraints() throws {
        let context = try TestStore(.inMemory, Self.macros).context()
        context.insert(Journey(name: "Rome", code: 1))
        context.insert(Journey(name: "Paris", code: 1))
        context.mergePolicy = .error
        #expect(try failure { try context.save() } == .uniquenessViolation)
    }

    @Test(arguments: StoreKind.allCases) func historyIsTyped(_ kind: StoreKind) throws {
        let store = try TestStore(kind, Self.macros)
        let context = store.context()
        let journey = Journey(name: "Rome", code: 1)
        context.insert(journey)
        try context.save()
        let token = try context.currentHistoryToken()
        journey.note = "x"
        journey.lodging = Lodging()
        try context.save()
        context.delete(journey)
        try context.save()
        var seen: [String] = []
        for change in try context.fetchHistory(.after(token)).flatMap(\.changes) {
            switch change {
            case .update(let update as DefaultHistoryUpdate<Journey>):
                #expect(update.updatedAttributes.contains { $0 == \Journey.note })
                seen.append("update \(update.updatedAttributeNames)")
            case .delete(let delete as DefaultHistoryDelete<Journey>):
                seen.append("delete \(delete.tombstone[\.name] ?? "-")")
            default: break
            }
        }
        #expect(seen.contains("delete Rome") && seen.first?.hasPrefix("update") == true)
    }
}
