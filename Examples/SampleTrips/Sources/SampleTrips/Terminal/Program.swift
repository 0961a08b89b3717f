import Chronicle
import Foundation

/// A command-line program: runs a command, and ends with 0, with 1 when it could not be done, or with 2 when the
/// command line makes no sense.
public struct Program {
    let name: String
    let usage: String

    public init(_ name: String, usage: String) {
        self.name = name
        self.usage = usage
    }

    public func run(_ body: (inout Arguments) throws -> Void) -> Never {
        let words = CommandLine.arguments.dropFirst()
        if words.prefix(while: { $0 != "--" }).contains(where: { ["--help", "-h"].contains($0) }) || words == ["help"] {
            print(usage)
            exit(0)
        }
        var store = TripStore.standard
        do {
            var arguments = try Arguments(Array(words))
            store = arguments.store
            try body(&arguments)
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

    private func complain(_ text: String) {
        FileHandle.standardError.write(Data("\(name): \(text)\n".utf8))
    }
}
