import Foundation
import SwiftData

@ModelActor
public actor TripImporter {
    public init(inMemory name: String) throws {
        let container = try ModelContainer(
            for: Trip.self, configurations: .init(name, isStoredInMemoryOnly: true, cloudKitDatabase: .none))
        self.init(modelContainer: container)
    }

    public func importTrips(named names: [String], to destination: String) throws -> [PersistentIdentifier] {
        var trips: [Trip] = []
        for name in names {
            let trip = Trip(name: name, destination: destination, startDate: .distantPast)
            modelContext.insert(trip)
            trips.append(trip)
        }
        modelContext.author = "importer"
        try modelContext.save()
        return trips.map(\.persistentModelID)
    }

    public func rename(_ identifier: PersistentIdentifier, to name: String) throws {
        guard let trip = self[identifier, as: Trip.self] else { return }
        trip.name = name
        try modelContext.save()
    }
}
