import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Models that inherit from models in a store with only the declarations of SwiftData.
@Suite struct PlainInheritanceTests {
    private let memory = PlainStore.Memory()

    private func context() throws -> ModelContext {
        ModelContext(
            try ModelContainer(
                for: Schema(vehicleModels), configurations: [PlainStore.Configuration(memory)]))
    }

    private func fill() throws {
        let context = try context()
        let (car, taxi, truck) = (Car("car"), Taxi("taxi", seats: 7), Truck("truck"))
        (car.plate, truck.wheels, truck.load, taxi.fare) = ("X", 6, .sand, 3)
        car.parts = [VehiclePart("door")]
        taxi.parts = [VehiclePart("sign"), VehiclePart("meter")]
        let label = VehicleLabel("fast")
        (taxi.languages, taxi.labels, truck.labels) = ([VehicleLabel("Basque")], [label], [label])
        let owner = VehicleOwner("Ada")
        context.insert(owner)
        owner.cars = [car, taxi]
        for vehicle in [Vehicle("bike"), car, taxi, truck] { context.insert(vehicle) }
        try context.save()
    }

    @Test func fetchesIncludeSubclasses() throws {
        try fill()
        let context = try context()
        func names<Model: Vehicle>(
            _: Model.Type, _ predicate: Predicate<Model>? = nil, by sort: [SortDescriptor<Model>] = [],
            offset: Int? = nil, limit: Int? = nil
        ) throws -> [String] {
            var descriptor = FetchDescriptor(predicate: predicate, sortBy: sort)
            (descriptor.fetchOffset, descriptor.fetchLimit) = (offset, limit)
            let found = try context.fetch(descriptor)
            #expect(try context.fetchCount(descriptor) == found.count)
            #expect(try context.fetchIdentifiers(descriptor) == found.map { $0.persistentModelID })
            return found.map { "\(type(of: $0)) \($0.name)" }
        }
        let byName = [SortDescriptor(\Vehicle.name)]
        let all = ["Vehicle bike", "Car car", "Taxi taxi", "Truck truck"]
        #expect(try names(Vehicle.self, by: byName) == all)
        #expect(try names(Vehicle.self, by: byName, offset: 1, limit: 2) == ["Car car", "Taxi taxi"])
        #expect(try names(Car.self) == ["Car car", "Taxi taxi"])
        #expect(try names(Taxi.self) == ["Taxi taxi"])
        #expect(try names(Vehicle.self, #Predicate<Vehicle> { $0 is Car }, by: byName) == ["Car car", "Taxi taxi"])
        #expect(try names(Vehicle.self, #Predicate<Vehicle> { $0.wheels > 4 }) == ["Truck truck"])
        #expect(try names(Car.self, #Predicate<Car> { $0.seats > 5 }) == ["Taxi taxi"])
        let reverse = [SortDescriptor(\Vehicle.name, order: .reverse)]
        #expect(try names(Vehicle.self, by: reverse, limit: 1) == ["Truck truck"])
        // In the order of the classes, within the limits.
        #expect(try names(Vehicle.self) == ["Car car", "Taxi taxi", "Truck truck", "Vehicle bike"])
        #expect(try names(Vehicle.self, offset: 1, limit: 2) == ["Taxi taxi", "Truck truck"])
        #expect(try names(Vehicle.self, limit: 0) == [])
        context.insert(Taxi("cab"))
        #expect(try context.fetchCount(FetchDescriptor<Vehicle>()) == 5)
    }

    @Test func relationshipsReachSubclasses() throws {
        try fill()
        let context = try context()
        let owner = try #require(context.fetch(FetchDescriptor<VehicleOwner>()).first)
        #expect(owner.cars.map(\.name).sorted() == ["car", "taxi"])
        let parts = try context.fetch(FetchDescriptor(sortBy: [SortDescriptor(\VehiclePart.name)]))
        #expect(parts.map { $0.vehicle.map { "\(type(of: $0))" } } == ["Car", "Taxi", "Taxi"])
        let fast = try #require(context.fetch(FetchDescriptor<VehicleLabel>()).first { $0.text == "fast" })
        let labelled = try context.fetch(FetchDescriptor<Vehicle>()).filter { $0.labels.contains(fast) }
        #expect(labelled.map(\.name).sorted() == ["taxi", "truck"])
        #expect(try context.fetch(FetchDescriptor<Taxi>()).first?.languages.map(\.text) == ["Basque"])
        let sign = try #require(parts.last)
        #expect(try context.existingModel(for: #require(sign.vehicle).persistentModelID) === sign.vehicle)
        // A fresh context finds the row by its reference alone.
        let other = try self.context()
        let part = try #require(other.fetch(FetchDescriptor<VehiclePart>()).first { $0.name == "sign" })
        #expect((part.vehicle as? Taxi)?.fare == 3)
    }

    @Test func batchOperationsIncludeSubclasses() throws {
        try fill()
        let context = try context()
        #expect(try context.update(model: Vehicle.self, set: \.wheels, to: 3) == 4)
        #expect(try context.fetch(FetchDescriptor<Vehicle>()).allSatisfy { $0.wheels == 3 })
        let cars = #Predicate<Car> { $0.name == "car" || $0.name == "taxi" }
        try context.delete(model: Car.self, where: cars, includeSubclasses: false)
        let names = try context.fetch(FetchDescriptor(sortBy: [SortDescriptor(\Vehicle.name)])).map(\.name)
        #expect(names == ["bike", "taxi", "truck"])
        #expect(try context.fetchCount(FetchDescriptor<VehiclePart>()) == 2)
        try context.delete(model: Vehicle.self)
        #expect(try context.fetchCount(FetchDescriptor<Vehicle>()) == 0)
    }

    /// A store that derives the class of a reference from the relationship would read another model.
    @Test func lostClassesAreReported() throws {
        memory.change { content in
            content.changeRow = { row in
                let values = row.values.map { value in
                    guard case .reference(let identifier) = value, let key = identifier.primaryKey(as: String.self),
                        let vehicle = try? PersistentIdentifier.identifier(
                            for: "plain", entityName: "Vehicle", primaryKey: key)
                    else { return value }
                    return .reference(vehicle)
                }
                return DefaultSnapshot(
                    persistentIdentifier: row.persistentIdentifier, values: values, changed: row.changed)
            }
        }
        let context = try context()
        context.insert(VehiclePart("wheel", of: Truck("truck")))
        let error = try failure { try context.save() }
        #expect(error == .unsupportedFeature && error?.propertyName == "vehicle")
    }
}
