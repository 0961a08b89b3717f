import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// A replica connects the same models as its source, which identifies them by their keys and not by their values.
///
/// https://github.com/caiyue1993/IceCream/issues/238
@Suite struct ReplayedRelationshipTests {
    private static let models: [any PersistentModel.Type] = [
        GraphNode.self, GraphGroup.self, LinkItem.self, LinkTag.self, LinkPhoto.self,
    ]

    /// The steps, each in its own transaction, which a context with its identities saves.
    private static let steps: [@Sendable (ModelContext) throws -> Void] = [
        { context in
            // Names do not identify the parents, and there are gaps between the keys.
            for number in 0..<6 {
                let parent = GraphNode("parent")
                parent.number = number
                context.insert(parent)
                parent.children = [GraphNode("child")]
                parent.group = GraphGroup("group \(number)")
            }
            for _ in 0..<3 { context.insert(LinkItem("item", tags: [LinkTag("tag"), LinkTag("tag")])) }
        },
        { context in for number in [1, 4, 5] { context.delete(try node(number, context)) } },
        { context in
            // The keys of the last rows are not used again. The child is inserted before its parent.
            let child = GraphNode("child")
            context.insert(child)
            try context.save()
            let parent = GraphNode("parent")
            parent.number = 6
            context.insert(parent)
            child.parent = parent
        },
        { context in
            // Two parents exchange their children and groups.
            let (first, second) = (try node(0, context), try node(2, context))
            (first.children, second.children) = (second.children, first.children)
            (first.group, second.group) = (second.group, first.group)
        },
        { context in
            // A unique value finds the existing group, and two groups exchange theirs.
            let parent = try node(3, context)
            let group = GraphGroup("group 0")
            context.insert(group)
            parent.group = group
        },
        { context in
            let groups = try context.fetch(FetchDescriptor<GraphGroup>(sortBy: [SortDescriptor(\.code)]))
            (groups[0].code, groups[1].code) = (groups[1].code, groups[0].code)
        },
        { context in
            // Two items with equal names exchange one of their tags with equal names.
            let items = try context.fetch(FetchDescriptor<LinkItem>())
            let (first, second) = (items[0].tags[0], items[1].tags[0])
            (items[0].tags[0], items[1].tags[0]) = (second, first)
            items[2].friends = [items[0], items[1]]
        },
        { context in
            let items = (0..<4).map { LinkItem("album \($0)") }
            for item in items {
                context.insert(item)
                item.photos = [LinkPhoto("\(item.name) a"), LinkPhoto("\(item.name) b")]
            }
        },
        { context in
            // Deletes owners after a photo was removed from their list, moved to another list, or both. Deletes cascade to others.
            let items = try (0..<4).map { number in
                let name = "album \(number)"
                return try #require(
                    try context.fetch(FetchDescriptor<LinkItem>(predicate: #Predicate { $0.name == name })).first)
            }
            let photo = items[1].photos[0]
            items[0].photos = []
            items[3].photos.append(photo)
            items[1].photos.removeAll { $0 === photo }
            items[2].photos.removeLast()
            for item in items[..<3] { context.delete(item) }
        },
    ]

    private static func node(_ number: Int, _ context: ModelContext) throws -> GraphNode {
        let predicate = #Predicate<GraphNode> { $0.name == "parent" && $0.number == number }
        return try #require(try context.fetch(FetchDescriptor(predicate: predicate)).first)
    }

    /// - Parameter isStepwise: Whether the replica receives each transaction separately.
    @Test(arguments: StoreKind.allCases, [true, false])
    func aReplicaConnectsTheSameModels(_ kind: StoreKind, _ isStepwise: Bool) throws {
        let source = try TestStore(kind, Self.models, preservesValues: true)
        let replica = try TestStore(kind, Self.models, preservesValues: true)
        // The store already contains rows, with keys far from those of the source.
        try replica.foreign(
            """
            INSERT INTO GraphNode(id, name, number, tags) VALUES (1000, 'parent', 0, '[]'), (1001, 'child', 0, '[]');
            UPDATE GraphNode SET parent = 1000 WHERE id = 1001
            """)
        let own = try ReplicaHarness.contents(replica)
        for step in Self.steps {
            let context = source.context()
            try step(context)
            try context.save()
            if isStepwise { try ReplicaHarness.replay(try ReplicaHarness.export(source), to: replica) }
        }
        if !isStepwise { try ReplicaHarness.replay(try ReplicaHarness.export(source), to: replica) }
        let expected = try ReplicaHarness.contents(source) + own
        #expect(try ReplicaHarness.contents(replica).sorted() == expected.sorted())
    }

    /// Another program deletes rows and inserts them again in one transaction, which removes their links.
    @Test(arguments: [true, false]) func replacedRowsLoseTheirLinks(_ isStepwise: Bool) throws {
        let source = try TestStore(.file, Self.models, preservesValues: true)
        let replica = try TestStore(.file, Self.models, preservesValues: true)
        let context = source.context()
        let items = (0..<3).map { LinkItem("\($0)", tags: [LinkTag("tag \($0)")]) }
        for item in items {
            context.insert(item)
            item.covers = [LinkPhoto("photo \(item.name)")]
            item.idols = [item, items[0]]
        }
        try context.save()
        if isStepwise { try ReplicaHarness.replay(try ReplicaHarness.export(source), to: replica) }
        try source.foreign(
            """
            PRAGMA foreign_keys = ON;
            INSERT OR REPLACE INTO LinkItem SELECT * FROM LinkItem WHERE id = 1;
            BEGIN;
            CREATE TEMP TABLE kept AS SELECT * FROM LinkItem WHERE id = 2;
            DELETE FROM LinkItem WHERE id = 2;
            INSERT INTO LinkItem SELECT * FROM kept;
            COMMIT
            """)
        try ReplicaHarness.replay(try ReplicaHarness.export(source), to: replica)
        #expect(try ReplicaHarness.contents(replica) == ReplicaHarness.contents(source))
    }
}
