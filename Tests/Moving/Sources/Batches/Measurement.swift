import Foundation
import SwiftData

@Model
public final class Reading {
    public var sensor: Int
    public var value: Double
    public var date: Date

    public init(sensor: Int, value: Double, date: Date) {
        self.sensor = sensor
        self.value = value
        self.date = date
    }
}

public struct ReadingStore {
    public let container: ModelContainer

    public init(name: String = "readings", inMemory: Bool) throws {
        let configuration = ModelConfiguration(
            name, schema: Schema([Reading.self]), isStoredInMemoryOnly: inMemory, allowsSave: true,
            groupContainer: .none,
            cloudKitDatabase: .none)
        try configuration.validate()
        container = try ModelContainer(for: Reading.self, configurations: configuration)
    }

    /// A description of the container's configurations, for a log.
    public var descriptions: [String] {
        container.configurations.map { configuration in
            let group = configuration.groupAppContainerIdentifier ?? "no group"
            let cloud = configuration.cloudKitContainerIdentifier ?? "no cloud"
            let isLocal = configuration.cloudKitDatabase == .none && configuration.groupContainer == .none
            return "\(configuration.name): \(group), \(cloud), \(isLocal ? "local" : "shared")"
        }
    }

    public func add(_ values: [Double], sensor: Int) throws {
        let context = ModelContext(container)
        for (index, value) in values.enumerated() {
            context.insert(
                Reading(sensor: sensor, value: value, date: Date(timeIntervalSinceReferenceDate: Double(index))))
        }
        try context.save()
    }

    public func average(of sensor: Int) throws -> Double {
        let context = ModelContext(container)
        let readings: FetchResultsCollection<Reading> = try context.fetch(descriptor(of: sensor), batchSize: 50)
        guard !readings.isEmpty else { return 0 }
        return readings.reduce(0) { $0 + $1.value } / Double(readings.count)
    }

    public func identifiers(of sensor: Int) throws -> [PersistentIdentifier] {
        let context = ModelContext(container)
        return Array(try context.fetchIdentifiers(descriptor(of: sensor), batchSize: 50))
    }

    public func eraseAll() throws {
        try container.erase()
    }

    private func descriptor(of sensor: Int) -> FetchDescriptor<Reading> {
        var descriptor = FetchDescriptor<Reading>(
            predicate: #Predicate { $0.sensor == sensor }, sortBy: [SortDescriptor(\.date)])
        descriptor.includePendingChanges = false
        return descriptor
    }
}
