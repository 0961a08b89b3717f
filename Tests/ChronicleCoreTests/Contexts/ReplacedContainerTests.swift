import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// A program replaces its container while other parts of it hold models of the former one.
///
/// https://github.com/scastiel/kado/issues/63
@Suite struct ReplacedContainerTests {
    /// What happened to a model before its container was released.
    enum Retained: CaseIterable {
        case loaded, unloaded, changed, deleted, savedDelete, inserted, linked
    }

    private static let types: [any PersistentModel.Type] = [GraphNode.self, GraphGroup.self, LinkItem.self]

    private func url(_ directory: TemporaryDirectory) -> URL { directory.file("test.store") }

    private func container(_ url: URL) throws -> ModelContainer {
        try ModelContainer(
            for: Schema(Self.types), configurations: [ModelConfiguration(url: url, durability: .relaxed)])
    }

    /// Models whose context and container are released.
    private func retained(_ kind: Retained, _ url: URL, count: Int = 100) throws -> [GraphNode] {
        do {
            let context = ModelContext(try container(url))
            let parent = GraphNode("parent")
            parent.children = (0..<count).map { GraphNode("\($0)") }
            context.insert(parent)
            try context.save()
        }
        let context = ModelContext(try container(url))
        var descriptor = FetchDescriptor<GraphNode>(
            predicate: #Predicate { $0.parent != nil }, sortBy: [SortDescriptor(\.persistentModelID)])
        if kind == .unloaded {
            return try context.fetchIdentifiers(descriptor).compactMap { context.model(for: $0) as? GraphNode }
        }
        descriptor.relationshipKeyPathsForPrefetching = kind == .linked ? [\.parent] : []
        let models = try context.fetch(descriptor)
        for model in models {
            switch kind {
            case .loaded, .unloaded: break
            case .changed: model.number = 7
            case .deleted, .savedDelete: context.delete(model)
            case .inserted:
                model.favourite = GraphNode("new")
                model.children.append(GraphNode("child"))
            case .linked: #expect(model.parent?.children.contains(model) == true)
            }
        }
        if kind == .savedDelete { try context.save() }
        return models
    }

    @Test(arguments: Retained.allCases) func modelsRemainReadable(_ kind: Retained) throws {
        let directory = try TemporaryDirectory()
        let models = try retained(kind, url(directory))
        #expect(models.count == 100)
        let new = ModelContext(try container(url(directory)))
        for (number, model) in models.enumerated() {
            #expect(!model.persistentModelID.isTemporary && model.persistentModelID.entityName == "GraphNode")
            if kind != .savedDelete { #expect(model.name == "\(number)") }
            #expect(model.number == (kind == .changed ? 7 : 0))
            if kind != .savedDelete, kind != .deleted { #expect(model.parent?.name == "parent") }
            #expect(model.children.count == (kind == .inserted ? 1 : 0))
            #expect(model.isDeleted == (kind == .deleted || kind == .savedDelete))
            _ = (model.hasChanges, model.hashValue, "\(model)")
        }
        // The new container works beside them, with its own instances.
        let copies = try new.fetch(FetchDescriptor<GraphNode>(predicate: #Predicate { $0.parent != nil }))
        #expect(copies.count == (kind == .savedDelete ? 0 : 100))
        for copy in copies { copy.number = 9 }
        new.insert(GraphNode("another"))
        try new.save()
        #expect(models.allSatisfy { $0.number != 9 })
        // A model of the former container does not belong to the new one.
        if let model = models.first, kind != .savedDelete {
            new.insert(model)
            #expect(throws: SwiftDataError.contextMismatch) { try new.save() }
            new.rollback()
        }
        try new.save()
    }

    @Test(arguments: Retained.allCases) func fileIsDeletedWhileModelsExist(_ kind: Retained) throws {
        let directory = try TemporaryDirectory()
        let models = try retained(kind, url(directory))
        for file in try FileManager.default.contentsOfDirectory(at: directory.url, includingPropertiesForKeys: nil) {
            try FileManager.default.removeItem(at: file)
        }
        // Nothing traps. What cannot be loaded has sample values, and its context reports the error.
        for model in models {
            _ = (model.persistentModelID, model.name, model.number, model.tags, model.isDeleted)
            _ = (model.parent?.name, model.children.count, model.favourite?.name, model.group?.code)
        }
        // A file at the same place is another store.
        let new = ModelContext(try container(url(directory)))
        #expect(try new.fetchCount(FetchDescriptor<GraphNode>()) == 0)
        new.insert(GraphNode("first"))
        try new.save()
        #expect(try new.fetch(FetchDescriptor<GraphNode>()).map(\.name) == ["first"])
        if let model = models.first {
            #expect(new.registeredModel(for: model.persistentModelID) as GraphNode? == nil)
            model.name = "lost"
            do { try model.modelContext?.save() } catch { #expect(error is SwiftDataError, "\(error)") }
        }
        #expect(try new.fetchCount(FetchDescriptor<GraphNode>()) == 1)
    }
}
