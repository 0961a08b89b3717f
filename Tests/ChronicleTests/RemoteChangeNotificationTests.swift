import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct RemoteChangeNotificationTests {
    private struct Post: Sendable {
        let token: DefaultHistoryToken?
        let store: String?
        let url: URL?
    }

    @Test func commitsOfOtherProcessesAndProgramsArePosted() async throws {
        let store = try TestStore(.file)
        let (posts, continuation) = AsyncStream.makeStream(of: Post.self)
        let observer = NotificationCenter.default.addObserver(
            forName: ModelContainer.remoteChange, object: store.container, queue: nil
        ) { notification in
            func value<Value>(_ key: ModelContainer.RemoteChangeKey) -> Value? {
                notification.userInfo?[key.rawValue] as? Value
            }
            continuation.yield(
                Post(token: value(.historyToken), store: value(.storeIdentifier), url: value(.storeURL)))
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        let notifications = try RemoteChangeNotifications(for: store.container)
        var iterator = posts.makeAsyncIterator()
        let other = ModelContext(try store.reopened())
        other.insert(Trip(name: "a", destination: "Rome"))
        try other.save()
        let token = try other.currentHistoryToken()
        let post = try #require(await iterator.next())
        #expect(post.token == token)
        #expect(post.store == token.storeIdentifier)
        #expect(post.url?.path == store.url.path)
        try store.shell("UPDATE Trip SET destination = 'Paris'")
        #expect(try #require(await iterator.next()).token != token)
        withExtendedLifetime(notifications) {}
    }

    @Test func anErrorOfTheContainerIsThrown() throws {
        var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
        configuration.recordsHistory = false
        let container = try ModelContainer(for: Trip.self, configurations: configuration)
        #expect(throws: SwiftDataError.historyDisabled) { try RemoteChangeNotifications(for: container) }
    }
}
