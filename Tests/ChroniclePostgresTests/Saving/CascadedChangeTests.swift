#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Foundation
    import Testing

    /// Saves whose deletes cascade to changed models, because another context has connected these with the deleted ones.
    @Suite("PostgreSQL changes of models to which a save cascades", .requiresPostgres)
    struct PostgresCascadedChangeTests {
        enum Change: CaseIterable { case badge, size, link, album }

        private static let cases = Change.allCases.flatMap { [(false, $0), (true, $0)] }

        /// - Parameter exchanges: Whether rows exchange unique values, so that the store writes rows in another order.
        /// - Parameter change: Which changes of the part or of its badge are lost.
        @Test(arguments: cases, [ModelContext.MergePolicy.mergeByPropertyObjectTrump, .error])
        func changesAreReported(
            _ example: (exchanges: Bool, change: Change), _ policy: ModelContext.MergePolicy
        ) throws {
            let (exchanges, change) = example
            let configuration = try PostgresConfiguration.testing { $0.preservesValues = true }
            let container = try ModelContainer(
                for: Schema(Box.self, Part.self, Badge.self, Album.self), configurations: [configuration])
            let context = ModelContext(container)
            context.mergePolicy = policy
            let (box, badge, album, kept) = (Box(), Badge("badge"), Album(), [Part("1"), Part("2")])
            for model in [box, badge, album] + kept as [any PersistentModel] { context.insert(model) }
            try context.save()
            context.delete(box)
            let other = ModelContext(container)
            let late = Part("late")
            other.insert(late)
            late.box = try other.existingModel(for: box.persistentModelID) as? Box
            try other.save()
            let part = try #require(try context.existingModel(for: late.persistentModelID) as? Part)
            switch change {
            case .badge: badge.part = part
            case .size: part.size = 2
            case .link: part.others.append(badge)
            case .album: album.parts.append(part)
            }
            if exchanges { (kept[0].name, kept[1].name) = (kept[1].name, kept[0].name) }
            if policy == .error {
                let isLink = change == .link || change == .album
                let code = isLink ? SwiftDataError.Code.modelValidationFailure : .modelNotFound
                let error = #expect(throws: SwiftDataError.self) { try context.save() }
                let lost = [part.persistentModelID, badge.persistentModelID]
                #expect(error?.code == code && lost.contains { $0 == error?.persistentIdentifier })
                #expect(try ModelContext(container).fetchCount(FetchDescriptor<Box>()) == 1)
                context.delete(part)
            }
            try context.save()
            let dropped = context.lastSaveResult.droppedChanges.map(\.persistentIdentifier)
            let gone = [part.persistentModelID] + (change == .badge ? [badge.persistentModelID] : [])
            #expect(Set(dropped) == Set(policy == .error ? [] : gone) && part.isDeleted && !context.hasChanges)
            #expect(badge.isDeleted == (change == .badge))
            let reader = ModelContext(container)
            let parts = try reader.fetch(FetchDescriptor<Part>()).filter {
                $0.persistentModelID == kept[0].persistentModelID
            }
            #expect(parts.map(\.name) == [exchanges ? "2" : "1"])
            let badges = try reader.fetchCount(FetchDescriptor<Badge>())
            #expect(try reader.fetchCount(FetchDescriptor<Part>()) == 2 && badges == (change == .badge ? 0 : 1))
            let last = try #require(try reader.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
            let deleted = last.changes.compactMap {
                if case .delete = $0 { $0.changedPersistentIdentifier } else { nil }
            }
            #expect(Set(deleted) == Set(gone + [box.persistentModelID]) && deleted.count == gone.count + 1)
        }
    }

    @Model private final class Box {
        @Relationship(deleteRule: .cascade, inverse: \Part.box) var parts: [Part] = []
        init() {}
    }

    @Model private final class Part {
        @Attribute(.unique) var name: String
        var size = 1
        var box: Box?
        var others: [Badge] = []
        @Relationship(deleteRule: .cascade, inverse: \Badge.part) var badge: Badge?
        init(_ name: String) { self.name = name }
    }

    /// Parts do not know their albums.
    @Model private final class Album {
        var parts: [Part] = []
        init() {}
    }

    @Model private final class Badge {
        var name: String
        var part: Part?
        init(_ name: String) { self.name = name }
    }
#endif
