import ChronicleContextModel
import ChronicleTestSupport
import Foundation

#if Postgres
    import Chronicle
    import ChroniclePostgres
#endif

/// Runs random sequences of operations on contexts and compares them with a reference.
///
///     ChronicleModel [--seconds N] [--sequences N] [--seed S] [--kind KIND] [--failures N] [--without STEP,…]
///
/// Prints the seed first. A failed sequence is printed with its own seed and without the steps that it does not need. The
/// run ends after failures with N different messages. KIND is a case of `Environment.Kind`, and STEP the name of a case
/// of `Step` that sequences do not contain.
@main
enum ContextModel {
    @MainActor static func main() async {
        do {
            let isSuccess = try await run(Array(CommandLine.arguments.dropFirst()))
            exit(isSuccess ? 0 : 1)
        } catch {
            print("error: \(error)")
            exit(2)
        }
    }

    private struct UsageError: Error {}

    private static func runner(_ kind: Environment.Kind) throws -> SequenceRunner {
        #if Postgres
            if kind == .postgres { return SequenceRunner(try postgres()) }
        #endif
        return try SequenceRunner(kind)
    }

    #if Postgres
        private static func postgres() throws -> Environment {
            let cluster = try PostgresCluster.shared.get()
            let schema = try cluster.makeSchema()
            var configuration = PostgresConfiguration(
                cluster.connectionString(), schemaName: schema, connectionLimit: 8)
            configuration.preservesValues = true
            let containers = try (0..<2).map { _ in
                try ModelContainer(for: Schema(Environment.types), configurations: [configuration])
            }
            return Environment(.postgres, containers: containers) {
                _ = try cluster.psql("SET search_path = \(schema); \($0)")
            }
        }
    #endif

    @MainActor private static func run(_ arguments: [String]) async throws -> Bool {
        var options: [String: String] = [:]
        for index in stride(from: 0, to: arguments.count, by: 2) {
            guard index + 1 < arguments.count, arguments[index].hasPrefix("--") else { throw UsageError() }
            if !arguments[index + 1].isEmpty { options[String(arguments[index].dropFirst(2))] = arguments[index + 1] }
        }
        func number(_ name: String) throws -> Int? {
            guard let text = options[name] else { return nil }
            guard let number = Int(text) else { throw UsageError() }
            return number
        }
        let seed = try number("seed").map { UInt64(truncatingIfNeeded: $0) } ?? UInt64.random(in: 0..<1_000_000_000)
        let sequences = try number("sequences")
        let seconds = try number("seconds").map(Double.init) ?? (sequences == nil ? 60 : nil)
        let count = sequences ?? .max
        let mostFailures = try number("failures") ?? 5
        let kinds = try options["kind"].map { name in
            guard let kind = Environment.Kind(rawValue: name) else { throw UsageError() }
            return [kind]
        }
        print("seed \(seed)")
        var runners = try (kinds ?? [.hook, .triggers, .file, .stores, .main]).map(runner)
        let excluded = options["without"]?.split(separator: ",").map(String.init) ?? []
        for index in runners.indices { runners[index].excluded = Set(excluded) }
        let start = Date()
        var (done, failed) = (0, 0)
        // Failures with the same message, except for numbers, are probably the same.
        var groups: [String: Int] = [:]
        while done < count, groups.count < mostFailures, seconds.map({ -start.timeIntervalSinceNow < $0 }) ?? true {
            let runner = runners[done % runners.count]
            if let failure = try await runner.run(seed: seed &+ UInt64(done)) {
                failed += 1
                let group = failure.message.filter { !$0.isNumber }
                groups[group, default: 0] += 1
                if groups[group] == 1 {
                    print(try await runner.shrink(failure))
                    fflush(nil)
                }
            }
            done += 1
        }
        let elapsed = -start.timeIntervalSinceNow
        for (group, count) in groups.sorted(by: { $0.value > $1.value }) where groups.count < failed {
            print("\(count) failures: \(group)")
        }
        print("\(done) sequences, \(failed) failures, \(Int(Double(done) / max(elapsed, 0.001))) sequences a second")
        return failed == 0
    }
}
