import Chronicle
import ChronicleSeals
import ChronicleTestSupport
import Foundation

/// What a child process of the test does until it is killed.
enum SoakRole: Hashable {
    case writer(Int)
    /// Changes the file with `sqlite3`.
    case foreign
    case consumer(SoakConsumer)
    case purger
    /// Seals the history, and keeps the heads.
    case sealer

    static let command = "child"

    static let all: [SoakRole] = {
        var all = (1...4).map { writer($0) } + [.foreign, .purger] + SoakConsumer.allCases.map { consumer($0) }
        #if Seals
            all.append(.sealer)
        #endif
        return all
    }()

    var name: String {
        switch self {
        case .writer(let number): "writer-\(number)"
        case .foreign: "foreign"
        case .consumer(let consumer): consumer.rawValue
        case .purger: "purger"
        case .sealer: "sealer"
        }
    }

    func arguments(_ files: SoakFiles, seed: UInt64) -> [String] {
        [Self.command, files.directory.path, name, "\(seed)"]
    }

    static func run(_ arguments: [String]) async throws {
        guard arguments.count == 3, let seed = UInt64(arguments[2]),
            let role = all.first(where: { $0.name == arguments[1] })
        else { throw RandomRunOptions.UsageError() }
        let files = SoakFiles(directory: URL(fileURLWithPath: arguments[0]))
        var random = SplitMix(state: seed)
        switch role {
        case .writer(let number): try SoakWriter(try files.open(), number, random).run()
        case .foreign: try changeForeign(files, &random)
        case .consumer(let consumer): try await consumer.follow(files, &random)
        case .purger: try await purge(files)
        case .sealer: try await seal(files)
        }
    }

    private static func purge(_ files: SoakFiles) async throws {
        let container = try files.open()
        while true {
            do { _ = try await container.purgeHistory() } catch SwiftDataError.storeBusy {}
            try await Task.sleep(for: .seconds(1))
        }
    }

    private static func seal(_ files: SoakFiles) async throws {
        let container = try files.open()
        while true {
            do { try files.seal(container) } catch SwiftDataError.storeBusy {}
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    private static func changeForeign(_ files: SoakFiles, _ random: inout SplitMix) throws {
        while true {
            let number = random.below(1_000)
            let statement = random.pick([
                "INSERT INTO Article(title, number) VALUES ('foreign \(number)', \(number))",
                "UPDATE Article SET number = \(number) WHERE id % 50 = \(number % 50)",
                "DELETE FROM Article WHERE id % 100 = \(number % 100)",
                "UPDATE Comment SET text = 'foreign \(number)' WHERE id % 40 = \(number % 40)",
                "REPLACE INTO Article(id, title, number) SELECT id, 'replaced', \(number) FROM Article "
                    + "WHERE id NOT IN (SELECT article FROM Comment WHERE article IS NOT NULL) LIMIT 1",
            ])
            _ = try Shell.sqlite3(
                files.store,
                "PRAGMA busy_timeout = 60000; PRAGMA foreign_keys = ON; PRAGMA recursive_triggers = ON; "
                    + statement)
            Thread.sleep(forTimeInterval: 0.05)
        }
    }
}
