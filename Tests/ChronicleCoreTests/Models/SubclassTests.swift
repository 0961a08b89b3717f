import Chronicle
import ChronicleTestSupport
import ExampleStore
import Foundation
import Testing

/// Models that inherit from models.
@Suite struct SubclassTests {
    /// Saves one model of each class and returns the store.
    private func fleet(_ kind: StoreKind) throws -> TestStore {
        let store = try TestStore(kind, vehicleModels)
        let context = store.context()
        let (car, taxi) = (Car("car", seats: 4), Taxi("taxi"))
        let (label, truck) = (VehicleLabel("red"), Truck("truck"))
        taxi.owner = VehicleOwner("Ann")
        taxi.languages = [label]
        (taxi.labels, taxi.fare, truck.load) = ([label], 3, .wood)
        for vehicle in [Vehicle("bike"), car, taxi, truck] { context.insert(vehicle) }
        context.insert(VehiclePart("door", of: car))
        try context.save()
        return store
    }

    private func names<Model: Vehicle>(_ vehicles: [Model]) -> [String] { vehicles.map(\.name).sorted() }

    @Test(arguments: StoreKind.allCases) func fetchOfAClassReturnsItsSubclasses(_ kind: StoreKind) throws {
        let context = try fleet(kind).context()
        let all = try context.fetch(FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.name)]))
        #expect(all.map { "\(type(of: $0))" } == ["Vehicle", "Car", "Taxi", "Truck"])
        #expect((all[1] as? Car)?.seats == 4 && (all[2] as? Taxi)?.fare == 3 && (all[3] as? Truck)?.load == .wood)
        #expect(names(try context.fetch(FetchDescriptor<Car>())) == ["car", "taxi"])
        #expect(try context.fetch(FetchDescriptor<Taxi>()).first === all[2])
        #expect(try context.fetchCount(FetchDescriptor<Vehicle>()) == 4)
        #expect(try context.fetchCount(FetchDescriptor<Car>()) == 2)
        let identifiers = try context.fetchIdentifiers(FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.name)]))
        #expect(identifiers.map(\.entityName) == ["Vehicle", "Car", "Taxi", "Truck"])
        #expect(Set(identifiers.map(\.rootEntityName)) == ["Vehicle"])
    }

    @Test(arguments: StoreKind.allCases) func unsavedModelsOfSubclassesAreFetched(_ kind: StoreKind) throws {
        let context = try fleet(kind).context()
        context.insert(Taxi("new"))
        let car = try #require(
            try context.fetch(FetchDescriptor<Car>(predicate: #Predicate { $0.name == "car" })).first)
        car.wheels = 3
        #expect(names(try context.fetch(FetchDescriptor<Car>())) == ["car", "new", "taxi"])
        #expect(try context.fetchCount(FetchDescriptor<Vehicle>()) == 5)
        #expect(names(try context.fetch(FetchDescriptor<Vehicle>(predicate: #Predicate { $0.wheels == 3 }))) == ["car"])
        context.delete(car)
        #expect(names(try context.fetch(FetchDescriptor<Vehicle>())) == ["bike", "new", "taxi", "truck"])
    }

    @Test(arguments: StoreKind.allCases) func inheritedPropertiesCanBeUsedInPredicatesAndSorts(_ kind: StoreKind) throws
    {
        let context = try fleet(kind).context()
        let found = try context.fetch(
            FetchDescriptor<Car>(
                predicate: #Predicate { $0.wheels == 4 && $0.seats > 3 },
                sortBy: [SortDescriptor(\.name, order: .reverse)]
            ))
        #expect(found.map(\.name) == ["taxi", "car"])
        let identifier = found[0].persistentModelID
        let byIdentifier = #Predicate<Vehicle> { $0.persistentModelID == identifier }
        #expect(try context.fetch(FetchDescriptor(predicate: byIdentifier)).first === found[0])
    }

    @Test(arguments: StoreKind.allCases) func ownPropertiesOfASubclassCanBeSortedThrough(_ kind: StoreKind) throws {
        let store = try fleet(kind)
        let context = store.context()
        let taxi = Taxi("cab")
        taxi.owner = VehicleOwner("Ada")
        context.insert(taxi)
        try context.save()
        let found = try store.context().fetch(
            FetchDescriptor<Car>(sortBy: [SortDescriptor(\.owner?.name), SortDescriptor(\.name)]))
        #expect(found.map(\.name) == ["car", "cab", "taxi"])
        let inherited = FetchDescriptor<Taxi>(sortBy: [SortDescriptor(\.owner?.name)])
        #expect(try store.context().fetch(inherited).map(\.name) == ["cab", "taxi"])
        let all = FetchDescriptor<Car>(
            predicate: #Predicate { $0 is Taxi }, sortBy: [SortDescriptor(\.owner?.name, order: .reverse)])
        #expect(try store.context().fetch(all).map(\.name) == ["taxi", "cab"])
    }

    @Test(arguments: StoreKind.allCases) func typeChecksAreTranslated(_ kind: StoreKind) throws {
        let store = try fleet(kind)
        let all = try store.context().fetch(FetchDescriptor<Vehicle>())
        func expect(
            _ predicate: Predicate<Vehicle>, _ expected: [String], _ location: SourceLocation = #_sourceLocation
        ) throws {
            let stored = try store.context().fetch(FetchDescriptor(predicate: predicate))
            #expect(names(stored) == expected, sourceLocation: location)
            #expect(names(try all.filter(predicate.evaluate)) == expected, sourceLocation: location)
        }
        try expect(#Predicate { $0 is Car }, ["car", "taxi"])
        try expect(#Predicate { !($0 is Car) }, ["bike", "truck"])
        try expect(#Predicate { $0 is Taxi || $0 is Truck }, ["taxi", "truck"])
        try expect(#Predicate { ($0 as? Car)?.seats == 4 }, ["car"])
        try expect(#Predicate { ($0 as? Car)?.name == "taxi" }, ["taxi"])
        try expect(#Predicate { ($0 as? Truck)?.name == "taxi" }, [])
        try expect(#Predicate { ($0 as? Car)?.owner?.name == "Ann" }, ["taxi"])
        try expect(#Predicate { if let car = $0 as? Car { car.seats > 4 } else { false } }, ["taxi"])
        try expect(#Predicate { $0 is Car && ($0 as! Car).seats > 4 }, ["taxi"])
        let context = store.context()
        let parts = FetchDescriptor<VehiclePart>(predicate: #Predicate { $0.vehicle is Car })
        #expect(try context.fetchCount(parts) == 1)
        let taxiParts = FetchDescriptor<VehiclePart>(predicate: #Predicate { $0.vehicle is Taxi })
        #expect(try context.fetchCount(taxiParts) == 0)
        let owners = FetchDescriptor<VehicleOwner>(predicate: #Predicate { $0.cars.contains { $0.seats == 5 } })
        #expect(try context.fetchCount(owners) == 1)
    }

    @Test(arguments: StoreKind.allCases) func relationshipsToAClassHoldSubclasses(_ kind: StoreKind) throws {
        let store = try fleet(kind)
        let context = store.context()
        let part = try #require(try context.fetch(FetchDescriptor<VehiclePart>()).first)
        let car = try #require(part.vehicle as? Car)
        #expect(type(of: car) == Car.self && car.parts.count == 1 && car.parts.first === part)
        #expect(context.model(for: car.persistentModelID) === car)
        let taxi = try #require(try context.fetch(FetchDescriptor<Taxi>()).first)
        #expect(taxi.languages.map(\.text) == ["red"] && taxi.labels.map(\.text) == ["red"])
        #expect(try context.fetch(FetchDescriptor<VehicleOwner>()).first?.cars.first === taxi)
        part.vehicle = taxi
        #expect(taxi.parts.count == 1 && car.parts.isEmpty)
        try context.save()
        let reader = store.context()
        #expect(try reader.fetch(FetchDescriptor<VehiclePart>()).first?.vehicle is Taxi)
    }

    @Test(arguments: StoreKind.allCases) func historyContainsTheClassOfTheModel(_ kind: StoreKind) throws {
        let store = try fleet(kind)
        let context = store.context()
        let taxi = try #require(try context.fetch(FetchDescriptor<Taxi>()).first)
        (taxi.fare, taxi.name) = (4, "cab")
        try context.save()
        context.delete(taxi)
        try context.save()
        let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        #expect(transactions.count == 3)
        let inserts = transactions[0].changes
        #expect(inserts.contains { $0.is(DefaultHistoryInsert<Taxi>.self) })
        #expect(inserts.count { $0.is(DefaultHistoryInsert<Car>.self) } == 1)
        #expect(inserts.count { $0.is(DefaultHistoryInsert<Vehicle>.self) } == 1)
        guard case .update(let update as DefaultHistoryUpdate<Taxi>) = transactions[1].changes.first else {
            Issue.record("\(transactions[1])")
            return
        }
        #expect(Set(update.updatedAttributeNames) == ["fare", "name"] && update.updatedAttributes.count == 2)
        #expect(
            update.containsAttribute(\.name) && update.containsAttribute(\.fare) && !update.containsAttribute(\.seats))
        let deletes = transactions[2].changes.compactMap { change in
            if case .delete(let delete as DefaultHistoryDelete<Taxi>) = change { delete } else { nil }
        }
        #expect(deletes.map { $0.tombstone[\.name] } == ["cab"] && deletes.map { $0.tombstone[\.mileage] } == [0])
    }

    @Test(arguments: StoreKind.allCases) func filtersForAClassIncludeItsSubclasses(_ kind: StoreKind) throws {
        let store = try fleet(kind)
        let changes = try store.context().fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())[0].changes
        #expect(changes.count { HistoryFilter(models: [Vehicle.self]).matches($0) } == 4)
        let consumer = try store.container.historyConsumer(
            named: "cars", filter: HistoryFilter(models: [Car.self]), startingNewAt: .beginning)
        let batch = try #require(try consumer.nextBatch())
        let received = try batch.changes.map(\.changedPersistentIdentifier.entityName)
        #expect(received.sorted() == ["Car", "Taxi"])
        let identifiers = Set(changes.map(\.changedPersistentIdentifier).filter { $0.entityName == "Taxi" })
        let ofTaxis = try store.context().fetchHistory(
            HistoryDescriptor<DefaultHistoryTransaction>(
                predicate: #Predicate {
                    $0.changes.contains { identifiers.contains($0.changedPersistentIdentifier) }
                }))
        #expect(ofTaxis.count == 1)
    }

    @Test(arguments: StoreKind.allCases) func mergingRefreshesSubclasses(_ kind: StoreKind) throws {
        let store = try fleet(kind)
        let (reader, writer) = (store.context(), store.context())
        let known = try #require(try reader.fetch(FetchDescriptor<Taxi>()).first)
        let changed = try #require(try writer.fetch(FetchDescriptor<Taxi>()).first)
        changed.seats = 9
        try writer.save()
        let merged = try reader.merge(writer.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()))
        #expect(known.seats == 9 && merged.refreshed == [known.persistentModelID])
    }

    @Test(arguments: StoreKind.allCases) func batchDeletesMayExcludeSubclasses(_ kind: StoreKind) throws {
        let context = try fleet(kind).context()
        try context.delete(model: Car.self, includeSubclasses: false)
        #expect(names(try context.fetch(FetchDescriptor<Vehicle>())) == ["bike", "taxi", "truck"])
        #expect(try context.fetchCount(FetchDescriptor<VehiclePart>()) == 0)
        try context.delete(model: Vehicle.self, where: #Predicate { $0.name != "truck" })
        #expect(names(try context.fetch(FetchDescriptor<Vehicle>())) == ["truck"])
    }

    @Test(arguments: StoreKind.allCases) func constraintsOfSubclassesAreEnforced(_ kind: StoreKind) throws {
        let context = try fleet(kind).context()
        let (first, second) = (Car("a"), Taxi("b"))
        (first.plate, second.plate) = ("X", "X")
        context.insert(first)
        try context.save()
        context.insert(second)
        #expect(throws: SwiftDataError.uniquenessViolation) { try context.save() }
        second.plate = "Y"
        try context.save()
    }

    /// Keys of several entities in one save are predicted for the table that they share.
    @Test(arguments: StoreKind.allCases, [3, 200]) func manyModelsOfSeveralClasses(_ kind: StoreKind, _ count: Int)
        throws
    {
        let store = try TestStore(kind, vehicleModels)
        for round in 0..<3 {
            let context = store.context()
            for number in 0..<count {
                let name = "\(round) \(number)"
                let vehicle = [Vehicle(name), Car(name, seats: number), Taxi(name, seats: number), Truck(name)][
                    number % 4]
                context.insert(vehicle)
                if number % 5 == 0 { context.insert(VehiclePart(name, of: vehicle)) }
            }
            try context.save()
        }
        let context = store.context()
        #expect(try context.fetchCount(FetchDescriptor<Vehicle>()) == 3 * count)
        for part in try context.fetch(FetchDescriptor<VehiclePart>()) { #expect(part.vehicle?.name == part.name) }
        for car in try context.fetch(FetchDescriptor<Car>()) { #expect(car.name.hasSuffix(" \(car.seats)")) }
        for vehicle in try context.fetch(FetchDescriptor<Vehicle>()) { vehicle.wheels = 6 }
        try context.save()
        let last = try #require(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
        let updated = Dictionary(grouping: last.changes, by: \.changedPersistentIdentifier.entityName).mapValues(
            \.count)
        let expected = Dictionary(grouping: try context.fetch(FetchDescriptor<Vehicle>())) { "\(type(of: $0))" }
        #expect(updated == expected.mapValues(\.count))
    }

    @Test func schemaDescribesTheHierarchy() throws {
        let schema = Schema(vehicleModels)
        try schema.validate()
        let (vehicle, taxi) = (
            try #require(schema.entitiesByName["Vehicle"]), try #require(schema.entity(for: Taxi.self))
        )
        #expect(
            taxi.superentityName == "Car" && taxi.superentity?.superentity === vehicle && taxi.rootName == "Vehicle")
        #expect(Set(vehicle.subentities.map(\.name)) == ["Car", "Truck"] && vehicle.superentity == nil)
        #expect(taxi.inheritedPropertiesByName.count == 8 && taxi.properties.count == 10)
        #expect(taxi.property(at: \Taxi.name) === vehicle.property(at: \Vehicle.name))
        #expect(taxi.isKind(of: "Vehicle") && taxi.isKind(of: "Taxi") && !taxi.isKind(of: "Truck"))
        #expect(schema.kinds(of: "Car") == ["Car", "Taxi"])
        let decoded = try JSONDecoder().decode(Schema.self, from: JSONEncoder().encode(schema))
        let decodedTaxi = try #require(decoded.entitiesByName["Taxi"])
        #expect(
            decodedTaxi.superentity?.name == "Car" && decodedTaxi.properties.map(\.name) == taxi.properties.map(\.name))
        #expect(decodedTaxi.properties[0] === decoded.entitiesByName["Vehicle"]?.properties[0])
        #expect(decoded.links.map(\.name) == schema.links.map(\.name))
    }

    @Test func identifiersOfAHierarchyAreEqual() throws {
        let context = try fleet(.inMemory).context()
        let identifier = try #require(try context.fetch(FetchDescriptor<Taxi>()).first?.persistentModelID)
        #expect(
            try JSONDecoder().decode(PersistentIdentifier.self, from: JSONEncoder().encode(identifier)) == identifier)
        let key = try #require(identifier.integerPrimaryKey)
        let store = try #require(identifier.storeIdentifier)
        let ofRoot = PersistentIdentifier.Origin(storeIdentifier: store, entityName: "Vehicle").identifier(key)
        #expect(ofRoot == identifier && ofRoot.hashValue == identifier.hashValue && !(ofRoot < identifier))
        let reader = ModelContext(context.container)
        #expect(reader.model(for: ofRoot) is Taxi)
    }

    @Test(arguments: StoreKind.allCases) func handwrittenSubclassesMeanTheSame(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [Animal.self, Bird.self])
        let context = store.context()
        let bird = Bird(name: "Tweety")
        bird.wingspan = 0.2
        context.insert(bird)
        context.insert(Animal(name: "Rex"))
        try context.save()
        let found = try store.context().fetch(FetchDescriptor<Animal>(sortBy: [SortDescriptor(\.name)]))
        #expect(found.map { "\(type(of: $0))" } == ["Animal", "Bird"] && (found[1] as? Bird)?.wingspan == 0.2)
    }

    @Test func invalidSubclassesAreRejected() {
        func detail(_ types: any PersistentModel.Type...) -> String? {
            let error = #expect(throws: SwiftDataError.self) { try Schema(types).validate() }
            return error == .invalidModel ? error?.detail : nil
        }
        #expect(detail(Clash.self, OtherClash.self)?.contains("declares another property of this name") == true)
        #expect(detail(OnlyInherited.self)?.contains("lists only inherited properties") == true)
    }

    /// A container rejects subclasses for a store that does not support inheritance.
    @Test func otherStoresRejectSubclasses() throws {
        let error = #expect(throws: SwiftDataError.self) {
            try ModelContainer(
                for: Schema([Animal.self, Bird.self]), configurations: [MemoryStoreConfiguration()])
        }
        #expect(error == .unsupportedFeature && error?.entityName == "Bird")
    }
}

extension HistoryChange {
    fileprivate func `is`<Change>(_: Change.Type) -> Bool {
        switch self {
        case .insert(let change): change is Change
        case .update(let change): change is Change
        case .delete(let change): change is Change
        }
    }
}

extension SubclassTests {
    @Test(arguments: StoreKind.allCases) func unsetInheritedAttributesAreErrors(_ kind: StoreKind) throws {
        let context = try TestStore(kind, [Animal.self, Bird.self]).context()
        let bird = Bird()
        context.insert(bird)
        let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
        #expect(error?.propertyName == "name" && error?.entityName == "Bird")
        #expect(throws: SwiftDataError.modelValidationFailure) {
            try context.fetch(FetchDescriptor<Animal>(predicate: #Predicate { $0.name == "x" }))
        }
        bird.name = "x"
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Animal>(predicate: #Predicate { $0.name == "x" })) == 1)
    }
}

private class Animal: PersistentModel {
    @Attribute var name: String

    static let properties: PropertyMap<Animal> = ["name": \.name]
    class var modelSubclass: ModelSubclass? { nil }
    let persistentBackingData: any BackingData<Animal> = Animal.createBackingData()
    required init(backingData: any BackingData<Animal>) { persistentBackingData.adopt(backingData) }

    init(name: String) { self.name = name }
    /// The name is never set.
    init() {}
}

private final class Bird: Animal {
    @Attribute var wingspan: Double = 0

    override class var modelSubclass: ModelSubclass? {
        ModelSubclass(["name": \Bird.name, "wingspan": \.wingspan])
    }
}

@Model private class Base {
    var name = ""
    init() {}
}

@Model private final class Clash: Base {
    var size = 0
}

@Model private final class OtherClash: Base {
    var size = ""
}

@Model private final class OnlyInherited: Base {
    #Unique<OnlyInherited>([\.name])
    var size = 0
}
