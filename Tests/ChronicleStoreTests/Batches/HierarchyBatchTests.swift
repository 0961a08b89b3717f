import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Batch operations on models that inherit from others.
@Suite struct HierarchyBatchTests {
    private func fleet(_ kind: StoreKind) throws -> (TestStore, ModelContext, [Vehicle]) {
        let store = try TestStore(kind, vehicleModels)
        let context = store.context(author: "app")
        let vehicles = [Vehicle("van"), Car("car"), Taxi("taxi"), Truck("truck")]
        for vehicle in vehicles { context.insert(vehicle) }
        try context.save()
        return (store, context, vehicles)
    }

    private func changes(after token: DefaultHistoryToken, _ context: ModelContext) throws -> [HistoryChange] {
        try context.fetchHistory(.after(token)).flatMap(\.changes)
    }

    @Test(arguments: StoreKind.allCases) func updatesOfASuperclassIncludeSubclasses(_ kind: StoreKind) throws {
        let (store, context, vehicles) = try fleet(kind)
        let token = try context.currentHistoryToken()
        #expect(try context.update(model: Vehicle.self, set: \.wheels, to: \.wheels + 2) == 4)
        #expect(vehicles.map(\.wheels) == [6, 6, 6, 6])
        let changes = try changes(after: token, store.context())
        #expect(changes.map(\.changedPersistentIdentifier.entityName) == ["Vehicle", "Car", "Taxi", "Truck"])
        guard case .update(let update as DefaultHistoryUpdate<Taxi>)? = changes.dropFirst(2).first else {
            throw Shell.Failure(description: "\(changes)")
        }
        #expect(update.containsAttribute(\.wheels))
    }

    @Test(arguments: StoreKind.allCases) func updatesOfASubclassChangeItsOwnRows(_ kind: StoreKind) throws {
        let (store, context, vehicles) = try fleet(kind)
        #expect(
            try context.update(
                model: Car.self, where: #Predicate { $0.wheels == 4 },
                set: [PropertyUpdate(\.seats, to: \.seats + 1), PropertyUpdate(\.name, to: "shared")]) == 2)
        #expect(vehicles.map(\.name) == ["van", "shared", "shared", "truck"])
        let cars = try store.context().fetch(FetchDescriptor<Car>())
        #expect(cars.map(\.seats) == [6, 6] && cars.count { $0 is Taxi } == 1)
        #expect(try context.update(model: Taxi.self, set: \.fare, to: 3.5) == 1)
        #expect((vehicles[2] as? Taxi)?.fare == 3.5)
    }

    @Test(arguments: StoreKind.allCases) func insertsKeepTheClass(_ kind: StoreKind) throws {
        let (store, context, _) = try fleet(kind)
        let token = try context.currentHistoryToken()
        #expect(try context.insert(model: Vehicle.self, from: [Vehicle("bike"), Taxi("cab", seats: 3)]) == 2)
        let cab = try #require(
            try store.context().fetch(FetchDescriptor<Vehicle>(predicate: #Predicate { $0.name == "cab" })).first
                as? Taxi)
        #expect(cab.seats == 3 && cab.fare == 2.5)
        let changes = try changes(after: token, store.context())
        #expect(changes.map(\.changedPersistentIdentifier.entityName) == ["Vehicle", "Taxi"])
    }
}
