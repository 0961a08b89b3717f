import Chronicle
import ChronicleTestSupport
import Foundation

/// Describes the content of a store as text, one line for each model, transaction and change, in a fixed order.
///
/// It uses the public API only, so that stores of all file formats have the same description.
struct FixtureDescription {
    let context: ModelContext

    init(_ container: ModelContainer) { context = ModelContext(container) }

    /// Returns the description of the models, of the history, and of the history after each token.
    func text(_ tokens: [String: DefaultHistoryToken]) throws -> String {
        let sections = try models() + [""] + history() + [""] + results(of: tokens)
        return sections.joined(separator: "\n") + "\n"
    }

    // MARK: Models

    private func models() throws -> [String] {
        try FixtureModels.types.flatMap { try models(of: $0) }
    }

    private func models<Model: PersistentModel>(of type: Model.Type) throws -> [String] {
        let models = try context.fetch(FetchDescriptor<Model>())
            .sorted { $0.persistentModelID < $1.persistentModelID }
        return models.flatMap { model in
            ["\(model.persistentModelID)"]
                + Model.properties.elements.map { name, _ in
                    let keyPath: (any PartialKeyPath<Model> & Sendable)? = Model.properties.keyPath(named: name)
                    return "    \(name): \(keyPath.map { exactly(model[keyPath: $0 as PartialKeyPath<Model>]) } ?? "?")"
                }
        }
    }

    // MARK: History

    private func history() throws -> [String] {
        let current = try context.currentHistoryToken()
        return ["current token: \(positions(current))"]
            + (try context.fetchHistory(Descriptor())).flatMap { transaction in
                [line(transaction)] + transaction.changes.map { "    \(line($0, in: transaction))" }
            }
    }

    private func positions(_ token: DefaultHistoryToken) -> String {
        (token.tokenValue ?? [:]).keys.sorted().map { store in
            let checkValue = token.checkValue(in: store).map { "check value \($0)" } ?? "no check value"
            return "\(token.position(in: store) ?? -1) in \(store), \(checkValue)"
        }
        .joined(separator: "; ")
    }

    private func line(_ transaction: Transaction) -> String {
        // Changes that no save has grouped have the time of the fetch.
        let isGrouped = transaction.token.checkValue(in: transaction.storeIdentifier) != nil
        let parts: [(String, Any)] = [
            ("token", positions(transaction.token)), ("store", transaction.storeIdentifier),
            ("timestamp", isGrouped ? exactly(transaction.timestamp) : "unsealed"),
            ("author", exactly(transaction.author as Any)), ("context", exactly(transaction.contextName as Any)),
            ("program", exactly(transaction.bundleIdentifier)), ("process", exactly(transaction.processIdentifier)),
            ("external", transaction.isExternal),
        ]
        let metadata = transaction.metadata.sorted { $0.key < $1.key }.map {
            ", metadata \(exactly($0.key)) \(exactly($0.value))"
        }
        return "transaction \(transaction.transactionIdentifier): "
            + parts.map { "\($0) \($1)" }.joined(separator: ", ") + metadata.joined()
    }

    private func line(_ change: HistoryChange, in transaction: Transaction) -> String {
        switch change {
        case .insert(let insert):
            return "\(position(insert.changeIdentifier, insert.transactionIdentifier, transaction)) insert "
                + "\(insert.changedPersistentIdentifier) \(modelName(insert))\(preservedValues(insert))"
        case .update(let update):
            return "\(position(update.changeIdentifier, update.transactionIdentifier, transaction)) update "
                + "\(update.changedPersistentIdentifier) \(modelName(update)) "
                + ((update as? any NamedUpdate)?.updatedAttributeNames.joined(separator: "+") ?? "?")
                + preservedValues(update)
        case .delete(let delete):
            return "\(position(delete.changeIdentifier, delete.transactionIdentifier, transaction)) delete "
                + "\(delete.changedPersistentIdentifier) \(modelName(delete))\(tombstone(delete))"
        }
    }

    private func position(_ change: Any, _ identifier: Any, _ transaction: Transaction) -> String {
        let isOwn = identifier as? Int64 == transaction.transactionIdentifier
        return "\(change)\(isOwn ? "" : " of \(identifier)")"
    }

    private func modelName<Change: HistoryInsert>(_ change: Change) -> String { "\(Change.Model.self)" }
    private func modelName<Change: HistoryUpdate>(_ change: Change) -> String { "\(Change.Model.self)" }
    private func modelName<Change: HistoryDelete>(_ change: Change) -> String { "\(Change.Model.self)" }

    private func preservedValues(_ change: Any) -> String {
        ((change as? any PreservingChange)?.preservedValues ?? []).map {
            let (old, new) = ($0.previousValue.map { exactly($0) }, $0.value.map { exactly($0) })
            return "\n        \($0.name): \(old ?? "nil") -> \(new ?? "nil")"
        }.joined()
    }

    private func tombstone(_ delete: some HistoryDelete) -> String {
        delete.tombstone.namedValues.map { "\n        \($0.name): \(exactly($0.value))" }.sorted().joined()
    }

    // MARK: Tokens

    /// Returns a line for each token: the number of transactions and changes after it, or the error.
    ///
    /// - Parameter author: The author whose transactions are ignored.
    func results(of tokens: [String: DefaultHistoryToken], ignoring author: String? = nil) throws -> [String] {
        try tokens.sorted { $0.key < $1.key }.map { name, token in
            do {
                let transactions = try context.fetchHistory(.after(token))
                    .filter { author == nil || $0.author != author }
                let changes = transactions.reduce(0) { $0 + $1.changes.count }
                return "token \(name): \(transactions.count) transactions, \(changes) changes"
            } catch let error as SwiftDataError {
                guard let kind = Self.tokenErrors[error] else { throw error }
                return "token \(name): \(kind)"
            }
        }
    }

    private static let tokenErrors: [SwiftDataError: String] = [
        .historyTokenExpired: "historyTokenExpired", .historyTokenForked: "historyTokenForked",
        .historyTokenStoreMismatch: "historyTokenStoreMismatch", .historyTokenAhead: "historyTokenAhead",
        .historyTokenGap: "historyTokenGap",
    ]
}

private protocol NamedUpdate {
    var updatedAttributeNames: [String] { get }
}

extension DefaultHistoryUpdate: NamedUpdate {}

private protocol PreservingChange {
    var preservedValues: [PreservedValue] { get }
}

extension DefaultHistoryInsert: PreservingChange {}
extension DefaultHistoryUpdate: PreservingChange {}

// MARK: Values

/// Returns the description of a value with its type, from which it could be restored bit by bit.
private func exactly(_ value: Any) -> String {
    switch value {
    case let value as any PersistentModel: return "\(value.persistentModelID)"
    case let value as PersistentIdentifier: return "\(value)"
    case let value as Double: return "Double \(hexadecimal(value.bitPattern)) (\(value))"
    case let value as Float: return "Float \(hexadecimal(value.bitPattern)) (\(value))"
    case let value as Date: return "Date \(hexadecimal(value.timeIntervalSinceReferenceDate.bitPattern))"
    case let value as String: return quoted(value)
    case let value as Data: return "Data <\(value.map { hexadecimal($0) }.joined())>"
    case let value as UUID: return "UUID \(value.uuidString)"
    case let value as URL:
        return "URL \(quoted(value.relativeString))"
            + (value.baseURL.map { " base \(quoted($0.absoluteString))" } ?? "")
    case let value as Decimal: return "Decimal \(value)"
    case is any FixedWidthInteger, is Bool: return "\(type(of: value)) \(value)"
    default: return structure(value)
    }
}

/// Returns the description of a value that consists of others.
private func structure(_ value: Any) -> String {
    let mirror = Mirror(reflecting: value)
    let parts = mirror.children.map { label, part in
        let name = label.flatMap { $0.hasPrefix(".") ? nil : "\($0): " } ?? ""
        return name + exactly(part)
    }
    switch mirror.displayStyle {
    case .optional: return parts.first.map { String($0.dropFirst("some: ".count)) } ?? "nil"
    case .enum where parts.isEmpty: return "\(type(of: value)).\(value)"
    case .set, .dictionary: return "[\(parts.sorted().joined(separator: ", "))]"
    // The order of destinations has no meaning.
    case .collection where value is [any PersistentModel]: return "[\(parts.sorted().joined(separator: ", "))]"
    case .collection: return "[\(parts.joined(separator: ", "))]"
    case .tuple: return "(\(parts.joined(separator: ", ")))"
    default: return "\(type(of: value))(\(parts.joined(separator: ", ")))"
    }
}

private func quoted(_ text: String) -> String {
    "\"\(text.unicodeScalars.map { $0.escaped(asASCII: true) }.joined())\""
}

private func hexadecimal<Integer: FixedWidthInteger & UnsignedInteger>(_ value: Integer) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: Integer.bitWidth / 4 - digits.count) + digits
}
