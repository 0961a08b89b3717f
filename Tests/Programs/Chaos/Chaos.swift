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
    struct UsageError: Error {}

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
        } catch is UsageError {
            say("usage: ChronicleChaos [--seconds N] [--seed S]")
            exit(64)
        } catch {
            say("error: \(error)")
            exit(1)
        }
    }

    #if Postgres
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

        private static func number<Number: LosslessStringConvertible>(_ text: String) throws -> Number {
            guard let number = Number(text) else { throw UsageError() }
            return number
        }
    #endif

    static func say(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
}

/// A violated expectation.
struct ChaosFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
