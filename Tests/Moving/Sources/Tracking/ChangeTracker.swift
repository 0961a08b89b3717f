import Foundation
import SwiftData

/// A change that a server has to know.
public enum Upload: Equatable, Sendable {
    case add(String)
    case change(String, Set<String>)
    case remove(String)
}

/// Finds what has to be uploaded: the changes of this device that the server has not sent.
public final class ChangeTracker {
    public static let serverAuthor = "server"

    private let container: ModelContainer
    private let tokens: TokenStore

    public init(container: ModelContainer, tokens: TokenStore) {
        self.container = container
        self.tokens = tokens
    }

    public func uploads() throws -> [Upload] {
        let context = ModelContext(container)
        let transactions = try transactions(in: context, after: tokens.token)
        let uploads = transactions.flatMap { transaction in
            transaction.changes.compactMap { upload(of: $0, in: context) }
        }
        if let last = transactions.last { try tokens.save(last.token) }
        return uploads
    }

    /// Removes the history that has been read.
    public func removeHistory() throws {
        guard let token = try tokens.token else { return }
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
        descriptor.predicate = #Predicate { $0.token < token }
        try ModelContext(container).deleteHistory(descriptor)
    }

    private func transactions(
        in context: ModelContext, after token: DefaultHistoryToken?
    ) throws -> [DefaultHistoryTransaction] {
        let server = Self.serverAuthor
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
        if let token {
            descriptor.predicate = #Predicate { $0.token > token && $0.author != server }
        } else {
            descriptor.predicate = #Predicate { $0.author != server }
        }
        do {
            return try context.fetchHistory(descriptor)
        } catch SwiftDataError.historyTokenExpired {
            return try transactions(in: context, after: nil)
        }
    }

    private func upload(of change: HistoryChange, in context: ModelContext) -> Upload? {
        let identifier = change.changedPersistentIdentifier
        switch change {
        case .insert(_ as DefaultHistoryInsert<Recipe>):
            return recipe(identifier, in: context).map { .add($0.remoteID) }
        case .update(let update as DefaultHistoryUpdate<Recipe>):
            guard let recipe = recipe(identifier, in: context) else { return nil }
            var names: Set<String> = []
            for attribute in update.updatedAttributes {
                switch attribute {
                case \Recipe.name: names.insert("name")
                case \Recipe.portions: names.insert("portions")
                case \Recipe.ingredients: names.insert("ingredients")
                default: break
                }
            }
            return .change(recipe.remoteID, names)
        case .delete(let delete as DefaultHistoryDelete<Recipe>):
            return (delete.tombstone[\.remoteID] as? String).map(Upload.remove)
        default:
            return nil
        }
    }

    private func recipe(_ identifier: PersistentIdentifier, in context: ModelContext) -> Recipe? {
        let descriptor = FetchDescriptor<Recipe>(predicate: #Predicate { $0.persistentModelID == identifier })
        return try? context.fetch(descriptor).first
    }
}
