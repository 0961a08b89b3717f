#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Foundation
    import Testing

    /// Reverts of changes that were made before attributes were added to the class.
    @Suite("PostgreSQL later attributes", .requiresPostgres) struct LaterAttributeTests {
        private typealias Old = LaterAttributesV1.Item
        private typealias New = LaterAttributesV2.Item

        private let configuration: PostgresConfiguration

        init() throws { configuration = try .testing { $0.preservesValues = true } }

        private func context<Model: PersistentModel>(_ type: Model.Type) throws -> ModelContext {
            let context = ModelContext(try ModelContainer(for: Schema([type]), configurations: [configuration]))
            context.author = "editor"
            return context
        }

        @Test func anInsertIsTakenBack() throws {
            do {
                let context = try context(Old.self)
                context.insert(Old("a"))
                try context.save()
            }
            // Two launches, each of which has other default values for `date` and `identity`.
            #expect(try context(New.self).fetchCount(FetchDescriptor<New>()) == 1)
            let context = try context(New.self)
            #expect(try context.undoHistory.undo()?.conflicts.isEmpty == true)
            #expect(try context.fetchCount(FetchDescriptor<New>()) == 0)
        }

        @Test func aDeleteIsTakenBack() throws {
            do {
                let context = try context(Old.self)
                let item = Old("a")
                context.insert(item)
                try context.save()
                context.delete(item)
                try context.save()
            }
            let context = try context(New.self)
            #expect(try context.undoHistory.undo()?.conflicts.isEmpty == true)
            let item = try #require(try context.fetch(FetchDescriptor<New>()).first)
            #expect(item.name == "a" && item.extra == "x" && item.count == nil && item.tags == ["y"])
            #expect(item.parent == nil && item.labels.isEmpty)
        }

        /// A value that is too large to be preserved is missing, also if attributes were added since. The links of a list are
        /// part of the delete.
        @Test func missingValuesAreConflicts() throws {
            do {
                let context = try context(Old.self)
                let large = Old(String(repeating: "x", count: 65_537))
                context.insert(large)
                try context.save()
                context.delete(large)
                try context.save()
            }
            let conflicts = try #require(try context(New.self).undoHistory.undoPlan()).conflicts
            #expect(conflicts.contains { $0.kind == .valueMissing && $0.propertyName == "name" })
            let context = try context(New.self)
            let item = New("b")
            item.extra = String(repeating: "x", count: 65_537)
            context.insert(item)
            try context.save()
            context.delete(item)
            try context.save()
            let plan = try #require(try context.undoHistory.undoPlan())
            #expect(Set(plan.conflicts.map(\.propertyName)) == ["extra"])
            #expect(plan.conflicts.allSatisfy { $0.kind == .valueMissing })
        }
    }
#endif
