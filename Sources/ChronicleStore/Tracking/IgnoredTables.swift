import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite
import Foundation

/// The tables that are not recorded although new ones are: those that existed when the recording of new tables began, and
/// those whose recording ended since.
struct IgnoredTables {
    let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    /// `nil` if new tables are not recorded.
    func names() throws -> Set<String>? {
        guard let text = try MetaTable.text(.ignoredTables, connection) else { return nil }
        do { return try Set(JSONDecoder().decode([String].self, from: Data(text.utf8))) } catch is DecodingError {
            throw SwiftDataError.damagedRow(.meta(MetaName.ignoredTables.text), "the names of the tables are invalid")
        }
    }

    /// Ignores all present tables that are not recorded.
    func set() throws {
        let recorded = try Set(EntityRegistry(connection).entities().compactMap(\.tableName))
        try set(Set(TrackedTable.names(connection)).subtracting(recorded))
    }

    /// Forgets tables that do not exist any more. A later table of the same name is new.
    func removeMissing() throws {
        guard let names = try names() else { return }
        let present = names.intersection(try TrackedTable.names(connection))
        if present != names { try set(present) }
    }

    func remove() throws { try MetaTable.remove(.ignoredTables, connection) }

    private func set(_ names: Set<String>) throws {
        let json = try JSONEncoder().encode(names.sorted())
        try MetaTable.set(.ignoredTables, String(decoding: json, as: UTF8.self), connection)
    }
}
