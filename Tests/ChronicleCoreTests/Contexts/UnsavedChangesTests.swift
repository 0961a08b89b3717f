import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Unsaved changes of one context beside another context that saves.
@Suite("Unsaved changes") struct UnsavedChangesTests {
    private struct Fixture {
        let store: TestStore
        let context: ModelContext
        let other: ModelContext

        init(_ kind: StoreKind) throws {
            store = try TestStore(
                kind, [Cabinet.self, Paper.self, Stamp.self, Mark.self], preservesValues: true)
            (context, other) = (store.context(author: "one"), store.context(author: "two"))
        }

        func elsewhere<Model: PersistentModel>(_ model: Model) throws -> Model {
            try #require(try other.existingModel(for: model.persistentModelID) as? Model)
        }

        func deleteElsewhere(_ model: some PersistentModel) throws {
            other.delete(try elsewhere(model))
            try other.save()
        }

        func stored<Model: PersistentModel>(_: Model.Type) throws -> [Model] {
            try store.context().fetch(FetchDescriptor<Model>())
        }
    }

    // MARK: Rows that others deleted

    @Test(arguments: StoreKind.allCases)
    func restoredModelsSurviveMergesAndBatches(_ kind: StoreKind) throws {
        for step in 0..<4 {
            let fixture = try Fixture(kind)
            let paper = Paper("a")
            fixture.context.insert(paper)
            try fixture.context.save()
            let start = try fixture.context.currentHistoryToken()
            try fixture.deleteElsewhere(paper)
            let transactions = try fixture.context.fetchHistory(
                HistoryDescriptor<DefaultHistoryTransaction>.after(start))
            try fixture.context.revert(transactions[0])
            switch step {
            case 0: try fixture.context.merge(transactions)
            case 1: try fixture.context.refreshAllModels()
            case 2: try fixture.context.delete(model: Paper.self, where: #Predicate { $0.text == "b" })
            default: try fixture.context.update(model: Paper.self, set: \.pages, to: 5)
            }
            #expect(fixture.context.insertedModelsArray.count == 1, "step \(step)")
            try fixture.context.save()
            #expect(try fixture.stored(Paper.self).map(\.text) == ["a"], "step \(step)")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aModelThatTwoContextsRestoreIsOneModel(_ kind: StoreKind) throws {
        let fixture = try Fixture(kind)
        let paper = Paper("a")
        fixture.other.insert(paper)
        try fixture.other.save()
        fixture.other.delete(paper)
        try fixture.other.save()
        let all = HistoryDescriptor<DefaultHistoryTransaction>()
        let deletion = try #require(try fixture.context.fetchHistory(all).last)
        try fixture.context.revert(deletion)
        try fixture.other.revert(deletion)
        try fixture.context.save()
        let restored = try fixture.context.fetch(FetchDescriptor<Paper>())[0]
        restored.text = "b"
        try fixture.context.save()
        // The later value of the other writer is kept.
        let found = try fixture.other.fetch(FetchDescriptor<Paper>())
        #expect(found.map(\.text) == ["b"] && fixture.other.insertedModelsArray.isEmpty)
        #expect(try fixture.other.fetchCount(FetchDescriptor<Paper>()) == 1)
        try fixture.other.save()
        #expect(try fixture.stored(Paper.self).map(\.text) == ["b"])
    }

    @Test(arguments: StoreKind.allCases)
    func aSaveFindsRestoredRowsWithoutAFetch(_ kind: StoreKind) throws {
        let fixture = try Fixture(kind)
        let paper = Paper("a")
        fixture.other.insert(paper)
        try fixture.other.save()
        fixture.other.delete(paper)
        try fixture.other.save()
        let deletion = try #require(
            try fixture.context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
        try fixture.context.revert(deletion)
        try fixture.other.revert(deletion)
        try fixture.context.save()
        try fixture.other.save()
        #expect(try fixture.stored(Paper.self).count == 1 && !fixture.other.hasChanges)
    }

    @Test(arguments: StoreKind.allCases, [ModelContext.MergePolicy.error, .mergeByPropertyObjectTrump])
    func aBatchDeleteKeepsEditsOfRowsThatOthersDeleted(
        _ kind: StoreKind, _ policy: ModelContext.MergePolicy
    ) throws {
        let fixture = try Fixture(kind)
        fixture.context.mergePolicy = policy
        let (paper, rest, cabinet) = (Paper("a"), Paper("b"), Cabinet("c"))
        for model in [paper, rest] { fixture.context.insert(model) }
        fixture.context.insert(cabinet)
        try fixture.context.save()
        paper.text = "edited"
        try fixture.deleteElsewhere(paper)
        try fixture.context.delete(model: Paper.self, where: #Predicate { $0.text == "nothing" })
        #expect(!paper.isDeleted && paper.text == "edited")
        if policy == .error {
            #expect(throws: SwiftDataError.modelNotFound) { try fixture.context.save() }
            fixture.context.rollback()
        } else {
            try fixture.context.save()
            #expect(fixture.context.lastSaveResult.droppedChanges.map(\.updatedAttributeNames) == [["text"]])
        }
        #expect(paper.isDeleted && paper.modelContext == nil && !fixture.context.hasChanges)

        // A reference to a row that another context deleted is an error of the save.
        rest.cabinet = cabinet
        try fixture.deleteElsewhere(cabinet)
        try fixture.context.delete(model: Cabinet.self, where: #Predicate { $0.name == "nothing" })
        #expect(throws: SwiftDataError.self) { try fixture.context.save() }
        rest.cabinet = nil
        try fixture.context.save()
    }

    @Test(arguments: StoreKind.allCases)
    func aBatchDeleteDiscardsItsOwnEditsAndReferences(_ kind: StoreKind) throws {
        let fixture = try Fixture(kind)
        let (paper, cabinet) = (Paper("a"), Cabinet("c"))
        fixture.context.insert(paper)
        fixture.context.insert(cabinet)
        try fixture.context.save()
        paper.cabinet = cabinet
        cabinet.name = "edited"
        try fixture.context.delete(model: Cabinet.self)
        #expect(cabinet.isDeleted && paper.cabinet == nil)
        try fixture.context.save()
        #expect(fixture.context.lastSaveResult.droppedChanges.isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func aRowThatReturnsIsNotDeletedByALaterRollback(_ kind: StoreKind) throws {
        let fixture = try Fixture(kind)
        let paper = Paper("a")
        fixture.context.insert(paper)
        try fixture.context.save()
        paper.text = "b"
        try fixture.deleteElsewhere(paper)
        try fixture.context.refreshAllModels()
        try fixture.other.undoHistory.undo()
        try fixture.context.save()
        fixture.context.rollback()
        paper.pages = 7
        try fixture.context.save()
        #expect(!paper.isDeleted)
        #expect(try fixture.stored(Paper.self).map { "\($0.text) \($0.pages)" } == ["b 7"])
    }

    @Test(arguments: StoreKind.allCases)
    func aSaveOfAnEqualValueNoticesThatTheRowIsGone(_ kind: StoreKind) throws {
        let fixture = try Fixture(kind)
        let paper = Paper("a")
        fixture.context.insert(paper)
        try fixture.context.save()
        paper.text = paper.text
        try fixture.deleteElsewhere(paper)
        try fixture.context.refreshAllModels()
        try fixture.context.save()
        #expect(paper.isDeleted && paper.modelContext == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func deletesOfMissingRowsAreNotPending(_ kind: StoreKind) throws {
        let fixture = try Fixture(kind)
        let paper = Paper("a")
        fixture.context.insert(paper)
        try fixture.context.save()
        fixture.context.delete(paper)
        try fixture.deleteElsewhere(paper)
        try fixture.context.refreshAllModels()
        #expect(fixture.context.deletedModelsArray.isEmpty && !fixture.context.hasChanges)
    }

    @Test(arguments: StoreKind.allCases)
    func undoneDeletesHaveTheValuesOfTheRow(_ kind: StoreKind) throws {
        let fixture = try Fixture(kind)
        let paper = Paper("a")
        fixture.other.insert(paper)
        try fixture.other.save()
        let own = try #require(try fixture.context.fetch(FetchDescriptor<Paper>()).first)
        fixture.context.delete(own)
        (paper.color, paper.size, paper.pages) = (.blue, Paper.Size(width: 3), 4)
        try fixture.other.save()
        try fixture.context.refreshAllModels()
        fixture.context.insert(own)
        #expect(own.color == .blue && own.size == Paper.Size(width: 3) && own.pages == 4)
        #expect(!fixture.context.hasChanges)
    }

    // MARK: Cascades

    @Test(arguments: ["move, delete", "delete, append", "delete, move"], [false, true])
    func movedModelsSurviveTheDeleteOfTheirOwner(_ order: String, _ isSaved: Bool) throws {
        let fixture = try Fixture(.inMemory)
        let context = fixture.context
        let (old, new, paper, rest) = (Cabinet("old"), Cabinet("new"), Paper("a"), Paper("b"))
        for cabinet in [old, new] { context.insert(cabinet) }
        if isSaved { try context.save() }
        old.papers = [paper, rest]
        paper.stamps = [Stamp("s")]
        if isSaved { try context.save() }
        switch order {
        case "move, delete":
            paper.cabinet = new
            context.delete(old)
        case "delete, append":
            context.delete(old)
            new.papers.append(paper)
        default:
            context.delete(old)
            paper.cabinet = new
        }
        #expect(!paper.isDeleted && paper.modelContext == context && new.papers == [paper])
        #expect(rest.isDeleted == isSaved && rest.modelContext == (isSaved ? context : nil))
        #expect(context.deletedModelsArray.count == (isSaved ? 2 : 0))
        try context.save()
        let stored = try fixture.stored(Paper.self)
        #expect(stored.map { "\($0.text) \($0.cabinet?.name ?? "-") \($0.stamps.map(\.name))" } == ["a new [\"s\"]"])
    }

    @Test(arguments: StoreKind.allCases)
    func modelsThatTheProgramDeletesAreNotKeptByAMove(_ kind: StoreKind) throws {
        let fixture = try Fixture(kind)
        let context = fixture.context
        let (old, new, paper) = (Cabinet("old"), Cabinet("new"), Paper("a"))
        for cabinet in [old, new] { context.insert(cabinet) }
        old.papers = [paper]
        try context.save()
        context.delete(old)
        context.delete(paper)
        paper.cabinet = new
        #expect(paper.isDeleted)
        try context.save()
        #expect(try fixture.stored(Paper.self).isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func anEditOfAModelThatTheSaveDeletesIsReported(_ kind: StoreKind) throws {
        let fixture = try Fixture(kind)
        let (cabinet, paper) = (Cabinet("c"), Paper("a"))
        fixture.context.insert(cabinet)
        fixture.context.insert(paper)
        try fixture.context.save()
        fixture.context.delete(cabinet)
        paper.text = "edited"
        try fixture.elsewhere(paper).cabinet = try fixture.elsewhere(cabinet)
        try fixture.other.save()
        fixture.context.mergePolicy = .error
        #expect(throws: SwiftDataError.modelNotFound) { try fixture.context.save() }
        fixture.context.mergePolicy = .mergeByPropertyObjectTrump
        try fixture.context.save()
        #expect(fixture.context.lastSaveResult.droppedChanges.map(\.persistentIdentifier) == [paper.persistentModelID])
        #expect(paper.isDeleted)
        #expect(try fixture.stored(Paper.self).isEmpty)
    }

    // MARK: Lists and links

    @Test(arguments: StoreKind.allCases)
    func listsOfNewModelsSurviveOtherChanges(_ kind: StoreKind) throws {
        let fixture = try Fixture(kind)
        let saved = Paper("saved")
        fixture.context.insert(saved)
        try fixture.context.save()
        let cabinet = Cabinet("c")
        fixture.context.insert(cabinet)
        cabinet.papers = [Paper("a"), saved]
        for step in 0..<5 {
            switch step {
            case 0:
                fixture.other.insert(Paper("b"))
                try fixture.other.save()
                try fixture.context.refreshAllModels()
            case 1: try fixture.context.update(model: Paper.self, set: \.pages, to: 5)
            case 2: try fixture.context.delete(model: Paper.self, where: #Predicate { $0.text == "b" })
            case 3: try fixture.context.insert(model: Paper.self, from: [Paper("d")])
            default: _ = try fixture.context.fetch(FetchDescriptor<Paper>())
            }
            #expect(cabinet.papers.map(\.text) == ["a", "saved"], "step \(step)")
        }
        try fixture.deleteElsewhere(saved)
        try fixture.context.refreshAllModels()
        #expect(cabinet.papers.map(\.text) == ["a", "saved"] && !saved.isDeleted)
        try fixture.context.save()
        #expect(cabinet.papers.map(\.text) == ["a"] && saved.isDeleted)
    }

    @Test(arguments: StoreKind.allCases, [true, false])
    func linkChangesAfterAMergeAreSaved(_ kind: StoreKind, _ isAdding: Bool) throws {
        let fixture = try Fixture(kind)
        let (paper, mark) = (Paper("a"), Mark("m"))
        fixture.context.insert(paper)
        fixture.context.insert(mark)
        if !isAdding { paper.marks = [mark] }
        try fixture.context.save()
        paper.marks = isAdding ? [mark] : []
        try fixture.elsewhere(paper).marks = isAdding ? [try fixture.elsewhere(mark)] : []
        try fixture.other.save()
        try fixture.context.refreshAllModels()
        #expect(mark.papers.count == (isAdding ? 1 : 0))
        paper.marks = isAdding ? [] : [mark]
        try fixture.context.save()
        #expect(try fixture.stored(Paper.self).map(\.marks.count) == [isAdding ? 0 : 1])
    }

    // MARK: Fetches

    @Test(arguments: StoreKind.allCases)
    func fetchesAgreeAboutModelsThatOthersChanged(_ kind: StoreKind) throws {
        let fixture = try Fixture(kind)
        let papers = [Paper("a"), Paper("b")]
        for paper in papers { fixture.context.insert(paper) }
        try fixture.context.save()
        papers[0].pages = 9
        try fixture.elsewhere(papers[0]).text = "b"
        try fixture.other.save()
        for text in ["a", "b"] {
            var descriptor = FetchDescriptor<Paper>(predicate: #Predicate { $0.text == text })
            let expected = text == "a" ? 0 : 2
            #expect(try fixture.context.fetch(descriptor).count == expected)
            #expect(try fixture.context.fetchCount(descriptor) == expected)
            #expect(try fixture.context.fetchIdentifiers(descriptor).count == expected)
            descriptor.fetchOffset = 1
            #expect(try fixture.context.fetch(descriptor).count == max(expected - 1, 0))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func predicatesSeeUnsavedChangesOfRelatedModels(_ kind: StoreKind) throws {
        let fixture = try Fixture(kind)
        let context = fixture.context
        let (first, second, paper, mark) = (Cabinet("a"), Cabinet("b"), Paper("p"), Mark("m"))
        context.insert(first)
        context.insert(second)
        context.insert(mark)
        first.papers = [paper]
        paper.marks = [mark]
        try context.save()
        func names(_ predicate: Predicate<Cabinet>) throws -> [String] {
            let names = try context.fetch(FetchDescriptor(predicate: predicate)).map(\.name)
            #expect(try context.fetchCount(FetchDescriptor(predicate: predicate)) == names.count)
            return names.sorted()
        }
        func count(_ predicate: Predicate<Paper>) throws -> Int {
            try context.fetchCount(FetchDescriptor(predicate: predicate))
        }
        first.name = "z"
        #expect(try count(#Predicate { $0.cabinet?.name == "z" }) == 1)
        #expect(try count(#Predicate { $0.cabinet?.name == "a" }) == 0)
        let order = [SortDescriptor(\Paper.cabinet?.name)]
        second.papers.append(Paper("n"))
        #expect(try context.fetch(FetchDescriptor(sortBy: order)).map(\.text) == ["n", "p"])
        first.name = "a"
        #expect(try context.fetch(FetchDescriptor(sortBy: order)).map(\.text) == ["p", "n"])
        #expect(try names(#Predicate { $0.papers.isEmpty }) == [])
        #expect(try names(#Predicate { $0.papers.contains { $0.text == "n" } }) == ["b"])
        paper.cabinet = second
        #expect(try names(#Predicate { $0.papers.count == 2 }) == ["b"])
        #expect(try names(#Predicate { $0.papers.isEmpty }) == ["a"])
        mark.name = "x"
        #expect(try count(#Predicate { $0.marks.contains { $0.name == "x" } }) == 1)
        #expect(try names(#Predicate { $0.papers.contains { $0.marks.contains { $0.name == "x" } } }) == ["b"])
        context.delete(mark)
        #expect(try count(#Predicate { $0.marks.isEmpty }) == 2)
        context.delete(paper)
        #expect(try names(#Predicate { $0.papers.allSatisfy { $0.text == "n" } }) == ["a", "b"])
    }

    // MARK: Contexts

    @Test func aModelThatLeftAContextIsSavedByTheNextOneOnly() throws {
        let fixture = try Fixture(.inMemory)
        let (kept, paper) = (Paper("kept"), Paper("a"))
        fixture.context.insert(kept)
        fixture.context.insert(paper)
        fixture.context.delete(paper)
        fixture.other.insert(paper)
        #expect(fixture.context.insertedModelsArray.count == 1 && fixture.other.insertedModelsArray.count == 1)
        try fixture.context.save()
        #expect(try fixture.stored(Paper.self).map(\.text) == ["kept"])
        try fixture.other.save()
        #expect(try fixture.stored(Paper.self).count == 2)
    }
}

@Model private final class Cabinet {
    @Attribute(.preserveValueOnDeletion) var name: String
    @Relationship(deleteRule: .cascade, inverse: \Paper.cabinet) var papers: [Paper] = []
    init(_ name: String) { self.name = name }
}

@Model private final class Paper {
    enum Color: String, Codable { case red, blue }
    struct Size: Codable, Equatable { var width = 1 }

    @Attribute(.preserveValueOnDeletion) var text: String
    var pages = 1
    var color = Color.red
    var size = Size()
    var cabinet: Cabinet?
    @Relationship(deleteRule: .cascade, inverse: \Stamp.paper) var stamps: [Stamp] = []
    var marks: [Mark] = []
    init(_ text: String) { self.text = text }
}

@Model private final class Stamp {
    var name: String
    var paper: Paper?
    init(_ name: String) { self.name = name }
}

@Model private final class Mark {
    var name: String
    @Relationship(inverse: \Paper.marks) var papers: [Paper] = []
    init(_ name: String) { self.name = name }
}
