import Chronicle
import ChronicleTestSupport
import Foundation
import Synchronization
import Testing

/// Files that a migration plan brings to the latest version.
@Suite struct MigrationPlanTests {
    private typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>
    private let file: URL
    private var configuration: ModelConfiguration { ModelConfiguration(url: file, durability: .relaxed) }

    init() throws { file = try TemporaryDirectory().file("travel.store") }

    /// Creates a file with three trips of the first version, and returns its latest token.
    @discardableResult
    private func write(_ schema: Schema = Schema(versionedSchema: TravelSchemaV1.self)) throws -> DefaultHistoryToken {
        let context = ModelContext(try ModelContainer(for: schema, configurations: configuration))
        let guide = TravelSchemaV1.Person(name: "Ada")
        for days in 1...3 {
            let trip = TravelSchemaV1.Trip(name: "Rome", days: days)
            context.insert(trip)
            trip.guide = days == 3 ? nil : guide
        }
        try context.save()
        return try context.currentHistoryToken()
    }

    private func migrate(
        _ plan: any SchemaMigrationPlan.Type = TravelMigrationPlan.self
    ) throws -> ModelContext {
        ModelContext(
            try ModelContainer(for: TravelSchemaV3.Journey.self, migrationPlan: plan, configurations: configuration))
    }

    private func meta(_ name: String) throws -> String {
        try Shell.sqlite3(file, "SELECT value FROM chronicle_meta WHERE name = '\(name)'")
    }

    // MARK: Stages

    /// A file without a version is recognized by its models.
    @Test(arguments: [true, false]) func stagesRunInOrder(_ isVersioned: Bool) throws {
        let models: [any PersistentModel.Type] = TravelSchemaV1.models
        try write(isVersioned ? Schema(versionedSchema: TravelSchemaV1.self) : Schema(models))
        #expect(try meta("schemaVersion") == (isVersioned ? "1.0.0" : ""))
        let context = try migrate()
        let journeys = try context.fetch(FetchDescriptor<TravelSchemaV3.Journey>(sortBy: [SortDescriptor(\.name)]))
        #expect(journeys.map(\.name) == ["Rome 0", "Rome 1", "Rome 2"])
        #expect(journeys.map(\.hours) == [25, 49, 73])
        #expect(journeys.map { $0.guides.map(\.name) } == [["Ada"], ["Ada"], []])
        #expect(context.container.migrationPlan == TravelMigrationPlan.self)
        #expect(try meta("schemaVersion") == "3.0.0")
        #expect(try meta("schemaHash") == Schema(versionedSchema: TravelSchemaV3.self).versionHash)
    }

    /// The root of the hierarchy is renamed, a subclass gets an attribute, and another subclass is added.
    @Test(arguments: [true, false]) func hierarchies(_ isVersioned: Bool) throws {
        let models: [any PersistentModel.Type] = FleetSchemaV1.models
        let schema = isVersioned ? Schema(versionedSchema: FleetSchemaV1.self) : Schema(models)
        let context = ModelContext(try ModelContainer(for: schema, configurations: configuration))
        context.insert(FleetSchemaV1.Ship(name: "Vasa"))
        context.insert(FleetSchemaV1.Ferry(name: "Viking"))
        try context.save()
        let token = try context.currentHistoryToken()
        let migrated = ModelContext(
            try ModelContainer(
                for: Schema(versionedSchema: FleetSchemaV2.self), migrationPlan: FleetMigrationPlan.self,
                configurations: configuration))
        let vessels = try migrated.fetch(FetchDescriptor<FleetSchemaV2.Vessel>(sortBy: [SortDescriptor(\.name)]))
        #expect(vessels.map(\.name) == ["Svitzer", "Vasa", "Viking"])
        #expect(vessels[0] is FleetSchemaV2.Tug && type(of: vessels[1]) == FleetSchemaV2.Vessel.self)
        let ferry = try #require(vessels[2] as? FleetSchemaV2.Ferry)
        #expect(ferry.seats == 1 && ferry.line == "unknown")
        let changes = try migrated.fetchHistory(.after(token)).flatMap(\.changes)
        #expect(
            changes.contains {
                if case .insert(_ as DefaultHistoryInsert<FleetSchemaV2.Tug>) = $0 { true } else { false }
            })
        #expect(
            changes.contains {
                if case .update(_ as DefaultHistoryUpdate<FleetSchemaV2.Ferry>) = $0 { true } else { false }
            })
        #expect(try meta("schemaVersion") == "2.0.0")
    }

    @Test func migrationIsInTheHistory() throws {
        let token = try write()
        let context = try migrate()
        let transactions = try context.fetchHistory(Descriptor.after(token))
        // Three saves of each closure, and the guides that were transferred.
        #expect(transactions.count == 10)
        #expect(transactions.allSatisfy { $0.author == MigrationStage.author })
        let changes = transactions.flatMap(\.changes)
        let updates = changes.compactMap { change in
            if case .update(let update as DefaultHistoryUpdate<TravelSchemaV3.Journey>) = change { update } else { nil }
        }
        #expect(updates.count == changes.count)
        #expect(try context.fetchHistory(Descriptor()).count == 11)
    }

    @Test func openingAgainRunsNoStage() throws {
        try write()
        let token = try migrate().currentHistoryToken()
        let before = try Shell.sqlite3(file, "PRAGMA schema_version")
        #expect(try migrate().fetchHistory(Descriptor.after(token)).isEmpty)
        #expect(try Shell.sqlite3(file, "PRAGMA schema_version") == before)
    }

    @Test(arguments: [true, false]) func newStoreHasTheLatestVersion(_ isInMemory: Bool) throws {
        var configuration = configuration
        if isInMemory { configuration = ModelConfiguration(isStoredInMemoryOnly: true) }
        let phases = Mutex<[MigrationProgress.Phase]>([])
        configuration.migrationProgress = { progress in phases.withLock { $0.append(progress.phase) } }
        let container = try ModelContainer(
            for: TravelSchemaV3.Journey.self, migrationPlan: TravelMigrationPlan.self, configurations: configuration)
        let context = ModelContext(container)
        context.insert(TravelSchemaV3.Journey(name: "Rome"))
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<TravelSchemaV3.Journey>()) == 1)
        let reported = phases.withLock(\.self)
        #expect(reported.isEmpty)
        if !isInMemory { #expect(try meta("schemaVersion") == "3.0.0") }
    }

    @Test func progressIsReported() throws {
        try write()
        let reported = Mutex<[MigrationProgress]>([])
        var configuration = configuration
        configuration.migrationProgress = { progress in reported.withLock { $0.append(progress) } }
        _ = try ModelContainer(
            for: TravelSchemaV3.Journey.self, migrationPlan: TravelMigrationPlan.self, configurations: configuration)
        let progress = reported.withLock(\.self)
        #expect(
            progress.map(\.phase) == [
                .willMigrate, .changingSchema, .didMigrate, .finished, .changingSchema, .didMigrate, .finished,
            ])
        #expect(progress.map(\.stage) == [1, 1, 1, 1, 2, 2, 2] && progress.allSatisfy { $0.stageCount == 2 })
        #expect(progress.map(\.fractionCompleted) == [0, 0, 0, 0.5, 0.5, 0.5, 1])
    }

    @Test func modelsOfSeveralStoresAreMigrated() throws {
        let other = try TemporaryDirectory().file("notes.store")
        func container(_ note: any PersistentModel.Type, _ trip: any PersistentModel.Type) throws -> ModelContainer {
            try ModelContainer(
                for: Schema([note, trip]), migrationPlan: NotesPlan.self,
                configurations: [
                    ModelConfiguration("notes", schema: Schema([note]), url: other, durability: .relaxed),
                    ModelConfiguration("trips", schema: Schema([trip]), url: file, durability: .relaxed),
                ])
        }
        let old = ModelContext(try container(NotesV1.Note.self, NotesV1.Trip.self))
        old.insert(NotesV1.Note())
        old.insert(NotesV1.Trip())
        try old.save()
        let new = ModelContext(try container(NotesV2.Note.self, NotesV2.Trip.self))
        #expect(try new.fetch(FetchDescriptor<NotesV2.Note>()).map(\.body) == ["note"])
        #expect(try new.fetch(FetchDescriptor<NotesV2.Trip>()).map(\.days) == [7])
        #expect(try Shell.sqlite3(other, "SELECT count(*) FROM sqlite_schema WHERE name = 'Trip'") == "0")
    }

    // MARK: Closures

    @Test func errorOfAClosureKeepsTheStagesBefore() throws {
        struct Stop: Error {}
        enum Plan: TravelPlanWithClosure {
            static func willMigrateV2ToV3(_ context: ModelContext) throws {
                try context.delete(model: TravelSchemaV2.Trip.self)
                throw Stop()
            }
        }
        try write()
        #expect(throws: Stop.self) { _ = try migrate(Plan.self) }
        #expect(try meta("schemaVersion") == "2.0.0")
        #expect(try Shell.sqlite3(file, "SELECT count(*), sum(hours) FROM Trip") == "3|144")
        #expect(try migrate().fetchCount(FetchDescriptor<TravelSchemaV3.Journey>()) == 3)
    }

    /// A save that fails is rolled back alone, and what a closure leaves unsaved is saved.
    @Test func savesOfAClosureArePartsOfTheStage() throws {
        enum Plan: TravelPlanWithClosure {
            static func willMigrateV2ToV3(_ context: ModelContext) throws {
                for trip in try context.fetch(FetchDescriptor<TravelSchemaV2.Trip>()) { trip.name = "Same" }
                #expect(throws: SwiftDataError.uniquenessViolation) { try context.save() }
                context.rollback()
                let ada = try context.fetch(FetchDescriptor<TravelSchemaV2.Person>())
                ada.first?.name = "Grace"
            }
        }
        try write()
        let context = try migrate(Plan.self)
        #expect(
            try context.fetch(FetchDescriptor<TravelSchemaV3.Journey>()).map(\.name).sorted()
                == ["Rome 0", "Rome 1", "Rome 2"])
        #expect(try context.fetch(FetchDescriptor<TravelSchemaV3.Person>()).map(\.name) == ["Grace"])
    }

    @Test func contextsEndWithTheirClosure() throws {
        enum Plan: SchemaMigrationPlan {
            nonisolated(unsafe) static var context: ModelContext?
            static var schemas: [any VersionedSchema.Type] { TravelMigrationPlan.schemas }
            static var stages: [MigrationStage] {
                [
                    .lightweight(fromVersion: TravelSchemaV2.self, toVersion: TravelSchemaV3.self),
                    .custom(
                        fromVersion: TravelSchemaV1.self, toVersion: TravelSchemaV2.self,
                        willMigrate: { context in
                            Plan.context = context
                            for (number, trip) in try context.fetch(FetchDescriptor<TravelSchemaV1.Trip>()).enumerated()
                            {
                                trip.name = "\(number)"
                            }
                        }, didMigrate: nil),
                ]
            }
        }
        try write()
        _ = try migrate(Plan.self)
        let context = try #require(Plan.context)
        Plan.context = nil
        context.insert(TravelSchemaV1.Person(name: "late"))
        #expect(throws: SwiftDataError.self) { try context.save() }
        #expect(try Shell.sqlite3(file, "SELECT count(*) FROM Person WHERE name = 'late'") == "0")
    }
}

private enum NotesV1: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Note.self, Trip.self] }

    @Model fileprivate final class Note { var text: String = "note" }
    @Model fileprivate final class Trip { var name: String = "Rome" }
}

private enum NotesV2: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 1, 0) }
    static var models: [any PersistentModel.Type] { [Note.self, Trip.self] }

    @Model fileprivate final class Note { @Attribute(originalName: "text") var body: String = "" }
    @Model fileprivate final class Trip {
        var name: String = "Rome"
        var days: Int = 1
    }
}

private enum NotesPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [NotesV1.self, NotesV2.self] }
    static let stages = [
        MigrationStage.custom(
            fromVersion: NotesV1.self, toVersion: NotesV2.self, willMigrate: nil,
            didMigrate: { context in
                // Only one of the stores contains trips.
                guard context.container.schema.entity(for: NotesV2.Trip.self) != nil else { return }
                for trip in try context.fetch(FetchDescriptor<NotesV2.Trip>()) { trip.days = 7 }
            })
    ]
}

/// A plan whose second stage has another closure.
private protocol TravelPlanWithClosure: SchemaMigrationPlan {
    static func willMigrateV2ToV3(_ context: ModelContext) throws
}

extension TravelPlanWithClosure {
    static var schemas: [any VersionedSchema.Type] { TravelMigrationPlan.schemas }
    static var stages: [MigrationStage] {
        [
            TravelMigrationPlan.migrateV1ToV2 {},
            .custom(
                fromVersion: TravelSchemaV2.self, toVersion: TravelSchemaV3.self,
                willMigrate: { try willMigrateV2ToV3($0) }, didMigrate: nil),
        ]
    }
}
