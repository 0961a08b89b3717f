import Chronicle
import Foundation
import Synchronization

@testable import ExampleStore

extension FaultyStore: DataStoreNotifying {
    private struct Observer {
        let store: ObjectIdentifier
        let memory: ObjectIdentifier
        let handler: @Sendable () -> Void
        var isFirst = true
    }

    /// The observers of all stores, because several stores share a memory.
    private static let observers = Mutex<[UUID: Observer]>([:])

    func observeCommits(_ handler: @escaping @Sendable () -> Void) throws -> CommitObservation {
        let identifier = UUID()
        let observer = Observer(store: ObjectIdentifier(self), memory: ObjectIdentifier(memory), handler: handler)
        Self.observers.withLock { $0[identifier] = observer }
        let isCancellable = fault != .reportsAfterCancellation
        return CommitObservation {
            if isCancellable { Self.observers.withLock { $0[identifier] = nil } }
        }
    }

    func reportCommit() {
        let handlers: [@Sendable () -> Void] = Self.observers.withLock { observers in
            let reported = observers.filter { $0.value.memory == ObjectIdentifier(memory) && reports(to: $0.value) }
            for identifier in observers.keys { observers[identifier]?.isFirst = false }
            return reported.values.map(\.handler)
        }
        for handler in handlers { handler() }
    }

    private func reports(to observer: Observer) -> Bool {
        switch fault {
        case .reportsNoOwnSaves: observer.store != ObjectIdentifier(self)
        case .reportsOnlyOwnSaves: observer.store == ObjectIdentifier(self)
        case .reportsFromTheSecondSave: !observer.isFirst
        default: true
        }
    }
}
