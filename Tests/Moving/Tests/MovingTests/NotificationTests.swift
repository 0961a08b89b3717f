import Foundation
import Notifications
import SwiftData
import Testing

/// Observers of saves.
@Suite(.serialized) struct NotificationTests {
    private func container() throws -> ModelContainer {
        try ModelContainer(for: Counter.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }

    @Test func aSaveIsAnnouncedAndDescribed() throws {
        let context = ModelContext(try container())
        let observer = SaveObserver(context: context)
        let (clicks, keys) = (Counter(name: "clicks"), Counter(name: "keys"))
        context.insert(clicks)
        context.insert(keys)
        try context.save()
        clicks.value += 1
        context.delete(keys)
        let deleted = keys.persistentModelID
        try context.save()
        #expect(observer.begun == 2)
        #expect(
            observer.saves == [
                SaveObserver.Save(inserted: [clicks.persistentModelID, deleted]),
                SaveObserver.Save(updated: [clicks.persistentModelID], deleted: [deleted]),
            ])
        // Another context has other observers.
        let other = ModelContext(context.container)
        other.insert(Counter(name: "pages"))
        try other.save()
        #expect(observer.saves.count == 2)
    }

    @Test func insertionsAreASequence() async throws {
        let insertions = NotificationCenter.default.insertions(of: Counter.self)
        let context = ModelContext(try container())
        let counter = Counter(name: "clicks")
        context.insert(counter)
        try context.save()
        let identifier = counter.persistentModelID
        var iterator = insertions.makeAsyncIterator()
        #expect(await iterator.next() == identifier)
    }
}
