import Chronicle
import ChronicleTestSupport
import Foundation

/// The content of a store with ``PreservedModels``: as a context fetches it, or as the values of the history's changes
/// describe it.
struct PreservedContent: Equatable {
    typealias Piece = PreservedModels.Piece
    typealias Holder = PreservedModels.Holder
    typealias Label = PreservedModels.Label

    /// A change whose values do not agree with the changes before it.
    struct Contradiction: Error, CustomStringConvertible {
        let description: String
    }

    /// The values of each model by the names of its attributes and to-one relationships, without those that are `nil`.
    private(set) var rows: [PersistentIdentifier: [String: String]] = [:]
    /// The destinations of each model by the names of its to-many relationships that are stored as links.
    private(set) var links: [PersistentIdentifier: [String: Set<PersistentIdentifier>]] = [:]

    private var ignoresLinks = false

    private static let linkNames: Set = ["labels", "friends", "marks", "pieces"]

    init() {}

    init(of container: ModelContainer) throws {
        let context = ModelContext(container)
        for piece in try context.fetch(FetchDescriptor<Piece>()) {
            let values: [String: (any Sendable)?] = [
                "code": piece.code, "name": piece.name, "note": piece.note, "number": piece.number,
                "score": piece.score, "content": piece.content, "holder": piece.holder?.persistentModelID,
                "partner": piece.partner?.persistentModelID, "next": piece.next?.persistentModelID,
                "previous": piece.previous?.persistentModelID,
            ]
            rows[piece.persistentModelID] = values.compactMapValues { $0.map(Self.text) }
            links[piece.persistentModelID] = [
                "labels": Set(piece.labels.map(\.persistentModelID)),
                "friends": Set(piece.friends.map(\.persistentModelID)),
                "marks": Set((piece.marks ?? []).map(\.persistentModelID)),
            ]
        }
        for holder in try context.fetch(FetchDescriptor<Holder>()) {
            rows[holder.persistentModelID] = ["name": holder.name]
        }
        for label in try context.fetch(FetchDescriptor<Label>()) {
            rows[label.persistentModelID] = ["name": label.name]
            links[label.persistentModelID] = ["pieces": Set(label.pieces.map(\.persistentModelID))]
        }
    }

    private static func text(_ value: any Sendable) -> String {
        switch value {
        case let data as Data: data.base64EncodedString()
        // SQLite stores -0.0 as 0.
        case let real as Double: "\(real + 0)"
        default: "\(value)"
        }
    }

    private static let names: [String: Set<String>] = [
        "Piece": ["code", "name", "note", "number", "score", "content", "holder", "partner", "next", "previous"],
        "Holder": ["name"], "Label": ["name"],
    ]

    // MARK: Applying changes

    /// Applies a change of attributes and to-one relationships.
    mutating func applyIgnoringLinks(_ change: HistoryChange) throws {
        ignoresLinks = true
        try apply(change)
    }

    /// Applies a change by its values.
    ///
    /// - Throws: ``Contradiction`` if a value before the change is not the current one, or if values are missing.
    mutating func apply(_ change: HistoryChange) throws {
        let model = change.changedPersistentIdentifier
        let names = Self.names[model.entityName] ?? []
        switch change {
        case .insert(let insert):
            let values = Self.values(of: insert)
            try require(rows[model] == nil, "inserted twice", change)
            let columns = values.filter { !Self.linkNames.contains($0.name) }
            try require(columns.map(\.name).sorted() == names.sorted(), "other values: \(values)", change)
            try require(values.allSatisfy { $0.previousValue == nil }, "a value before an insert", change)
            rows[model] = [:]
            for value in columns { rows[model]?[value.name] = value.value.map(Self.text) }
            for value in values where Self.linkNames.contains(value.name) && !ignoresLinks {
                try applyLink(value, of: model, change)
            }
        case .update(let update):
            try apply(update, of: model, change)
        case .delete(let delete):
            // The links to models of the same class are also updates of these models.
            let values = Self.tombstone(of: delete).filter { !Self.linkNames.contains($0.key) }
            try require(rows[model] != nil, "deleted, but does not exist", change)
            try require(rows[model] == values, "\(values) instead of \(rows[model] ?? [:])", change)
            rows[model] = nil
            links[model] = nil
        }
    }

    private mutating func apply(
        _ update: any HistoryUpdate, of model: PersistentIdentifier, _ change: HistoryChange
    ) throws {
        let (names, values) = Self.values(of: update)
        try require(rows[model] != nil, "updated, but does not exist", change)
        try require(names == names.uniqued, "a name twice", change)
        try require(Set(values.map(\.name)) == Set(names), "values \(values)", change)
        for value in values {
            if Self.linkNames.contains(value.name) {
                if !ignoresLinks { try applyLink(value, of: model, change) }
            } else {
                let (old, new) = (value.previousValue.map(Self.text), value.value.map(Self.text))
                try require(
                    rows[model]?[value.name] == old,
                    "\(value.name) was \(old ?? "nil") instead of \(rows[model]?[value.name] ?? "nil")", change)
                rows[model]?[value.name] = new
            }
        }
        let columns = values.map(\.name).filter { !Self.linkNames.contains($0) }
        try require(columns == columns.uniqued, "two values of an attribute: \(values)", change)
    }

    /// Applies a removed and an added destination.
    private mutating func applyLink(
        _ value: PreservedValue, of model: PersistentIdentifier, _ change: HistoryChange
    ) throws {
        for case let identifier as PersistentIdentifier in [value.previousValue] {
            try require(
                links[model]?[value.name]?.remove(identifier) != nil, "removes \(identifier), which is no link", change)
        }
        for case let identifier as PersistentIdentifier in [value.value] {
            let isNew = links[model, default: [:]][value.name, default: []].insert(identifier).inserted
            try require(isNew, "adds \(identifier), which is a link", change)
        }
    }

    private func require(_ condition: Bool, _ detail: String, _ change: HistoryChange) throws {
        guard condition else { throw Contradiction(description: "\(change.text): \(detail)") }
    }

    // MARK: Values of changes

    private static func values(of insert: any HistoryInsert) -> [PreservedValue] {
        (insert as? DefaultHistoryInsert<Piece>)?.preservedValues
            ?? (insert as? DefaultHistoryInsert<Holder>)?.preservedValues
            ?? (insert as? DefaultHistoryInsert<Label>)?.preservedValues ?? []
    }

    private static func values(of update: any HistoryUpdate) -> (names: [String], values: [PreservedValue]) {
        func of<Model>(_ update: DefaultHistoryUpdate<Model>) -> ([String], [PreservedValue]) {
            (update.updatedAttributeNames, update.preservedValues)
        }
        return (update as? DefaultHistoryUpdate<Piece>).map(of) ?? (update as? DefaultHistoryUpdate<Holder>).map(of)
            ?? (update as? DefaultHistoryUpdate<Label>).map(of) ?? ([], [])
    }

    private static func tombstone(of delete: any HistoryDelete) -> [String: String] {
        func of<Model>(_ delete: DefaultHistoryDelete<Model>) -> [String: String] {
            Dictionary(
                delete.tombstone.namedValues.map { ($0.name, text($0.value)) }, uniquingKeysWith: { "\($0) and \($1)" })
        }
        return (delete as? DefaultHistoryDelete<Piece>).map(of) ?? (delete as? DefaultHistoryDelete<Holder>).map(of)
            ?? (delete as? DefaultHistoryDelete<Label>).map(of) ?? [:]
    }

    /// Returns a line for each difference to another content.
    func difference(from other: PreservedContent) -> [String] {
        Set(rows.keys).union(other.rows.keys).union(links.keys).union(other.links.keys).flatMap { model -> [String] in
            var lines: [String] = []
            if rows[model] != other.rows[model] {
                lines.append("\(model): \(rows[model] ?? [:]) instead of \(other.rows[model] ?? [:])")
            }
            if links[model] != other.links[model] {
                lines.append("\(model): \(links[model] ?? [:]) instead of \(other.links[model] ?? [:])")
            }
            return lines
        }
    }

    static func == (lhs: PreservedContent, rhs: PreservedContent) -> Bool {
        func present(_ content: PreservedContent) -> [PersistentIdentifier: [String: Set<PersistentIdentifier>]] {
            content.links.mapValues { $0.filter { !$0.value.isEmpty } }.filter { !$0.value.isEmpty }
        }
        return lhs.rows == rhs.rows && present(lhs) == present(rhs)
    }
}

extension [String] {
    fileprivate var uniqued: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}
