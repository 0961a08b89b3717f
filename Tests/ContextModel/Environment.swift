package import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation

/// The stores that sequences use, one after the other.
package final class Environment {
    package enum Kind: String, CaseIterable, Sendable {
        /// A store in memory, whose saves are recorded by SQLite's hook.
        case hook
        /// A store in memory with triggers.
        case triggers
        /// A file that two containers have open.
        case file
        /// Two stores in memory, of which the first contains only the models without relationships.
        case stores
        /// A store in memory, of which the first context is the main context.
        case main
        /// A PostgreSQL database.
        case postgres
    }

    package let kind: Kind
    /// The containers that contexts use in turn.
    private(set) var containers: [ModelContainer]
    private let directory: TemporaryDirectory?
    /// Whether the history of one store can be copied.
    var canReplay: Bool { kind != .stores && kind != .postgres }
    private let foreignWriter: ((String) throws -> Void)?

    package static let types: [any PersistentModel.Type] = [
        ModelFolder.self, ModelItem.self, ModelNote.self, ModelBadge.self, ModelTag.self,
    ]

    /// The classes that the stores contain.
    var entities: [Entity] { kind == .stores ? Entity.allCases : Entity.allCases.filter { $0 != .log } }

    /// Creates stores for SQLite.
    package init(_ kind: Kind) throws {
        self.kind = kind
        directory = kind == .file ? try TemporaryDirectory() : nil
        foreignWriter = nil
        func inMemory(_ name: String, _ types: [any PersistentModel.Type]) -> ModelConfiguration {
            ModelConfiguration(name, schema: Schema(types), isStoredInMemoryOnly: true, preservesValues: true)
        }
        switch kind {
        case .file:
            let url = directory?.file("model.store") ?? URL(fileURLWithPath: "/dev/null")
            containers = try (0..<2).map { _ in
                try ModelContainer(
                    for: Schema(Self.types),
                    configurations: [ModelConfiguration(url: url, durability: .relaxed, preservesValues: true)])
            }
        case .stores:
            containers = [
                try ModelContainer(
                    for: Schema(Self.types + [ModelLog.self]),
                    configurations: [inMemory("log", [ModelLog.self]), inMemory("main", Self.types)])
            ]
        default:
            var configuration = inMemory("main", Self.types)
            if kind == .triggers { configuration.recorder = .triggers }
            containers = [try ModelContainer(for: Schema(Self.types), configurations: [configuration])]
        }
    }

    /// Creates an environment with other stores.
    ///
    /// - Parameter foreign: Executes a statement like a program without Chronicle.
    package init(_ kind: Kind, containers: [ModelContainer], foreign: @escaping (String) throws -> Void) {
        self.kind = kind
        self.containers = containers
        directory = nil
        foreignWriter = foreign
    }

    /// Returns an empty container for a copy. An erased one would continue after the copied history.
    func replica() throws -> ModelContainer {
        let configuration = ModelConfiguration("replica", isStoredInMemoryOnly: true)
        return try ModelContainer(for: Schema(Self.types), configurations: [configuration])
    }

    /// Deletes all rows and the history.
    func reset() throws {
        if kind == .main {
            containers = [try Environment(.main).containers[0]]
            return
        }
        try containers[0].erase()
        // A sequence may have created a consumer.
        for status in try containers[0].historyConsumers() {
            try containers[0].removeHistoryConsumer(named: status.name)
        }
    }

    /// The store that contains a class.
    func store(of entity: Entity) -> any DataStore {
        let stores = containers[0].stores
        return kind == .stores && entity != .log ? stores[1] : stores[0]
    }

    func container(_ index: Int) -> ModelContainer { containers[index % containers.count] }

    /// Writes like a program without Chronicle.
    func foreign(_ sql: String, _ entity: Entity) throws {
        if let foreignWriter { return try foreignWriter(sql) }
        guard
            let store = containers.count > 1
                ? containers[1].stores.first as? DefaultStore : store(of: entity) as? DefaultStore,
            let database = Mirror(reflecting: store).descendant("database") as? Database
        else { throw Difference("the store has no database") }
        try database.write { connection in
            try connection.setTriggersEnabled(true)
            try connection.execute(sql)
        }
    }
}

/// A difference between a store or a context and the reference.
package struct Difference: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
