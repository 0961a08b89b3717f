import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// An enumeration without a case that rows and the history contain, with a new raw value, and a new enumeration.
///
/// https://github.com/realm/realm-swift/issues/8221
@Suite struct EnumerationChangeTests {
    private typealias Item = Later.Item

    private let directory: TemporaryDirectory
    private let start: DefaultHistoryToken
    private let export: Data

    init() throws {
        directory = try TemporaryDirectory()
        let container = try Self.container(Earlier.Item.self, directory)
        let context = ModelContext(container)
        context.author = "editor"
        start = try context.currentHistoryToken()
        let items = [Earlier.Kind.kept, .removed, .renamed, .kept].map { Earlier.Item("\($0)", $0) }
        for item in items {
            context.insert(item)
            try context.save()
        }
        items[3].name = "changed"
        items[3].kind = .removed
        try context.save()
        items[3].kind = .kept
        try context.save()
        let deleted = Earlier.Item("deleted", .removed)
        context.insert(deleted)
        try context.save()
        context.delete(deleted)
        try context.save()
        var data = Data()
        try container.exportHistory { data.append($0) }
        export = data
    }

    private static func container(
        _ type: any PersistentModel.Type, _ directory: TemporaryDirectory
    ) throws -> ModelContainer {
        try ModelContainer(
            for: Schema([type]),
            configurations: [
                ModelConfiguration(url: directory.file("test.store"), durability: .relaxed, preservesValues: true)
            ])
    }

    private func reopened() throws -> ModelContainer { try Self.container(Item.self, directory) }

    private func identifier(_ name: String, _ context: ModelContext) throws -> PersistentIdentifier {
        try #require(
            try context.fetchIdentifiers(FetchDescriptor<Item>(predicate: #Predicate { $0.name == name })).first)
    }

    @Test func rowsWithoutTheCaseAreNamed() throws {
        let context = ModelContext(try reopened())
        let error = try #require(try failure(of: { try context.fetch(FetchDescriptor<Item>()) }))
        #expect(error == .undecodableValue && error.propertyName == "kind")
        #expect(
            ["removed", "renamed"].contains { name in
                (try? identifier(name, context)) == error.persistentIdentifier
            })
        // The others are read, and have the default value of the new enumeration.
        let kept = FetchDescriptor<Item>(
            predicate: #Predicate { $0.name == "kept" || $0.name == "changed" }, sortBy: [SortDescriptor(\.name)])
        let items = try context.fetch(kept)
        #expect(items.map(\.kind) == [.kept, .kept] && items.map(\.level) == [.low, .low])
        // A batch update repairs a row, and the other one is deleted.
        try context.update(
            model: Item.self, where: #Predicate { $0.name == "renamed" }, set: \.kind, to: Later.Kind.renamed)
        try context.delete(model: Item.self, where: #Predicate { $0.name == "removed" })
        #expect(try context.fetch(FetchDescriptor<Item>()).count == 3)
        #expect(try VerificationTests.problems(in: directory.file("test.store")) == [])
    }

    @Test func theHistoryContainsTheStoredValues() throws {
        let context = ModelContext(try reopened())
        let inserts = try context.inserts(Item.self)
        #expect(inserts.map { $0.value(\.kind) } == [.kept, nil, nil, .kept, nil])
        #expect(inserts.map { $0.value(\.level) } == [nil, nil, nil, nil, nil])
        let updates = try context.updates(Item.self)
        #expect(updates.map { $0.previousValue(\.kind) } == [.kept, nil])
        let values = updates.compactMap { $0.undecodableValues.first?.storedValue }
        #expect(values == [.text("removed"), .text("removed")], "\(values)")
        let tombstone = try #require(try context.deletes(Item.self).first).tombstone
        #expect(
            tombstone[\.kind] as Later.Kind? == nil
                && (tombstone["kind"] as? UndecodableValue)?.storedValue == .text("removed"))
        let entries = try context.history(of: identifier("changed", context))
        #expect(entries.map(\.kind) == [.insert, .update, .update])
        #expect(try context.blame(of: identifier("changed", context))["kind"] == context.fetchHistory(Descriptor())[5])
    }

    @Test func positionsHaveTheDefaultValueAndNameTheRow() throws {
        let container = try reopened()
        let context = ModelContext(container)
        let history = try context.fetchHistory(Descriptor())
        let first = try ModelContext(container, asOf: history[0].token)
        #expect(try first.fetch(FetchDescriptor<Item>()).map(\.level) == [.low])
        let past = try ModelContext(container, asOf: history[4].token)
        #expect(try failure(of: { try past.fetch(FetchDescriptor<Item>()) }) == .undecodableValue)
        #expect(try past.fetchCount(FetchDescriptor<Item>()) == 4)
        let changes = try context.changes(between: start, and: context.currentHistoryToken())
        #expect(changes.count == 4)
        let kind = try #require(try changes.change(of: identifier("removed", context))?.value(named: "kind"))
        #expect((kind.value as? UndecodableValue)?.storedValue == .text("removed"), "\(kind)")
    }

    @Test func revertsAreConflicts() throws {
        let context = ModelContext(try reopened())
        let history = try context.fetchHistory(Descriptor()).filter { $0.author == "editor" }
        // The previous value of the update, and the preserved one of the delete.
        for transaction in [history[5], history[7]] {
            let plan = try context.revertPlan(for: transaction)
            #expect(plan.conflicts.map(\.kind) == [.valueMissing] && plan.conflicts.map(\.propertyName) == ["kind"])
            #expect(try failure(of: { try context.revert(transaction) }) == .revertConflict)
        }
        try context.revert(history[6])
        #expect(context.hasChanges == false || context.changedModelsArray.isEmpty)
    }

    @Test func consumersContinue() throws {
        let container = try reopened()
        let consumer = try container.historyConsumer(named: "reader", startingNewAt: .beginning)
        var changes = 0
        while let batch = try consumer.nextBatch(limit: 3) {
            changes += try batch.changes.count
            try consumer.acknowledge(batch)
        }
        #expect(changes == 8)
    }

    @Test func aReplayEndsBeforeTheValue() throws {
        let replica = try TestStore(.inMemory, [Item.self])
        #expect(try failure(of: { try ReplicaHarness.replay(export, to: replica) }) == .unknownSchema)
        let current = try TestStore(.inMemory, [WithoutLevel.Item.self])
        let error = try failure(of: { try ReplicaHarness.replay(export, to: current) })
        #expect(error == .invalidHistoryExport && error?.propertyName == "kind", "\(String(describing: error))")
        // The transactions before the value.
        #expect(try current.context().fetchCount(FetchDescriptor<WithoutLevel.Item>()) == 1)
    }
}

private enum Earlier {
    enum Kind: String, Codable { case kept, removed, renamed }
    @Model fileprivate final class Item {
        var name: String
        var kind: Kind
        init(_ name: String, _ kind: Kind) { (self.name, self.kind) = (name, kind) }
    }
}

private enum Later {
    enum Kind: String, Codable { case kept, renamed = "new", added }
    enum Level: Int, Codable { case low = 1, high }
    @Model fileprivate final class Item {
        var name: String
        var kind: Kind
        var level: Level = Level.low
        init(_ name: String, _ kind: Kind) { (self.name, self.kind) = (name, kind) }
    }
}

private enum WithoutLevel {
    enum Kind: String, Codable { case kept, renamed = "new", added }
    @Model fileprivate final class Item {
        var name: String
        var kind: Kind
        init(_ name: String, _ kind: Kind) { (self.name, self.kind) = (name, kind) }
    }
}
