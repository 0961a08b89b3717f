#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Foundation
    import Testing

    /// Positions before a change of the schema are read with the present classes.
    @Suite("PostgreSQL as of a position before a change of the schema", .requiresPostgres) struct AsOfSchemaTests {
        private let configuration: PostgresConfiguration

        init() throws { configuration = try PostgresConfiguration.testing { $0.preservesValues = true } }

        private func container(_ types: any PersistentModel.Type...) throws -> ModelContainer {
            try ModelContainer(for: Schema(types), configurations: [configuration])
        }

        @Test func attributesWereRenamedAndAdded() throws {
            var kept: [(token: DefaultHistoryToken, titles: [String])] = []
            func keep(_ context: ModelContext, _ titles: [String]) throws {
                kept.append((try context.currentHistoryToken(), titles))
            }
            do {
                let context = ModelContext(try container(Earlier.Memo.self))
                try keep(context, [])
                let memos = ["a", "b", "c"].map(Earlier.Memo.init)
                for memo in memos { context.insert(memo) }
                try context.save()
                try keep(context, ["a", "b", "c"])
                memos[0].title = "z"
                context.delete(memos[1])
                try context.save()
                try keep(context, ["c", "z"])
            }
            let container = try container(Later.Memo.self)
            let context = ModelContext(container)
            for memo in try context.fetch(FetchDescriptor<Later.Memo>()) where memo.heading == "c" {
                (memo.heading, memo.stars) = ("d", 4)
            }
            try context.save()
            try keep(context, ["d", "z"])
            try context.delete(model: Later.Memo.self)
            try keep(context, [])
            for (token, titles) in kept {
                let past = try ModelContext(container, asOf: token)
                let memos = try past.fetch(FetchDescriptor<Later.Memo>(sortBy: [SortDescriptor(\.heading)]))
                #expect(memos.map(\.heading) == titles)
                #expect(memos.map(\.stars) == titles.map { $0 == "d" ? 4 : 3 })
                let three = FetchDescriptor<Later.Memo>(predicate: #Predicate { $0.stars == 3 })
                #expect(try past.fetchCount(three) == titles.count { $0 != "d" })
            }
        }

        /// Another program adds a subclass while the store is open, before and after the first read as of the position.
        @Test func subclassesOfOtherProgramsWereAdded() throws {
            let container = try container(Earlier.Boat.self)
            let context = ModelContext(container)
            context.insert(Earlier.Boat("a"))
            try context.save()
            let start = try context.currentHistoryToken()
            let early = try ModelContext(container, asOf: start)
            let all = FetchDescriptor<Earlier.Boat>(sortBy: [SortDescriptor(\.name)])
            #expect(try early.fetch(all).map(\.name) == ["a"])

            let app = ModelContext(try self.container(Earlier.Boat.self, Earlier.SailBoat.self))
            let boats = [Earlier.SailBoat("b"), Earlier.SailBoat("c")]
            for boat in boats { app.insert(boat) }
            try app.save()
            let added = try app.currentHistoryToken()
            boats[0].name = "d"
            app.delete(boats[1])
            app.insert(Earlier.SailBoat("e"))
            try app.save()
            let changed = try app.currentHistoryToken()
            for (token, names) in [(start, ["a"]), (added, ["a", "b", "c"]), (changed, ["a", "d", "e"])] {
                for past in [try ModelContext(container, asOf: token)] + (token == start ? [early] : []) {
                    #expect(try past.fetch(all).map(\.name) == names)
                    #expect(try past.fetchCount(FetchDescriptor<Earlier.Boat>()) == names.count)
                }
            }
        }

        /// The links of a removed relationship are not recorded, so that they are not known when it is declared again.
        @Test func linksOfRemovedRelationshipsThrow() throws {
            let before: DefaultHistoryToken
            do {
                let context = ModelContext(try container(Earlier.Shelf.self, Earlier.Tool.self))
                let shelf = Earlier.Shelf("shelf")
                context.insert(shelf)
                shelf.tools = [Earlier.Tool("saw")]
                try context.save()
                before = try context.currentHistoryToken()
            }
            do {
                let context = ModelContext(try container(Later.Shelf.self))
                for shelf in try context.fetch(FetchDescriptor<Later.Shelf>()) { context.delete(shelf) }
                try context.save()
            }
            let past = try ModelContext(try container(Earlier.Shelf.self, Earlier.Tool.self), asOf: before)
            #expect(throws: SwiftDataError.historyValueMissing) { try past.fetch(FetchDescriptor<Earlier.Shelf>()) }
        }

        @Test func changedRelationshipsThrow() throws {
            let before: DefaultHistoryToken
            do {
                let context = ModelContext(try container(Earlier.Kit.self, Earlier.Tool.self))
                let kit = Earlier.Kit("kit")
                context.insert(kit)
                kit.tool = Earlier.Tool("saw")
                try context.save()
                before = try context.currentHistoryToken()
                // Not numbered when the relationship is changed.
                kit.name = "renamed"
                try context.save()
            }
            let container = try container(Later.Kit.self, Later.Tool.self)
            let context = ModelContext(container)
            let after = try context.currentHistoryToken()
            let kit = try #require(try context.fetch(FetchDescriptor<Later.Kit>()).first)
            #expect(kit.tools.map(\.name) == ["saw"])
            kit.tools = []
            try context.save()
            let past = try ModelContext(container, asOf: after)
            #expect(try past.fetch(FetchDescriptor<Later.Kit>()).map { $0.tools.map(\.name) } == [["saw"]])
            let early = try ModelContext(container, asOf: before)
            let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>.after(before))
            for context in [early, try ModelContext(container, asOf: history[0])] {
                #expect(throws: SwiftDataError.historyValueMissing) { try context.fetch(FetchDescriptor<Later.Kit>()) }
                #expect(try context.fetchCount(FetchDescriptor<Later.Tool>()) == 1)
            }
        }
    }

    private enum Earlier {
        @Model fileprivate final class Shelf {
            var name: String
            var tools: [Tool] = []
            init(_ name: String) { self.name = name }
        }

        @Model fileprivate final class Memo {
            var title: String
            init(_ title: String) { self.title = title }
        }

        @Model fileprivate class Boat {
            var name: String
            init(_ name: String) { self.name = name }
        }

        @Model fileprivate final class SailBoat: Boat {
            var masts: Int?
        }

        @Model fileprivate final class Kit {
            var name: String
            var tool: Tool?
            init(_ name: String) { self.name = name }
        }

        @Model fileprivate final class Tool {
            var name: String
            init(_ name: String) { self.name = name }
        }
    }

    private enum Later {
        @Model fileprivate final class Shelf {
            var name: String
            init(_ name: String) { self.name = name }
        }

        @Model fileprivate final class Memo {
            @Attribute(originalName: "title") var heading: String
            var stars = 3
            init(_ heading: String) { self.heading = heading }
        }

        @Model fileprivate final class Kit {
            var name: String
            @Relationship(originalName: "tool") var tools: [Tool] = []
            init(_ name: String) { self.name = name }
        }

        @Model fileprivate final class Tool {
            var name: String
            init(_ name: String) { self.name = name }
        }
    }
#endif
