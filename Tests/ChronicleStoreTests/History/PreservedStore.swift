import Chronicle
import ChronicleTestSupport
import Foundation

@testable import ChronicleStore

/// The stores whose history must preserve the same values.
enum PreservedStore: String, CaseIterable, Sendable {
    case inMemory
    /// A file whose saves SQLite's pre-update hook records, except those that change links.
    case hook
    /// A file whose saves triggers record.
    case triggers

    func container(
        _ types: [any PersistentModel.Type], _ directory: TemporaryDirectory, preservesValues: Bool = true,
        recordsHistory: Bool = true
    ) throws -> ModelContainer {
        var configuration =
            self == .inMemory
            ? ModelConfiguration(isStoredInMemoryOnly: true, preservesValues: preservesValues)
            : ModelConfiguration(
                url: directory.file("\(rawValue).store"), durability: .relaxed, recordsHistory: recordsHistory,
                preservesValues: preservesValues)
        configuration.recorder = self == .triggers ? .triggers : .automatic
        return try ModelContainer(for: Schema(types), configurations: [configuration])
    }
}

extension ModelContext {
    /// Returns the changes of the history, oldest first.
    func changes() throws -> [HistoryChange] {
        try fetchHistory(Descriptor()).flatMap(\.changes)
    }

    func inserts<Model>(_ type: Model.Type = Model.self) throws -> [DefaultHistoryInsert<Model>] {
        try changes().compactMap { if case .insert(let change) = $0 { change as? DefaultHistoryInsert } else { nil } }
    }

    func updates<Model>(_ type: Model.Type = Model.self) throws -> [DefaultHistoryUpdate<Model>] {
        try changes().compactMap { if case .update(let change) = $0 { change as? DefaultHistoryUpdate } else { nil } }
    }

    func deletes<Model>(_ type: Model.Type = Model.self) throws -> [DefaultHistoryDelete<Model>] {
        try changes().compactMap { if case .delete(let change) = $0 { change as? DefaultHistoryDelete } else { nil } }
    }
}
