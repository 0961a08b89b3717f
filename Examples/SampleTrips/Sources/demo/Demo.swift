import Chronicle
import Foundation
import SampleTrips

/// Runs all steps with the app and its widget as processes that share a file in a temporary directory: `demo`, or
/// `demo journal` on another kind of store. `demo postgres` uses the database of the environment variables `PGHOST`,
/// `PGDATABASE` and so on, which must be empty.
///
/// Exits with 0 if every step had the expected result, and removes its files in any case.
@main
enum Demo {
    static func main() {
        do {
            let stage = try Stage(kind())
            let interruption = stage.cleanUpWhenInterrupted()
            var failure: (any Error)?
            do { try run(stage, stage.store.kind.transactionType) } catch { failure = error }
            withExtendedLifetime(interruption) { stage.cleanUp() }
            if let failure { throw failure }
            guard !FileManager.default.fileExists(atPath: stage.directory.path) else {
                throw Failure("\(stage.directory.path) is still there")
            }
            show(["", Style.output.green("Every step had the expected result, and all files were removed.")])
        } catch let error as UsageError {
            FileHandle.standardError.write(Data("demo: \(error).\n".utf8))
            exit(2)
        } catch {
            show(["", "\(Style.output.red("✗ The demo stops here:")) \(error)"])
            exit(1)
        }
    }
    private static func kind() throws -> StoreKind {
        let words = CommandLine.arguments.dropFirst()
        guard let word = words.first else { return .sqlite }
        guard words.count == 1, let kind = StoreKind(rawValue: word) else {
            let kinds = StoreKind.allCases.map(\.rawValue).joined(separator: " and ")
            throw UsageError("there is no store “\(words.joined(separator: " "))”; there are \(kinds)")
        }
        return kind
    }

    private static func run<Transaction: HistoryTransaction>(_ stage: Stage, _ type: Transaction.Type) throws {
        try Story<Transaction>(stage).run()
    }
}
