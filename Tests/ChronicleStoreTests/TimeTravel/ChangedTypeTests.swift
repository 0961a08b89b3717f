import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Positions at which an attribute had another type, and entities and attributes that were removed since.
@Suite struct ChangedTypeTests {
    private let directory: TemporaryDirectory
    private let identifier: PersistentIdentifier
    /// The positions with the large level, with the small one, and with a place that the current type can decode.
    private let tokens: [DefaultHistoryToken]

    init() throws {
        directory = try TemporaryDirectory()
        let container = try Self.container(directory, [Before.Walk.self, Before.Poster.self])
        let context = ModelContext(container)
        let walk = Before.Walk("a", level: 1_000)
        walk.place = Before.Place(city: "Oslo")
        context.insert(walk)
        context.insert(Before.Poster("old"))
        var tokens: [DefaultHistoryToken] = []
        func save() throws {
            try context.save()
            tokens.append(try context.currentHistoryToken())
        }
        try save()
        walk.level = 5
        try save()
        walk.place = nil
        walk.remark = "removed later"
        try save()
        for poster in try context.fetch(FetchDescriptor<Before.Poster>()) { poster.name = "new" }
        try save()
        (identifier, self.tokens) = (walk.persistentModelID, tokens)
    }

    private static func container(
        _ directory: TemporaryDirectory, _ types: [any PersistentModel.Type]
    ) throws -> ModelContainer {
        try ModelContainer(
            for: Schema(types),
            configurations: [ModelConfiguration(url: directory.file("test.store"), preservesValues: true)])
    }

    private func reopened() throws -> ModelContainer { try Self.container(directory, [After.Walk.self]) }

    @Test(arguments: [(0, "level"), (1, "place")])
    func aFetchNamesTheAttribute(_ index: Int, _ name: String) throws {
        let past = try ModelContext(reopened(), asOf: tokens[index])
        let error = try #require(
            try failure { _ = try past.fetch(FetchDescriptor<After.Walk>(sortBy: [SortDescriptor(\.name)])) })
        #expect(error == .undecodableValue)
        #expect((error.entityName, error.propertyName) == ("Walk", name))
        #expect(error.persistentIdentifier == identifier)
        #expect(error.detail?.contains("use a later position") == true)
        #expect(try failure { _ = try past.existingModel(for: identifier) } == .undecodableValue)
        // What loads no model works.
        #expect(try past.fetchIdentifiers(FetchDescriptor<After.Walk>()) == [identifier])
        #expect(try past.fetchCount(FetchDescriptor<After.Walk>(predicate: #Predicate { $0.name == "a" })) == 1)
    }

    @Test func laterPositionsAreRead() throws {
        let past = try ModelContext(reopened(), asOf: tokens[2])
        #expect(try past.fetch(FetchDescriptor<After.Walk>()).map(\.level) == [5])
    }

    @Test func theHistoryOfTheModelContinues() throws {
        let entries = try ModelContext(reopened()).history(of: identifier)
        #expect(entries.map(\.kind) == [.insert, .update, .update])
        #expect(entries[1].previousValue(\After.Walk.level) == nil)
        #expect(entries[1].value(\After.Walk.level) == 5)
        let old = try #require(entries[1].previousValue(named: "level") as? UndecodableValue)
        #expect(old.storedValue == .integer(1_000))
        #expect(old.propertyName == "level")
        // The class has no remark any more.
        #expect(entries[2].updatedAttributeNames.sorted() == ["place", "remark"])
        #expect(entries[2].value(named: "remark") as? String == "removed later")
    }

    @Test func aComparisonHasTheStoredValue() throws {
        let changes = try ModelContext(reopened()).changes(between: tokens[0], and: tokens[3])
        let change = try #require(changes.change(of: identifier))
        let level = try #require(change.value(named: "level"))
        #expect((level.previousValue as? UndecodableValue)?.storedValue == .integer(1_000))
        #expect(change.value(\After.Walk.level) == 5)
        #expect(change.previousValue(\After.Walk.level) == nil)
        #expect(change.value(named: "remark")?.value as? String == "removed later")
        // The class of the other model was removed.
        let poster = try #require(changes.changes(ofEntity: "Poster").first)
        #expect(poster.kind == .update)
        #expect(poster.value(named: "name")?.previousValue as? String == "old")
        #expect(poster.value(named: "name")?.value as? String == "new")
    }

    @Test func aRevertIsAConflictOfTheAttribute() throws {
        let context = ModelContext(try reopened())
        let history = try context.fetchHistory(Descriptor())
        let error = try #require(try failure { try context.revert(history[1]) })
        #expect(error == .revertConflict)
        #expect((error.entityName, error.propertyName) == ("Walk", "level"))
        #expect(!context.hasChanges)
        var plan = try context.revertPlan(for: history[1])
        #expect(plan.conflicts.map(\.kind) == [.valueMissing])
        #expect(plan.conflicts.map(\.allowedResolutions) == [[.keepCurrent, .skipModel]])
        plan.resolveAll(with: .keepCurrent)
        try context.apply(plan)
        #expect(!context.hasChanges)
        // A removed attribute, and a value of an attribute whose type changed.
        let second = try context.revertPlan(for: history[2])
        #expect(
            Set(second.conflicts.map { "\($0.propertyName ?? "") \($0.kind)" })
                == ["remark unknownProperty", "place valueMissing"])
        // A removed class.
        #expect(try failure { try context.revert(history[3]) }?.entityName == "Poster")
        #expect(try context.revertPlan(for: history[3]).conflicts.map(\.kind) == [.unknownEntity])
    }
}

private enum Before {
    struct Place: Codable { var city: String }

    @Model fileprivate final class Walk {
        var name: String
        var level: Int
        var place: Place?
        var remark: String?
        init(_ name: String, level: Int) { (self.name, self.level) = (name, level) }
    }

    @Model fileprivate final class Poster {
        var name: String
        init(_ name: String) { self.name = name }
    }
}

private enum After {
    struct Place: Codable { var zip: Int }

    @Model fileprivate final class Walk {
        var name: String
        var level: Int8
        var place: Place?
        init(_ name: String, level: Int8) { (self.name, self.level) = (name, level) }
    }
}
