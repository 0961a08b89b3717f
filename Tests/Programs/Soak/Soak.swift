import Foundation

/// Runs many processes on one file for some time, kills and restarts them at random, and then verifies every consumer.
///
///     ChronicleSoak [--seconds N] [--seed S]
///
/// Four writers, a writer without Chronicle, five consumers, and a process that purges the history share the file. At
/// the end, each consumer reads what is left, and its copy of the models must equal the file.
@main
enum Soak {
    struct UsageError: Error {}

    static func main() async {
        do {
            let arguments = Array(CommandLine.arguments.dropFirst())
            if arguments.first == SoakRole.command {
                try await SoakRole.run(Array(arguments.dropFirst()))
            } else {
                try run(arguments)
            }
        } catch is UsageError {
            say("usage: ChronicleSoak [--seconds N] [--seed S]")
            exit(64)
        } catch {
            say("error: \(error)")
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) throws {
        var (seconds, seed) = (120.0, UInt64.random(in: 0..<1_000_000_000))
        var rest = arguments[...]
        while let option = rest.popFirst() {
            guard let value = rest.popFirst() else { throw UsageError() }
            // The Makefile may pass empty variables.
            if value.isEmpty { continue }
            switch option {
            case "--seconds": seconds = try number(value)
            case "--seed": seed = try number(value)
            default: throw UsageError()
            }
        }
        say("soak: \(seconds) s, seed \(seed)")
        var run = try SoakRun(seed: seed)
        do { try run.run(for: .seconds(seconds)) } catch {
            say("soak: failed with the seed \(seed): \(error)\nsoak: the files remain in \(run.files.directory.path)")
            exit(1)
        }
    }

    private static func number<Number: LosslessStringConvertible>(_ text: String) throws -> Number {
        guard let number = Number(text) else { throw UsageError() }
        return number
    }

    static func say(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
}

/// A violated expectation.
struct SoakFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
