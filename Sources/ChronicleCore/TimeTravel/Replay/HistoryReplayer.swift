import Foundation

/// Replays the lines of an export, one source transaction in one transaction of the store.
struct HistoryReplayer<Store: DataStore> {
    private typealias Line = HistoryExportLine

    private enum Stage {
        /// Before the header of an export.
        case header
        /// Among the models of the snapshot.
        case snapshot
        /// Before a transaction or the last line, after the given position in the export.
        case transaction(after: DefaultHistoryToken?)
        /// Among the changes of a transaction.
        case changes(Line.Transaction)
    }

    private let store: Store
    private let didSave: () -> Void
    private let context = UUID()
    private let decoder = JSONDecoder()
    private var stage = Stage.header
    /// The models of the snapshot, or the changes of a transaction, or `nil` if the store contains them.
    private var changes: ReplayedChanges?
    private var count = 0
    private var checksum = HistoryExportChecksum()
    private var lineNumber = 0
    private var source = ""
    private var transactionCount = 0
    private var position: DefaultHistoryToken?
    /// The number of transactions that were replayed, without those that the store contained.
    private(set) var replayedCount = 0
    /// The number of models of a snapshot that was replayed; `nil` if there was none.
    private(set) var snapshotCount: Int?
    private var modelCount = 0

    init(_ store: Store, didSave: @escaping () -> Void) throws {
        self.store = store
        self.didSave = didSave
        position = try store.replayedHistoryToken()
    }

    mutating func run(_ lines: inout HistoryLineReader) throws {
        while let line = try lines.next() {
            lineNumber += 1
            guard line.last == UInt8(ascii: "\n") else { throw truncated }
            do { try process(line) } catch let error as ReplayedChanges.Invalid {
                throw invalid(error.detail).with(
                    entityName: error.property?.entityName, propertyName: error.property?.name)
            }
        }
        guard case .header = stage, lineNumber > 0 else { throw truncated }
    }

    private mutating func process(_ data: Data) throws {
        switch stage {
        case .header:
            guard !data.starts(with: SealedExportReader.beginning) else {
                throw invalid("a sealed export proves a history and cannot be replayed; replay an export without seals")
            }
            checksum = HistoryExportChecksum()
            try begin(decoded(data).header)
        case .snapshot, .changes:
            if changes == nil, !isEnd(data) {
                count += 1
            } else {
                try change(decoded(data))
            }
        case .transaction(let token):
            let line = try decoded(data)
            if let complete = line.complete {
                guard complete.transactions == transactionCount else { throw invalid("transactions are missing") }
                stage = .header
            } else {
                try begin(line.begin, after: token)
            }
        }
        checksum.add(data)
    }

    /// Other lines are not decoded.
    private func isEnd(_ line: Data) -> Bool { line.starts(with: Data("{\"end\"".utf8)) }

    private func decoded(_ data: Data) throws -> Line {
        do { return try decoder.decode(Line.self, from: data) } catch {
            throw SwiftDataError.invalidHistoryExport.with(
                detail: "line \(lineNumber) is not a line of an export", underlying: error)
        }
    }

    // MARK: Header and snapshot

    private mutating func begin(_ header: Line.Header?) throws {
        guard let header else { throw invalid("the header is missing") }
        guard header.version == Line.version else {
            throw invalid("the format has version \(header.version), which this version of Chronicle does not support")
        }
        guard header.schemaHash == store.schema.versionHash else {
            throw SwiftDataError.unknownSchema.with(
                detail: "the export is from a store with other models; open the replica with the models of the source")
        }
        guard header.store != store.identifier else {
            throw SwiftDataError.historyReplayConflict.with(detail: "the export is from this store")
        }
        if let position, position.position(in: header.store) == nil {
            throw SwiftDataError.historyTokenStoreMismatch.with(
                detail: "the store is a replica of \(position), and the export is from \(header.store); use a new store"
            )
        }
        source = header.store
        transactionCount = 0
        stage = header.hasSnapshot ? .snapshot : .transaction(after: nil)
        modelCount = 0
        beginChanges(areNew: position == nil)
    }

    private mutating func beginChanges(areNew: Bool) {
        changes = areNew ? ReplayedChanges(store.schema, storeIdentifier: store.identifier) : nil
        count = 0
    }

    private mutating func endSnapshot(_ token: DefaultHistoryToken) throws {
        if let changes {
            try save(changes, token: token, state: state(token))
            snapshotCount = modelCount
        } else if let position, try !isReached(token, by: position) {
            throw SwiftDataError.historyTokenGap.with(
                detail: "the export begins with models that are later than the replica, which is at \(position); "
                    + "replay it to a new store")
        }
    }

    // MARK: Transactions

    private mutating func begin(_ transaction: Line.Transaction?, after token: DefaultHistoryToken?) throws {
        guard let transaction else { throw invalid("a transaction is missing") }
        guard token == nil || token == transaction.after, try number(transaction.after) < number(transaction.token)
        else {
            throw invalid("the previous transaction is missing")
        }
        let isNew = try position.map { try !isReached(transaction.token, by: $0) } ?? true
        if isNew { try requirePosition(before: transaction) }
        if transaction.token == position, !isSame(transaction.token) { throw forked }
        transactionCount += 1
        stage = .changes(transaction)
        beginChanges(areNew: isNew)
    }

    private func requirePosition(before transaction: Line.Transaction) throws {
        let (after, reached) = (try number(transaction.after), try position.map(number) ?? 0)
        // Without a check value, the position is among changes of another program, which a later export contains as one
        // transaction.
        if after < reached, position?.checkValue(in: source) == nil { return }
        if after <= reached {
            guard after == reached, isSame(transaction.after) else { throw forked }
            return
        }
        let remedy =
            position.map { "at \($0); export the changes after that position" }
            ?? "empty; replay an export that begins with a snapshot, or with the history, first"
        throw SwiftDataError.historyTokenGap.with(
            detail: "the export continues after \(transaction.after), but the replica is \(remedy)")
    }

    private mutating func change(_ line: Line) throws {
        if let end = line.end { return try self.end(end) }
        count += 1
        if case .changes = stage, try isReplayed(line) { return }
        if let change = line.insert {
            modelCount += 1
            try changes?.insert(change)
            return
        }
        switch (stage, line.update, line.delete, line.link) {
        case (.changes, let change?, _, _): try changes?.update(change)
        case (.changes, _, let change?, _): try changes?.delete(change)
        case (.snapshot, _, _, let link?): try changes?.add(link)
        default: throw invalid("a model or a change is missing")
        }
    }

    private func isReplayed(_ line: Line) throws -> Bool {
        guard let position, let change = (line.insert ?? line.update ?? line.delete)?.change else { return false }
        return try change <= number(position)
    }

    private mutating func end(_ end: Line.End) throws {
        guard end.count == count, end.checksum == checksum.text else {
            throw invalid("lines before it are missing or were changed")
        }
        if case .changes(let transaction) = stage {
            // A token without a check value equals any other one at its position.
            guard end.token == transaction.token,
                end.token.checkValue(in: source) == transaction.token.checkValue(in: source)
            else { throw invalid("it does not end the transaction") }
            if let changes {
                try save(changes, token: transaction.token, state: state(transaction))
                replayedCount += 1
            }
        } else {
            try endSnapshot(end.token)
        }
        changes = nil
        stage = .transaction(after: end.token)
    }

    private mutating func save(
        _ changes: ReplayedChanges, token: DefaultHistoryToken, state: EditingState
    ) throws {
        if ReadCancellation.isCancelled { throw CancellationError() }
        let parts = try changes.parts()
        let request = DataStoreSaveChangesRequest(
            editingState: state, inserted: try Store.Snapshot.all(parts.inserted, in: store.schema),
            updated: try Store.Snapshot.all(parts.updated, in: store.schema),
            deleted: try Store.Snapshot.all(parts.deleted, in: store.schema),
            linked: parts.linked, unlinked: parts.unlinked,
            replay: HistoryReplayStep(previous: position, token: token, expected: parts.expected))
        _ = try ReadCancellation.suspended { try store.save(request) }
        position = token
        didSave()
    }

    private func state(_ token: DefaultHistoryToken) throws -> EditingState {
        EditingState(
            id: context,
            metadata: [
                HistoryReplayStep.MetadataKey.source.rawValue: source,
                HistoryReplayStep.MetadataKey.transaction.rawValue: "\(try number(token))",
            ])
    }

    private func state(_ transaction: Line.Transaction) throws -> EditingState {
        var added = try state(transaction.token).metadata
        added[HistoryReplayStep.MetadataKey.timestamp.rawValue] = "\(transaction.timestamp)"
        return EditingState(
            id: context, author: transaction.author, contextName: transaction.contextName,
            metadata: (transaction.metadata ?? [:]).merging(added) { $1 })
    }

    // MARK: Positions and errors

    private func number(_ token: DefaultHistoryToken) throws -> Int64 {
        guard let position = token.position(in: source) else { throw invalid("a position is of another store") }
        return position
    }

    private func isReached(_ token: DefaultHistoryToken, by position: DefaultHistoryToken) throws -> Bool {
        try number(token) <= number(position)
    }

    private func isSame(_ token: DefaultHistoryToken) -> Bool {
        guard let check = token.checkValue(in: source), let known = position?.checkValue(in: source) else {
            return true
        }
        return check == known
    }

    private var forked: SwiftDataError {
        .historyTokenForked.with(
            detail: "the source contains other transactions than those that were replayed; replay a new export to a "
                + "new store")
    }

    private func invalid(_ detail: String) -> SwiftDataError {
        .invalidHistoryExport.with(detail: "line \(lineNumber): \(detail)")
    }

    private var truncated: SwiftDataError {
        .invalidHistoryExport.with(detail: "the export ends after line \(lineNumber); replay a complete copy")
    }
}
