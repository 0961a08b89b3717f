public import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite
import Foundation
import Synchronization

/// A store that keeps models in an SQLite file and records a durable history of every change.
///
/// Each entity is a table, and each stored property is a column. Every change of a row is recorded in the same transaction:
/// by permanent triggers if another program makes it, and in a save by SQLite's pre-update hook if the SQLite library has
/// it and no other triggers are involved. Several processes can use the file at the same time, and the `sqlite3` program
/// can read and write it.
///
/// Writes are serialized. Fetches and history reads run concurrently with them on separate connections and see the data
/// that was committed when they began. A store in memory has a single connection, so all its operations are serialized.
///
/// Containers create the store from a ``ModelConfiguration``; most programs do not use this class directly.
public final class DefaultStore: DataStore {
    public typealias Snapshot = DefaultSnapshot
    /// The type of the tokens in the store's history.
    public typealias TokenType = DefaultHistoryToken

    /// All capabilities.
    public static var capabilities: DataStoreCapabilities {
        [.excludedIdentifiers, .inheritance, .explicitIdentifiers, .replay, .earlierPositions]
    }

    /// The configuration that the store was opened with. Its URL is that of the file, also if an earlier version of Chronicle
    /// placed it in another directory.
    public let configuration: ModelConfiguration
    /// The name of the configuration.
    public var name: String { configuration.name }
    /// The schema of the models in the store.
    public let schema: Schema
    /// The UUID of the store, generated when the file was created.
    public let identifier: String

    let database: Database
    let layout: StoreLayout
    let commits: CommitReporter
    let recorder: HistoryRecorder
    let keyReservations = Mutex(KeyReservations())
    let purgePacing = Mutex(PurgePacing())
    let automaticPurge = AutomaticHistoryPurge()
    let automaticSealing = AutomaticSealing()
    let historyCatalog: HistoryCatalog
    /// Whether the definition of ``ConsumerTable`` in the file is known to be correct.
    let hasCheckedConsumerTable = Atomic(false)
    /// `nil` if the store contains the present rows.
    let past: PastRows?

    /// Opens the store, creating its file if it does not exist and the configuration allows saving.
    ///
    /// Opening adds the tables and columns that the schema requires, and upgrades a file of an earlier format if the
    /// configuration allows saving. Programs with an earlier version of Chronicle cannot use an upgraded file. A file
    /// that cannot be used is not modified.
    ///
    /// - Parameters:
    ///   - configuration: The location and options of the store.
    ///   - migrationPlan: The versions of the schema and the stages between them, or `nil` to make only the changes that
    ///     need no stage. Each stage is one transaction. A new file, like a store in memory, has the version of the schema.
    /// - Throws:
    ///   - ``SwiftDataError/unknownSchema`` if the configuration has no schema. A container sets it.
    ///   - ``SwiftDataError/invalidModel`` if a model or a name is invalid. Change the model.
    ///   - ``SwiftDataError/missingDirectory`` if the directory of the file does not exist. Create it first.
    ///   - ``SwiftDataError/notADatabase`` or ``SwiftDataError/notAChronicleStore`` if the file has another format, or is a
    ///     ``TrackedDatabase`` and the schema has model classes. Choose another URL, or use ``schema(ofFileAt:)``.
    ///   - ``SwiftDataError/unsupportedFileVersion`` if this version of Chronicle does not support the format of the file.
    ///     Use the version that created or upgraded it.
    ///   - ``SwiftDataError/fileReadOnly`` if the file cannot be written. Change its permissions, or
    ///     ``ModelConfiguration/allowsSave``.
    ///   - ``SwiftDataError/backwardMigration`` if the tables cannot be migrated. Change the models as the detail
    ///     describes.
    ///   - ``SwiftDataError/newerSchemaVersion``, ``SwiftDataError/unknownSchemaVersion``,
    ///     ``SwiftDataError/missingMigrationStage`` or ``SwiftDataError/invalidMigrationPlan`` if the plan cannot migrate
    ///     the file. Correct the plan, or update the program.
    ///   - An error that a closure of a stage throws. The stages before it remain, and the next opening runs the stage
    ///     again.
    ///   - ``SwiftDataError/damagedFile`` if the file is damaged. Restore it from a backup.
    ///   - ``SwiftDataError/storeBusy`` if the file stays locked longer than ``ModelConfiguration/busyTimeout``. Try again.
    ///   - ``SwiftDataError/loadIssueModelContainer`` if the store may only be read and lacks a file or a table that the
    ///     schema requires. Open it once with ``ModelConfiguration/allowsSave``.
    /// - Complexity: Proportional to the number of tables, indexes, and triggers. An upgrade takes time proportional to the
    ///   length of the history.
    public init(_ configuration: ModelConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        let schema = try configuration.validatedSchema()
        self.schema = schema
        let (located, opened) = try ChronicleStore.attributingErrors(to: nil) {
            let located = try configuration.locatingFile(of: schema, migrationPlan)
            return (located, try StoreOpener(located, schema, migrationPlan).open())
        }
        self.configuration = located
        past = nil
        database = opened.database
        recorder = HistoryRecorder(opened.database, configuration)
        layout = opened.layout
        commits = opened.commits
        identifier = opened.layout.storeIdentifier
        historyCatalog = HistoryCatalog(opened.layout, schema)
        let path = located.url.path
        if located.url != configuration.url { located.logSharedFile(instead: configuration.url) }
        if opened.layout.isUpgraded {
            log(
                .notice, event: "fileUpgraded",
                "\(path) was upgraded to format \(FileFormat.current); programs with an earlier version of Chronicle "
                    + "cannot use it any more",
                metadata: ["path": path, "format": String(FileFormat.current)])
        }
        if opened.layout.startsPreservingValues {
            log(
                .notice, event: "valuesPreserved",
                "the history of \(path) preserves the values of all properties from now on",
                metadata: ["path": path])
        }
        if let version = opened.migratedVersion { logMigration(from: version) }
        LibraryNotice.log(configuration)
        logIgnoredOptions()
        if opened.layout.isTracked, located.logger != nil { logUnrecordedRows() }
    }

    /// Creates a store for a context of a ``MigrationStage``.
    init(
        migrating database: Database, _ configuration: ModelConfiguration, _ schema: Schema, _ layout: StoreLayout,
        _ commits: CommitReporter
    ) {
        self.configuration = configuration
        self.schema = schema
        self.database = database
        recorder = HistoryRecorder(database, configuration)
        self.layout = layout
        self.commits = commits
        past = nil
        identifier = layout.storeIdentifier
        historyCatalog = HistoryCatalog(layout, schema)
    }

    /// Creates a store with the rows of another one as of a position; `database` has a connection for the rows.
    init(_ past: PastRows, _ database: Database) {
        let present = past.present
        var configuration = present.configuration
        configuration.allowsSave = false
        self.configuration = configuration
        self.past = past
        self.database = database
        recorder = HistoryRecorder(database, configuration)
        (schema, layout, commits) = (present.schema, present.layout, present.commits)
        (identifier, historyCatalog) = (present.identifier, present.historyCatalog)
    }

    deinit {
        past?.end(database)
        recorder.close()
        database.close()
    }

    private func logMigration(from version: Schema.Version) {
        log(
            .notice, event: "fileMigrated",
            "\(configuration.url.path) was migrated from version \(version) of its schema",
            metadata: ["path": configuration.url.path, "fromVersion": version.description])
    }

    func requireWriteAccess() throws {
        if let past {
            throw SwiftDataError.storeReadOnly.with(
                detail: "the store is read as of position \(past.position); save with a context without a position",
                storeIdentifier: identifier)
        }
        guard configuration.allowsSave else {
            throw SwiftDataError.storeReadOnly.with(
                detail: "the configuration \"\(configuration.name)\" does not allow saving; set `allowsSave` to `true`",
                storeIdentifier: identifier)
        }
    }

    /// The configuration must allow saving, and the tables must not belong to another program.
    func requireModelWriteAccess() throws {
        try requireWriteAccess()
        guard layout.isTracked else { return }
        throw SwiftDataError.storeReadOnly.with(
            detail:
                "the store is the database of another program, whose changes are recorded; change it with that program",
            storeIdentifier: identifier)
    }

    func attributingErrors<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try ChronicleStore.attributingErrors(to: identifier, body) } catch let error as SwiftDataError
            where layout.isTracked && (error == .damagedFile || error.namesMissingKey)
        {
            try requireSameKeys(error)
            throw error
        } catch let error as SwiftDataError where error.namesMissingTable {
            try requireTables()
            try requireSameNames(error)
            throw error
        }
    }

    /// The program of a tracked database may have given a table keys that are not integers.
    private func requireSameKeys(_ cause: SwiftDataError) throws {
        let isChanged = try ChronicleStore.attributingErrors(to: identifier) {
            try database.read { connection in
                try cause == .damagedFile
                    ? KeyConversion.isRequired(connection) : SchemaFollowing(connection).isDue
            }
        }
        guard isChanged else { return }
        throw SwiftDataError.unsupportedFeature.with(
            detail:
                "a program has given a table another primary key, which the history does not have yet; use `chronicle track "
                + "FILE` to record this change, after which the table and its history can be read",
            storeIdentifier: identifier, underlying: cause.underlying)
    }

    /// Another program may have replaced a table with a view since the store was opened. Views may lack columns, and some
    /// versions of SQLite report this before they deny the access.
    private func requireTables() throws {
        guard !layout.isTracked else { return }
        try ChronicleStore.attributingErrors(to: identifier) {
            try database.read { connection in
                let file = try FileSchema(connection)
                for table in layout.tablesByName.values.sorted(by: { $0.name < $1.name }) {
                    _ = try file.hasTable(table.name, of: table.entity.name)
                }
                for name in layout.linkTablesByName.keys.sorted() { _ = try file.hasTable(name) }
                for name in HistoryTables.names { _ = try file.hasTable(name) }
            }
        }
    }

    /// Another program may have changed the names of tables or columns since the store was opened.
    private func requireSameNames(_ cause: SwiftDataError) throws {
        guard !configuration.isStoredInMemoryOnly, !layout.isTracked else { return }
        let (entities, version) = try ChronicleStore.attributingErrors(to: identifier) {
            try database.read { try (EntityRegistry($0).entities(), MetaTable.text(.schemaVersion, $0)) }
        }
        let present = Dictionary(entities.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
        let isChanged = layout.recordedEntities.contains { number, known in
            guard let entity = present[number], entity.name == known.name else { return true }
            return known.attributes.contains { attribute in
                !entity.attributes.contains { $0.number == attribute.number && $0.isSamePlace(as: attribute) }
            }
        }
        guard isChanged else { return }
        let what = version.map { "version \($0) of the models" } ?? "a later version of the models"
        throw SwiftDataError.newerSchemaVersion.with(
            detail: "another program changed the file to \(what) while it was open; update the program",
            storeIdentifier: identifier, underlying: cause.underlying)
    }
}

extension RecordedAttribute {
    fileprivate func isSamePlace(as other: RecordedAttribute) -> Bool {
        name == other.name && isPresent == other.isPresent
    }
}

extension SwiftDataError {
    fileprivate var namesMissingKey: Bool {
        guard let error = underlying as? DatabaseError, error.resultCode == 1 else { return false }
        return error.message.hasPrefix("no such column") && error.message.hasSuffix(RecordedTable.primaryKey)
    }

    fileprivate var namesMissingTable: Bool {
        guard self == .storeFailure, let error = underlying as? DatabaseError, error.resultCode == 1 else {
            return false
        }
        return error.message.hasPrefix("no such column") || error.message.hasPrefix("no such table")
            || error.message.contains("has no column named")
    }
}
