import Foundation
import SwiftData

extension ModelContext {
    /// The titles of the books whose insertion or update is in the history, and the number of deletions.
    public func changedBooks(since token: DefaultHistoryToken? = nil) throws -> (titles: Set<String>, deleted: Int) {
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
        if let token { descriptor.predicate = #Predicate { $0.token > token } }
        var (titles, deleted) = (Set<String>(), 0)
        for transaction in try fetchHistory(descriptor) {
            for change in transaction.changes {
                let identifier = change.changedPersistentIdentifier
                switch change {
                case .insert(_ as DefaultHistoryInsert<Book>), .update(_ as DefaultHistoryUpdate<Book>):
                    let books = try fetch(
                        FetchDescriptor<Book>(predicate: #Predicate { $0.persistentModelID == identifier }))
                    titles.formUnion(books.map(\.title))
                case .delete(_ as DefaultHistoryDelete<Book>):
                    deleted += 1
                default:
                    break
                }
            }
        }
        return (titles, deleted)
    }
}

/// A switch over all cases, with a `default` for those of later versions.
public func kind(of change: HistoryChange) -> String {
    switch change {
    case .insert: "insert"
    case .update: "update"
    case .delete: "delete"
    default: "unknown"
    }
}

/// A switch over all cases.
public func symbol(of change: HistoryChange) -> Character {
    switch change {
    case .insert: "+"
    case .update: "~"
    case .delete: "-"
    }
}

public func isCustom(_ stage: MigrationStage) -> Bool {
    switch stage {
    case .lightweight: return false
    case .custom: return true
    @unknown default: return false
    }
}

/// The identifiers in the user info of a notification, which some programs find by the raw values of the keys.
public func identifiers(in notification: Notification) -> [String: [PersistentIdentifier]] {
    var result: [String: [PersistentIdentifier]] = [:]
    for key in ["inserted", "updated", "deleted"] {
        result[key] = notification.userInfo?[key] as? [PersistentIdentifier]
    }
    return result
}

/// What a program sends to its log service.
public func code(of error: any Error) -> String {
    let error = error as NSError
    return "\(error.domain) \(error.code)"
}
