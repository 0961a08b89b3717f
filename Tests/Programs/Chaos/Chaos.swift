import ChronicleTestSupport
import Foundation

/// Kills and restarts the writers and consumers of a PostgreSQL database, and its primary server, and then verifies the
/// history.
///
///     ChronicleChaos [--seconds N] [--seed S]
///
/// Three writers, another program, and two consumers use a primary server with a synchronous standby server, which takes over
/// several times. At the end, no save that returned is missing, consumers received each change once, earlier positions have
/// the rows that they had, and a replay of the history has the same rows.
@main
enum Chaos {
    static func main() async {
        do {
            let arguments = Array(CommandLine.arguments.dropFirst())
            #if Postgres
                if arguments.first == ChaosRole.command {
                    try await ChaosRole.run(Array(arguments.dropFirst()))
                } else {
                    try run(arguments)
                }
            #else
                _ = arguments
                say("chaos: build it with --traits default,Postgres")
                exit(1)
            #endif
        } catch is RandomRunOptions.UsageError {
            say("usage: ChronicleChaos [--seconds N] [--seed S]")
            exit(64)
        } catch {
            say("error: \(error)")
            exit(1)
        }
    }

    #if Postgres
        private static func run(_ arguments: [String]) throws {
            let options = try RandomRunOptions(arguments)
            let (seconds, seed) = (options.seconds, options.seed)
            if let reason = PostgresCluster.unavailability {
                say("chaos: \(reason)")
                exit(1)
            }
            say("chaos: \(seconds) s, seed \(seed)")
            do {
                var run = try ChaosRun(seed: seed)
                try run.run(for: .seconds(seconds))
            } catch {
                say("chaos: failed with the seed \(seed): \(error)")
                exit(1)
            }
        }
    #endif

    static func say(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
}

/// A violated expectation.
struct ChaosFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
