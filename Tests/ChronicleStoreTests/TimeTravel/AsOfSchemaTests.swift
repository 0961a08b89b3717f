import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Positions before a change of the schema are read with the present classes.
@Suite struct AsOfSchemaTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func container(_ types: any PersistentModel.Type...) throws -> ModelContainer {
        try ModelContainer(
            for: Schema(types),
            configurations: [ModelConfiguration(url: directory.file("test.store"), preservesValues: true)])
    }

    @Test func attributesWereRenamedAddedAndRemoved() throws {
        var kept: [(token: DefaultHistoryToken, titles: [String])] = []
        func keep(_ context: ModelContext, _ titles: [String]) throws {
            kept.append((try context.currentHistoryToken(), titles))
        }
        do {
            let context = ModelContext(try container(Before.Note.self))
            try keep(context, [])
            let notes = ["a", "b", "c"].map(Before.Note.init)
            for note in notes { context.insert(note) }
            try context.save()
            try keep(context, ["a", "b", "c"])
            notes[0].title = "z"
            try context.save()
            try keep(context, ["b", "c", "z"])
            context.delete(notes[1])
            try context.save()
            try keep(context, ["c", "z"])
        }
        let container = try container(After.Note.self)
        let context = ModelContext(container)
        try keep(context, ["c", "z"])
        for note in try context.fetch(FetchDescriptor<After.Note>()) where note.heading == "c" {
            (note.heading, note.stars) = ("d", 4)
        }
        try context.save()
        try keep(context, ["d", "z"])
        for note in try context.fetch(FetchDescriptor<After.Note>()) { context.delete(note) }
        try context.save()
        try keep(context, [])

        for (token, titles) in kept {
            let past = try ModelContext(container, asOf: token)
            let notes = try past.fetch(FetchDescriptor<After.Note>(sortBy: [SortDescriptor(\.heading)]))
            #expect(notes.map(\.heading) == titles)
            #expect(notes.map(\.stars) == titles.map { $0 == "d" ? 4 : 3 })
            let three = FetchDescriptor<After.Note>(predicate: #Predicate { $0.stars == 3 })
            #expect(try past.fetchCount(three) == titles.count(where: { $0 != "d" }))
        }
    }

    @Test func attributesOfSubclassesWereAdded() throws {
        let token: DefaultHistoryToken
        do {
            let context = ModelContext(try container(Before.Boat.self, Before.SailBoat.self))
            let boats = [Before.Boat("a"), Before.SailBoat("b"), Before.SailBoat("c")]
            for boat in boats { context.insert(boat) }
            try context.save()
            token = try context.currentHistoryToken()
            for boat in boats.prefix(2) { context.delete(boat) }
            boats[2].name = "d"
            try context.save()
        }
        let container = try container(After.Boat.self, After.SailBoat.self)
        let past = try ModelContext(container, asOf: token)
        let boats = try past.fetch(FetchDescriptor<After.Boat>(sortBy: [SortDescriptor(\.name)]))
        #expect(boats.map(\.name) == ["a", "b", "c"])
        #expect(boats.map { ($0 as? After.SailBoat)?.masts } == [nil, 2, 2])
        #expect(boats.map(\.length) == [5, 5, 5])
    }

    /// Another program adds a subclass while the store is open, before and after the first read as of the position.
    @Test func subclassesOfOtherProgramsWereAdded() throws {
        let container = try container(Before.Boat.self)
        let context = ModelContext(container)
        context.insert(Before.Boat("a"))
        try context.save()
        let start = try context.currentHistoryToken()
        let early = try ModelContext(container, asOf: start)
        let all = FetchDescriptor<Before.Boat>(sortBy: [SortDescriptor(\.name)])
        #expect(try early.fetch(all).map(\.name) == ["a"])

        let app = ModelContext(try self.container(Before.Boat.self, Before.SailBoat.self))
        let boats = [Before.SailBoat("b"), Before.SailBoat("c")]
        for boat in boats { app.insert(boat) }
        try app.save()
        let added = try app.currentHistoryToken()
        boats[0].name = "d"
        app.delete(boats[1])
        app.insert(Before.SailBoat("e"))
        try app.save()
        let changed = try app.currentHistoryToken()

        for (token, names) in [(start, ["a"]), (added, ["a", "b", "c"]), (changed, ["a", "d", "e"])] {
            for past in [try ModelContext(container, asOf: token)] + (token == start ? [early] : []) {
                #expect(try past.fetch(all).map(\.name) == names)
                #expect(try past.fetchCount(FetchDescriptor<Before.Boat>()) == names.count)
            }
        }
    }

    @Test func changedRelationshipsThrow() throws {
        let (before, after): (DefaultHistoryToken, DefaultHistoryToken)
        do {
            let context = ModelContext(try container(One.Kit.self, One.Tool.self))
            let kit = One.Kit(name: "kit")
            context.insert(kit)
            kit.tool = One.Tool(name: "saw")
            try context.save()
            before = try context.currentHistoryToken()
        }
        let container = try container(Many.Kit.self, Many.Tool.self)
        let context = ModelContext(container)
        after = try context.currentHistoryToken()
        let kit = try #require(try context.fetch(FetchDescriptor<Many.Kit>()).first)
        kit.tools = []
        try context.save()

        let past = try ModelContext(container, asOf: before)
        #expect(throws: SwiftDataError.historyValueMissing) { try past.fetch(FetchDescriptor<Many.Kit>()) }
        #expect(throws: SwiftDataError.historyValueMissing) {
            try past.fetchCount(FetchDescriptor<Many.Kit>(predicate: #Predicate { $0.tools.isEmpty }))
        }
        #expect(try past.fetch(FetchDescriptor<Many.Tool>()).map(\.name) == ["saw"])
        let later = try ModelContext(container, asOf: after)
        #expect(try later.fetch(FetchDescriptor<Many.Kit>()).map { $0.tools.map(\.name) } == [["saw"]])
    }

    /// Another thread and another connection save while a context as of a position reads.
    @Test func readsAreUnaffectedByConcurrentWriters() throws {
        let container = try container(Before.Note.self)
        let context = ModelContext(container)
        for number in 0..<50 { context.insert(Before.Note("\(number)")) }
        try context.save()
        let token = try context.currentHistoryToken()
        let names = Set((0..<50).map { "\($0)" })
        let other = try self.container(Before.Note.self)
        let failures = Failures()
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            failures.collect {
                if thread < 2 {
                    for number in 0..<60 {
                        let writer = ModelContext(thread == 0 ? container : other)
                        let notes = try writer.fetch(FetchDescriptor<Before.Note>())
                        notes[number % notes.count].title = "\(thread) \(number)"
                        if number % 10 == 3, let last = notes.last { writer.delete(last) }
                        writer.insert(Before.Note("new \(thread) \(number)"))
                        try writer.save()
                    }
                } else {
                    let past = try ModelContext(container, asOf: token)
                    for _ in 0..<60 {
                        let found = try past.fetch(FetchDescriptor<Before.Note>())
                        #expect(Set(found.map(\.title)) == names && found.count == 50)
                        #expect(try past.fetchCount(FetchDescriptor<Before.Note>()) == 50)
                    }
                }
            }
        }
        #expect(failures.all.map { "\($0)" } == [])
    }
}

/// The errors of several threads.
private final class Failures: @unchecked Sendable {
    private let lock = NSLock()
    // The lock protects the errors.
    private var errors: [any Error] = []

    var all: [any Error] { lock.withLock { errors } }

    func collect(_ body: () throws -> Void) {
        do { try body() } catch { lock.withLock { errors.append(error) } }
    }
}

private enum Before {
    @Model fileprivate final class Note {
        var title: String
        var text: String?
        init(_ title: String) { (self.title, text) = (title, "text") }
    }
}

extension Before {
    @Model fileprivate class Boat {
        var name: String
        init(_ name: String) { self.name = name }
    }
    @Model fileprivate final class SailBoat: Boat {
        var sails = 1
        override init(_ name: String) { super.init(name) }
    }
}

extension After {
    @Model fileprivate class Boat {
        var name: String
        var length = 5
        init(_ name: String) { self.name = name }
    }
    @Model fileprivate final class SailBoat: Boat {
        var sails = 1
        var masts = 2
        override init(_ name: String) { super.init(name) }
    }
}

private enum After {
    @Model fileprivate final class Note {
        @Attribute(originalName: "title") var heading: String
        var stars = 3
        init(heading: String) { self.heading = heading }
    }
}

private enum One {
    @Model fileprivate final class Kit {
        var name: String
        var tool: Tool?
        init(name: String) { self.name = name }
    }
    @Model fileprivate final class Tool {
        var name: String
        init(name: String) { self.name = name }
    }
}

private enum Many {
    @Model fileprivate final class Kit {
        var name: String
        @Relationship(originalName: "tool") var tools: [Tool] = []
        init(name: String) { self.name = name }
    }
    @Model fileprivate final class Tool {
        var name: String
        init(name: String) { self.name = name }
    }
}
