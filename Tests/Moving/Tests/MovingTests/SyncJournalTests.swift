import Foundation
import SwiftData
import Testing
import Usages

/// A program that synchronizes with a server through the history.
@Suite struct SyncJournalTests {
    private func container() throws -> ModelContainer {
        try ModelContainer(
            for: Member.self, Badge.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }

    @Test func localChangesAreFound() throws {
        let container = try container()
        let context = ModelContext(container)
        context.insert(Member(name: "Ada"))
        try context.save()
        let (first, second) = (UUID(), UUID())
        try SyncJournal.apply([first: "Bo"], in: container)
        #expect(try SyncJournal.localTransactions(since: nil, in: context).count == 1)
        let token = try #require(try SyncJournal.newestToken(in: context))
        try SyncJournal.apply([first: "Bob", second: "Cy"], in: container)
        #expect(try SyncJournal.localTransactions(since: token, in: context).isEmpty)
        let ada = try #require(context.fetch(FetchDescriptor<Member>(predicate: #Predicate { $0.name == "Ada" })).first)
        ada.name = "Ada L."
        #expect(ada.updated > .distantPast)
        try context.save()
        #expect(try SyncJournal.localTransactions(since: token, in: context).count == 1)
        let found = try SyncJournal.transactions(after: .distantPast, changing: [Member.self], in: context)
        #expect(found.count == 4)
        #expect(try SyncJournal.transactions(after: .distantPast, changing: [Badge.self], in: context).isEmpty)
        #expect(try context.fetchCount(FetchDescriptor<Member>()) == 3)
    }

    /// The token of what was trimmed remains valid.
    @Test func trimmedHistory() throws {
        let container = try container()
        let context = ModelContext(container)
        for name in ["a", "b"] { try SyncJournal.apply([UUID(): name], in: container) }
        let token = try #require(try SyncJournal.newestToken(in: context))
        context.insert(Member(name: "local"))
        try context.save()
        try SyncJournal.trimInbound(through: token, in: context)
        #expect(try SyncJournal.localTransactions(since: token, in: context).count == 1)
        #expect(try SyncJournal.localTransactions(since: nil, in: context).count == 1)
    }

    @Test func tombstonesOfCascades() throws {
        let container = try container()
        let context = ModelContext(container)
        let (member, badge) = (Member(name: "Ada", serverID: UUID()), Badge(title: "gold", serverID: UUID()))
        member.badges?.append(badge)
        context.insert(member)
        try context.save()
        let (id, badgeID) = (member.serverID, badge.serverID)
        context.delete(member)
        try context.save()
        #expect(try SyncJournal.deleted(Member.self, \.serverID, in: context) == [id])
        #expect(try SyncJournal.deleted(Badge.self, \.serverID, in: context) == [badgeID])
    }

    @Test func filesAndNotifications() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Members.store")
        let stored = try ModelContainer(
            for: Schema([Member.self, Badge.self]),
            configurations: ModelConfiguration(url: url, cloudKitDatabase: .none))
        #expect(try StoreFiles.clean(ModelContext(stored)) == [url])
        #expect(try StoreFiles.clean(ModelContext(container())).isEmpty)
        #expect(StoreFiles.isRelevant(Notification(name: ModelContext.didSave)))
        #expect(StoreFiles.isRelevant(Notification(name: ModelContext.didSave, object: nil, userInfo: ["other": 1])))
    }

    @Test func actorsEnumerate() async throws {
        let container = try container()
        let store = MemberStore(modelContainer: container)
        let identifiers = try await store.upsert(["ada", "", "bo", ""])
        #expect(try await store.tidy() == 2)
        #expect(await store.name(of: identifiers[0]) == "Ada")
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Member>()) == 2)
    }
}
