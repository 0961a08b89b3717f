import Foundation
import Inheritance
import SwiftData
import Testing

/// Models that inherit from a model.
@Suite struct InheritanceTests {
    @Test(arguments: [true, false]) func aFetchOfTheBaseClassReturnsSubclasses(inMemory: Bool) throws {
        let folder = try TemporaryFolder()
        let fleet = try Fleet(
            configuration: inMemory
                ? ModelConfiguration(isStoredInMemoryOnly: true) : ModelConfiguration(url: folder.file("Fleet.store")))
        let context = ModelContext(fleet.container)
        let garage = Garage(address: "Via Roma")
        context.insert(garage)
        let lorry = Truck(name: "Lorry", payload: 12)
        garage.vehicles = [Vehicle(name: "Car", wheels: 4), lorry, Bicycle(name: "Bike", isElectric: true)]
        context.insert(Truck(name: "Van", payload: 1))
        try context.save()

        #expect(try fleet.list() == ["Bike, electric", "Car, 4 wheels", "Lorry, 12.0 t", "Van, 1.0 t"])
        #expect(try fleet.trucks().map(\.name) == ["Lorry"])
        #expect(try fleet.count(onlyTrucks: true) == 2)
        #expect(try fleet.count(onlyTrucks: false) == 4)
        #expect(try fleet.heavy().map(\.name) == ["Lorry"])
        let saved = try #require(try ModelContext(fleet.container).fetch(FetchDescriptor<Garage>()).first)
        #expect(saved.vehicles.count == 3 && saved.vehicles.contains { $0 is Bicycle })

        context.delete(lorry)
        try context.save()
        #expect(try fleet.deletedTrucks() == ["Lorry"])
        try context.delete(model: Vehicle.self)
        try context.save()
        #expect(try fleet.list() == [])
    }
}
