public import Chronicle
public import Foundation

/// The operations on a store that only its author can provide: copying it, disabling its history, and saving to it in a
/// process that is killed.
///
/// ```swift
/// assertStoreConforms(fixture: .file(\.url, worker: "MyStoreWorker")) { MyConfiguration(url: newTemporaryURL()) }
/// ```
///
/// All operations are optional. Rules that need a missing operation are skipped, and the report lists them.
public struct StoreFixture<Configuration: DataStoreConfiguration> {
    /// Copies a store that is not open, as a backup does, and returns the configuration of the copy.
    public var copy: ((_ store: Configuration) throws -> Configuration)?
    /// Returns the configuration of the same store with its history enabled or disabled.
    public var recording: ((_ store: Configuration, _ isOn: Bool) throws -> Configuration)?
    /// The program that saves to the store until it is killed.
    public var worker: StoreWorker<Configuration>?

    /// Creates a fixture from the given operations.
    ///
    /// - Parameters:
    ///   - copy: See `copy`.
    ///   - recording: See `recording`.
    ///   - worker: See `worker`.
    public init(
        copy: ((_ store: Configuration) throws -> Configuration)? = nil,
        recording: ((_ store: Configuration, _ isOn: Bool) throws -> Configuration)? = nil,
        worker: StoreWorker<Configuration>? = nil
    ) {
        (self.copy, self.recording, self.worker) = (copy, recording, worker)
    }

    /// Returns the fixture of a store in a file.
    ///
    /// - Parameters:
    ///   - url: The key path of the file's URL. A copy of the store includes all files and directories in the same
    ///     directory whose names begin with the file's name.
    ///   - recordsHistory: The key path of the property that enables the history, if there is one.
    ///   - worker: The name of an executable target, on which the test target must depend, and whose program calls
    ///     `runStoreWorker(_:)`. The program receives the path of the file.
    /// - Returns: The fixture, which has the operations for which there is an argument.
    public static func file(
        _ url: WritableKeyPath<Configuration, URL>, recordsHistory: WritableKeyPath<Configuration, Bool>? = nil,
        worker: String? = nil
    ) -> StoreFixture {
        StoreFixture(
            copy: { store in
                var copy = store
                copy[keyPath: url] = try copyFiles(of: store[keyPath: url])
                return copy
            },
            recording: recordsHistory.map { recordsHistory in
                { store, isOn in
                    var other = store
                    other[keyPath: recordsHistory] = isOn
                    return other
                }
            },
            worker: worker.map { StoreWorker(program: programURL($0)) { $0[keyPath: url].path } })
    }

    var capabilities: Set<StoreFixtureCapability> {
        var capabilities = Set<StoreFixtureCapability>()
        if copy != nil { capabilities.insert(.copying) }
        if recording != nil { capabilities.insert(.switchingHistory) }
        if worker != nil, StoreFixtureCapability.hasProcesses { capabilities.insert(.killing) }
        return capabilities
    }
}

/// An executable that saves to a store until it is killed. Its `main` function calls `runStoreWorker(_:)`.
public struct StoreWorker<Configuration: DataStoreConfiguration> {
    /// The URL of the executable.
    public let program: URL
    /// Returns the text, such as its path, by which the program creates the configuration of a store.
    public let place: (_ store: Configuration) throws -> String

    /// Creates a worker.
    ///
    /// - Parameters:
    ///   - program: See `program` and ``programURL(_:)``.
    ///   - place: See `place`.
    public init(program: URL, place: @escaping (_ store: Configuration) throws -> String) {
        (self.program, self.place) = (program, place)
    }
}

/// An operation of a ``StoreFixture`` that a rule needs.
public enum StoreFixtureCapability: Hashable, Sendable {
    /// The rule copies the store: ``StoreFixture/copy``.
    case copying
    /// The rule disables and enables the history: ``StoreFixture/recording``.
    case switchingHistory
    /// The rule kills a process that saves to the store: ``StoreFixture/worker``.
    case killing

    static var hasProcesses: Bool {
        #if os(macOS) || os(Linux)
            true
        #else
            false
        #endif
    }

    var missing: String {
        switch self {
        case .copying: "the fixture does not copy stores (StoreFixture.copy)"
        case .switchingHistory: "the fixture does not disable the history (StoreFixture.recording)"
        case .killing where !Self.hasProcesses: "processes cannot be started on this platform"
        case .killing: "the fixture has no worker (StoreFixture.worker)"
        }
    }
}

/// Returns the URL of an executable target's program, which is built into the same directory as the tests.
///
/// - Parameter name: The name of the executable target.
/// - Returns: The URL of the program. The file is not checked for existence.
public func programURL(_ name: String) -> URL {
    #if canImport(Darwin)
        let tests = Bundle.allBundles.first { $0.bundleURL.pathExtension == "xctest" }?.bundleURL
    #else
        let tests: URL? = nil
    #endif
    return (tests ?? URL(fileURLWithPath: CommandLine.arguments[0])).deletingLastPathComponent().appending(path: name)
}

/// Includes all files beside the file whose names begin with its name.
private func copyFiles(of url: URL) throws -> URL {
    let (directory, name) = (url.deletingLastPathComponent(), url.lastPathComponent)
    let copyName = "copy-\(UUID().uuidString)-\(name)"
    for file in try FileManager.default.contentsOfDirectory(atPath: directory.path) where file.hasPrefix(name) {
        try FileManager.default.copyItem(
            at: directory.appending(path: file),
            to: directory.appending(path: copyName + file.dropFirst(name.count)))
    }
    return directory.appending(path: copyName)
}
