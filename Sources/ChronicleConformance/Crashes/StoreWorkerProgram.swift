public import Chronicle
import Foundation

/// All that the program does that ``StoreFixture/worker`` names: it saves to a store, alone or beside others, until it is
/// killed.
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
/// It links no test framework. Of the arguments of the program it takes the last two.
///
/// - Parameter configuration: Makes the configuration of the store from what tells the program which store it is: the
///   path, with the fixture of a ``StoreFixture/file(_:recordsHistory:worker:)``.
public func runStoreWorker<Configuration: DataStoreConfiguration>(
    _ configuration: (_ place: String) throws -> Configuration
) throws {
    try work(configuration) { _ in "" }
}

/// All that the program does that ``StoreFixture/worker`` names, for a store with a history.
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
        throw ConformanceFailure("the arguments that the rules give to a worker: it is not started by hand")
    }
    let container = try StoreHarness<Configuration.Store>.open(configuration(place))
    let first = try task.firstNumber(ModelContext(container))
    // It ends long after somebody should have killed it.
    for number in first..<first + 100_000 {
        try task.save(number, ModelContext(container))
        // Written at once: a killed process leaves nothing in a buffer. Nobody left to read it ends the process.
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
