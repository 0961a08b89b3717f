import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

private enum BackfillV1: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Item.self] }

    @Model fileprivate final class Item {
        var name: String
        var number = 0
        init(_ name: String) { self.name = name }
    }
}

private enum BackfillV2: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] { [Item.self] }

    @Model fileprivate final class Item {
        var name: String
        var number = 0
        var title: String?
        var length = 1
        init(_ name: String) { self.name = name }
    }
}

private enum BackfillPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [BackfillV1.self, BackfillV2.self] }
    static var stages: [MigrationStage] {
        [
            .custom(fromVersion: BackfillV1.self, toVersion: BackfillV2.self, willMigrate: nil) { context in
                for item in try context.fetch(FetchDescriptor<BackfillV2.Item>()) {
                    (item.title, item.length) = (item.name.uppercased(), item.name.count)
                }
            }
        ]
    }
}

/// Changes of an earlier version that are applied after a migration has filled an attribute that they do not have.
///
/// https://github.com/pointfreeco/sqlite-data/issues/362
@Suite struct BackfillTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func container(
        _ name: String, _ version: any VersionedSchema.Type, _ recorder: ModelConfiguration.Recorder = .automatic
    ) throws -> ModelContainer {
        var configuration = ModelConfiguration(
            url: directory.file("\(name).store"), durability: .relaxed, preservesValues: true)
        configuration.recorder = recorder
        return try ModelContainer(
            for: Schema(versionedSchema: version), migrationPlan: BackfillPlan.self, configurations: configuration)
    }

    private func export(
        _ container: ModelContainer, startingAt start: HistoryStart<DefaultHistoryToken> = .beginning,
        through end: DefaultHistoryToken? = nil
    ) throws -> Data {
        var data = Data()
        try container.exportHistory(startingAt: start, through: end) { data.append($0) }
        return data
    }

    private func replay(_ data: Data, _ container: ModelContainer) throws {
        var data: Data? = data
        try container.replayHistory {
            defer { data = nil }
            return data
        }
    }

    private func contents(_ container: ModelContainer) throws -> [String] {
        try ModelContext(container).fetch(FetchDescriptor<BackfillV2.Item>(sortBy: [SortDescriptor(\.name)])).map {
            "\($0.name) \($0.number) \($0.title ?? "nil") \($0.length)"
        }
    }

    /// Changes the number of an item, inserts another one, and returns the tokens after each.
    private func change(_ container: ModelContainer) throws -> (
        update: DefaultHistoryToken, insert: DefaultHistoryToken
    ) {
        let context = ModelContext(container)
        context.author = "editor"
        try #require(try context.fetch(FetchDescriptor<BackfillV1.Item>()).first).number = 7
        try context.save()
        let update = try context.currentHistoryToken()
        context.insert(BackfillV1.Item("later"))
        try context.save()
        return (update, try context.currentHistoryToken())
    }

    private func add(_ container: ModelContainer) throws {
        let context = ModelContext(container)
        context.author = "editor"
        context.insert(BackfillV1.Item("first"))
        try context.save()
    }

    /// The replica migrates between two parts of the changes of the first version.
    @Test(arguments: ModelConfiguration.Recorder.allCases)
    func aReplayKeepsFilledValues(_ recorder: ModelConfiguration.Recorder) throws {
        let tokens: (update: DefaultHistoryToken, insert: DefaultHistoryToken)
        let old: Data
        do {
            let source = try container("source", BackfillV1.self, recorder)
            let replica = try container("replica", BackfillV1.self, recorder)
            try add(source)
            try replay(export(source), replica)
            tokens = try change(source)
            old = try export(source, startingAt: .token(#require(try replica.replayedHistoryToken())))
        }
        let replica = try container("replica", BackfillV2.self, recorder)
        // The export of the earlier version is rejected as a whole.
        #expect(try failure(of: { try replay(old, replica) }) == .unknownSchema)
        #expect(try contents(replica) == ["first 0 FIRST 5"])
        let source = try container("source", BackfillV2.self, recorder)
        #expect(try contents(source) == ["first 7 FIRST 5", "later 0 LATER 5"])
        // That of the migrated source has the same changes, each with the attributes that it set.
        let token = try #require(try replica.replayedHistoryToken())
        try replay(try export(source, startingAt: .token(token), through: tokens.update), replica)
        #expect(try contents(replica) == ["first 7 FIRST 5"])
        // The insert does not have the attributes that were added later.
        let error = try failure(of: { try export(source, startingAt: .token(tokens.update), through: tokens.insert) })
        #expect(error == .historyValueMissing, "\(String(describing: error))")
        let copy = try container("copy", BackfillV2.self, recorder)
        try replay(try export(source), copy)
        #expect(try contents(copy) == contents(source))
    }

    @Test(arguments: ModelConfiguration.Recorder.allCases)
    func aRevertKeepsFilledValues(_ recorder: ModelConfiguration.Recorder) throws {
        do {
            let container = try container("store", BackfillV1.self, recorder)
            try add(container)
            _ = try change(container)
        }
        let container = try container("store", BackfillV2.self, recorder)
        let context = ModelContext(container)
        let transactions = try context.fetchHistory(Descriptor()).filter { $0.author == "editor" }
        try context.revert(transactions[1])
        try context.save()
        #expect(try contents(container) == ["first 0 FIRST 5", "later 0 LATER 5"])
        // The insert can only be reverted with a decision about the filled values.
        let conflicts = try context.revertPlan(for: transactions[2]).conflicts
        #expect(Set(conflicts.map(\.propertyName)) == ["title", "length"], "\(conflicts)")
        #expect(conflicts.allSatisfy { $0.kind == .changedSince }, "\(conflicts)")
    }
}
