import Foundation
import Outbox
import SwiftData
import Testing

@Suite struct OutboxTests {
    private let container: ModelContainer

    init() throws {
        container = try ModelContainer(
            for: Task.self, TaskList.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }

    @Test func rowsOfChanges() throws {
        let (context, outbox) = (ModelContext(container), ChangeOutbox(container: container))
        var cursor = Cursor()
        let list = TaskList(name: "Home")
        let task = Task(title: "Paint")
        context.insert(list)
        list.tasks.append(task)
        try context.save()
        let inserts = try outbox.next(&cursor)
        #expect(Set(inserts.map(\.id)) == [list.syncID, task.syncID] && inserts.allSatisfy { $0.operation == .insert })

        task.title = "Paint the door"
        task.due = .now
        try context.save()
        task.syncID = UUID()
        try context.save()
        let (listID, taskID) = (list.syncID, task.syncID)
        let restored = try JSONEncoder().encode(cursor)
        cursor = try JSONDecoder().decode(Cursor.self, from: restored)
        #expect(
            try outbox.next(&cursor) == [
                Row(operation: .update, table: "tasks", id: taskID, columns: ["title", "due_at"])
            ])

        context.delete(list)
        try context.save()
        let deletes = try outbox.next(&cursor)
        #expect(Set(deletes.map(\.id)) == [listID, taskID] && deletes.allSatisfy { $0.operation == .delete })
        #expect(try outbox.next(&cursor).isEmpty)
    }

    @Test func pagesAndAuthors() throws {
        var outbox = ChangeOutbox(container: container)
        outbox.limit = 2
        for (author, title) in [("app", "a"), ("server", "b"), ("app", "c"), ("app", "d")] {
            let context = ModelContext(container)
            context.author = author
            context.insert(Task(title: title))
            try context.save()
        }
        var cursor = Cursor(since: .distantPast)
        #expect(try (0..<3).map { _ in try outbox.next(&cursor).count } == [1, 2, 0])
        let newest = try #require(try outbox.newestToken())
        var later = HistoryDescriptor<DefaultHistoryTransaction>()
        later.predicate = #Predicate { $0.token > newest }
        #expect(try ModelContext(container).fetchHistory(later).isEmpty)
        var future = Cursor(since: .distantFuture)
        #expect(try outbox.next(&future).isEmpty)
    }

    @Test func identifiersInFiles() throws {
        let context = ModelContext(container)
        let task = Task(title: "Paint")
        context.insert(task)
        try context.save()
        let identifier = task.persistentModelID
        #expect(try PersistentIdentifier(link: identifier.link) == identifier)
        #expect(try PersistentIdentifier.fromPropertyList(identifier.propertyList) == identifier)
        #expect(throws: CocoaError.self) { try PersistentIdentifier(link: "?") }
        #expect(identifier.logText == task.persistentModelID.logText)
        var settings = Settings()
        settings.unread = [identifier]
        settings.positions[identifier] = 0.5
        settings.selection = identifier
        for restored in [
            try JSONDecoder().decode(Settings.self, from: JSONEncoder().encode(settings)),
            try PropertyListDecoder().decode(Settings.self, from: PropertyListEncoder().encode(settings)),
        ] {
            #expect(restored == settings)
            let other = ModelContext(container)
            #expect((other.model(for: try #require(restored.selection)) as? Task)?.title == "Paint")
        }
    }
}
