import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Batch updates and batch inserts in stores that perform them and in stores for which the context does.
@Suite("Batch updates and inserts") struct BatchUpdateTests {
    private func graph(_ kind: BatchKind) throws -> (BatchStore, ModelContext, [GraphNode]) {
        let store = try BatchStore(kind, GraphNode.self, GraphGroup.self)
        let context = store.context(author: "app")
        let nodes = (0..<4).map { GraphNode("\($0)") }
        for (number, node) in nodes.enumerated() {
            node.number = number
            node.tags = ["x"]
            context.insert(node)
        }
        nodes[1].parent = nodes[0]
        try context.save()
        return (store, context, nodes)
    }

    private func numbers(_ store: BatchStore) throws -> [Int] {
        try store.read { try $0.fetch(FetchDescriptor<GraphNode>(sortBy: [SortDescriptor(\.name)])).map(\.number) }
    }

    // MARK: Updates

    @Test(arguments: BatchKind.allCases) func valuesAndExpressions(_ kind: BatchKind) throws {
        let (store, context, nodes) = try graph(kind)
        let count = try context.update(
            model: GraphNode.self, where: #Predicate { $0.number > 1 },
            set: [
                PropertyUpdate(\.number, to: \.number * 10),
                PropertyUpdate(\.name, to: #Expression { $0.number == 3 ? "last" : $0.name }),
                PropertyUpdate(\.tags, to: ["a", "b"]),
            ])
        #expect(count == 2)
        // The context is refreshed.
        #expect(nodes.map(\.number) == [0, 1, 20, 30] && nodes.map(\.name) == ["0", "1", "2", "last"])
        #expect(nodes[3].tags == ["a", "b"] && nodes[1].tags == ["x"] && !context.hasChanges)
        #expect(try numbers(store) == [0, 1, 20, 30])
        #expect(try context.update(model: GraphNode.self, set: \.number, to: 7) == 4)
        #expect(try numbers(store) == [7, 7, 7, 7])
        #expect(try context.update(model: GraphNode.self, set: \.number, to: \.number - 1) == 4)
        #expect(try context.update(model: GraphNode.self, set: []) == 0)
        #expect(try numbers(store) == [6, 6, 6, 6])
    }

    @Test(arguments: BatchKind.allCases) func changesAreRecorded(_ kind: BatchKind) throws {
        let (store, context, nodes) = try graph(kind)
        let before = try store.history().count
        try context.update(
            model: GraphNode.self, where: #Predicate { $0.number <= 1 },
            set: [PropertyUpdate(\.number, to: 1), PropertyUpdate(\.name, to: #Expression { $0.name })])
        try context.update(model: GraphNode.self, set: \.number, to: #Expression<GraphNode, Int> { $0.number })
        let history = try store.history().dropFirst(before)
        #expect(history.count == 1 && history.first?.author == "app")
        #expect(history.first?.updated == ["\(nodes[0].persistentModelID)": ["number"]])
    }

    @Test func valuesBeforeAndAfterAreKept() throws {
        let configuration = ModelConfiguration(isStoredInMemoryOnly: true, preservesValues: true)
        let container = try ModelContainer(for: GraphNode.self, GraphGroup.self, configurations: configuration)
        let context = ModelContext(container)
        context.insert(GraphNode("a"))
        try context.save()
        try context.update(model: GraphNode.self, set: \.number, to: \.number + 5)
        let transaction = try #require(
            try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
        guard case .update(let update as DefaultHistoryUpdate<GraphNode>) = transaction.changes.first else {
            Issue.record("no update")
            return
        }
        #expect(update.updatedAttributes.count == 1 && update.updatedAttributes.first == \GraphNode.number)
        #expect(update.previousValue(\.number) == 0 && update.value(\.number) == 5)
    }

    @Test(arguments: BatchKind.allCases) func unsavedChangesAreKept(_ kind: BatchKind) throws {
        let (store, context, nodes) = try graph(kind)
        nodes[0].number = 100
        let new = GraphNode("new")
        context.insert(new)
        let count = try context.update(
            model: GraphNode.self, where: #Predicate { $0.number < 50 }, set: \.number, to: -1)
        #expect(count == 4)
        #expect(nodes.map(\.number) == [100, -1, -1, -1] && new.number == 0)
        #expect(try numbers(store) == [-1, -1, -1, -1])
        context.rollback()
        #expect(nodes.map(\.number) == [-1, -1, -1, -1])
    }

    @Test(arguments: BatchKind.allCases) func overflowIsAnErrorAndChangesNothing(_ kind: BatchKind) throws {
        let (store, context, nodes) = try graph(kind)
        nodes[2].number = .max
        try context.save()
        let before = try store.history().count
        let error = #expect(throws: SwiftDataError.self) {
            try context.update(model: GraphNode.self, set: \.number, to: \.number + 1)
        }
        #expect(error == .valueOutOfRange && error?.entityName == "GraphNode" && error?.propertyName == "number")
        #expect(throws: SwiftDataError.valueOutOfRange) {
            try context.update(model: GraphNode.self, set: \.number, to: #Expression { 1 / $0.number })
        }
        #expect(try numbers(store) == [0, 1, .max, 3])
        #expect(try store.history().count == before && nodes[1].number == 1)
    }

    @Test(arguments: BatchKind.allCases) func undefinedExpressionsAreErrorsAndChangeNothing(_ kind: BatchKind) throws {
        let store = try BatchStore(kind, Measurement.self)
        let context = store.context()
        let models = [Measurement(4, "a"), Measurement(nil, nil)]
        for model in models { context.insert(model) }
        try context.save()
        let before = try store.history().count
        let limit = Int.max
        let updates: [(String, PropertyUpdate<Measurement>)] = [
            ("score", PropertyUpdate(\.score, to: #Expression { $0.value! * 2 })),
            ("isHigh", PropertyUpdate(\.isHigh, to: #Expression { $0.value! > 1 })),
            ("note", PropertyUpdate(\.note, to: #Expression { $0.title! })),
            ("count", PropertyUpdate(\.count, to: #Expression { $0.number! * 2 })),
            ("number", PropertyUpdate(\.number, to: #Expression { $0.number.flatMap { $0 + limit } })),
        ]
        for (name, update) in updates {
            let error = #expect(throws: SwiftDataError.self, "\(name)") {
                try context.update(model: Measurement.self, set: [update])
            }
            #expect(error == .valueOutOfRange && error?.propertyName == name)
        }
        let present = #Predicate<Measurement> { $0.title != nil }
        #expect(try context.update(model: Measurement.self, where: present, set: updates.prefix(3).map(\.1)) == 1)
        #expect(models.map(\.score) == [8, 0] && models.map(\.isHigh) == [true, false])
        #expect(models.map(\.note) == ["a", "kept"] && models.map(\.count) == [0, 0])
        #expect(try store.history().count == before + 1)
    }

    @Test(arguments: [BatchKind.inMemory, .file, .unbatched]) func uniquenessApplies(_ kind: BatchKind) throws {
        let store = try BatchStore(kind, GraphNode.self, GraphGroup.self)
        let context = store.context()
        for code in ["a", "b"] { context.insert(GraphGroup(code)) }
        try context.save()
        #expect(throws: SwiftDataError.uniquenessViolation) {
            try context.update(model: GraphGroup.self, set: \.code, to: "c")
        }
        #expect(try store.context().fetch(FetchDescriptor<GraphGroup>()).compactMap(\.code).sorted() == ["a", "b"])
        // The update that failed does not prevent one without a conflict.
        try context.update(
            model: GraphGroup.self, where: #Predicate { $0.code == "b" }, set: \.code, to: "a2")
        #expect(try store.context().fetch(FetchDescriptor<GraphGroup>()).compactMap(\.code).sorted() == ["a", "a2"])
    }

    @Test(arguments: BatchKind.allCases) func expressionsThroughRelationshipsAndOfOtherTypes(_ kind: BatchKind) throws {
        let (store, context, nodes) = try graph(kind)
        try context.update(
            model: GraphNode.self, set: \.name, to: #Expression { $0.parent.flatMap { $0.name } ?? "none" })
        // All expressions read the values from before the update.
        #expect(nodes.map(\.name) == ["none", "0", "none", "none"])
        try context.update(
            model: GraphNode.self, where: #Predicate { $0.parent?.number == 0 }, set: \.number,
            to: #Expression { $0.tags.count + 41 })
        #expect(nodes[1].number == 42)
        #expect(try store.count(GraphNode.self) == 4)
    }

    @Test func invalidUpdatesAreRejected() throws {
        let (store, context, _) = try graph(.inMemory)
        let twice = #expect(throws: SwiftDataError.self) {
            try context.update(
                model: GraphNode.self, set: [PropertyUpdate(\.number, to: 1), PropertyUpdate(\.number, to: 2)])
        }
        #expect(twice == .unsupportedKeyPath && twice?.propertyName == "number")
        let relationship = #expect(throws: SwiftDataError.self) {
            try context.update(
                model: GraphNode.self, set: \.group, to: #Expression<GraphNode, GraphGroup?> { $0.parent?.group })
        }
        #expect(relationship == .unsupportedKeyPath && relationship?.propertyName == "group")
        #expect(try numbers(store) == [0, 1, 2, 3])
    }

    // MARK: Inserts

    @Test(arguments: BatchKind.allCases) func insertsWithoutRegistering(_ kind: BatchKind) throws {
        let (store, context, nodes) = try graph(kind)
        let before = try store.history().count
        nodes[0].number = 100
        weak var last: GraphNode?
        let inserted = try context.insert(
            model: GraphNode.self,
            from: (0..<100).lazy.map { number in
                let node = GraphNode("new \(number)")
                node.number = number
                node.parent = nodes[2]
                last = node
                return node
            })
        #expect(inserted == 100 && last == nil)
        #expect(context.insertedModelsArray.isEmpty && context.changedModelsArray.count == 1)
        #expect(try store.count(GraphNode.self) == 104)
        #expect(nodes[2].children.count == 100)
        let history = try store.history().dropFirst(before)
        #expect(history.map(\.inserted.count) == [100] && history.first?.author == "app")
        #expect(try context.insert(model: GraphNode.self, from: []) == 0)
    }

    @Test(arguments: BatchKind.allCases) func invalidInsertsInsertNothing(_ kind: BatchKind) throws {
        let (store, context, nodes) = try graph(kind)
        #expect(throws: SwiftDataError.contextMismatch) {
            try context.insert(model: GraphNode.self, from: [GraphNode("a"), nodes[0]])
        }
        let pair = GraphNode("pair")
        pair.next = nodes[0]
        #expect(throws: SwiftDataError.unsupportedKeyPath) { try context.insert(model: GraphNode.self, from: [pair]) }
        let orphan = GraphNode("orphan")
        orphan.parent = GraphNode("unsaved")
        #expect(throws: SwiftDataError.contextMismatch) { try context.insert(model: GraphNode.self, from: [orphan]) }
        #expect(try store.count(GraphNode.self) == 4)
        // The models can still be used.
        context.insert(pair)
        try context.save()
        #expect(nodes[0].previous === pair)
    }
}

@Model private final class Measurement {
    var value: Double?
    var title: String?
    var number: Int?
    var score = 0.0
    var isHigh = false
    var note: String? = "kept"
    var count = 0

    init(_ value: Double?, _ title: String?) {
        (self.value, self.title) = (value, title)
        number = title == nil ? nil : 1
    }
}
