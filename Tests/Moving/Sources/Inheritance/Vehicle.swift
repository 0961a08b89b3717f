import Foundation
import SwiftData

@Model
public class Vehicle {
    #Index<Vehicle>([\.name])

    @Attribute(.preserveValueOnDeletion) public var name: String
    public var wheels: Int
    public var garage: Garage?

    public init(name: String, wheels: Int) {
        self.name = name
        self.wheels = wheels
    }
}

@Model
public final class Truck: Vehicle {
    public var payload: Double

    public init(name: String, payload: Double) {
        self.payload = payload
        super.init(name: name, wheels: 6)
    }
}

@Model
public final class Bicycle: Vehicle {
    public var isElectric: Bool = false

    public init(name: String, isElectric: Bool) {
        self.isElectric = isElectric
        super.init(name: name, wheels: 2)
    }
}

@Model
public final class Garage {
    public var address: String
    @Relationship(deleteRule: .cascade, inverse: \Vehicle.garage) public var vehicles: [Vehicle] = []

    public init(address: String) { self.address = address }
}
