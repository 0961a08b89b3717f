import ChronicleTestSupport
import Foundation

/// Runs many processes on one file for some time, kills and restarts them at random, and then verifies every consumer.
///
///     ChronicleSoak [--seconds N] [--seed S]
///
/// Four writers, a writer without Chronicle, five consumers, and processes that purge and seal the history share the file. At
/// the end, each consumer reads what is left, and its copy of the models must equal the file. Each head must be proven.
@main
enum Soak {
    static func main() async {
        do {
            let arguments = Array(CommandLine.arguments.dropFirst())
            if arguments.first == SoakRole.command {
                try await SoakRole.run(Array(arguments.dropFirst()))
            } else {
                try run(arguments)
            }
        } catch is RandomRunOptions.UsageError {
            say("usage: ChronicleSoak [--seconds N] [--seed S]")
            exit(64)
        } catch {
            say("error: \(error)")
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) throws {
        let options = try RandomRunOptions(arguments)
        let (seconds, seed) = (options.seconds, options.seed)
        say("soak: \(seconds) s, seed \(seed)")
        var run = try SoakRun(seed: seed)
        do { try run.run(for: .seconds(seconds)) } catch {
            say("soak: failed with the seed \(seed): \(error)\nsoak: the files remain in \(run.files.directory.path)")
            exit(1)
        }
    }

    static func say(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
}

/// A violated expectation.
struct SoakFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
