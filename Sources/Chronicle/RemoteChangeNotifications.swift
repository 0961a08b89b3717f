public import ChronicleCore
public import Foundation

/// Posts ``ModelContainer/remoteChange`` notifications for the commits of a container's stores, by any context, process or program.
///
/// Core Data posts such notifications if a store has the option `NSPersistentStoreRemoteChangeNotificationPostOptionKey`. Code
/// that observes them keeps working with another name:
///
/// ```swift
/// let notifications = try RemoteChangeNotifications(for: container)
/// let observer = NotificationCenter.default.addObserver(
///     forName: ModelContainer.remoteChange, object: container, queue: nil
/// ) { notification in
///     let token = notification.userInfo?[ModelContainer.RemoteChangeKey.historyToken.rawValue] as? DefaultHistoryToken
/// }
/// ```
///
/// In new code, use a ``HistoryConsumer``, ``ModelContainer/historyChanges(of:after:filter:storeName:)`` or a
/// ``HistoryObserver``.
public final class RemoteChangeNotifications: Sendable {
    private let task: Task<Void, Never>

    /// Begins to post notifications, until the object is released.
    ///
    /// Notifications may be posted on any thread. Several commits of a store may result in one notification.
    ///
    /// - Parameter container: The container, which is the object of the notifications.
    /// - Throws: ``SwiftDataError/historyDisabled`` if no store records its history,
    ///   ``SwiftDataError/invalidTransactionFetchRequest`` if no store has one, or the error that prevents a store from
    ///   observing commits.
    public init(for container: ModelContainer) throws {
        let observer = try HistoryObserver(modelContainer: container, isolation: nil)
        let tokens = observer.historyTokens
        task = Task { await Self.follow(observer, from: tokens) }
    }

    deinit { task.cancel() }

    private static func follow(_ observer: HistoryObserver, from tokens: [String: any HistoryToken]) async {
        var known = tokens.mapValues { AnyHashable($0) }
        for await _ in observer.eventCounts {
            let tokens = observer.historyTokens
            for (store, token) in tokens.sorted(by: { $0.key < $1.key }) where known[store] != AnyHashable(token) {
                post(store, token, observer.modelContainer)
            }
            known = tokens.mapValues { AnyHashable($0) }
        }
    }

    private static func post(_ store: String, _ token: any HistoryToken, _ container: ModelContainer) {
        var userInfo: [AnyHashable: Any] = [
            ModelContainer.RemoteChangeKey.historyToken.rawValue: token,
            ModelContainer.RemoteChangeKey.storeIdentifier.rawValue: store,
        ]
        if let configuration = container.stores.first(where: { $0.identifier == store })?.configuration
            as? ModelConfiguration
        {
            userInfo[ModelContainer.RemoteChangeKey.storeURL.rawValue] = configuration.url
        }
        NotificationCenter.default.post(name: ModelContainer.remoteChange, object: container, userInfo: userInfo)
    }
}

extension ModelContainer {
    /// The name of the notifications that ``RemoteChangeNotifications`` posts after commits, as Core Data's
    /// `NSPersistentStoreRemoteChange`. The object is the container, and the keys of the user info are those of
    /// ``RemoteChangeKey``.
    public static let remoteChange = Notification.Name("ModelContainer.remoteChange")

    /// The keys of the user info of ``remoteChange`` notifications: its raw values, which are those of Core Data.
    public enum RemoteChangeKey: String, CaseIterable, Sendable {
        /// The position in the history after the commit, as `any HistoryToken`.
        case historyToken
        /// The identifier of the store, as `String`.
        case storeIdentifier = "NSStoreUUID"
        /// The URL of the store's configuration, as `URL`. Missing for a custom store.
        case storeURL
    }
}
