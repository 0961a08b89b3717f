import Foundation
import SwiftData

/// Follows the changes of other processes.
public struct TripHistory {
    private let modelContainer: ModelContainer
    private var token: DefaultHistoryToken?

    public init(modelContainer: ModelContainer) {
        self.modelContainer = modelContainer
    }

    public mutating func news() throws -> [String] {
        let context = ModelContext(modelContainer)
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
        if let token {
            descriptor.predicate = #Predicate { $0.token > token }
        }
        let transactions = try context.fetchHistory(descriptor)
        token = transactions.last?.token ?? token
        return transactions.flatMap(lines)
    }

    private func lines(_ transaction: DefaultHistoryTransaction) -> [String] {
        let author = transaction.author ?? "someone"
        var lines: [String] = []
        for change in transaction.changes {
            switch change {
            case .insert(_ as DefaultHistoryInsert<Trip>):
                lines.append("\(author) added a trip")
            case .update(let update as DefaultHistoryUpdate<Trip>):
                let what = update.updatedAttributes.contains(\.name) ? "renamed" : "changed"
                lines.append("\(author) \(what) a trip")
            case .delete(let delete as DefaultHistoryDelete<Trip>):
                let name = delete.tombstone[\.name] as? String
                lines.append("\(author) deleted \(name ?? "a trip")")
            default:
                break
            }
        }
        return lines
    }
}
