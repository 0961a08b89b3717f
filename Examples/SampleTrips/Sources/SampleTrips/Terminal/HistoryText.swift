import Chronicle
import Foundation

/// Transactions as lines of text.
public struct HistoryText {
    private let style = Style.output

    public init() {}

    /// One line with author and time, and one for each change.
    public func lines(_ transaction: some HistoryTransaction) -> [String] {
        let title = style.bold("#\(transaction.transactionIdentifier)  \(origin(transaction))")
        return ["\(title)  \(style.dim(time(transaction.timestamp)))"] + transaction.changes.map { "  \(text($0))" }
    }

    /// A line with author and time for each transaction that changed a model, and one for each value that changed.
    public func lines<Transaction: HistoryTransaction>(_ entry: ModelHistoryEntry<Transaction>) -> [String] {
        let title = style.bold("#\(entry.transaction.transactionIdentifier)  \(origin(entry.transaction))")
        let values = entry.change.preservedValues.map { value in
            let texts = [value.previousValue, value.value].map { $0.map(text) ?? "nothing" }
            return switch entry.change {
            case .insert: "    \(value.name): \(texts[1])"
            case .update: "    \(value.name): \(texts[0]) → \(texts[1])"
            case .delete: "    \(value.name): \(texts[0])"
            }
        }
        return ["\(title)  \(style.dim(time(entry.transaction.timestamp)))", "  \(text(entry.change))"] + values
    }

    private func text(_ value: any Sendable) -> String {
        (value as? Date).map(Day.format) ?? String(describing: value)
    }

    private func origin(_ transaction: some HistoryTransaction) -> String {
        let author = "by \(transaction.author ?? "nobody")"
        // Not every store records the program.
        guard let transaction = transaction as? DefaultHistoryTransaction else { return author }
        guard !transaction.isExternal else { return "external" }
        return "\(author) (\(transaction.bundleIdentifier), process \(transaction.processIdentifier))"
    }

    private func time(_ date: Date) -> String {
        date.formatted(
            Date.ISO8601FormatStyle(dateTimeSeparator: .space, timeZone: .current).year().month().day()
                .time(includingFractionalSeconds: false))
    }

    private func text(_ change: HistoryChange) -> String {
        let (kind, details) =
            switch change {
            case .insert: (style.green("insert"), [String]())
            case .update(let update): (style.accent("update"), names(update))
            case .delete(let delete): (style.red("delete"), kept(delete))
            }
        let words = [kind, "\(change.changedPersistentIdentifier)", details.joined(separator: ", ")]
        return words.filter { !$0.isEmpty }.joined(separator: "  ")
    }

    private func names<Update: HistoryUpdate>(_ update: Update) -> [String] {
        update.updatedAttributes.compactMap { Update.Model.properties.name(of: $0) }
    }

    private func kept<Delete: HistoryDelete>(_ delete: Delete) -> [String] {
        delete.tombstone.namedValues.map { name, value in
            "\(name): \(text(value))"
        }
    }
}
