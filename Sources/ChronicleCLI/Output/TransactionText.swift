import Chronicle
import Foundation

struct TransactionText {
    let console: Console
    let file: StoreFile
    /// The paths that reached the model of a change, by its number; `nil` to show none.
    var paths: [Int64: [String]]?
    /// The identifier of the first transaction after a gap, or `nil`.
    var afterGap: Int64?

    private func paths(of change: HistoryChange) -> [String]? {
        paths.map { paths in change.integerChangeIdentifier.flatMap { paths[$0] } ?? [] }
    }

    // MARK: Text

    func writeHeader(_ transaction: DefaultHistoryTransaction) throws {
        let token = transaction.token.text(in: file.store.identifier)
        let marks =
            (transaction.isExternal ? " (other programs)" : "")
            + (transaction.followsDeletion ? " (transactions before it were deleted)" : "")
            + (followsGap(transaction) ? " (changes before it were not recorded)" : "")
        try console.line(console.styled("transaction \(token)", .yellow) + marks)
        if let author = transaction.author { try console.line("Author:  \(author.escaped)") }
        if let name = transaction.contextName { try console.line("Context: \(name.escaped)") }
        try console.line("Date:    \(file.date(of: transaction, console))")
        let program = program(transaction)
        if !program.isEmpty { try console.line("Program: \(program)") }
        for (index, (key, value)) in transaction.metadata.sorted(by: { $0.key < $1.key }).enumerated() {
            if index == 0 { try console.line("Metadata:") }
            try console.line("         \(key.escaped): \(value.escaped)")
        }
    }

    private func program(_ transaction: DefaultHistoryTransaction) -> String {
        let process = transaction.processIdentifier.isEmpty ? "" : " (\(transaction.processIdentifier.escaped))"
        return transaction.bundleIdentifier.escaped + process
    }

    func line(_ transaction: DefaultHistoryTransaction) -> String {
        let author = transaction.author?.escaped ?? (transaction.isExternal ? "(other programs)" : "-")
        return [
            console.styled(String(transaction.transactionIdentifier), .yellow),
            file.date(of: transaction, console),
            console.styled(author, .cyan),
        ].joined(separator: " ") + (transaction.followsDeletion ? " (after deleted transactions)" : "")
            + (followsGap(transaction) ? " (after changes that were not recorded)" : "")
    }

    private func followsGap(_ transaction: DefaultHistoryTransaction) -> Bool {
        transaction.transactionIdentifier == afterGap
    }

    func writeChange(_ change: HistoryChange) throws {
        let model = try file.text(of: change.changedPersistentIdentifier).escaped
        let reached = paths(of: change).map { $0.isEmpty ? "" : " (\($0.joined(separator: ", ").escaped))" } ?? ""
        func text(_ value: PreservedValue, _ side: KeyPath<PreservedValue, (any Sendable)?>) -> String {
            self.text(value, side, of: change.changedPersistentIdentifier)
        }
        switch change {
        case .insert:
            try console.line("    " + console.styled("insert \(model)", .green) + reached)
            for value in change.preservedValues {
                try write(value.name, console.styled(text(value, \.value), .green))
            }
        case .update(let update):
            try console.line("    " + console.styled("update \(model)", .blue) + reached)
            try writeUpdate(update, change.preservedValues)
        case .delete:
            try console.line("    " + console.styled("delete \(model)", .red) + reached)
            for value in change.preservedValues {
                // An empty list.
                if value.previousValue == nil, isLink(value.name, of: change.changedPersistentIdentifier) { continue }
                try write(value.name, console.styled(text(value, \.previousValue), .red))
            }
        }
    }

    private func writeUpdate(_ update: any HistoryUpdate, _ values: [PreservedValue]) throws {
        for name in update.updatedAttributeNames where !values.contains(where: { $0.name == name }) {
            try console.line("        \(name.escaped)")
        }
        for value in values {
            let model = update.changedPersistentIdentifier
            let (before, after) = (text(value, \.previousValue, of: model), text(value, \.value, of: model))
            if isLink(value.name, of: model) {
                if value.previousValue != nil { try write(value.name, console.styled("- \(before)", .red)) }
                if value.value != nil { try write(value.name, console.styled("+ \(after)", .green)) }
                continue
            }
            try write(value.name, "\(console.styled(before, .red)) -> \(console.styled(after, .green))")
        }
    }

    private func text(
        _ value: PreservedValue, _ side: KeyPath<PreservedValue, (any Sendable)?>, of model: PersistentIdentifier
    ) -> String {
        ValueText.text(value[keyPath: side], of: property(value.name, of: model), console)
    }

    func property(_ name: String, of model: PersistentIdentifier) -> Schema.Property? {
        file.schema.entitiesByName[model.entityName]?.property(named: name)
    }

    private func write(_ name: String, _ value: String) throws {
        try console.line("        \(name.escaped): \(value)")
    }

    /// The values of relationships that are stored as links are those that were added and removed.
    func isLink(_ name: String, of model: PersistentIdentifier) -> Bool {
        property(name, of: model)?.relationship?.isLinked == true
    }

    // MARK: JSON

    /// - Parameter changes: `nil` to leave the changes out.
    func json(_ transaction: DefaultHistoryTransaction, changes: [JSON]?) -> JSON {
        .members([
            "transaction": .integer(transaction.transactionIdentifier),
            "token": .string(transaction.token.text(in: file.store.identifier)),
            "date": .optional(file.date(of: transaction).map(DateText.iso8601)),
            "author": .optional(transaction.author),
            "context": .optional(transaction.contextName),
            "program": .string(transaction.bundleIdentifier),
            "process": .string(transaction.processIdentifier),
            "external": .bool(transaction.isExternal),
            "followsDeletion": transaction.followsDeletion ? .bool(true) : nil,
            "followsGap": followsGap(transaction) ? .bool(true) : nil,
            "metadata": transaction.metadata.isEmpty
                ? nil
                : .object(
                    transaction.metadata.sorted { $0.key < $1.key }.map {
                        .init(name: $0.key, value: .string($0.value))
                    }),
            "changes": changes.map(JSON.array),
        ])
    }

    /// Omits values that the history does not preserve.
    func json(_ change: HistoryChange) throws -> JSON {
        let model = change.changedPersistentIdentifier
        let modelText = try file.text(of: model)
        var members: [JSON.Member] = []
        func add(_ name: String, _ value: JSON) { members.append(.init(name: name, value: value)) }
        let plain = change.preservedValues.filter { !isLink($0.name, of: model) }
        let links = change.preservedValues.filter { isLink($0.name, of: model) }
        func values(_ list: [PreservedValue], _ side: KeyPath<PreservedValue, (any Sendable)?>) -> JSON {
            .object(
                list.map {
                    .init(name: $0.name, value: ValueText.json($0[keyPath: side], of: property($0.name, of: model)))
                })
        }
        func destinations(_ side: KeyPath<PreservedValue, (any Sendable)?>) -> JSON? {
            let named = links.filter { $0[keyPath: side] != nil }
            guard !named.isEmpty else { return nil }
            return .array(
                named.map { .members(["name": .string($0.name), "value": ValueText.json($0[keyPath: side])]) })
        }
        switch change {
        case .insert:
            add("kind", .string("insert"))
            add("model", .string(modelText))
            if !plain.isEmpty { add("values", values(plain, \.value)) }
        case .update(let update):
            add("kind", .string("update"))
            add("model", .string(modelText))
            add("attributes", .array(update.updatedAttributeNames.map(JSON.string)))
            if !plain.isEmpty {
                add("old", values(plain, \.previousValue))
                add("new", values(plain, \.value))
            }
        case .delete:
            add("kind", .string("delete"))
            add("model", .string(modelText))
            if !plain.isEmpty { add("old", values(plain, \.previousValue)) }
        }
        if let paths = paths(of: change) { add("paths", .array(paths.map(JSON.string))) }
        if let removed = destinations(\.previousValue) { add("removed", removed) }
        if let added = destinations(\.value) { add("added", added) }
        return .object(members)
    }
}

extension StoreFile {
    /// Returns the identifier of the first transaction after a gap, or `nil` if the history has no gap.
    func transactionAfterGap() throws -> Int64? {
        guard let gap = try (store as? any ToolStore)?.historyGap() else { return nil }
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>.after(gap)
        descriptor.fetchLimit = 1
        return try store.fetchHistoryIdentifiers(descriptor).first
    }

    static let unknownDate = "not known until a program that uses Chronicle saves"

    /// `nil` for changes of other programs that no save has grouped yet, except in a tracked database. The store returns the
    /// time of the read for them.
    func date(of transaction: DefaultHistoryTransaction) -> Date? {
        let hasDate = store.isTracked || transaction.token.checkValue(in: transaction.storeIdentifier) != nil
        return hasDate ? transaction.timestamp : nil
    }

    func date(of transaction: DefaultHistoryTransaction, _ console: Console) -> String {
        date(of: transaction).map(console.text) ?? Self.unknownDate
    }

    /// The age of the oldest transaction that a consumer has not acknowledged; `nil` if its date is not known, or if the consumer
    /// has to start over.
    func age(ofLagOf status: HistoryConsumerStatus<DefaultHistoryToken>) throws -> Duration? {
        guard let lag = status.lag, lag.transactions > 0 else { return status.lag?.age }
        var descriptor: HistoryDescriptor<DefaultHistoryTransaction> =
            status.position.map { .after($0) } ?? HistoryDescriptor()
        descriptor.fetchLimit = 1
        do {
            let lacksDate = try store.fetchHistoryWithoutChanges(descriptor).contains { date(of: $0) == nil }
            return lacksDate ? nil : lag.age
        } catch let error as SwiftDataError where error == .historyTokenExpired || error == .historyTokenGap {
            // The history was deleted after the status was read.
            return nil
        }
    }

    /// Whether the dates of the first and of the last transaction are not known. Only changes after all others have no date.
    func lacksDates() throws -> (oldest: Bool, newest: Bool) {
        let newest = try lacksDate(ofNewest: true)
        return (try newest && lacksDate(ofNewest: false), newest)
    }

    private func lacksDate(ofNewest isNewest: Bool) throws -> Bool {
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
        descriptor.sortBy = [SortDescriptor(\.token, order: isNewest ? .reverse : .forward)]
        descriptor.fetchLimit = 1
        return try store.fetchHistoryWithoutChanges(descriptor).contains { date(of: $0) == nil }
    }
}
