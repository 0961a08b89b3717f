import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite
import Foundation

/// The views of ``HistoryViews`` as objects of the file, which any program can query without Chronicle.
///
/// The row `views` of `chronicle_meta` exists while they are installed, and has a digest of each definition. SQLite changes a
/// definition itself when a program renames a table or a column, so a comment tells which views are those of Chronicle.
///
/// SQLite resolves all views of a file before it renames or drops a column, or renames a table, so they are dropped while a
/// schema is migrated. https://www.sqlite.org/lang_altertable.html
struct PermanentViews {
    private let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    private static let comment = "/* made by Chronicle */"

    /// The condition for the rows of `sqlite_schema`.
    static let condition =
        "(type = 'view' AND instr(sql, 'CREATE VIEW \"' || replace(name, '\"', '\"\"') || '\" AS \(comment) ') = 1)"

    private static func definition(_ view: HistoryViews.View) -> String {
        "CREATE VIEW \(quoted(view.name)) AS \(comment) \(view.select)"
    }

    // MARK: State

    /// The digests of the definitions by the names of the views; `nil` if they are not installed.
    private func digests() throws -> [String: String]? {
        guard try FileFormat.hasMetaTable(connection), let text = try MetaTable.text(.views, connection) else {
            return nil
        }
        do { return try JSONDecoder().decode([String: String].self, from: Data(text.utf8)) } catch is DecodingError {
            throw SwiftDataError.damagedRow(.meta(MetaName.views.text), "the value does not describe views")
        }
    }

    /// The definitions of the views in the file by their names.
    private func present() throws -> [String: String] {
        let statement = try connection.prepare("SELECT name, sql FROM main.sqlite_schema WHERE \(Self.condition)")
        var definitions: [String: String] = [:]
        while try statement.step() { definitions[statement.text(0)] = statement.text(1) }
        return definitions
    }

    /// The views of all entities, as this version creates them.
    private func required() throws -> [HistoryViews.View] {
        let registry = EntityRegistry(connection)
        let schema = try registry.describedSchema(of: registry.definitionsByName(), hasTable: connection.tableExists)
        return try HistoryViews(
            connection, schema, isTracked: FileFormat.isTracked(connection), arePermanent: true
        ).all()
    }

    func states() throws -> [DefaultStore.HistoryView] {
        let (digests, present) = (try digests(), try present())
        return try required().map { view in
            let digest = present[view.name].map(FileSchema.digest)
            let state: DefaultStore.HistoryView.State =
                digests?[view.name].map { $0 == digest ? .installed : .changed } ?? .notInstalled
            return .init(name: view.name, entityName: view.entityName, state: state)
        }
    }

    /// Returns the names of views that other programs dropped or changed.
    func changedNames() throws -> [String] {
        guard let digests = try digests() else { return [] }
        let present = try present()
        return digests.filter { present[$0.key].map(FileSchema.digest) != $0.value }.keys.sorted()
    }

    /// Whether a view is one of these, so that a model of its name only requires that opening the file for writing drops it.
    func contains(_ name: String) throws -> Bool {
        let folded = TableNames.folded(name)
        let present = try present()
        return try digests()?.contains {
            TableNames.folded($0.key) == folded && present[$0.key].map(FileSchema.digest) == $0.value
        } ?? false
    }

    // MARK: Changes

    /// Creates the views, or creates them again. Must be used in a write transaction, as the following methods.
    func install() throws {
        _ = try drop()
        let views = try required()
        for view in views {
            guard let other = try conflict(with: view.name) else { continue }
            throw SwiftDataError.unsupportedFeature.with(
                detail: "the file already contains the \(other); rename or drop it to create the view of this name",
                entityName: view.entityName)
        }
        try create(views)
    }

    /// Returns whether the views were installed.
    func remove() throws -> Bool {
        guard try drop() else { return false }
        try MetaTable.remove(.views, connection)
        return true
    }

    /// Returns whether the views are installed, which ``restore()`` creates again.
    func drop() throws -> Bool {
        guard let digests = try digests() else { return false }
        let names = try present().keys.filter { digests[$0] != nil }
        try MetaTable.keepingCompletions(connection) {
            for name in names { try connection.execute("DROP VIEW main.\(quoted(name))") }
        }
        return true
    }

    /// Creates the views of the present schema, except those whose name another object has.
    func restore() throws {
        try create(required().filter { try conflict(with: $0.name) == nil })
    }

    /// Replaces what a change of the schema of a tracked database has changed.
    func followSchema() throws {
        guard let digests = try digests() else { return }
        let views = try required().filter { try conflict(with: $0.name) == nil || digests[$0.name] != nil }
        let definitions = Dictionary(
            views.map { ($0.name, FileSchema.digest(of: Self.definition($0))) }, uniquingKeysWith: { first, _ in first }
        )
        guard try definitions != digests || !changedNames().isEmpty else { return }
        _ = try drop()
        try restore()
    }

    /// Drops all views of a file whose history is deleted, or was dropped by another program.
    func dropAll() throws {
        for name in try present().keys { try connection.execute("DROP VIEW main.\(quoted(name))") }
    }

    private func create(_ views: [HistoryViews.View]) throws {
        var digests: [String: String] = [:]
        try MetaTable.keepingCompletions(connection) {
            for view in views {
                let definition = Self.definition(view)
                try connection.execute(definition)
                digests[view.name] = FileSchema.digest(of: definition)
            }
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        try MetaTable.set(.views, String(decoding: encoder.encode(digests), as: UTF8.self), connection)
    }

    /// Returns a text such as `table "Trip_history"`.
    private func conflict(with name: String) throws -> String? {
        try connection.scalarText(
            """
            SELECT type || ' "' || name || '"' FROM main.sqlite_schema WHERE type <> 'trigger' AND name = ? COLLATE NOCASE
            """
        ) { try $0.bind(name, at: 1) }
    }
}
