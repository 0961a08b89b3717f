import Chronicle
import ChronicleHTTP
import Foundation

/// The responses of `chronicle serve`: the page, and later transactions as server-sent events. Each request opens the store
/// again, so that a file that was replaced or upgraded is read as it is now.
final class TimelineServer: Sendable {
    private let location: StoreFile.Location
    private let limit: Int
    private let maximumSize: Int
    private let titles: [String]
    /// Pages are made one after the other. Each takes a processor and some memory.
    private let pageLock = NSLock()

    init(_ location: StoreFile.Location, limit: Int, maximumSize: Int, titles: [String] = []) {
        (self.location, self.limit, self.maximumSize, self.titles) = (location, limit, maximumSize, titles)
    }

    func respond(to request: HTTPRequest, _ connection: HTTPConnection) throws {
        switch request.path {
        case "/": try sendPage(connection)
        case "/events": try sendEvents(request, connection)
        default: try connection.send(.notFound, "There is nothing at this address; the timeline is at /.")
        }
    }

    // MARK: The page

    private func sendPage(_ connection: HTTPConnection) throws {
        let file: FileHandle, nonce: String, size: Int
        do {
            (file, nonce, size) = try pageLock.withLock { try makePage() }
        } catch {
            return try connection.send(.internalError, "The store cannot be read: \(ErrorText.describe(error).message)")
        }
        try connection.send(
            .ok, type: "text/html; charset=utf-8", length: size,
            fields: ["Content-Security-Policy": TimelinePage.policy(nonce: nonce)])
        while let part = try file.read(upToCount: 1 << 16), !part.isEmpty { try connection.send(part) }
    }

    /// The file has no name. The page does not occupy memory while a client receives it.
    private func makePage() throws -> (file: FileHandle, nonce: String, size: Int) {
        let path = FileManager.default.temporaryDirectory.appending(path: "chronicle-XXXXXX").path
        var template = Array(path.utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        unlink(template)
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var writer = TimelineWriter(try StoreFile(location, allowsSave: false))
        writer.isLive = true
        writer.maximumSize = maximumSize
        writer.selection.limit = limit
        writer.titles = titles
        let content = try writer.write { try file.write(contentsOf: $0) }
        try file.seek(toOffset: 0)
        return (file, writer.nonce, content.size)
    }

    // MARK: Events

    /// Waits for more transactions until the client closes the connection.
    private func sendEvents(_ request: HTTPRequest, _ connection: HTTPConnection) throws {
        // A browser that connects again sends the identifier of the last event.
        guard let text = request.fields["last-event-id"] ?? request.query["after"] else {
            return try connection.send(.badRequest, "The position is missing: /events?after=POSITION")
        }
        let file: StoreFile, commits: CommitPipe, start: DefaultHistoryToken
        do {
            file = try StoreFile(location, allowsSave: false)
            guard let token = DefaultHistoryToken(text: text, storeIdentifier: file.store.identifier) else {
                return try connection.send(.badRequest, "The position is invalid: /events?after=POSITION")
            }
            start = token
            // Before reading, so that no commit is missed.
            commits = try CommitPipe(file.chronicleStore("notifications of commits"))
        } catch let error as HTTPConnection.Closed {
            throw error
        } catch {
            return try connection.send(.internalError, "The store cannot be read: \(ErrorText.describe(error).message)")
        }
        try connection.beginEvents()
        var events = TimelineEvents(file, after: start, titles)
        do {
            repeat {
                commits.drain()
                while let block = try events.next() {
                    try connection.sendEvent(identifier: events.position, block.json.bytes)
                }
                if let tags = try events.changedTags() { try connection.sendEvent("tags", tags.json.bytes) }
            } while try connection.waitBetweenEvents(for: commits.descriptor)
        } catch SwiftDataError.historyTokenExpired {
            // The page loads itself again.
            try connection.sendEvent("reset", [])
        } catch let error as HTTPConnection.Closed {
            throw error
        } catch {
            var json = JSONBytes()
            json.append(ErrorText.describe(error).message)
            try connection.sendEvent("problem", json.bytes)
        }
    }
}

private struct TimelineEvents {
    private let file: StoreFile
    private var token: DefaultHistoryToken
    private var transactions: ArraySlice<DefaultHistoryTransaction> = []
    private let titles: [String]
    /// The tags that were sent last.
    private var tags: TimelineTags?

    private static let transactionsPerEvent = 500
    private static let changesPerPage = 1_000
    /// The number of bytes after which an event ends.
    private static let eventSize = 1 << 18

    init(_ file: StoreFile, after token: DefaultHistoryToken, _ titles: [String]) {
        (self.file, self.token, self.titles) = (file, token, titles)
    }

    /// The identifier of an event: the position of the last transaction that ``next()`` has returned.
    var position: String { token.text(in: file.store.identifier) }

    /// Returns all tags if they are not those that were sent last.
    mutating func changedTags() throws -> TimelineTags? {
        let current = try TimelineTags(file.store)
        guard current != tags else { return nil }
        tags = current
        return current
    }

    /// Returns the next transactions, or `nil` if there are none.
    mutating func next() throws -> TimelineBlock? {
        var block = TimelineBlock(file, titles: titles)
        while block.transactionCount < Self.transactionsPerEvent, block.size < Self.eventSize {
            if transactions.isEmpty {
                // Those that were committed meanwhile belong to the next event.
                if block.transactionCount > 0 { break }
                var descriptor = HistoryDescriptor<DefaultHistoryTransaction>.after(token)
                descriptor.fetchLimit = UInt64(Self.transactionsPerEvent)
                transactions = try file.store.fetchHistoryWithoutChanges(descriptor)[...]
            }
            guard let transaction = transactions.popFirst() else { break }
            let (changes, isComplete) = try changes(of: transaction)
            try block.append(transaction, changes, isComplete: isComplete)
            token = transaction.token
        }
        return block.transactionCount > 0 ? block : nil
    }

    /// The token can be within a transaction of another program.
    private func changes(of transaction: DefaultHistoryTransaction) throws -> (list: [HistoryChange], isComplete: Bool)
    {
        var request = HistoryChangesRequest(transaction, after: token, limit: Self.changesPerPage)
        var list: [HistoryChange] = []
        while true {
            let page = try file.store.fetchHistoryChanges(request)
            list += page
            if page.count < Self.changesPerPage { return (list, true) }
            if list.count >= TimelineBlock.maximumChanges { return (list, false) }
            request.lastChange = page.last
        }
    }
}
