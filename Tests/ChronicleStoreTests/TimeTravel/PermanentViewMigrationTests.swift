import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// The permanent views of the history after migrations of models.
@Suite struct PermanentViewMigrationTests {
    @Model final class Trip_history {
        var name = ""
        init() {}
    }

    /// A model with the name of a view replaces the view.
    @Test func aModelCanHaveTheName() throws {
        let test = try TestStore(.file)
        try PermanentViewRows.store(test.container).installHistoryViews()
        let types: [any PersistentModel.Type] = [Trip.self, Trip_history.self]
        let configuration = ModelConfiguration(schema: Schema(types), url: test.url, allowsSave: false)
        #expect(throws: SwiftDataError.loadIssueModelContainer) {
            _ = try DefaultStore(configuration, migrationPlan: nil)
        }
        let container = try test.reopened(types)
        let context = ModelContext(container)
        context.insert(Trip_history())
        try context.save()
        #expect(
            try PermanentViewRows.views(test.url).split(separator: "\n").filter { $0.hasPrefix("Trip_") }
                == ["Trip_history_history", "Trip_history_revisions", "Trip_revisions"])
        #expect(try VerificationTests.problems(in: test.url) == [])
    }

    private func open(
        _ url: URL, _ types: [any PersistentModel.Type], plan: (any SchemaMigrationPlan.Type)? = nil,
        version: Schema.Version? = nil
    ) throws -> ModelContainer {
        try ModelContainer(
            for: Schema(types, version: version), migrationPlan: plan,
            configurations: ModelConfiguration(url: url, durability: .relaxed, preservesValues: true))
    }

    private func expectMigration(
        from earlier: [any PersistentModel.Type], _ insert: (ModelContext) -> Void,
        to types: [any PersistentModel.Type],
        plan: (any SchemaMigrationPlan.Type)? = nil, version: Schema.Version? = nil, count: Int
    ) throws {
        let url = try TemporaryDirectory().file("views.store")
        let container = try open(url, earlier)
        let context = ModelContext(container)
        insert(context)
        try context.save()
        try PermanentViewRows.store(container).installHistoryViews()
        let migrated = try PermanentViewRows.store(try open(url, types, plan: plan, version: version))
        let program = try PermanentViewRows.program(url)
        defer { program.close() }
        #expect(try PermanentViewRows.expectViews(of: migrated, in: program, count: count) > 0)
        #expect(try VerificationTests.problems(in: url) == [])
        for view in try migrated.historyViews() { _ = try Shell.sqlite3(url, "SELECT count(*) FROM \(view.name)") }
    }

    private func insertNode(_ context: ModelContext) {
        let node = Letters.Node()
        context.insert(node)
        (node.a, node.b) = ("A", "B")
        node.p = Letters.Leaf("p")
        node.y = [Letters.Leaf("y1"), Letters.Leaf("y2")]
    }

    @Test func renamedPropertiesHaveViews() throws {
        try expectMigration(from: [Letters.Node.self], insertNode, to: [Chain.Node.self], count: 4)
    }

    @Test func aStageOfAPlanHasViews() throws {
        try expectMigration(
            from: [Letters.Node.self], insertNode, to: [Exchange.Node.self], plan: ExchangePlan.self,
            version: Schema.Version(2, 0, 0), count: 4)
    }

    @Test func addedModelsAndPropertiesHaveViews() throws {
        try expectMigration(
            from: [LaterAttributesV1.Item.self], { $0.insert(LaterAttributesV1.Item("a")) },
            to: [LaterAttributesV2.Item.self], count: 4)
    }

    @Test func renamedModelsHaveViews() throws {
        try expectMigration(
            from: [NotedTrip.Second.Trip.self, NotedTrip.Second.Place.self, NotedTrip.Second.Label.self],
            { context in
                let trip = NotedTrip.Second.Trip()
                context.insert(trip)
                trip.name = "a"
            }, to: [NotedTrip.Third.Journey.self, NotedTrip.Third.Place.self, NotedTrip.Third.Label.self], count: 6)
    }

    /// An error of a migration leaves the views as they were.
    @Test func aRejectedMigrationKeepsTheViews() throws {
        let url = try TemporaryDirectory().file("views.store")
        let container = try open(url, [Letters.Node.self])
        try PermanentViewRows.store(container).installHistoryViews()
        let before = try Shell.sqlite3(url, "SELECT name, sql FROM sqlite_schema ORDER BY name")
        #expect(throws: SwiftDataError.backwardMigration) { _ = try open(url, [Exchange.Node.self]) }
        #expect(try Shell.sqlite3(url, "SELECT name, sql FROM sqlite_schema ORDER BY name") == before)
    }
}

private enum Letters {
    @Model fileprivate final class Node {
        var a = ""
        @Attribute(.unique) var b: String = ""
        @Relationship var p: Leaf?
        @Relationship var x: [Leaf] = []
        @Relationship var y: [Leaf] = []
        init() {}
    }
    @Model fileprivate final class Leaf {
        var name: String
        init(_ name: String) { self.name = name }
    }
}

private enum Chain {
    @Model fileprivate final class Node {
        @Attribute(.unique, originalName: "a") var b: String = ""
        @Attribute(originalName: "b") var c: String = ""
        @Relationship(originalName: "p") var q: Leaf?
        @Relationship(originalName: "x") var y: [Leaf] = []
        @Relationship(originalName: "y") var z: [Leaf] = []
        init() {}
    }
    @Model fileprivate final class Leaf {
        var name: String
        init(_ name: String) { self.name = name }
    }
}

private enum Exchange {
    @Model fileprivate final class Node {
        @Attribute(originalName: "b") var a: String = ""
        @Attribute(originalName: "a") var b: String = ""
        @Relationship var p: Leaf?
        @Relationship(originalName: "y") var x: [Leaf] = []
        @Relationship(originalName: "x") var y: [Leaf] = []
        init() {}
    }
    @Model fileprivate final class Leaf {
        var name: String
        init(_ name: String) { self.name = name }
    }
}

private enum LettersVersion: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Letters.Node.self, Letters.Leaf.self] }
}

private enum ExchangeVersion: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] { [Exchange.Node.self, Exchange.Leaf.self] }
}

private enum ExchangePlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [LettersVersion.self, ExchangeVersion.self] }
    static var stages: [MigrationStage] {
        [.lightweight(fromVersion: LettersVersion.self, toVersion: ExchangeVersion.self)]
    }
}
