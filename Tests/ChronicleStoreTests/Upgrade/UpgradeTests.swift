import Chronicle
import ChronicleSQLStore
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Files of other formats. No earlier format was released, so the steps that upgrade a file are those of these tests.
@Suite struct UpgradeTests {
    private let store: TestStore
    /// A token before the newest transaction.
    private let token: DefaultHistoryToken

    private static let tables = ["chronicle_conflict", "chronicle_metadata"]

    /// In the version 0, both tables are missing, and in the version 1, the second one.
    private static let steps: [Int64: FormatUpgrade.Step] = [
        0: { try $0.execute(createTable(tables[0])) }, 1: { try $0.execute(createTable(tables[1])) },
    ]

    private static func createTable(_ name: String) -> String {
        HistoryTables.createTables.first { $0.contains("\(name)(") } ?? ""
    }

    init() throws {
        store = try TestStore(.file)
        let context = store.context(author: "app")
        for name in ["a", "b"] {
            context.insert(Trip(name: name, destination: "somewhere"))
            try context.save()
        }
        token = try #require(try context.fetchHistory(Descriptor()).first?.token)
    }

    /// Turns the file into one of an earlier version, which no program has changed.
    private func downgrade(to version: Int64) throws {
        let opened = try #require(store.container.stores.first as? DefaultStore)
        try opened.database.write { connection in
            try connection.immediate {
                try MetaTable.keepingCompletions(connection) {
                    for table in Self.tables.dropFirst(Int(version)) { try connection.execute("DROP TABLE \(table)") }
                }
                try MetaTable.set(.format, version, connection)
                try FileFormat.setVersion(version, connection)
            }
        }
    }

    @discardableResult
    private func open(allowsSave: Bool = true, _ logger: TestLogger? = nil) throws -> ModelContext {
        var configuration = ModelConfiguration(url: store.url, allowsSave: allowsSave, durability: .relaxed)
        configuration.logger = logger
        return ModelContext(try ModelContainer(for: Trip.self, configurations: configuration))
    }

    private func insertWithoutChronicle(_ name: String) throws {
        try store.shell(
            "INSERT INTO Trip(name, destination, startDate, endDate, tags) VALUES ('\(name)', '', 0, 0, '[]')")
    }

    private var dump: String { get throws { try store.shell(".dump") } }

    private static let versions = """
        SELECT value FROM chronicle_meta WHERE name = 'format'; PRAGMA user_version
        """

    // MARK: Formats without a step

    @Test func theUpgradeIsAStepOfAnOpening() throws {
        try downgrade(to: 1)
        let before = try dump
        let steps = try FormatUpgrade.$steps.withValue(Self.steps) {
            try ModelContainer.migrationSteps(
                for: Schema(Trip.self), configurations: [ModelConfiguration(url: store.url)])
        }
        #expect(steps.map(\.kind) == [.upgradeFormat])
        #expect(try dump == before)
    }

    /// The format 1, which was never released, had its version in the header only.
    @Test(arguments: [
        "PRAGMA user_version = 1; DELETE FROM chronicle_meta WHERE name = 'format'",
        "PRAGMA user_version = 1; UPDATE chronicle_meta SET value = 1 WHERE name = 'format'",
        "UPDATE chronicle_meta SET value = 0 WHERE name = 'format'",
        "UPDATE chronicle_meta SET value = -1 WHERE name = 'format'",
        "UPDATE chronicle_meta SET value = 4 WHERE name = 'format'",
    ])
    func otherVersionsAreNotSupported(_ sql: String) throws {
        try store.shell(sql)
        let before = try dump
        for allowsSave in [true, false] {
            let error = try failure(of: { try open(allowsSave: allowsSave) })
            #expect(error == .unsupportedFileVersion, "\(error as Any)")
            #expect(error?.detail?.contains("supports versions 2 and 3") == true, "\(error as Any)")
        }
        #expect(throws: SwiftDataError.unsupportedFileVersion) { try DefaultStore.schema(ofFileAt: store.url) }
        #expect(throws: SwiftDataError.unsupportedFileVersion) { try DefaultStore.formatVersion(ofFileAt: store.url) }
        #expect(throws: SwiftDataError.unsupportedFileVersion) { try DefaultStore.verify(fileAt: store.url) { _ in } }
        #expect(try dump == before)
    }

    @Test func aMissingStepLeavesTheFile() throws {
        try downgrade(to: 0)
        let before = try dump
        for version in Self.steps.keys {
            FormatUpgrade.$steps.withValue(Self.steps.filter { $0.key == version }) {
                #expect(throws: SwiftDataError.unsupportedFileVersion) { try open() }
            }
        }
        #expect(try dump == before)
    }

    // MARK: Formats with steps

    @Test(arguments: [0, 1] as [Int64]) func stepsUpgradeAFile(_ version: Int64) throws {
        try downgrade(to: version)
        let before = try dump
        let logger = TestLogger()
        try FormatUpgrade.$steps.withValue(Self.steps) {
            #expect(try DefaultStore.formatVersion(ofFileAt: store.url) == Int(version))
            let error = try failure(of: { try open(allowsSave: false) })
            #expect(error == .loadIssueModelContainer && error?.detail?.contains("allowsSave: true") == true)
            #expect(throws: SwiftDataError.loadIssueModelContainer) {
                try DefaultStore.verify(fileAt: store.url) { _ in }
            }
            #expect(try dump == before)
            for _ in 0..<2 { try open(logger) }
        }
        #expect(logger.entries.map(\.event) == ["fileUpgraded"] && logger.entries.map(\.level) == [.notice])
        #expect(logger.entries.first?.metadata["path"] == store.url.path)
        #expect(logger.entries.first?.metadata["format"] == "2")
        #expect(try store.shell(Self.versions) == "2\n2")
        #expect(try open().fetchHistory(.after(token)).map(\.changes.count) == [1])
        var problems: [StoreProblem] = []
        try DefaultStore.verify(fileAt: store.url) { problems.append($0) }
        #expect(problems.isEmpty, "\(problems)")
    }

    /// A migration plan upgrades the format before it determines the version of the schema.
    @Test func aMigrationPlanUpgradesAFile() throws {
        try downgrade(to: 1)
        try FormatUpgrade.$steps.withValue(Self.steps) {
            let schema = Schema(versionedSchema: TripSchema.self)
            let container = try ModelContainer(
                for: schema, migrationPlan: TripPlan.self, configurations: ModelConfiguration(url: store.url))
            #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 2)
        }
        #expect(try store.shell(Self.versions) == "2\n2")
    }

    private enum TripSchema: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static let models: [any PersistentModel.Type] = [Trip.self]
    }

    private enum TripPlan: SchemaMigrationPlan {
        static let schemas: [any VersionedSchema.Type] = [TripSchema.self]
        static let stages: [MigrationStage] = []
    }

    @Test func storesInThreadsUpgradeOnce() async throws {
        try downgrade(to: 0)
        let logger = TestLogger()
        try await FormatUpgrade.$steps.withValue(Self.steps) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { try open(logger) } }
                try await group.waitForAll()
            }
        }
        #expect(logger.entries.map(\.event) == ["fileUpgraded"])
        #expect(try open().fetchHistory(.after(token)).map(\.changes.count) == [1])
    }

    @Test func aStepThatFailsLeavesTheFile() throws {
        struct Failure: Error {}
        try downgrade(to: 0)
        let before = try dump
        var steps = Self.steps
        steps[1] = { _ in throw Failure() }
        FormatUpgrade.$steps.withValue(steps) {
            #expect(throws: Failure.self) { try open() }
        }
        #expect(try dump == before)
        try FormatUpgrade.$steps.withValue(Self.steps) { try open() }
        #expect(try store.shell(Self.versions) == "2\n2")
    }

    /// A step that replaces the triggers.
    private static let replacingTriggers: [Int64: FormatUpgrade.Step] = [
        1: { connection in
            try connection.execute(createTable(tables[1]))
            for trigger in try connection.triggers() { try connection.execute(RecorderSQL.dropTrigger(named: trigger)) }
        }
    ]

    /// Only the digest shows that another program had changed the triggers that a step replaces.
    @Test func changedTriggersAreAGap() throws {
        try downgrade(to: 1)
        try store.shell("DROP TRIGGER chronicle_1_insert")
        try insertWithoutChronicle("unrecorded")
        try FormatUpgrade.$steps.withValue(Self.replacingTriggers) { try open() }
        #expect(try failure(of: { try open().fetchHistory(.after(token)) }) == .historyTokenGap)
        let current = try open().currentHistoryToken()
        try insertWithoutChronicle("recorded")
        #expect(try open().fetchHistory(.after(current)).map(\.changes.count) == [1])
    }

    /// The same step without another program.
    @Test func replacedTriggersAreNoGap() throws {
        try downgrade(to: 1)
        try FormatUpgrade.$steps.withValue(Self.replacingTriggers) { try open() }
        #expect(try open().fetchHistory(.after(token)).map(\.changes.count) == [1])
        try insertWithoutChronicle("recorded")
        #expect(try open().fetchHistory(.after(token)).map(\.changes.count) == [1, 1])
    }
}

extension Connection {
    /// The names of the triggers that record changes.
    fileprivate func triggers() throws -> [String] {
        let statement = try prepare(
            "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND substr(name, 1, 10) = 'chronicle_'")
        var names: [String] = []
        while try statement.step() { names.append(statement.text(0)) }
        return names
    }
}
