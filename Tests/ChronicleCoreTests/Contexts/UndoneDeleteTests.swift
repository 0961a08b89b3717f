import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Deletes by delete rules that are taken back before the save.
@Suite struct UndoneDeleteTests {
    @Test(arguments: StoreKind.allCases)
    func undoneDeleteOfBothEndsChangesNothing(_ kind: StoreKind) throws {
        let context = try TestStore(kind, [Drawer.self, Sheet.self, Seal.self]).context()
        let (drawer, sheet, seal) = (Drawer(), Sheet(), Seal())
        context.insert(drawer)
        drawer.sheets = [sheet]
        sheet.seal = seal
        try context.save()
        context.delete(drawer)
        context.insert(drawer)
        #expect(sheet.isDeleted && seal.isDeleted)
        context.insert(sheet)
        #expect(sheet.seal === seal && seal.sheet === sheet && sheet.drawer === drawer && drawer.sheets == [sheet])
        #expect(!context.hasChanges && context.changedModelsArray.isEmpty && context.deletedModelsArray.isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func deletedDestinationIsRemovedFromTheModelWhoseDeleteIsUndone(_ kind: StoreKind) throws {
        let context = try TestStore(kind, [Drawer.self, Sheet.self, Seal.self]).context()
        let (drawer, sheet, seal) = (Drawer(), Sheet(), Seal())
        context.insert(drawer)
        drawer.sheets = [sheet]
        sheet.seal = seal
        try context.save()
        context.delete(drawer)
        // The program deletes it as well.
        context.delete(seal)
        context.insert(drawer)
        context.insert(sheet)
        #expect(sheet.seal == nil && !sheet.isDeleted && seal.isDeleted)
        #expect(context.changedModelsArray.map(\.persistentModelID) == [sheet.persistentModelID])
        try context.save()
        #expect(try ModelContext(context.container).fetch(FetchDescriptor<Sheet>()).map { $0.seal == nil } == [true])
        #expect(try context.fetchCount(FetchDescriptor<Seal>()) == 0)
    }

    // MARK: Models without rows

    /// A reference without an inverse to a restored or missing model, which a delete removes from the context.
    @Test(arguments: StoreKind.allCases)
    func deletedModelsWithoutRowsAreNotReferenced(_ kind: StoreKind) throws {
        for (isRestored, cascades) in [(true, false), (true, true), (false, false)] {
            let store = try TestStore(kind, [GraphNode.self], preservesValues: true)
            let context = store.context()
            let (owner, base, leaf) = (GraphNode("owner"), GraphNode("base"), GraphNode("leaf"))
            for node in [owner, base, leaf] { context.insert(node) }
            if isRestored { base.favourite = leaf }
            if cascades { owner.children = [leaf] }
            try context.save()
            var nodes = ["owner": owner, "base": base, "leaf": leaf]
            if isRestored {
                for node in nodes.values { context.delete(node) }
                try context.save()
                try context.revert(
                    try #require(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last))
                for node in try context.fetch(FetchDescriptor<GraphNode>()) { nodes[node.name] = node }
            } else {
                base.favourite = leaf
                leaf.number = 1
                let other = store.context()
                let name = "leaf"
                try other.delete(model: GraphNode.self, where: #Predicate { $0.name == name })
                try context.refreshAllModels()
            }
            let (held, deleted) = (try #require(nodes["base"]), try #require(nodes["leaf"]))
            #expect(held.favourite === deleted)
            context.delete(cascades ? try #require(nodes["owner"]) : deleted)
            #expect(held.favourite == nil && deleted.isDeleted, "\(isRestored) \(cascades)")
            try context.save()
            #expect(held.favourite == nil && !context.hasChanges)
            let stored = try store.context().fetch(FetchDescriptor<GraphNode>(sortBy: [SortDescriptor(\.name)]))
            #expect(stored.map(\.name) == (cascades ? ["base"] : ["base", "owner"]))
            #expect(stored[0].favourite == nil)
        }
    }

    // MARK: Several stores

    @Test(arguments: StoreKind.allCases)
    func othersAlsoDeletedTheReferencedModel(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [GraphNode.self])
        let context = store.context()
        let (base, leaf) = (GraphNode("base"), GraphNode("leaf"))
        for node in [base, leaf] { context.insert(node) }
        try context.save()
        base.favourite = leaf
        context.delete(leaf)
        let name = "leaf"
        try store.context().delete(model: GraphNode.self, where: #Predicate { $0.name == name })
        try context.refreshAllModels()
        #expect(base.favourite == nil)
        try context.save()
        let stored = try store.context().fetch(FetchDescriptor<GraphNode>())
        #expect(stored.map(\.name) == ["base"] && stored[0].favourite == nil)
    }

    /// A save that fails in the second store has saved the models that a discarded model references.
    @Test(arguments: StoreKind.allCases, [false, true])
    func discardedModelKeepsItsReferences(_ kind: StoreKind, isMerged: Bool) throws {
        for returnsByInsert in [false, true] {
            let directory = try TemporaryDirectory()
            let container = try Self.container(kind, directory)
            let context = ModelContext(container)
            let (binder, inbox, entry, label) = (Binder(), Binder(), Entry("free"), Sticker())
            for model in [binder, inbox, entry, label, Entry("taken")] as [any PersistentModel] {
                context.insert(model)
            }
            if isMerged { context.insert(Writer("Ann", age: 1)) }
            try context.save()
            let (writer, leaf) = (Writer("Ann", age: 2), Leaf())
            context.insert(leaf)
            (leaf.binder, leaf.writer, leaf.second) = (binder, writer, Writer("Bob", age: 3))
            leaf.labels = [label, Sticker()]
            context.delete(binder)
            entry.code = "taken"
            #expect(throws: SwiftDataError.uniquenessViolation) { try context.save() }
            #expect(!writer.persistentModelID.isTemporary && leaf.persistentModelID.isTemporary)
            entry.code = "other"
            if returnsByInsert {
                context.insert(leaf)
                #expect(leaf.binder == nil)
            }
            leaf.binder = inbox
            #expect(leaf.writer === writer && writer.leaves == [leaf] && leaf.second?.age == 3)
            #expect(leaf.labels.count == 2 && label.leaves == [leaf])
            try context.save()
            let stored = try #require(try ModelContext(container).fetch(FetchDescriptor<Leaf>()).first)
            #expect(stored.writer?.age == 2 && stored.second?.age == 3)
            #expect(stored.labels.count == 2 && stored.labels.allSatisfy { $0.leaves == [stored] })
            #expect(stored.binder?.persistentModelID == inbox.persistentModelID)
            #expect(try context.fetchCount(FetchDescriptor<Writer>()) == 2)
        }
    }

    /// Random new models, of which deletes of their owners discard some before a save that fails in the second store.
    @Test(arguments: TestSeed.rounds(8)) func discardedModelsReturnAsTheyWere(_ number: Int) throws {
        var random = TestSeed.generator(number)
        let directory = try TemporaryDirectory()
        let container = try Self.container(number.isMultiple(of: 2) ? .inMemory : .file, directory)
        let context = ModelContext(container)
        let (binders, inbox, entry) = ((0..<4).map { _ in Binder() }, Binder(), Entry("free"))
        let labels = (0..<3).map { _ in Sticker() }
        for model in binders + labels + [inbox, entry, Entry("taken")] as [any PersistentModel] {
            context.insert(model)
        }
        for name in 0..<random.below(4) { context.insert(Writer("\(name)", age: -1)) }
        try context.save()
        // The save merges writers with the same name; the last one remains.
        let writers = (0..<8).map { Writer("\(random.below(6))", age: $0) }
        for writer in writers { context.insert(writer) }
        var expected: [(leaf: Leaf, writer: String?, second: String?, labels: Set<PersistentIdentifier>)] = []
        for _ in 0..<10 {
            let leaf = Leaf()
            context.insert(leaf)
            (leaf.binder, leaf.writer) = (random.pick(binders), random.below(4) == 0 ? nil : random.pick(writers))
            leaf.second = random.below(2) == 0 ? nil : random.pick(writers)
            leaf.labels = labels.filter { _ in random.below(2) == 0 }
            let identifiers = Set(leaf.labels.map(\.persistentModelID))
            expected.append((leaf, leaf.writer?.name, leaf.second?.name, identifiers))
        }
        for binder in binders where random.below(2) == 0 { context.delete(binder) }
        entry.code = "taken"
        #expect(throws: SwiftDataError.uniquenessViolation) { try context.save() }
        entry.code = "other"
        for leaf in expected.map(\.leaf) where random.below(2) == 0 { context.insert(leaf) }
        for leaf in expected.map(\.leaf) { leaf.binder = inbox }
        let message: Comment = "\(TestSeed.description)"
        for isSaved in [false, true] {
            if isSaved { try context.save() }
            for (leaf, writer, second, labels) in expected {
                #expect(leaf.writer?.name == writer && leaf.second?.name == second, message)
                #expect(Set(leaf.labels.map(\.persistentModelID)) == labels, message)
                #expect(leaf.labels.allSatisfy { $0.leaves.contains(leaf) }, message)
                #expect(
                    leaf.writer?.leaves.contains(leaf) ?? true && leaf.second?.others.contains(leaf) ?? true, message)
            }
        }
        let stored = try ModelContext(container).fetch(FetchDescriptor<Leaf>())
        #expect(stored.count == expected.count && stored.allSatisfy { $0.binder != nil }, message)
        let names = Dictionary(
            uniqueKeysWithValues: stored.map { ($0.persistentModelID, [$0.writer?.name, $0.second?.name]) })
        for (leaf, writer, second, _) in expected {
            #expect(names[leaf.persistentModelID] == [writer, second], message)
        }
    }

    private static func container(_ kind: StoreKind, _ directory: TemporaryDirectory) throws -> ModelContainer {
        func configuration(_ name: String, _ types: [any PersistentModel.Type]) -> ModelConfiguration {
            kind == .inMemory
                ? ModelConfiguration(name, schema: Schema(types), isStoredInMemoryOnly: true)
                : ModelConfiguration(
                    name, schema: Schema(types), url: directory.file("\(name).store"), durability: .relaxed)
        }
        return try ModelContainer(
            for: Schema([Binder.self, Leaf.self, Writer.self, Sticker.self, Entry.self]),
            configurations: [
                configuration("first", [Binder.self, Leaf.self, Writer.self, Sticker.self]),
                configuration("second", [Entry.self]),
            ])
    }
}

@Model private final class Binder {
    @Relationship(deleteRule: .cascade, inverse: \Leaf.binder) var leaves: [Leaf] = []
    init() {}
}

@Model private final class Leaf {
    var binder: Binder?
    @Relationship(inverse: \Writer.leaves) var writer: Writer?
    @Relationship(inverse: \Writer.others) var second: Writer?
    @Relationship(inverse: \Sticker.leaves) var labels: [Sticker] = []
    init() {}
}

@Model private final class Writer {
    @Attribute(.unique) var name: String
    var age: Int
    var leaves: [Leaf] = []
    var others: [Leaf] = []
    init(_ name: String, age: Int) { (self.name, self.age) = (name, age) }
}

@Model private final class Sticker {
    var leaves: [Leaf] = []
    init() {}
}

@Model private final class Entry {
    @Attribute(.unique) var code: String
    init(_ code: String) { self.code = code }
}

@Model private final class Drawer {
    @Relationship(deleteRule: .cascade, inverse: \Sheet.drawer) var sheets: [Sheet] = []
    init() {}
}

@Model private final class Sheet {
    var drawer: Drawer?
    @Relationship(deleteRule: .cascade, inverse: \Seal.sheet) var seal: Seal?
    init() {}
}

@Model private final class Seal {
    var sheet: Sheet?
    init() {}
}
