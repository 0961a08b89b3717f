package import Chronicle

/// A hierarchy of models with every kind of relationship.
@Model package class Vehicle: Identifiable {
    #Index<Vehicle>([\.wheels])
    @Attribute(.preserveValueOnDeletion) package var name: String
    package var wheels = 4
    @Relationship(deleteRule: .cascade, inverse: \VehiclePart.vehicle) package var parts: [VehiclePart] = []
    package var labels: [VehicleLabel] = []
    package init(_ name: String) { self.name = name }
}

@Model package class Car: Vehicle {
    #Unique<Car>([\.plate])
    #Index<Car>([\.seats], [\.wheels, \.seats])
    package var seats: Int
    package var plate: String?
    package var owner: VehicleOwner?
    @Attribute(.preserveValueOnDeletion) package var mileage = 0.0

    package init(_ name: String, seats: Int = 5) {
        self.seats = seats
        super.init(name)
    }
}

@Model package final class Taxi: Car {
    package var fare = 2.5
    package var languages: [VehicleLabel] = []
}

@Model package final class Truck: Vehicle {
    package enum Load: String, Codable, CaseIterable, Sendable { case sand, wood }
    package var load: Load?
}

@Model package final class VehiclePart {
    package var name: String
    package var vehicle: Vehicle?
    package init(_ name: String, of vehicle: Vehicle? = nil) {
        self.name = name
        self.vehicle = vehicle
    }
}

@Model package final class VehicleLabel {
    package var text: String
    package init(_ text: String) { self.text = text }
}

@Model package final class VehicleOwner {
    package var name: String
    @Relationship(inverse: \Car.owner) package var cars: [Car] = []
    package init(_ name: String) { self.name = name }
}

package let vehicleModels: [any PersistentModel.Type] = [
    Vehicle.self, Car.self, Taxi.self, Truck.self, VehiclePart.self, VehicleLabel.self, VehicleOwner.self,
]
