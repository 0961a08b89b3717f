public import Chronicle
import Foundation

/// Runs the program of a ``StoreWorker``: saves to a store without a history until the process is killed.
///
/// Call this function from an executable target that your test target depends on:
///
/// ```swift
/// import ChronicleConformance
///
/// @main struct Worker {
///     static func main() throws {
///         try runStoreWorker { path in MyConfiguration(url: URL(fileURLWithPath: path)) }
///     }
/// }
/// ```
///
/// The target links no test framework. The function reads the last two arguments of the program, which the rules pass.
///
/// - Parameter configuration: Returns the configuration of the store for the text that identifies it: the path, with a
///   fixture of ``StoreFixture/file(_:recordsHistory:worker:)``.
/// - Throws: ``ConformanceFailure`` if the arguments are not those of a rule, or the error of `configuration` or of a save.
///   Let it end the program; the rule reports the output.
public func runStoreWorker<Configuration: DataStoreConfiguration>(
    _ configuration: (_ place: String) throws -> Configuration
) throws {
    try work(configuration) { _ in "" }
}

/// Runs the program of a ``StoreWorker``: saves to a store with a history until the process is killed.
///
/// - Parameter configuration: Returns the configuration of the store for the text that identifies it.
/// - Throws: ``ConformanceFailure``, or the error of `configuration` or of a save. Let it end the program.
public func runStoreWorker<Configuration: DataStoreConfiguration>(
    _ configuration: (_ place: String) throws -> Configuration
) throws where Configuration.Store: HistoryProviding {
    try work(configuration) { container in
        guard let store = container.stores.first as? Configuration.Store,
            let token = try store.currentHistoryToken()
        else { throw ConformanceFailure("a current token after a save") }
        return try JSONEncoder().encode(token).base64EncodedString()
    }
}

private func work<Configuration: DataStoreConfiguration>(
    _ configuration: (String) throws -> Configuration, _ token: (ModelContainer) throws -> String
) throws {
    let arguments = CommandLine.arguments.suffix(2)
    guard arguments.count == 2, let place = arguments.first, let task = arguments.last.flatMap(WorkerTask.init) else {
        throw ConformanceFailure("the arguments of a conformance rule; a worker cannot be started manually")
    }
    let container = try StoreHarness<Configuration.Store>.open(configuration(place))
    let first = try task.firstNumber(ModelContext(container))
    // A limit far beyond the number of saves after which a rule kills the process.
    for number in first..<first + 100_000 {
        try task.save(number, ModelContext(container))
        // Written without a buffer, whose content would be lost in the crash. A closed pipe ends the process.
        FileHandle.standardOutput.write(Data("\(number) \(try token(container))\n".utf8))
    }
}

extension WorkerTask {
    fileprivate func firstNumber(_ context: ModelContext) throws -> Int {
        switch self {
        case .numberedSaves: try NumberedSaves.last(in: context) + 1
        case .books: 1
        }
    }

    fileprivate func save(_ number: Int, _ context: ModelContext) throws {
        switch self {
        case .numberedSaves(let features): try NumberedSaves(features: features).save(number, context)
        case .books(let writer): try context.retrying { try $0.add("\(writer)-\(number)") }
        }
    }
}
