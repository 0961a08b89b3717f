package import Chronicle
package import Foundation

/// Where a test's store is. Most behavior must be the same for both.
package enum StoreKind: String, CaseIterable, Sendable {
    case inMemory, file
}

/// A store for one test, with the test models.
package struct TestStore {
    package let directory: TemporaryDirectory
    package let kind: StoreKind
    package let container: ModelContainer

    package var url: URL { directory.file("test.store") }

    package init(
        _ kind: StoreKind, _ types: [any PersistentModel.Type] = [Trip.self], preservesValues: Bool = false,
        recorder: ModelConfiguration.Recorder = .automatic
    ) throws {
        directory = try TemporaryDirectory()
        self.kind = kind
        container = try Self.open(
            kind, directory.file("test.store"), types, preservesValues: preservesValues, recorder: recorder)
    }

    private static func open(
        _ kind: StoreKind, _ url: URL, _ types: [any PersistentModel.Type], preservesValues: Bool = false,
        recorder: ModelConfiguration.Recorder = .automatic
    ) throws -> ModelContainer {
        var configuration =
            kind == .file
            ? ModelConfiguration(url: url, durability: .relaxed, preservesValues: preservesValues)
            : ModelConfiguration(isStoredInMemoryOnly: true, preservesValues: preservesValues)
        configuration.recorder = recorder
        return try ModelContainer(for: Schema(types), configurations: [configuration])
    }

    /// A second container for the same file, like that of another process.
    package func reopened(_ types: [any PersistentModel.Type] = [Trip.self]) throws -> ModelContainer {
        try Self.open(.file, url, types)
    }

    package func context(author: String? = nil) -> ModelContext {
        let context = ModelContext(container)
        context.author = author
        return context
    }

    /// Runs the `sqlite3` program on the file: a writer without Chronicle.
    @discardableResult
    package func shell(_ sql: String) throws -> String {
        try Shell.sqlite3(url, sql)
    }
}
