import Chronicle
import Foundation

/// Writes the page of a store's history, in blocks from its newest transaction on, so memory does not depend on its length.
struct TimelineWriter {
    struct Content {
        var transactionCount = 0
        var changeCount = 0
        var size = 0
        /// Earlier transactions were left out because of the size.
        var isLimited = false
    }

    let file: StoreFile
    /// The selection must be in descending order.
    var selection = TransactionSelection()
    /// The size in bytes after which earlier transactions are left out.
    var maximumSize = defaultSize
    /// The page requests later transactions from the server that sent it.
    var isLive = false
    var nonce = TimelinePage.makeNonce()
    /// A remark about the selection.
    var note: String?
    /// The attributes that are titles of models, in the order of preference.
    var titles: [String] = []
    private var content = Content()
    private var lacksChanges = false

    /// Browsers show such a page in about two seconds.
    static let defaultSize = 20_000_000
    /// The size of a block in bytes.
    private static let blockSize = 1 << 18
    private static let transactionsPerBlock = 2_000

    init(_ file: StoreFile) { self.file = file }

    mutating func write(to output: (Data) throws -> Void) throws -> Content {
        content = Content()
        let (before, after) = TimelinePage.parts(nonce: nonce)
        content.size = before.utf8.count + after.utf8.count
        try output(Data(before.utf8))
        var json = JSONBytes()
        json.append(raw: #"{"file":"#)
        json.append(file.name)
        json.append(raw: isLive ? #","live":true,"blocks":["# : #","live":false,"blocks":["#)
        try emit(json, output)
        let position = try writeBlocks(output)
        json = JSONBytes()
        json.append(raw: #"],"position":"#)
        json.append(position)
        json.append(raw: #","note":"#)
        if let note = completeNote { json.append(note) } else { json.append(raw: "null") }
        // Without the changes of other authors, the page cannot show states.
        json.append(raw: selection.author == nil ? #","skips":false,"tags":"# : #","skips":true,"tags":"#)
        json.append(try TimelineTags(file.store, through: selection.through).json)
        json.append(raw: "}")
        try emit(json, output)
        try output(Data(after.utf8))
        return content
    }

    /// Returns the position after the newest transaction.
    private mutating func writeBlocks(_ output: (Data) throws -> Void) throws -> String {
        // Read first: what is committed afterwards is after it.
        var position = try file.store.currentHistoryToken()
        var reader = TransactionCursor(file, selection)
        var block = TimelineBlock(file, titles: titles)
        var isFirst = true
        func flush(_ writer: inout TimelineWriter) throws {
            guard block.transactionCount > 0 else { return }
            var json = JSONBytes()
            if !isFirst { json.append(raw: ",") }
            isFirst = false
            json.append(block.json)
            try writer.emit(json, output)
            block = TimelineBlock(writer.file, titles: writer.titles)
        }
        while let transaction = try reader.next() {
            if content.transactionCount == 0, !selection.isPartial { position = transaction.token }
            guard let changes = try changes(reader) else { continue }
            // With the block, the page would be too large. A single transaction is always shown.
            if content.size + block.size > maximumSize, content.transactionCount > 0 {
                content.isLimited = true
                break
            }
            try block.append(transaction, changes.list, isComplete: changes.isComplete)
            if !changes.isComplete { lacksChanges = true }
            content.transactionCount += 1
            content.changeCount += changes.list.count
            if block.size >= Self.blockSize || block.transactionCount >= Self.transactionsPerBlock { try flush(&self) }
        }
        try flush(&self)
        return position.map { $0.text(in: file.store.identifier) } ?? "0"
    }

    /// Returns the changes of the transaction that the reader returned last; `nil` if it was deleted meanwhile.
    private func changes(_ reader: TransactionCursor) throws -> (list: [HistoryChange], isComplete: Bool)? {
        struct Enough: Error {}
        var list: [HistoryChange] = []
        do {
            try reader.forEachChange { change in
                guard list.count < TimelineBlock.maximumChanges else { throw Enough() }
                list.append(change)
            }
        } catch is Enough {
            return (list, false)
        } catch SwiftDataError.historyTokenExpired {
            // Earlier ones were deleted with it.
            return nil
        }
        return (list, true)
    }

    private mutating func emit(_ json: JSONBytes, _ output: (Data) throws -> Void) throws {
        content.size += json.count
        try output(Data(json.bytes))
    }

    private var completeNote: String? {
        let limit =
            content.isLimited
            ? "The page contains the newest transactions only, because its size is limited to \(maximumSize / 1_000_000) MB."
            : nil
        let changes =
            lacksChanges ? "Of larger transactions, the first \(TimelineBlock.maximumChanges) changes are shown." : nil
        let notes = [note, limit, changes].compactMap { $0 }
        return notes.isEmpty ? nil : notes.joined(separator: " ")
    }
}

extension TransactionSelection {
    /// The newest transaction of the selection may not be that of the store.
    fileprivate var isPartial: Bool { through != nil || author != nil || selectsChanges }
}
