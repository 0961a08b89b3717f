import Chronicle
import Foundation
import Testing
import TripSyncTestSupport

@testable import TripSync

/// The kind of the hub's store.
enum HubKind: String, CaseIterable, CustomTestStringConvertible {
    case sqlite = "SQLite"
    /// A schema of the database that the environment names, in a build with the trait `Postgres`.
    case postgres = "PostgreSQL"

    static var available: [HubKind] {
        #if Postgres
            ProcessInfo.processInfo.environment["PGHOST"] == nil ? [.sqlite] : allCases
        #else
            [.sqlite]
        #endif
    }

    var testDescription: String { rawValue }
}

/// Devices in a separate directory, and a hub.
final class SyncFixture {
    let directory: URL
    /// The address of the hub.
    let hubPath: String
    let hub: ModelContainer

    init(_ kind: HubKind = .sqlite) throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "TripSyncTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        switch kind {
        case .sqlite: hubPath = directory.appending(path: "hub.store").path
        case .postgres:
            let schema = "trip_sync_\(UUID().uuidString.prefix(8).lowercased())"
            try Self.run("psql", "--no-psqlrc", "--quiet", "--command", "CREATE SCHEMA \(schema)")
            hubPath = "postgresql://?options=-csearch_path%3D\(schema)"
        }
        hub = try Stores.hub(at: hubPath)
    }

    /// Runs a program, which has to succeed.
    static func run(_ command: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw SyncWorker.Failure(description: "\(command[0]) ended with \(process.terminationStatus)")
        }
    }

    deinit {
        do { try FileManager.default.removeItem(at: directory) } catch { print(error) }
    }

    func device(_ name: String) throws -> Device {
        try Device(name, at: directory.appending(path: "\(name).store"), hub: hub)
    }

    /// Copies the store of a device.
    func backUp(_ device: Device) throws -> URL { try backUp(path: device.url.path) }

    /// Copies a store.
    func backUp(path: String) throws -> URL {
        let url = directory.appending(path: "\(UUID().uuidString).store")
        try Self.run("sqlite3", path, "VACUUM INTO '\(url.path)'")
        return url
    }

    /// Returns a device with a copy of a backup as its store.
    func restore(_ name: String, from backup: URL) throws -> Device {
        let url = directory.appending(path: "\(UUID().uuidString).store")
        try FileManager.default.copyItem(at: backup, to: url)
        return try Device(name, at: url, hub: hub)
    }

    /// The content of the hub.
    func hubContent() throws -> Content { try Content(ModelContext(hub)) }

    func conflicts() throws -> [ConflictRecord] {
        try ModelContext(hub).fetch(FetchDescriptor<ConflictRecord>())
    }
}

/// A device with its session.
final class Device {
    let name: String
    let url: URL
    let container: ModelContainer
    let hub: ModelContainer
    private(set) var session: SyncSession
    /// The step at which the connection is cut, once.
    var cut: SyncStep?

    init(_ name: String, at url: URL, hub: ModelContainer, rule: ConflictRule? = nil) throws {
        self.name = name
        self.url = url
        self.hub = hub
        container = try Stores.device(at: url)
        session = try SyncSession(device: container, named: name, hub: hub, rule: rule)
        session = try SyncSession(device: container, named: name, hub: hub, rule: rule) { [weak self] step in
            guard let self, cut == step else { return }
            cut = nil
            throw Cut()
        }
    }

    struct Cut: Error {}

    func content() throws -> Content { try Content(ModelContext(container)) }

    @discardableResult
    func edit<Result>(_ change: (ModelContext) throws -> Result) throws -> Result {
        let context = ModelContext(container)
        context.author = name
        let result = try change(context)
        try context.save()
        return result
    }

    /// Changes the trip of a name.
    func edit(_ trip: String, _ change: (Trip) throws -> Void) throws {
        try edit { context in
            for trip in try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == trip })) {
                try change(trip)
            }
        }
    }
}

/// The synchronised properties of all models.
struct Content: Equatable, CustomStringConvertible {
    private var models: [String: [UUID: [String: SyncedValue]]] = [:]

    init(_ context: ModelContext) throws {
        for model in SyncedSchema.models { try add(model, context) }
    }

    private mutating func add<Model: SyncedModel>(_ type: Model.Type, _ context: ModelContext) throws {
        for model in try context.fetch(FetchDescriptor<Model>()) {
            let values = Model.syncedProperties.map { ($0.name, $0.value(model)) }
            models[Model.entityName, default: [:]][model.uuid] = Dictionary(uniqueKeysWithValues: values)
        }
    }

    var count: Int { models.values.reduce(0) { $0 + $1.count } }

    var description: String {
        models.sorted { $0.key < $1.key }.flatMap { entity, models in
            models.sorted { $0.key < $1.key }.map { uuid, values in
                let values = values.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
                return "\(entity) \(uuid): \(values.joined(separator: ", "))"
            }
        }.joined(separator: "\n")
    }
}
