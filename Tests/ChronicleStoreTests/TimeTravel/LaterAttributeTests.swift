import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Reverts of changes that were made before attributes were added to the class.
@Suite struct LaterAttributeTests {
    private typealias Old = LaterAttributesV1.Item
    private typealias New = LaterAttributesV2.Item

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func context<Model: PersistentModel>(
        _ type: Model.Type, _ recorder: ModelConfiguration.Recorder = .automatic
    ) throws -> ModelContext {
        var configuration = ModelConfiguration(
            url: directory.file("test.store"), durability: .relaxed, preservesValues: true)
        configuration.recorder = recorder
        let context = ModelContext(try ModelContainer(for: Schema([type]), configurations: [configuration]))
        context.author = "editor"
        return context
    }

    @Test(arguments: ModelConfiguration.Recorder.allCases)
    func anInsertIsTakenBack(_ recorder: ModelConfiguration.Recorder) throws {
        do {
            let context = try context(Old.self, recorder)
            context.insert(Old("a"))
            try context.save()
        }
        // Two launches, each of which has other default values for `date` and `identity`.
        #expect(try context(New.self, recorder).fetchCount(FetchDescriptor<New>()) == 1)
        let context = try context(New.self, recorder)
        #expect(try context.undoHistory.undo()?.conflicts.isEmpty == true)
        #expect(try context.fetchCount(FetchDescriptor<New>()) == 0)
        try context.undoHistory.redo()
        #expect(try context.fetch(FetchDescriptor<New>()).map(\.name) == ["a"])
    }

    @Test(arguments: ModelConfiguration.Recorder.allCases)
    func aDeleteIsTakenBack(_ recorder: ModelConfiguration.Recorder) throws {
        do {
            let context = try context(Old.self, recorder)
            let item = Old("a")
            context.insert(item)
            try context.save()
            context.delete(item)
            try context.save()
        }
        let context = try context(New.self, recorder)
        try context.undoHistory.undo()
        let item = try #require(try context.fetch(FetchDescriptor<New>()).first)
        #expect(item.name == "a" && item.extra == "x" && item.count == nil && item.tags == ["y"] && item.parent == nil)
        try context.undoHistory.undo()
        #expect(try context.fetchCount(FetchDescriptor<New>()) == 0)
    }

    /// A list that the class had is restored with its links, and with none if there were none.
    @Test(arguments: [true, false])
    func aDeleteKeepsTheLinksOfAList(_ hasLabel: Bool) throws {
        let context = try context(New.self)
        let item = New("a")
        context.insert(item)
        if hasLabel { item.labels = [LaterAttributesV2.Label("b")] }
        try context.save()
        context.delete(item)
        try context.save()
        #expect(try context.undoHistory.undo()?.conflicts.isEmpty == true)
        let restored = try #require(try context.fetch(FetchDescriptor<New>()).first)
        #expect(restored.labels.map(\.text) == (hasLabel ? ["b"] : []))
    }

    /// Net changes have the default values, as reads as of a position.
    @Test func changesHaveTheDefaultValues() throws {
        let start: DefaultHistoryToken
        do {
            let context = try context(Old.self)
            start = try context.currentHistoryToken()
            context.insert(Old("a"))
            try context.save()
        }
        let context = try context(New.self)
        let transaction = try #require(
            try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).first { $0.author == "editor" })
        let change = try #require(try context.changes(between: start, and: transaction.token).first)
        #expect(change.values.filter(\.isMissing).map(\.name) == ["labels"])
        #expect(change.value(\New.extra) == "x" && change.value(\New.count) == .some(nil))
    }

    @Test func aLaterChangeIsAConflict() throws {
        do {
            let context = try context(Old.self)
            context.insert(Old("a"))
            try context.save()
        }
        do {
            let context = try context(New.self)
            context.author = "other"
            try #require(try context.fetch(FetchDescriptor<New>()).first).extra = "changed"
            try context.save()
        }
        let plan = try #require(try context(New.self).undoHistory.undoPlan())
        #expect(plan.conflicts.map(\.propertyName) == ["extra"] && plan.conflicts.map(\.kind) == [.changedSince])
    }
}
