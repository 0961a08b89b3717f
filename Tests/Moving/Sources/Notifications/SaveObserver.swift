import Foundation
import SwiftData

/// Keeps what the saves of a program inserted, updated and deleted.
public final class SaveObserver: @unchecked Sendable {
    public struct Save: Equatable, Sendable {
        public var inserted: Set<PersistentIdentifier>
        public var updated: Set<PersistentIdentifier>
        public var deleted: Set<PersistentIdentifier>

        public init(
            inserted: Set<PersistentIdentifier> = [], updated: Set<PersistentIdentifier> = [],
            deleted: Set<PersistentIdentifier> = []
        ) {
            (self.inserted, self.updated, self.deleted) = (inserted, updated, deleted)
        }
    }

    private let lock = NSLock()
    private var observers: [any NSObjectProtocol] = []
    private var announced = 0
    private var recorded: [Save] = []

    /// The number of saves that have begun.
    public var begun: Int { lock.withLock { announced } }
    public var saves: [Save] { lock.withLock { recorded } }

    public init(context: ModelContext? = nil) {
        let center = NotificationCenter.default
        observers.append(
            center.addObserver(forName: ModelContext.willSave, object: context, queue: nil) { [weak self] _ in
                guard let self else { return }
                lock.withLock { announced += 1 }
            })
        observers.append(
            center.addObserver(forName: ModelContext.didSave, object: context, queue: nil) { [weak self] notification in
                guard let self else { return }
                let save = Save(
                    inserted: Self.identifiers(.insertedIdentifiers, in: notification),
                    updated: Self.identifiers(.updatedIdentifiers, in: notification),
                    deleted: Self.identifiers(.deletedIdentifiers, in: notification))
                lock.withLock { recorded.append(save) }
            })
    }

    deinit {
        observers.forEach(NotificationCenter.default.removeObserver)
    }

    private static func identifiers(
        _ key: ModelContext.NotificationKey, in notification: Notification
    ) -> Set<PersistentIdentifier> {
        Set(notification.userInfo?[key.rawValue] as? [PersistentIdentifier] ?? [])
    }
}

extension NotificationCenter {
    /// The identifiers that saves insert, of one class of models.
    public func insertions<Model: PersistentModel>(of type: Model.Type) -> AsyncStream<PersistentIdentifier> {
        AsyncStream { continuation in
            let observer = addObserver(forName: ModelContext.didSave, object: nil, queue: nil) { notification in
                let key = ModelContext.NotificationKey.insertedIdentifiers.rawValue
                guard let identifiers = notification.userInfo?[key] as? [PersistentIdentifier] else { return }
                for identifier in identifiers where identifier.entityName == Schema.entityName(for: Model.self) {
                    continuation.yield(identifier)
                }
            }
            let token = UncheckedToken(observer)
            continuation.onTermination = { _ in NotificationCenter.default.removeObserver(token.value) }
        }
    }
}

private struct UncheckedToken: @unchecked Sendable {
    let value: any NSObjectProtocol

    init(_ value: any NSObjectProtocol) { self.value = value }
}
