import Foundation
import SwiftData

public struct Fleet {
    public let container: ModelContainer

    public init(configuration: ModelConfiguration) throws {
        container = try ModelContainer(
            for: Vehicle.self, Truck.self, Bicycle.self, Garage.self, configurations: configuration)
    }

    /// The descriptions of the vehicles in a list.
    public func list() throws -> [String] {
        let context = ModelContext(container)
        return try context.fetch(FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.name)])).map { vehicle in
            switch vehicle {
            case let truck as Truck: "\(truck.name), \(truck.payload) t"
            case let bicycle as Bicycle: bicycle.isElectric ? "\(bicycle.name), electric" : bicycle.name
            default: "\(vehicle.name), \(vehicle.wheels) wheels"
            }
        }
    }

    public func trucks() throws -> [Truck] {
        try ModelContext(container).fetch(FetchDescriptor<Truck>(predicate: #Predicate { $0.payload > 1 }))
    }

    public func count(onlyTrucks: Bool) throws -> Int {
        let predicate = #Predicate<Vehicle> { !onlyTrucks || $0 is Truck }
        return try ModelContext(container).fetchCount(FetchDescriptor<Vehicle>(predicate: predicate))
    }

    public func heavy() throws -> [Vehicle] {
        let predicate = #Predicate<Vehicle> { vehicle in
            if let truck = vehicle as? Truck { truck.payload >= 10 } else { false }
        }
        return try ModelContext(container).fetch(FetchDescriptor<Vehicle>(predicate: predicate))
    }

    /// The names of the trucks that were deleted.
    public func deletedTrucks() throws -> [String] {
        try ModelContext(container).fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
            .flatMap(\.changes).compactMap { change in
                guard case .delete(let delete as DefaultHistoryDelete<Truck>) = change else { return nil }
                return delete.tombstone[\.name] as? String
            }
    }
}
