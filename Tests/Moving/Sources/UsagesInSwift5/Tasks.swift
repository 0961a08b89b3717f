import SwiftData

// The shapes of code for Swift 5: existential types without `any`, and closures that capture variables.

@Model
public final class TaskItem {
    @Attribute(.unique) public var title: String
    public var isDone = false

    public init(title: String) { self.title = title }
}

@Observable
public class TaskList {
    public var titles: [String] = []

    public init() {}
}

public actor TaskStore: ModelActor {
    public let modelContainer: ModelContainer
    public let modelExecutor: ModelExecutor

    public init(container: ModelContainer) {
        modelContainer = container
        let context = ModelContext(container)
        context.undoManager = nil
        modelExecutor = DefaultSerialModelExecutor(modelContext: context)
    }

    public func add(_ title: String) throws -> PersistentIdentifier {
        let item = TaskItem(title: title)
        modelContext.insert(item)
        try modelContext.save()
        return item.persistentModelID
    }
}

public enum TaskSchemaV1: VersionedSchema {
    public static var versionIdentifier = Schema.Version(1, 0, 0)
    public static var models: [any PersistentModel.Type] { [TaskItem.self] }
}

public enum TaskMigrationPlan: SchemaMigrationPlan {
    static var migrated = 0

    public static var schemas: [any VersionedSchema.Type] { [TaskSchemaV1.self, TaskSchemaV2.self] }
    public static var stages: [MigrationStage] { [migrateV1toV2] }

    static let migrateV1toV2 = MigrationStage.custom(
        fromVersion: TaskSchemaV1.self,
        toVersion: TaskSchemaV2.self,
        willMigrate: { context in
            migrated += try context.fetchCount(FetchDescriptor<TaskItem>())
        }, didMigrate: nil)
}

public enum TaskSchemaV2: VersionedSchema {
    public static var versionIdentifier = Schema.Version(2, 0, 0)
    public static var models: [any PersistentModel.Type] { [TaskItem.self] }
}

public func describe(_ change: HistoryChange) -> String {
    switch change {
    case .insert(let insert as DefaultHistoryInsert<TaskItem>):
        "insert \(insert.changedPersistentIdentifier.entityName)"
    case .update, .delete, .insert: "other"
    default: "unknown"
    }
}

public func makeContainer() throws -> ModelContainer {
    try ModelContainer(
        for: TaskItem.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true, cloudKitDatabase: .private("iCloud.tasks")))
}
