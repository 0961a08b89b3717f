#if Postgres
    import Chronicle
    import ChronicleTestSupport
    import Foundation

    /// What a child process of the test does until it is killed.
    enum ChaosRole: Hashable {
        case writer(Int)
        case consumer(Int)

        static let command = "child"
        static let consumers: [ChaosRole] = [.consumer(1), .consumer(2)]
        static let all: [ChaosRole] = (1...3).map { .writer($0) } + consumers

        var name: String {
            switch self {
            case .writer(let number): "writer-\(number)"
            case .consumer(let number): "consumer-\(number)"
            }
        }

        /// - Parameters:
        ///   - server: The connection string of the primary server.
        ///   - file: The file to which a writer appends the keys of models after their insert was saved.
        func arguments(_ server: String, _ file: URL, seed: UInt64) -> [String] {
            [Self.command, name, server, file.path, "\(seed)"]
        }

        static func run(_ arguments: [String]) async throws {
            guard arguments.count == 4, let seed = UInt64(arguments[3]),
                let role = all.first(where: { $0.name == arguments[0] })
            else { throw RandomRunOptions.UsageError() }
            let server = arguments[1]
            switch role {
            case .writer:
                var random = SplitMix(state: seed)
                try write(server, URL(fileURLWithPath: arguments[2]), role.name, &random)
            case .consumer: try await consume(server, role.name)
            }
        }

        /// Opens the store, or waits for the end of the process if the server is gone.
        private static func open(_ server: String) throws -> ModelContainer {
            while true {
                do { return try ChaosStore.open(server) } catch let error as SwiftDataError where error.isExpected {
                    Thread.sleep(forTimeInterval: 0.1)
                }
            }
        }

        private static func write(_ server: String, _ file: URL, _ name: String, _ random: inout SplitMix) throws {
            let container = try open(server)
            let log = try FileHandle(forWritingTo: file)
            while true {
                let context = ModelContext(container)
                context.author = name
                do {
                    var keys: [String] = []
                    for _ in 0...random.below(3) { try change(context, &random, &keys) }
                    try context.save()
                    try log.seekToEnd()
                    try log.write(contentsOf: Data(keys.map { "\($0)\n" }.joined().utf8))
                } catch let error as SwiftDataError where error.isExpected {}
                Thread.sleep(forTimeInterval: Double(10 + random.below(60)) / 1_000)
            }
        }

        private static func change(_ context: ModelContext, _ random: inout SplitMix, _ keys: inout [String]) throws {
            let count = try context.fetchCount(FetchDescriptor<Item>())
            func some(_ random: inout SplitMix) throws -> [Item] {
                var descriptor = FetchDescriptor<Item>(sortBy: [SortDescriptor(\.key)])
                (descriptor.fetchLimit, descriptor.fetchOffset) = (1 + random.below(3), random.below(max(count, 1)))
                return try context.fetch(descriptor)
            }
            switch random.below(count > 300 ? 12 : 8) {
            case 0...2:
                let key = UUID().uuidString
                context.insert(Item(key, random.below(1_000)))
                keys.append(key)
            case 3...5: for item in try some(&random) { item.value += 1 }
            case 6: for item in try some(&random) { item.related = try some(&random) }
            default: for item in try some(&random) where !keys.contains(item.key) { context.delete(item) }
            }
        }

        private static func consume(_ server: String, _ name: String) async throws {
            let container = try open(server)
            while true {
                do {
                    for try await batch in try ChaosStore.consumer(name, container).batches(limit: 200) {
                        try ChaosStore.process(batch, of: name, container)
                    }
                } catch let error as SwiftDataError where error != .uniquenessViolation {
                    // The server is gone, or still has the lock of a consumer that was killed.
                    try await Task.sleep(for: .milliseconds(100))
                }
            }
        }
    }
#endif
