import Foundation
import SwiftData

/// The operations that the views of an app call.
public final class TripStore {
    public let modelContext: ModelContext

    public init(modelContainer: ModelContainer) {
        modelContext = ModelContext(modelContainer)
        modelContext.author = "app"
    }

    public static func container(at url: URL) throws -> ModelContainer {
        let configuration = ModelConfiguration(url: url)
        return try ModelContainer(
            for: Trip.self, BucketListItem.self, LivingAccommodation.self, configurations: configuration)
    }

    public static func preview() throws -> ModelContainer {
        let schema = Schema([
            Trip.self
        ])
        let modelConfiguration = ModelConfiguration(
            schema: schema, isStoredInMemoryOnly: true, allowsSave: true, groupContainer: .automatic,
            cloudKitDatabase: .none)
        return try ModelContainer(for: schema, configurations: [modelConfiguration])
    }

    public var file: URL? { modelContext.container.configurations.first?.url }

    public func add(_ trip: Trip) throws {
        modelContext.insert(trip)
        try modelContext.save()
    }

    public func trips(to destination: String, after date: Date = .distantPast) throws -> [Trip] {
        let predicate = #Predicate<Trip> { $0.destination == destination && $0.startDate >= date }
        var descriptor = FetchDescriptor<Trip>(predicate: predicate, sortBy: [SortDescriptor(\.name)])
        descriptor.fetchLimit = 50
        return try modelContext.fetch(descriptor)
    }

    public func tripsWithPlans() throws -> Int {
        try modelContext.fetchCount(
            FetchDescriptor<Trip>(predicate: #Predicate { trip in trip.bucketList.contains { $0.isInPlan } }))
    }

    public func item(_ id: UUID) throws -> BucketListItem? {
        try modelContext.fetch(FetchDescriptor<BucketListItem>(predicate: #Predicate { $0.id == id })).first
    }

    public func delete(_ trip: Trip) throws {
        modelContext.delete(trip)
        if modelContext.hasChanges {
            try modelContext.save()
        }
    }
}
