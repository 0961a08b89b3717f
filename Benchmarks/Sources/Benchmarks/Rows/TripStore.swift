import Chronicle
import Foundation

/// A new store with one context.
struct TripStore {
    let container: ModelContainer
    let context: ModelContext
    let url: URL

    init(
        _ directory: URL, _ durability: ModelConfiguration.Durability, recordsHistory: Bool = true,
        preservesValues: Bool = false
    ) throws {
        url = directory.appending(path: "Trips.store")
        container = try ModelContainer(
            for: Trip.self,
            configurations: ModelConfiguration(
                url: url, durability: durability, recordsHistory: recordsHistory, preservesValues: preservesValues))
        context = ModelContext(container)
        context.author = "benchmark"
    }

    /// Inserts samples, with the given number in each save.
    func insert(_ count: Int, perSave: Int) throws {
        for first in stride(from: 0, to: count, by: perSave) {
            for index in first..<min(first + perSave, count) { context.insert(Trip(SampleTrip.at(index))) }
            try context.save()
        }
    }
}
