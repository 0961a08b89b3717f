import Chronicle
import Foundation

/// A command-line program. It runs a command, and exits with 0, with 1 if the command failed, or with 2 if the command
/// line is invalid.
public struct Program {
    let name: String
    let usage: String

    public init(_ name: String, usage: String) {
        self.name = name
        self.usage = usage
    }

    @MainActor
    public func run(_ body: (inout Arguments) async throws -> Void) async -> Never {
        let words = CommandLine.arguments.dropFirst()
        if words.prefix(while: { $0 != "--" }).contains(where: { ["--help", "-h"].contains($0) }) || words == ["help"] {
            print(usage)
            exit(0)
        }
        var store = TripStore.standard
        do {
            var arguments = try Arguments(Array(words))
            store = arguments.store
            try await body(&arguments)
            exit(0)
        } catch let error as UsageError {
            complain("\(error).\n\n\(usage)")
            exit(2)
        } catch let error as SwiftDataError {
            complain(error.explanation(store))
            exit(1)
        } catch {
            complain("\(error)")
            exit(1)
        }
    }

    /// Makes Ctrl-C end the process successfully. For programs that may end whenever they wait.
    public static func exitWhenInterrupted() { signal(SIGINT) { _ in _exit(0) } }

    private func complain(_ text: String) {
        FileHandle.standardError.write(Data("\(name): \(text)\n".utf8))
    }
}
