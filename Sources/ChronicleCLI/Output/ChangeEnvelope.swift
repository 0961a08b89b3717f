import Chronicle
import Foundation

/// The forms in which `chronicle watch` passes changes to a command.
enum EnvelopeFormat: String, CaseIterable {
    /// A line for each transaction, as `chronicle log --json` prints it.
    case json
    /// A line for each change: a [CloudEvents](https://cloudevents.io) event in JSON.
    case cloudevents
    /// A line for each change: the value of a message of [Debezium](https://debezium.io), without its schema.
    case debezium
}

/// Writes batches of changes in the envelopes that other systems understand.
struct ChangeEnvelope {
    let format: EnvelopeFormat
    let file: StoreFile
    let text: TransactionText
    let line: (JSON) throws -> Void
    /// Whether transactions can be missing between others.
    private let isFiltered: Bool
    /// The columns of the tracked tables that have an integer key.
    private let rowIDColumns: [String: String]

    init(
        _ format: EnvelopeFormat, _ file: StoreFile, _ console: Console, isFiltered: Bool,
        line: @escaping (JSON) throws -> Void
    ) throws {
        (self.format, self.file, self.isFiltered, self.line) = (format, file, isFiltered, line)
        rowIDColumns = try format == .debezium ? (file.store as? any ToolStore)?.rowIDColumns() ?? [:] : [:]
        text = TransactionText(console: console, file: file)
    }

    /// Writes transactions in commit order.
    func write(_ transactions: [DefaultHistoryTransaction]) throws {
        guard format == .debezium else {
            for transaction in transactions { try write(transaction, transaction.changes, from: 0, isPartial: false) }
            return
        }
        // Reading rows as of a position visits all later changes, so the rows are read once for all transactions. If others are
        // missing in between, the changes do not connect the states of the rows.
        for group in isFiltered ? transactions.map({ [$0] }) : [transactions] { try writeMessages(group) }
    }

    private func writeMessages(_ transactions: [DefaultHistoryTransaction]) throws {
        guard let last = transactions.last else { return }
        let changes = transactions.flatMap(\.changes)
        var states = try states(of: changes, after: rows(after: last, of: changes))[...]
        for transaction in transactions {
            try write(states.prefix(transaction.changes.count), of: transaction, transaction.changes.first, from: 0)
            states = states.dropFirst(transaction.changes.count)
        }
    }

    /// Writes a part of a transaction.
    ///
    /// - Parameters:
    ///   - first: The first change of the transaction.
    ///   - offset: The number of changes in earlier parts.
    ///   - isPartial: Whether another part follows.
    func write(
        partOf transaction: DefaultHistoryTransaction, _ changes: [HistoryChange], first: HistoryChange?,
        from offset: Int, isPartial: Bool
    ) throws {
        guard format == .debezium else { return try write(transaction, changes, from: offset, isPartial: isPartial) }
        // A part does not contain the later changes of a model in the same transaction.
        try write(states(of: changes, after: [:])[...], of: transaction, first, from: offset)
    }

    private func write(
        _ transaction: DefaultHistoryTransaction, _ changes: [HistoryChange], from offset: Int, isPartial: Bool
    ) throws {
        if format == .json {
            let json = text.json(transaction, changes: try changes.map(text.json))
            guard isPartial, case .object(let members) = json else { return try line(json) }
            return try line(.object(members + [.init(name: "isPartial", value: .bool(true))]))
        }
        guard case .object(let members) = text.json(transaction, changes: nil) else { return }
        for (index, change) in changes.enumerated() {
            let data = JSON.object(members + [.init(name: "change", value: try text.json(change))])
            try line(try event(transaction, change, number: offset + index, data))
        }
    }

    private func write(
        _ states: ArraySlice<State>, of transaction: DefaultHistoryTransaction, _ first: HistoryChange?,
        from offset: Int
    ) throws {
        let identity = identity(of: transaction, first)
        for (index, state) in states.enumerated() {
            try line(try message(transaction, identity, state, number: offset + index))
        }
    }

    func write(_ reason: HistoryResetReason) throws {
        switch format {
        case .json: try line(.members(["reset": .string(reason.rawValue)]))
        case .cloudevents:
            try line(
                .members([
                    "specversion": .string("1.0"), "id": .string("reset/\(UUID().uuidString)"),
                    "source": .string(source), "type": .string("chronicle.history.reset"),
                    "time": .string(DateText.iso8601(now)), "datacontenttype": .string("application/json"),
                    "data": .members(["reset": .string(reason.rawValue)]),
                ]))
        case .debezium:
            try line(
                .members([
                    "op": .string("m"), "source": source(nil, snapshot: false),
                    "message": .members([
                        "prefix": .string("chronicle.reset"),
                        "content": .string(Data(reason.rawValue.utf8).base64EncodedString()),
                    ]),
                    "ts_ms": milliseconds(now),
                ]))
        }
    }

    /// Writes a model of a snapshot. Does not use the store, which returns rows meanwhile.
    ///
    /// - Parameter row: The text of the identifier as `model`, and `values`; see ``RowPrinter/json(_:missing:)``.
    func write(_ entityName: String, _ row: JSON) throws {
        guard case .object(let parts) = row,
            case .string(let subject)? = parts.first(where: { $0.name == "model" })?.value
        else { return }
        switch format {
        case .json: try line(row)
        case .cloudevents:
            try line(
                .members([
                    "specversion": .string("1.0"), "id": .string("model/\(subject)/\(UUID().uuidString)"),
                    "source": .string(source), "type": .string("chronicle.model.read"),
                    "subject": .string(subject), "partitionkey": .string(subject),
                    "time": .string(DateText.iso8601(now)), "datacontenttype": .string("application/json"),
                    "data": row,
                ]))
        case .debezium:
            guard case .object(let values)? = parts.first(where: { $0.name == "values" })?.value else { return }
            try line(
                .members([
                    "before": .null, "after": withKey(values, entityName, subject),
                    "source": source(entityName, snapshot: true), "op": .string("r"), "ts_ms": milliseconds(now),
                    "transaction": .null,
                ]))
        }
    }

    private var now: Date { text.console.settings.now() }

    // MARK: Identifiers

    /// An identifier that is the same in every delivery.
    private struct Identity {
        let text: String
        let position: Int64
    }

    private func identity(of transaction: DefaultHistoryTransaction, _ first: HistoryChange?) -> Identity {
        first.flatMap { identityOfChange($0, transaction) }
            ?? Identity(
                text: transaction.token.text(in: file.store.identifier), position: transaction.transactionIdentifier)
    }

    /// Returns the identity of a change by another program in a file, or `nil` for other changes, whose token does not change.
    ///
    /// Until a header ends a transaction of other programs, it grows and its token changes, but the positions of its changes do
    /// not. After a backup is restored, new changes can have the same positions; in a tracked database, their dates differ. In a
    /// store, the date is not known before the header exists.
    private func identityOfChange(_ change: HistoryChange, _ transaction: DefaultHistoryTransaction) -> Identity? {
        guard transaction.isExternal, file.location.url != nil, let position = change.integerChangeIdentifier else {
            return nil
        }
        let date = file.store.isTracked ? "/\(milliseconds(transaction.timestamp).text)" : ""
        return Identity(text: "change/\(position)\(date)", position: position)
    }

    // MARK: CloudEvents

    private var source: String { "chronicle:\(file.store.identifier)" }

    private func event(
        _ transaction: DefaultHistoryTransaction, _ change: HistoryChange, number: Int, _ data: JSON
    ) throws -> JSON {
        let subject = try file.text(of: change.changedPersistentIdentifier)
        let kind =
            switch change {
            case .insert: "inserted"
            case .update: "updated"
            case .delete: "deleted"
            }
        let own = identityOfChange(change, transaction)
        let identity = own ?? identity(of: transaction, nil)
        return .members([
            "specversion": .string("1.0"), "id": .string(own?.text ?? "\(identity.text)/\(number)"),
            "source": .string(source),
            "type": .string("chronicle.model.\(kind)"), "subject": .string(subject),
            "partitionkey": .string(subject),
            // Sorted as texts, these are in the order of the changes.
            "sequence": .string(padded(identity.position, 19) + padded(own == nil ? Int64(number) : 0, 10)),
            "time": .string(DateText.iso8601(transaction.timestamp)),
            "datacontenttype": .string("application/json"), "data": data,
        ])
    }

    private func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(width - digits.count, 0)) + digits
    }

    // MARK: Debezium

    private static let unavailable = JSON.string("__debezium_unavailable_value")

    private struct State {
        let change: HistoryChange
        var before: [String: JSON]?
        var after: [String: JSON]?
    }

    /// The rows that updates changed, and those of inserts without all their values, as they were after the transaction. Empty if
    /// they are not known anymore.
    private func rows(
        after transaction: DefaultHistoryTransaction, of changes: [HistoryChange]
    ) throws -> [PersistentIdentifier: [String: JSON]] {
        var identifiers: Set<PersistentIdentifier> = []
        for change in changes {
            switch change {
            case .insert where isComplete(change): break
            case .insert, .update: identifiers.insert(change.changedPersistentIdentifier)
            case .delete: break
            }
        }
        guard !identifiers.isEmpty else { return [:] }
        var rows: [PersistentIdentifier: [String: JSON]] = [:]
        do {
            let store = try file.store(asOf: transaction.token)
            for (name, group) in Dictionary(grouping: identifiers, by: \.entityName)
            where file.schema.entitiesByName[name] != nil {
                do {
                    try store.fetchRows(ofEntity: name, identifiers: Set(group)) { row, missing in
                        let properties = try file.entity(named: row.persistentIdentifier.entityName).storedProperties
                        rows[row.persistentIdentifier] = Dictionary(
                            uniqueKeysWithValues: properties.lazy.filter { !missing.contains($0.name) }
                                .map { ($0.name, ValueText.json(file.value(of: $0, in: row), of: $0)) })
                    }
                } catch SwiftDataError.historyValueMissing {
                    // The order of a list is not known, or the history does not have a change of the table yet.
                }
            }
        } catch SwiftDataError.historyTokenExpired {
            return [:]
        } catch SwiftDataError.historyTokenGap {
            return [:]
        } catch SwiftDataError.unsupportedFeature {
            return [:]
        }
        return rows
    }

    /// Whether the history preserves all values of a new row that its key does not contain.
    private func isComplete(_ insert: HistoryChange) -> Bool {
        let name = insert.changedPersistentIdentifier.entityName
        guard let entity = file.schema.entitiesByName[name] else { return true }
        let known = Set(insert.preservedValues.map(\.name) + (file.store.primaryKeyColumns(ofEntity: name) ?? []))
        return entity.storedProperties.allSatisfy { known.contains($0.name) }
    }

    /// Goes backwards through the changes of consecutive transactions. `rows` contains the rows after the last change.
    private func states(
        of changes: [HistoryChange], after rows: [PersistentIdentifier: [String: JSON]]
    ) throws -> [State] {
        var current = rows
        var states: [State] = []
        for change in changes.reversed() {
            let model = change.changedPersistentIdentifier
            var state = State(change: change)
            let values = change.preservedValues.filter { !text.isLink($0.name, of: model) }
            switch change {
            case .insert:
                state.after = (current[model] ?? [:]).merging(json(values, \.value, of: model)) { known, _ in known }
                current[model] = nil
            case .update:
                let after = (current[model] ?? [:]).merging(json(values, \.value, of: model)) { known, _ in known }
                let old = json(values, \.previousValue, of: model)
                var before = after.merging(old) { $1 }
                // The value before the change is not known.
                if case .update(let update) = change {
                    for name in update.updatedAttributeNames where old[name] == nil { before[name] = nil }
                }
                (state.before, state.after) = (before, after)
                current[model] = before
            case .delete:
                state.before = json(values, \.previousValue, of: model)
                current[model] = state.before
            }
            states.append(state)
        }
        return states.reversed()
    }

    private func json(
        _ values: [PreservedValue], _ side: KeyPath<PreservedValue, (any Sendable)?>, of model: PersistentIdentifier
    ) -> [String: JSON] {
        Dictionary(
            values.map { ($0.name, ValueText.json($0[keyPath: side], of: text.property($0.name, of: model))) },
            uniquingKeysWith: { $1 })
    }

    private func message(
        _ transaction: DefaultHistoryTransaction, _ identity: Identity, _ state: State, number: Int
    ) throws -> JSON {
        let model = state.change.changedPersistentIdentifier
        let operation =
            switch state.change {
            case .insert: "c"
            case .update: "u"
            case .delete: "d"
            }
        return .members([
            "before": try state.before.map { try row($0, model) } ?? .null,
            "after": try state.after.map { try row($0, model) } ?? .null,
            "source": source(model.entityName, transaction, identity, snapshot: false), "op": .string(operation),
            "ts_ms": milliseconds(now),
            "transaction": .members([
                "id": .string(identity.text), "total_order": .count(number + 1),
            ]),
        ])
    }

    /// Properties whose value is not known have Debezium's placeholder.
    private func row(_ values: [String: JSON], _ model: PersistentIdentifier) throws -> JSON {
        let entity = file.schema.entitiesByName[model.entityName]
        let names = entity?.storedProperties.map(\.name) ?? values.keys.sorted()
        var values = values
        // The history may not contain the values of a row, but always its key.
        if let columns = file.store.primaryKeyColumns(ofEntity: model.entityName),
            columns.contains(where: { values[$0] == nil })
        {
            for (column, value) in zip(columns, try file.store.primaryKey(of: model)) where values[column] == nil {
                values[column] = ValueText.json(value)
            }
        }
        return withKey(
            names.map { .init(name: $0, value: values[$0] ?? Self.unavailable) }, model.entityName,
            try file.text(of: model))
    }

    /// A row of a tracked table has its key in the columns of the primary key; other models have theirs as `_id`.
    private func withKey(_ members: [JSON.Member], _ entityName: String, _ text: String) -> JSON {
        let name = rowIDColumns[entityName] ?? "_id"
        guard file.store.primaryKeyColumns(ofEntity: entityName) == nil,
            !members.contains(where: { $0.name == name })
        else { return .object(members) }
        // The text of an identifier after the name of the entity.
        let key = text.firstIndex(of: "/").map { text[text.index(after: $0)...] } ?? text[...]
        let value = Int64(key).map(JSON.integer) ?? .string(String(key))
        return .object([.init(name: name, value: value)] + members)
    }

    private func source(
        _ entityName: String?, _ transaction: DefaultHistoryTransaction? = nil, _ identity: Identity? = nil,
        snapshot: Bool
    ) -> JSON {
        .members([
            "version": .string(Tool.version), "connector": .string("chronicle"),
            "name": .string(file.store.identifier),
            "ts_ms": transaction.map { milliseconds($0.timestamp) } ?? milliseconds(now),
            "snapshot": .string(snapshot ? "true" : "false"), "db": .string(file.name),
            "table": entityName.map(JSON.string),
            "txId": identity.map { .integer($0.position) },
            "author": transaction.map { .optional($0.author) },
            "context": transaction.map { .optional($0.contextName) },
            "program": transaction.map { .string($0.bundleIdentifier) },
            "metadata": transaction.flatMap { transaction in
                transaction.metadata.isEmpty
                    ? nil
                    : .object(
                        transaction.metadata.sorted { $0.key < $1.key }
                            .map { .init(name: $0.key, value: .string($0.value)) })
            },
        ])
    }

    private func milliseconds(_ date: Date) -> JSON {
        .integer(Int64(exactly: (date.timeIntervalSince1970 * 1_000).rounded()) ?? 0)
    }
}
