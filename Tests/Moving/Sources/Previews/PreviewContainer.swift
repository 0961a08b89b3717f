import Foundation
import SwiftData

/// A container in memory for the previews of views.
public struct PreviewContainer {
    public let container: ModelContainer

    public init(_ models: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = true) {
        let schema = Schema(models)
        let configuration = ModelConfiguration(isStoredInMemoryOnly: isStoredInMemoryOnly)
        do {
            container = try ModelContainer(for: schema, configurations: [configuration])
        } catch {
            fatalError("The container of the preview cannot be made: \(error)")
        }
    }

    @MainActor
    public func add(_ samples: [any PersistentModel]) {
        for sample in samples { container.mainContext.insert(sample) }
    }
}

@MainActor
public final class SampleData {
    public static let shared = SampleData()

    public let modelContainer: ModelContainer
    public var context: ModelContext { modelContainer.mainContext }

    private init() {
        do {
            modelContainer = try ModelContainer(
                for: Schema([Plant.self, Room.self]),
                configurations: [ModelConfiguration("samples", isStoredInMemoryOnly: true)])
            try insertSamples()
        } catch {
            fatalError("\(error)")
        }
    }

    public var plant: Plant { plants[0] }

    public var plants: [Plant] {
        (try? context.fetch(FetchDescriptor<Plant>(sortBy: [SortDescriptor(\.name)]))) ?? []
    }

    private func insertSamples() throws {
        for plant in Plant.samples { context.insert(plant) }
        try context.save()
    }
}

extension ModelContainer {
    @MainActor
    public static var preview: ModelContainer {
        get throws {
            let container = try ModelContainer(
                for: Plant.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
            Plant.samples.forEach { container.mainContext.insert($0) }
            return container
        }
    }
}

public typealias SampleMaker = @MainActor () throws -> ModelContainer

/// A named set of samples, which a preview selects.
public struct Samples: Sendable {
    public var make: SampleMaker

    public init(make: @escaping SampleMaker) { self.make = make }

    public static let empty = Samples {
        try ModelContainer(for: Plant.self, configurations: .init(isStoredInMemoryOnly: true))
    }

    public static let dry = Samples {
        let container = try ModelContainer.preview
        try container.mainContext.fetch(FetchDescriptor<Plant>()).forEach { $0.wateredAt = nil }
        try container.mainContext.save()
        return container
    }
}
