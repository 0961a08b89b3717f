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

    /// After this time, a comment is sent, which fails if the client has gone.
    private static let silence = Duration.seconds(15)

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
            guard let token = Position.token(text, in: file.store.identifier) else {
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
        try connection.send(.ok, type: "text/event-stream", length: nil)
        try connection.send(Data("retry: 1000\n\n".utf8))
        var events = TimelineEvents(file, after: start, titles)
        do {
            repeat {
                commits.drain()
                while let event = try events.next() { try connection.send(event) }
                if let event = try events.changedTags() { try connection.send(event) }
            } while try wait(connection, commits)
        } catch SwiftDataError.historyTokenExpired {
            // The page loads itself again.
            try connection.send(Data("event: reset\ndata:\n\n".utf8))
        } catch let error as HTTPConnection.Closed {
            throw error
        } catch {
            var json = JSONBytes()
            json.append(ErrorText.describe(error).message)
            try connection.send(Data("event: problem\ndata: ".utf8) + Data(json.bytes) + Data("\n\n".utf8))
        }
    }

    /// Returns `false` if the client has closed the connection.
    private func wait(_ connection: HTTPConnection, _ commits: CommitPipe) throws -> Bool {
        while true {
            switch connection.wait(for: commits.descriptor, timeout: Self.silence) {
            case .readable: return true
            case .closed: return false
            case .timeout: try connection.send(Data(":\n\n".utf8))
            }
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

    /// Returns an event with all tags if they are not those that were sent last. Its position remains that of the event
    /// before it.
    mutating func changedTags() throws -> Data? {
        let current = try TimelineTags(file.store)
        guard current != tags else { return nil }
        tags = current
        return Data("event: tags\ndata: ".utf8) + Data(current.json.bytes) + Data("\n\n".utf8)
    }

    mutating func next() throws -> Data? {
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
        guard block.transactionCount > 0 else { return nil }
        var event = Data("id: \(Position.text(token, in: file.store.identifier))\ndata: ".utf8)
        event.append(contentsOf: block.json.bytes)
        event.append(contentsOf: "\n\n".utf8)
        return event
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
