#if Postgres
    import ChronicleTestSupport
    import Foundation
    import Synchronization

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #elseif canImport(Android)
        import Android
    #endif

    /// Passes the bytes between clients and a server on Unix sockets, and cuts a connection when the test asks for it.
    ///
    /// `@unchecked Sendable`: the lock protects the mode, and nothing else changes.
    final class CuttingProxy: @unchecked Sendable {
        enum Mode {
            case passing
            /// The next request does not reach the server.
            case cuttingRequest
            /// The next request reaches the server, but its response does not reach the client.
            case cuttingResponse
            /// The same, and no further connection is accepted.
            case cuttingEverything
            /// The response to the next COMMIT does not reach the client.
            case cuttingCommit
            /// The response to the next BEGIN without a COMMIT in the same request does not reach the client.
            case cuttingBegin
            /// The response to the next COMMIT does not reach the client, which is not told that the connection has ended.
            case holdingCommit
            /// The next request to deallocate the prepared statements does not reach the server.
            case cuttingDeallocation
        }

        private let lock = NSLock()
        private var mode = Mode.passing
        /// The connections to the server, which remain until the test ends.
        private var sockets: [Int32] = []
        private let listener: Int32
        private let server: String
        /// Whether clients are told that the server is no standby server, or that it is one, as by a proxy that repeats what
        /// another one reported.
        private let claimsPrimary, claimsStandby: Bool
        let directory: TemporaryDirectoryOfSockets

        struct TemporaryDirectoryOfSockets {
            // Short, because the path of a socket has at most 107 bytes.
            let path = "/tmp/chronicle-proxy-\(UInt32.random(in: .min ... .max))"
        }

        init(_ cluster: PostgresCluster, claimsPrimary: Bool = false, claimsStandby: Bool = false) throws {
            (self.claimsPrimary, self.claimsStandby) = (claimsPrimary, claimsStandby)
            server = cluster.directory.path + "/.s.PGSQL.5432"
            directory = TemporaryDirectoryOfSockets()
            try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: false)
            listener = Self.makeSocket()
            let isListening = Self.withAddress(directory.path + "/.s.PGSQL.5432") { bind(listener, $0, $1) == 0 }
            guard isListening, listen(listener, 16) == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
            Thread.detachNewThread { [weak self, listener] in
                while case let client = accept(listener, nil, nil), client >= 0 {
                    guard let self else { break }
                    self.connect(client)
                }
            }
        }

        deinit {
            shutdown(listener, Int32(SHUT_RDWR))
            close(listener)
            // A directory that remains in the temporary directory does no harm.
            try? FileManager.default.removeItem(atPath: directory.path)
        }

        /// Ends all connections now.
        func cut() {
            for socket in lock.withLock({ sockets }) { shutdown(socket, Int32(SHUT_RDWR)) }
        }

        /// Whether nothing is to be cut any more.
        var isPassing: Bool { lock.withLock { if case .passing = mode { true } else { false } } }

        func setMode(_ mode: Mode) { lock.withLock { self.mode = mode } }

        private func connect(_ client: Int32) {
            let server = Self.makeSocket()
            let isAccepted = lock.withLock { if case .cuttingEverything = mode { false } else { true } }
            guard isAccepted, Self.withAddress(self.server, { Foundation.connect(server, $0, $1) == 0 }) else {
                close(client)
                close(server)
                return
            }
            lock.withLock { sockets.append(server) }
            Thread.detachNewThread { [weak self] in
                // The threads end when one of the sockets does.
                while let request = Self.read(client) {
                    switch self?.mode(at: request) ?? .passing {
                    case .passing, .cuttingCommit, .cuttingBegin, .holdingCommit:
                        guard Self.write(request, server) else { break }
                        continue
                    case .cuttingRequest, .cuttingDeallocation: break
                    case .cuttingResponse, .cuttingEverything:
                        _ = Self.write(request, server)
                        // The thread below discards the response; when it is complete, both connections end.
                        continue
                    }
                    break
                }
                shutdown(server, Int32(SHUT_RDWR))
                shutdown(client, Int32(SHUT_RDWR))
            }
            Thread.detachNewThread { [weak self] in
                var discarded: [UInt8] = []
                while var response = Self.read(server) {
                    if self?.claimsPrimary == true { response = Self.replacing("on", "off", response) }
                    if self?.claimsStandby == true { response = Self.replacing("off", "on", response) }
                    if self?.holds(response) == true { continue }
                    if self?.cuts(response) == true { break }
                    guard self?.isDiscarding == true else {
                        guard Self.write(response, client) else { break }
                        continue
                    }
                    discarded += response
                    // ReadyForQuery outside of a transaction: the request has been processed.
                    if discarded.suffix(6) == [UInt8(ascii: "Z"), 0, 0, 0, 5, UInt8(ascii: "I")] { break }
                }
                self?.endDiscarding()
                shutdown(server, Int32(SHUT_RDWR))
                shutdown(client, Int32(SHUT_RDWR))
            }
        }

        private var isCutting = false
        private var isDiscarding: Bool { lock.withLock { isCutting } }

        private func mode(at request: [UInt8]) -> Mode {
            lock.withLock {
                if case .cuttingDeallocation = mode {
                    guard Data(request).range(of: Data("DEALLOCATE".utf8)) != nil else { return .passing }
                    mode = .passing
                    return .cuttingDeallocation
                }
                // A test waits for a statement of a save, not for the notification of the previous one, nor for the beginning
                // and the end of a session. The save needs a new session, which first looks for the identifier of the store,
                // if the notification still uses the other one.
                let isSession = request.first == 0 || [UInt8(ascii: "Q"), UInt8(ascii: "X")].contains(request.first)
                let others = ["NOTIFY ", "pg_backend_pid()", "chronicle_meta"]
                guard !isSession, others.allSatisfy({ Data(request).range(of: Data($0.utf8)) == nil }) else {
                    return .passing
                }
                defer {
                    switch mode {
                    case .cuttingEverything, .cuttingCommit, .cuttingBegin, .holdingCommit: break
                    default: mode = .passing
                    }
                }
                switch mode {
                case .cuttingResponse, .cuttingEverything: isCutting = true
                default: break
                }
                return mode
            }
        }

        /// Returns whether a response is discarded although its connection remains, which happens once.
        private func holds(_ response: [UInt8]) -> Bool {
            lock.withLock {
                guard case .holdingCommit = mode, Self.contains("COMMIT", response) else { return false }
                mode = .passing
                return true
            }
        }

        /// Returns whether a response contains the end of a command.
        private static func contains(_ command: String, _ response: [UInt8]) -> Bool {
            // CommandComplete. https://www.postgresql.org/docs/current/protocol-message-formats.html
            let length = [0, 0, 0, UInt8(command.utf8.count + 5)]
            return Data(response).range(of: Data([UInt8(ascii: "C")] + length + command.utf8 + [0])) != nil
        }

        /// Replaces the state that a standby server reports.
        private static func replacing(_ state: String, _ claimed: String, _ response: [UInt8]) -> [UInt8] {
            // ParameterStatus.
            func message(_ value: String) -> Data {
                let text = Data("in_hot_standby\0\(value)\0".utf8)
                return Data([UInt8(ascii: "S"), 0, 0, 0, UInt8(text.count + 4)]) + text
            }
            var data = Data(response)
            if let range = data.range(of: message(state)) { data.replaceSubrange(range, with: message(claimed)) }
            return Array(data)
        }

        /// Returns whether the connection ends with a response, which happens once.
        private func cuts(_ response: [UInt8]) -> Bool {
            lock.withLock {
                let isCut =
                    switch mode {
                    case .cuttingCommit: Self.contains("COMMIT", response)
                    case .cuttingBegin: Self.contains("BEGIN", response) && !Self.contains("COMMIT", response)
                    default: false
                    }
                if isCut { mode = .passing }
                return isCut
            }
        }

        private func endDiscarding() { lock.withLock { isCutting = false } }

        // MARK: Sockets

        static func makeSocket() -> Int32 {
            #if canImport(Glibc)
                socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            #else
                socket(AF_UNIX, SOCK_STREAM, 0)
            #endif
        }

        static func withAddress<Result>(
            _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
        ) -> Result {
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
            return withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        }

        static func read(_ descriptor: Int32) -> [UInt8]? {
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            return count > 0 ? Array(bytes.prefix(count)) : nil
        }

        static func write(_ bytes: [UInt8], _ descriptor: Int32) -> Bool {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }
#endif
