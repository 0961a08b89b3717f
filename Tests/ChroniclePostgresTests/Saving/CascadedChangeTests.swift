#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Foundation
    import Testing

    /// Saves whose deletes cascade to changed models, because another context has connected these with the deleted ones.
    @Suite("PostgreSQL changes of models to which a save cascades", .requiresPostgres)
    struct PostgresCascadedChangeTests {
        /// - Parameter exchanges: Whether rows exchange unique values, so that the store writes rows in another order.
        @Test(arguments: [false, true], [ModelContext.MergePolicy.mergeByPropertyObjectTrump, .error])
        func changesAreReported(_ exchanges: Bool, _ policy: ModelContext.MergePolicy) throws {
            let configuration = try PostgresConfiguration.testing { $0.preservesValues = true }
            let container = try ModelContainer(
                for: Schema(Box.self, Part.self, Badge.self), configurations: [configuration])
            let context = ModelContext(container)
            context.mergePolicy = policy
            let (box, badge, kept) = (Box(), Badge("badge"), [Part("1"), Part("2")])
            for model in [box, badge] + kept as [any PersistentModel] { context.insert(model) }
            try context.save()
            context.delete(box)
            let other = ModelContext(container)
            let late = Part("late")
            other.insert(late)
            late.box = try other.existingModel(for: box.persistentModelID) as? Box
            try other.save()
            let part = try #require(try context.existingModel(for: late.persistentModelID) as? Part)
            badge.part = part
            if exchanges { (kept[0].name, kept[1].name) = (kept[1].name, kept[0].name) }
            if policy == .error {
                #expect(throws: SwiftDataError.modelNotFound) { try context.save() }
                #expect(try ModelContext(container).fetchCount(FetchDescriptor<Box>()) == 1)
                context.delete(part)
            }
            try context.save()
            let dropped = context.lastSaveResult.droppedChanges.map(\.persistentIdentifier)
            let lost = policy == .error ? [] : [part.persistentModelID, badge.persistentModelID]
            #expect(Set(dropped) == Set(lost) && part.isDeleted && badge.isDeleted && !context.hasChanges)
            let reader = ModelContext(container)
            let parts = try reader.fetch(FetchDescriptor<Part>()).filter {
                $0.persistentModelID == kept[0].persistentModelID
            }
            #expect(parts.map(\.name) == [exchanges ? "2" : "1"])
            #expect(
                try reader.fetchCount(FetchDescriptor<Part>()) == 2 && reader.fetchCount(FetchDescriptor<Badge>()) == 0)
            let last = try #require(try reader.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
            let deleted = last.changes.compactMap {
                if case .delete = $0 { $0.changedPersistentIdentifier } else { nil }
            }
            let expected = [box.persistentModelID, part.persistentModelID, badge.persistentModelID]
            #expect(Set(deleted) == Set(expected) && deleted.count == 3)
        }
    }

    @Model private final class Box {
        @Relationship(deleteRule: .cascade, inverse: \Part.box) var parts: [Part] = []
        init() {}
    }

    @Model private final class Part {
        @Attribute(.unique) var name: String
        var box: Box?
        @Relationship(deleteRule: .cascade, inverse: \Badge.part) var badge: Badge?
        init(_ name: String) { self.name = name }
    }

    @Model private final class Badge {
        var name: String
        var part: Part?
        init(_ name: String) { self.name = name }
    }
#endif
