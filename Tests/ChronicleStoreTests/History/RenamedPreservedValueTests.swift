import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Tombstones of models that were deleted before, between and after versions that rename a preserved attribute.
@Suite struct RenamedPreservedValueTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func context(
        _ version: any VersionedSchema.Type, _ recorder: ModelConfiguration.Recorder, _ preservesValues: Bool
    ) throws -> ModelContext {
        var configuration = ModelConfiguration(
            url: directory.file("test.store"), durability: .relaxed, preservesValues: preservesValues)
        configuration.recorder = recorder
        return ModelContext(
            try ModelContainer(
                for: Schema(versionedSchema: version), migrationPlan: ExchangePlan.self, configurations: configuration))
    }

    @Test(arguments: ModelConfiguration.Recorder.allCases, [true, false])
    func tombstonesHaveTheNewestNames(_ recorder: ModelConfiguration.Recorder, _ preservesValues: Bool) throws {
        do {
            let context = try context(First.self, recorder, preservesValues)
            for number in 0..<4 { context.insert(First.Pair("a\(number)", "b\(number)")) }
            try context.save()
            try deleteFirst(First.Pair.self, context)
        }
        do {
            let context = try context(Second.self, recorder, preservesValues)
            try deleteFirst(Second.Pair.self, context)
        }
        do {
            let context = try context(Third.self, recorder, preservesValues)
            try deleteFirst(Third.Pair.self, context)
            #expect(try context.deletes(Third.Pair.self).map { $0.tombstone[\.newest] } == ["a0", "a1", "a2"])
        }
        let context = try context(Fourth.self, recorder, preservesValues)
        try deleteFirst(Fourth.Pair.self, context)
        let deletes = try context.deletes(Fourth.Pair.self)
        // `newest` and `other` have exchanged their names.
        #expect(deletes.map { $0.tombstone[\.other] } == (0..<4).map { "a\($0)" })
        #expect(deletes.map { $0.tombstone[\.newest] } == (0..<4).map { "b\($0)" })
        if preservesValues {
            #expect(try context.inserts(Fourth.Pair.self).map { $0.value(\.other) } == (0..<4).map { "a\($0)" })
            #expect(try context.undoHistory.undo()?.conflicts.isEmpty == true)
            #expect(try context.fetch(FetchDescriptor<Fourth.Pair>()).map { "\($0.other) \($0.newest)" } == ["a3 b3"])
        }
    }

    private func deleteFirst<Model: PersistentModel>(_: Model.Type, _ context: ModelContext) throws {
        context.author = "editor"
        let identifiers = try context.fetchIdentifiers(FetchDescriptor<Model>())
        let first = try #require(identifiers.min { $0.integerPrimaryKey ?? 0 < $1.integerPrimaryKey ?? 0 })
        context.delete(try #require(try context.existingModel(for: first) as? Model))
        try context.save()
    }
}

private enum First: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Pair.self] }

    @Model fileprivate final class Pair {
        @Attribute(.preserveValueOnDeletion) var old: String
        @Attribute(.preserveValueOnDeletion) var other: String
        init(_ old: String, _ other: String) { (self.old, self.other) = (old, other) }
    }
}

private enum Second: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] { [Pair.self] }

    @Model fileprivate final class Pair {
        @Attribute(.preserveValueOnDeletion, originalName: "old") var new: String
        @Attribute(.preserveValueOnDeletion) var other: String
        init(_ new: String, _ other: String) { (self.new, self.other) = (new, other) }
    }
}

private enum Third: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
    static var models: [any PersistentModel.Type] { [Pair.self] }

    @Model fileprivate final class Pair {
        @Attribute(.preserveValueOnDeletion, originalName: "new") var newest: String
        @Attribute(.preserveValueOnDeletion) var other: String
        init(_ newest: String, _ other: String) { (self.newest, self.other) = (newest, other) }
    }
}

private enum Fourth: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(4, 0, 0) }
    static var models: [any PersistentModel.Type] { [Pair.self] }

    @Model fileprivate final class Pair {
        @Attribute(.preserveValueOnDeletion, originalName: "other") var newest: String
        @Attribute(.preserveValueOnDeletion, originalName: "newest") var other: String
        init(_ newest: String, _ other: String) { (self.newest, self.other) = (newest, other) }
    }
}

private enum ExchangePlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [First.self, Second.self, Third.self, Fourth.self] }
    static var stages: [MigrationStage] {
        [
            .lightweight(fromVersion: First.self, toVersion: Second.self),
            .lightweight(fromVersion: Second.self, toVersion: Third.self),
            .lightweight(fromVersion: Third.self, toVersion: Fourth.self),
        ]
    }
}
