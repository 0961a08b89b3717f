public import Foundation
import Synchronization

extension ModelContext {
    /// The name of the notification that a context posts before it saves, through `NotificationCenter.default`, with itself as the
    /// object and without user info, on the thread of the save.
    ///
    /// Changes that an observer makes to the context are part of the save. A save without changes posts nothing. Contexts post the
    /// notification once the program has read this property, so an observer that does not specify a name must read it, too.
    public static var willSave: Notification.Name {
        observedNames.willSave.store(true, ordering: .relaxed)
        return Notification.Name("ModelContext.willSave")
    }

    /// The name of the notification that a context posts after it has saved, like ``willSave``. The user info contains what was
    /// written; see ``NotificationKey``:
    ///
    /// ```swift
    /// NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) { notification in
    ///     let key = ModelContext.NotificationKey.insertedIdentifiers.rawValue
    ///     let inserted = notification.userInfo?[key] as? [PersistentIdentifier] ?? []
    /// }
    /// ```
    ///
    /// Pass `nil` as the queue of an observer. With an operation queue, Foundation waits until the queue has run the block, and an
    /// observer with `OperationQueue.main` blocks a save on the main actor forever on Linux. To use the main actor, start a task in
    /// the block.
    ///
    /// A save that wrote and dropped nothing posts nothing. If a save fails in one of several stores, the notification contains
    /// what was written to the others. ``delete(model:where:includeSubclasses:)``, ``update(model:where:set:)``,
    /// ``insert(model:from:)`` and saves of other processes post no notification; use a ``HistoryObserver`` to be notified of all
    /// of them.
    public static var didSave: Notification.Name {
        observedNames.didSave.store(true, ordering: .relaxed)
        return Notification.Name("ModelContext.didSave")
    }

    /// The notifications whose names the program has read. Others cannot have observers, and posting them would take half as long
    /// as saving one model.
    private static let observedNames = ObservedNames()

    private final class ObservedNames: Sendable {
        let willSave = Atomic(false)
        let didSave = Atomic(false)
    }

    /// The keys of the user info of ``didSave`` notifications: its raw values, which are those of SwiftData.
    public enum NotificationKey: String, CaseIterable, Sendable {
        /// The identifiers of the deleted models, as `[PersistentIdentifier]`.
        case deletedIdentifiers = "deleted"
        /// The permanent identifiers of the inserted models, as `[PersistentIdentifier]`.
        case insertedIdentifiers = "inserted"
        /// Accepted for compatibility with SwiftData. No notification contains this key, because a save never invalidates models.
        case invalidatedAllIdentifiers
        /// Accepted for compatibility with SwiftData. No notification contains this key, because stores have no query
        /// generations.
        case queryGeneration
        /// The identifiers of the updated models, as `[PersistentIdentifier]`.
        case updatedIdentifiers = "updated"
        /// The positions in the history after the save, as `[String: any HistoryToken]` by the identifier of the store.
        case historyTokens
        /// The changes that were not written because another writer had deleted the rows, as `[ModelContext.DroppedChange]`.
        /// SwiftData does not have this key. It is missing if nothing was dropped.
        case droppedChanges
    }
}

extension ModelContext {
    func postWillSave() {
        // An observer that saves must not be notified again.
        guard Self.observedNames.willSave.load(ordering: .relaxed), storage.postsNotifications,
            !storage.isPostingWillSave, mayHaveChanges
        else { return }
        storage.isPostingWillSave = true
        defer { storage.isPostingWillSave = false }
        NotificationCenter.default.post(name: Self.willSave, object: self)
    }

    func postDidSave(_ saves: [StoreSave], _ droppedChanges: [DroppedChange]) {
        guard Self.observedNames.didSave.load(ordering: .relaxed), storage.postsNotifications else { return }
        let saves = saves.filter(\.isWritten)
        guard !saves.isEmpty || !droppedChanges.isEmpty else { return }
        var userInfo: [AnyHashable: Any] = [
            NotificationKey.insertedIdentifiers.rawValue: saves.flatMap(\.insertedIdentifiers),
            NotificationKey.updatedIdentifiers.rawValue: saves.flatMap(\.updatedIdentifiers),
            NotificationKey.deletedIdentifiers.rawValue: saves.flatMap(\.deletedIdentifiers),
        ]
        let tokens = saves.compactMap { save in save.historyToken.map { (save.store.identifier, $0) } }
        userInfo[NotificationKey.historyTokens.rawValue] = Dictionary(tokens, uniquingKeysWith: { $1 })
        if !droppedChanges.isEmpty {
            userInfo[NotificationKey.droppedChanges.rawValue] = droppedChanges
        }
        NotificationCenter.default.post(name: Self.didSave, object: self, userInfo: userInfo)
    }
}
