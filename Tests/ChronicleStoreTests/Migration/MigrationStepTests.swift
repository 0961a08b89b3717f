import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// What an opening would change, without changing it.
@Suite struct MigrationStepTests {
    private let directory: TemporaryDirectory
    private let file: URL

    init() throws {
        directory = try TemporaryDirectory()
        file = directory.file("steps.store")
    }

    private func configuration(_ schema: Schema) -> ModelConfiguration {
        ModelConfiguration("steps", schema: schema, url: file, durability: .relaxed)
    }

    private func steps(
        _ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)? = nil
    ) throws -> [MigrationStep] {
        let before = try contents()
        let steps = Result {
            try ModelContainer.migrationSteps(
                for: schema, configurations: [configuration(schema)], migrationPlan: plan)
        }
        #expect(try contents() == before)
        return try steps.get()
    }

    /// The files in the directory of the store. SQLite creates an empty log and its index for a reader.
    private func contents() throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
        let files = try names.filter { !$0.hasSuffix("-shm") }.map { ($0, try Data(contentsOf: directory.file($0))) }
        return Dictionary(uniqueKeysWithValues: files.filter { !$0.0.hasSuffix("-wal") || !$0.1.isEmpty })
    }

    private func openFirst() throws {
        let context = ModelContext(try ModelContainer(for: First.schema, configurations: configuration(First.schema)))
        context.insert(First.Trip())
        try context.save()
    }

    private func open(_ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)? = nil) throws {
        _ = try ModelContainer(for: schema, migrationPlan: plan, configurations: configuration(schema))
    }

    @Test func everyChangeIsAStep() throws {
        try openFirst()
        let found = try steps(Second.schema)
        #expect(
            found.map(\.description) == [
                "steps: Journey: renames the model Trip",
                "steps: Journey: renames name to title",
                "steps: Journey: changes the attribute days: Int to the attribute days: Double",
                "steps: Journey: changes the attribute place: String? to the attribute place: String",
                "steps: Journey: adds the attribute rating: Int",
                "steps: Journey: removes the attribute note: String",
                "steps: Journey: creates the index chronicle_index_Journey_rating",
                "steps: Journey: creates the index chronicle_unique_Journey_title",
                "steps: Journey: replaces the triggers that record changes",
                "steps: City: adds the model",
            ])
        #expect(
            found.map(\.kind) == [
                .renameEntity, .renameProperty, .changeProperty, .changeProperty, .addProperty, .removeProperty,
                .addIndex, .addIndex, .changeRecording, .addEntity,
            ])
        #expect(found[4].entityName == "Journey" && found[4].propertyName == "rating")
        try open(Second.schema)
        #expect(try steps(Second.schema).isEmpty)
    }

    @Test func stagesAreSteps() throws {
        try openFirst()
        let found = try steps(Second.schema, Plan.self)
        #expect(found.first?.description == "steps: runs the stage from version 1.0.0 to 2.0.0")
        #expect(found.first?.kind == .runStage && found.count == 11)
        try open(Second.schema, Plan.self)
        #expect(try steps(Second.schema, Plan.self).isEmpty)
    }

    @Test func newFilesAreCreated() throws {
        let found = try steps(First.schema)
        #expect(found.map(\.kind) == [.createStore, .addEntity])
        #expect(found.last?.description == "steps: Trip: adds the model")
        // An empty file is a new one.
        try Data().write(to: file)
        #expect(try steps(First.schema) == found)
        try open(First.schema)
        #expect(try steps(First.schema).isEmpty)
        #expect(try steps(First.withoutVersion).isEmpty)
    }

    @Test func theVersionIsAStep() throws {
        try open(First.withoutVersion)
        #expect(
            try steps(First.schema).map(\.description) == ["steps: changes the version of the schema to 1.0.0"])
    }

    @Test func storesThatDoNotChangeHaveNoSteps() throws {
        #expect(
            try ModelContainer.migrationSteps(
                for: First.schema,
                configurations: [ModelConfiguration(schema: First.schema, isStoredInMemoryOnly: true)]
            ).isEmpty)
        try openFirst()
        let readOnly = ModelConfiguration(schema: First.schema, url: file, allowsSave: false)
        #expect(try ModelContainer.migrationSteps(for: First.schema, configurations: [readOnly]).isEmpty)
        let other = ModelConfiguration(schema: Second.schema, url: file, allowsSave: false)
        #expect(throws: SwiftDataError.loadIssueModelContainer) {
            try ModelContainer.migrationSteps(for: Second.schema, configurations: [other])
        }
    }

    @Test func otherStoresDoNotTell() throws {
        let error = #expect(throws: SwiftDataError.self) {
            try ModelContainer.migrationSteps(
                for: First.schema, configurations: [ScriptedStore.Configuration(script: ScriptedStore.Script())])
        }
        #expect(error == .unsupportedFeature && error?.storeName == "scripted")
    }

    /// The file is open, and its log contains the rows.
    @Test func openFilesAreCopiedWithTheirLog() throws {
        let context = ModelContext(try ModelContainer(for: First.schema, configurations: configuration(First.schema)))
        context.insert(First.Trip())
        try context.save()
        #expect(try steps(Impossible.schema(isRequired: false)).map(\.kind).contains(.addProperty))
        #expect(throws: SwiftDataError.backwardMigration) { try steps(Impossible.schema(isRequired: true)) }
        withExtendedLifetime(context) {}
    }

    @Test func errorsAreThoseOfOpening() throws {
        try openFirst()
        try open(Second.schema, Plan.self)
        let error = #expect(throws: SwiftDataError.self) { try steps(First.schema) }
        #expect(error == .newerSchemaVersion && error?.storeName == "steps")
        _ = try Shell.sqlite3(
            file, "UPDATE chronicle_meta SET value = 9 WHERE name = 'format'; PRAGMA wal_checkpoint(TRUNCATE)")
        let unsupported = #expect(throws: SwiftDataError.self) { try steps(Second.schema) }
        #expect(unsupported == .unsupportedFileVersion)
        #expect(unsupported?.detail?.contains("\(file.path) has format version 9") == true)
    }

    /// Random versions of a schema are rejected with the same error as by an opening, or the steps are the difference that the
    /// opening makes.
    @Test(arguments: TestSeed.rounds(8)) func stepsAreWhatOpeningDoes(_ number: Int) throws {
        var random = TestSeed.generator(number)
        var version = SchemaVersion(using: &random)
        try open(version)
        for _ in 0..<4 {
            let next = version.next(using: &random)
            let comment = "\(version.properties) to \(next.properties), \(TestSeed.description), number \(number)"
            let before = try DefaultStore.inspecting(file, FileDescription.init)
            let found = Result { try steps(next) }
            switch found {
            case .success(let found):
                try open(next)
                let after = try #require(try DefaultStore.inspecting(file, FileDescription.init))
                #expect(found == MigrationSteps.steps(from: before, to: after, stages: []), "\(comment)")
                #expect(try steps(next).isEmpty, "\(comment)")
                version = next
            case .failure(let error):
                let other = #expect(throws: SwiftDataError.self, "\(comment)") { try open(next) }
                #expect(other == error as? SwiftDataError, "\(comment)")
            }
        }
    }

    // The versions have no model classes, which a container requires.
    private func open(_ version: SchemaVersion) throws {
        _ = try DefaultStore(configuration(version.schema()), migrationPlan: nil)
    }

    private func steps(_ version: SchemaVersion) throws -> [MigrationStep] {
        let before = try contents()
        let steps = Result {
            try DefaultStore.migrationSteps(configuration(version.schema()), migrationPlan: nil)
        }
        #expect(try contents() == before)
        return try steps.get()
    }
}

private enum First: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self] }
    static var schema: Schema { Schema(versionedSchema: First.self) }
    static var withoutVersion: Schema { Schema([Trip.self]) }

    @Model fileprivate final class Trip {
        var name = "Rome"
        var days = 1
        var place: String?
        var note = ""
        init() {}
    }
}

private enum Second: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Journey.self, City.self] }
    static var schema: Schema { Schema([Journey.self, City.self]) }

    @Model(originalName: "Trip") fileprivate final class Journey {
        #Index<Journey>([\.rating])
        @Attribute(.unique, originalName: "name") var title = "Rome"
        var days = 1.0
        var place: String = ""
        var rating: Int = 0
        init() {}
    }

    @Model fileprivate final class City {
        var name = ""
        init() {}
    }
}

private enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [First.self, Second.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: First.self, toVersion: Second.self)] }
}

private enum Impossible {
    static func schema(isRequired: Bool) -> Schema { Schema(isRequired ? [Required.Trip.self] : [Optional.Trip.self]) }

    enum Required {
        @Model fileprivate final class Trip {
            var place: String?
            var rating: Int
            init() { rating = 0 }
        }
    }

    enum Optional {
        @Model fileprivate final class Trip {
            var place: String?
            var rating: Int?
            init() {}
        }
    }
}
