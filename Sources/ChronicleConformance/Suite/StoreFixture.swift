public import Chronicle
public import Foundation

/// What only its author can do to a store: copy it, switch its history off, and work on it in a process that is killed.
///
/// ```swift
/// assertStoreConforms(fixture: .file(\.url, worker: "MyStoreWorker")) { MyConfiguration(url: newTemporaryURL()) }
/// ```
///
/// Rules about recovery need these. All of them may be left away; the report says which rules were then not tried.
public struct StoreFixture<Configuration: DataStoreConfiguration> {
    /// Makes a copy of a store that nobody has open, as a backup does: the same store in another place.
    public var copy: ((_ store: Configuration) throws -> Configuration)?
    /// The same store, recording its history or not.
    public var recording: ((_ store: Configuration, _ isOn: Bool) throws -> Configuration)?
    /// The program that works on a store, beside others too, and is killed.
    public var worker: StoreWorker<Configuration>?

    public init(
        copy: ((_ store: Configuration) throws -> Configuration)? = nil,
        recording: ((_ store: Configuration, _ isOn: Bool) throws -> Configuration)? = nil,
        worker: StoreWorker<Configuration>? = nil
    ) {
        (self.copy, self.recording, self.worker) = (copy, recording, worker)
    }

    /// The fixture for a store in a file.
    ///
    /// - Parameters:
    ///   - url: The file. To the store belong all files and directories beside it whose names begin with the file's name.
    ///   - recordsHistory: Whether the history is recorded, where that is a choice.
    ///   - worker: The executable target whose program is ``runStoreWorker(_:)``. The target of the tests depends on it.
    ///     The program is given the path of the file.
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

/// The program of the author's that works on a store and is killed. All it does is ``runStoreWorker(_:)``.
public struct StoreWorker<Configuration: DataStoreConfiguration> {
    public let program: URL
    /// What tells the program which store it is: it makes the configuration of it.
    public let place: (_ store: Configuration) throws -> String

    public init(program: URL, place: @escaping (_ store: Configuration) throws -> String) {
        (self.program, self.place) = (program, place)
    }
}

/// What a rule does to a store from outside.
public enum StoreFixtureCapability: Hashable, Sendable {
    case copying, switchingHistory, killing

    static var hasProcesses: Bool {
        #if os(macOS) || os(Linux)
            true
        #else
            false
        #endif
    }

    /// Why a rule cannot be tried.
    var missing: String {
        switch self {
        case .copying: "there is no way to copy the store (StoreFixture.copy)"
        case .switchingHistory: "there is no way to switch the history off (StoreFixture.recording)"
        case .killing where !Self.hasProcesses: "this system starts no processes"
        case .killing: "there is no process to work on the store (StoreFixture.worker)"
        }
    }
}

/// The program of an executable target: it stands beside the tests.
public func programURL(_ name: String) -> URL {
    #if canImport(Darwin)
        let tests = Bundle.allBundles.first { $0.bundleURL.pathExtension == "xctest" }?.bundleURL
    #else
        let tests: URL? = nil
    #endif
    return (tests ?? URL(fileURLWithPath: CommandLine.arguments[0])).deletingLastPathComponent().appending(path: name)
}

/// Copies a file, and those beside it whose names begin with its name, to other names in the same directory.
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
