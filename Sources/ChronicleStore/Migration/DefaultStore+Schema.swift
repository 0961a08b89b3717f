public import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite
public import Foundation

extension DefaultStore {
    /// Returns the schema of the models in a file, without their classes.
    ///
    /// Use it in programs that show the content of any store, such as inspectors. A store that is opened with this
    /// schema returns the values of its history with their types, for example a `Date` as a `Date`. The model class of
    /// its changes is ``UntypedModel``.
    ///
    /// ```swift
    /// let schema = try DefaultStore.schema(ofFileAt: url)
    /// let store = try DefaultStore(ModelConfiguration(schema: schema, url: url, allowsSave: false), migrationPlan: nil)
    /// ```
    ///
    /// The schema contains every entity with which a program has opened the file for writing, including entities that
    /// were removed later. A removed entity has no relationships that depend on what another entity does not have any
    /// more: a to-one relationship has no inverse then, and a to-many relationship is left out. For a
    /// ``TrackedDatabase``, the schema contains the tables that are recorded.
    ///
    /// - Parameter url: The URL of the file, which is not changed.
    /// - Returns: The schema. ``Schema/Entity/hasModelClass`` of its entities is `false`.
    /// - Throws: One of the following errors.
    ///   - ``SwiftDataError/loadIssueModelContainer`` if the file does not exist. Specify the URL of a store.
    ///   - ``SwiftDataError/missingDirectory`` if its directory does not exist. Specify the URL of a store.
    ///   - ``SwiftDataError/notADatabase`` or ``SwiftDataError/notAChronicleStore`` if the file has another format.
    ///     Specify the URL of a store.
    ///   - ``SwiftDataError/unsupportedFileVersion`` if this version of Chronicle does not support the format of the
    ///     file. Use the version that created or upgraded it.
    ///   - ``SwiftDataError/damagedFile`` if a description is invalid. Restore the file from a backup.
    ///   - ``SwiftDataError/invalidModel`` if the descriptions of two entities contradict each other, which no version of
    ///     Chronicle writes. Restore the file from a backup.
    ///   - ``SwiftDataError/storeBusy`` if another connection keeps the file locked. Try again.
    /// - Complexity: Proportional to the size of the descriptions.
    public static func schema(ofFileAt url: URL) throws -> Schema {
        try inspecting(url) { connection in
            try FileFormat.requireCurrentVersion(connection, url.path)
            let registry = EntityRegistry(connection)
            return try registry.describedSchema(
                of: registry.definitionsByName(), hasTable: connection.tableExists)
        } ?? Schema()
    }

    /// Returns the version of a file's format, which opening the file with write access may upgrade.
    ///
    /// - Parameter url: The URL of the file, which is not changed.
    /// - Returns: The version, or `nil` for a file that is empty, or whose creation was interrupted: it becomes a store when
    ///   it is opened with write access.
    /// - Throws: The errors of ``schema(ofFileAt:)`` except ``SwiftDataError/invalidModel``, such as
    ///   ``SwiftDataError/unsupportedFileVersion`` if the version is not supported.
    /// - Complexity: O(1).
    public static func formatVersion(ofFileAt url: URL) throws -> Int? {
        try inspecting(url) { connection in
            try FileFormat.requireSupportedVersion(connection, url.path)
            return Int(try FileFormat.version(connection))
        }
    }

    /// The version of the format of new and upgraded files. A file whose history is sealed has a later one, which this version of
    /// Chronicle also supports.
    public static var currentFormatVersion: Int { Int(FileFormat.current) }

    /// Runs `body` with a connection that reads a file, or returns `nil` if the file is empty or incomplete.
    static func inspecting<Result>(_ url: URL, _ body: (Connection) throws -> Result) throws -> Result? {
        try ChronicleStore.attributingErrors(to: nil) {
            guard FileManager.default.fileExists(atPath: url.path) else {
                throw SwiftDataError.loadIssueModelContainer.with(detail: "\(url.path) does not exist; check the path")
            }
            let inspection = try FileInspection(url: url)
            let finding = try inspection.inspect(allowsSave: false)
            if finding == .new { return nil }
            let connection = try Connection(path: inspection.readOnlyPath, mode: .readOnly)
            defer { connection.close() }
            if finding == .tracked { try TrackedRows.createViews(connection) }
            return try connection.deferredRead {
                try FileFormat.isIncomplete(connection) ? nil : body(connection)
            }
        }
    }
}

extension EntityRegistry {
    /// Returns the entities whose descriptions the file contains.
    fileprivate func definitions() throws -> [Schema.Entity] {
        let statement = try connection.prepare(
            "SELECT id, name, definition FROM chronicle_entity WHERE definition IS NOT NULL ORDER BY id")
        var entities: [Schema.Entity] = []
        while try statement.step() { entities.append(try Self.definition(statement)) }
        guard try FileFormat.isTracked(connection) else { return entities }
        let present = try TrackedRows.entities(connection)
        return entities.filter { present.contains($0.name) }
    }

    /// Returns the descriptions of entities by their names in the registry.
    func definitionsByName() throws -> [String: Schema.Entity] {
        Dictionary(try definitions().map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the description of an entity, or `nil` if the file does not contain it.
    func definition(of entity: RecordedEntity) throws -> Schema.Entity? {
        let statement = try connection.prepare(
            "SELECT id, name, definition FROM chronicle_entity WHERE id = ? AND definition IS NOT NULL")
        try statement.bind(entity.number, at: 1)
        return try statement.step() ? Self.definition(statement) : nil
    }

    private static func definition(_ statement: Statement) throws -> Schema.Entity {
        let row = FileRow.entity(statement.int64(0))
        do {
            let entity = try Schema.Entity(json: statement.text(2, of: row))
            guard try entity.name == statement.text(1, of: row) else {
                throw SwiftDataError.damagedRow(row, "the definition describes another entity")
            }
            return entity
        } catch let error as SwiftDataError where error != .damagedFile {
            throw SwiftDataError.damagedRow(row, "the definition is invalid: \(error.detail ?? "")")
        }
    }
}
