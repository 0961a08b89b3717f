import Chronicle
import ChronicleHTTP
import Foundation

enum ServeCommand {
    private static let defaultPort: UInt16 = 8_642

    static let command = Command(
        name: "serve", summary: "show the history in a browser, live",
        discussion: """
            Serves the page of chronicle timeline at a port of this computer, until Ctrl-C. Transactions appear when they are \
            committed, by any process. Only programs on this computer can connect, and the store is only read. All users of \
            the computer can connect, also those without access to the file.
            """,
        options: [
            .init(
                name: "port", letter: "p", value: "N",
                summary: "the port; \(defaultPort) if omitted, 0 for any free one"),
            .init(
                name: "number", letter: "n", value: "N", summary: "at most N transactions at the start, the newest ones"
            ),
            .init(name: "size", value: "MB", summary: "the maximum size of the page; 20 MB if omitted"),
            TimelineCommand.titleOption,
        ], run: run)

    private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitStatus {
        console.settings.usesPager = false
        let file = try StoreFile.read(arguments, console)
        // Reports a store without a history before a browser requests it.
        _ = try file.chronicleStore("a live page").currentHistoryToken()
        let pages = TimelineServer(
            file.location, limit: try arguments.count("number") ?? .max,
            maximumSize: try TimelineCommand.maximumSize(arguments), titles: try TimelineCommand.titles(arguments, file)
        )
        let server = try server(try port(arguments)) { try pages.respond(to: $0, $1) }
        try console.line("\(file.name.escaped): http://localhost:\(server.port)/ (Ctrl-C ends)")
        try console.flush()
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            // Waiting would block a thread of the concurrency runtime.
            Thread.detachNewThread { continuation.resume(with: Result { try server.run() }) }
        }
        return .success
    }

    private static func server(_ port: UInt16, _ handler: @escaping HTTPServer.Handler) throws -> HTTPServer {
        do {
            return try HTTPServer(port: port, handler: handler)
        } catch HTTPServer.PortError.inUse {
            throw UsageError("port \(port) is in use; choose another one with --port, or 0 for any free one")
        } catch HTTPServer.PortError.requiresPermissions {
            throw UsageError("port \(port) requires more permissions; choose one above 1023 with --port")
        }
    }

    private static func port(_ arguments: Arguments) throws -> UInt16 {
        guard let number = try arguments.count("port") else { return defaultPort }
        guard let port = UInt16(exactly: number) else { throw UsageError("--port requires a number from 0 to 65535") }
        return port
    }
}
