public import ChronicleCore
import ChronicleSQLite
import ChronicleStore
public import Foundation

/// A store of SwiftData or Core Data in an SQLite file, with its history, on any platform.
///
/// It changes neither the file nor the files beside it, so it can be used while the program that owns the file has it open.
/// Contexts fetch models with the same `@Model` classes, follow relationships and read the history; saving throws
/// `SwiftDataError.storeReadOnly`.
public final class AppleStore: DataStore {
    public typealias Snapshot = DefaultSnapshot

    /// The configuration that the store was opened with.
    public let configuration: AppleStoreConfiguration
    /// The schema of the models that the store contains.
    public let schema: Schema
    /// The UUID of the file, which copies of the file share.
    public let identifier: String
    /// Whether the names of entities and properties are those of the model in the file. Otherwise, ``schema(ofFileAt:)``
    /// returns names that are derived from the tables: attributes in lower case, relationships as numbers, and updates of
    /// *property 3* in the history.
    public let hasModelNames: Bool

    /// The versions that the program declared for its model, such as `1.0.0`.
    public var modelVersions: [String] { layout.modelVersions }

    let file: AppleFile
    let layout: AppleLayout
    let tables: AppleTables
    let historyEntities: HistoryEntities

    /// The features of the store: it excludes identifiers and returns the rows of subclasses.
    public static var capabilities: DataStoreCapabilities { [.excludedIdentifiers, .inheritance] }

    /// Opens a file for reading.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the store, with a schema.
    ///   - migrationPlan: Not used, because the file does not change.
    /// - Throws: One of the following errors.
    ///   - `SwiftDataError.loadIssueModelContainer` if there is no file, or if it is not a store of SwiftData or Core Data.
    ///   - `SwiftDataError.notADatabase` if the file is no SQLite database. It may be encrypted or protected; copy it while
    ///     the device is unlocked.
    ///   - `SwiftDataError.unsupportedFileVersion` if a table has a layout that is not known. The detail names the table.
    ///   - `SwiftDataError.backwardMigration` if the file does not contain a class or a property of the schema. Change the
    ///     class, for which `chronicle schema --swift` writes the code.
    ///   - `SwiftDataError.damagedFile` if another program replaced a table, or a page is damaged. Use another copy.
    ///   - `SwiftDataError.storeBusy` if the file changes while it is read or copied. Try again.
    ///   - `SwiftDataError.storeFailure` if the log or the journal is a link, the journal belongs to a transaction of
    ///     several databases, or there is no space for a copy. The detail describes what to do.
    public convenience init(
        _ configuration: AppleStoreConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?
    ) throws {
        let schema = try configuration.validatedSchema()
        let file = try AppleFile(url: configuration.url)
        let layout = try file.read { try AppleLayout($0, path: file.path) }
        try self.init(configuration, schema, file, layout, hasModelNames: layout.schema().hasModelNames)
    }

    /// Opens a file with its schema, or returns `nil` if ``isAppleStore(fileAt:)`` returns `false`. A file that has to be
    /// copied for reading is copied once, and not for each of ``isAppleStore(fileAt:)``, ``schema(ofFileAt:)`` and the
    /// store.
    ///
    /// - Parameter model: A `.mom` or `.momd`, to use instead of the model in the file.
    /// - Throws: `SwiftDataError.loadIssueModelContainer` if the model cannot be read or does not describe the file, or
    ///   another error of ``init(_:migrationPlan:)``.
    package convenience init?(recognizing url: URL, model: URL? = nil) throws {
        let file = try Self.recognized(url)
        guard let file else { return nil }
        let modelFile = try model.map { try ModelFile($0) }
        let layout = try file.read { try AppleLayout($0, path: file.path, model: modelFile) }
        let (schema, hasModelNames) = try layout.schema()
        if let model, !hasModelNames {
            throw SwiftDataError.loadIssueModelContainer.with(
                detail: "the entities of the model \(model.path) contradict each other; specify another one")
        }
        try self.init(
            AppleStoreConfiguration(schema: schema, url: url), schema, file, layout, hasModelNames: hasModelNames)
    }

    private init(
        _ configuration: AppleStoreConfiguration, _ schema: Schema, _ file: AppleFile, _ layout: AppleLayout,
        hasModelNames: Bool
    ) throws {
        (self.configuration, self.schema, self.file, self.layout) = (configuration, schema, file, layout)
        self.hasModelNames = hasModelNames
        identifier = layout.storeIdentifier
        do {
            tables = try AppleTables(layout, schema, hasModelNames: hasModelNames)
        } catch let error as SwiftDataError {
            throw error.with(storeIdentifier: layout.storeIdentifier)
        }
        historyEntities = HistoryEntities(layout, schema)
    }

    /// Returns the schema of the models in a file, without their classes, for programs that show the content of any store.
    /// The model class of changes in the history is `UntypedModel`.
    ///
    /// - Parameter url: The URL of the file, which is not changed.
    /// - Returns: The schema. `Schema.Entity.hasModelClass` of its entities is `false`. Transient and fetched properties,
    ///   attributes of types that cannot be read, properties whose columns cannot be told apart, and relationships without
    ///   a table or column are not part of it.
    /// - Throws: `SwiftDataError.loadIssueModelContainer`, or another error of ``init(_:migrationPlan:)`` except
    ///   `SwiftDataError.backwardMigration`.
    public static func schema(ofFileAt url: URL) throws -> Schema {
        let file = try AppleFile(url: url)
        return try file.read { try AppleLayout($0, path: file.path).schema().schema }
    }

    /// Returns whether a file is a store of SwiftData or Core Data, by its tables.
    ///
    /// - Parameter url: The URL of the file, which is not changed.
    /// - Returns: `false` also for a file that is no database, and for a `TrackedDatabase`, whose changes Chronicle
    ///   records.
    /// - Throws: `SwiftDataError.loadIssueModelContainer` if there is no file, or another error of
    ///   ``init(_:migrationPlan:)`` for a file that cannot be read.
    public static func isAppleStore(fileAt url: URL) throws -> Bool { try recognized(url) != nil }

    /// `nil` if the file is no store of SwiftData or Core Data.
    private static func recognized(_ url: URL) throws -> AppleFile? {
        do {
            let file = try AppleFile(url: url)
            // Most files need no look at the log, for which a file of another kind might be copied.
            return try file.isRecognizedWithoutLog ?? file.read { try AppleLayout.isUntracked($0) } ? file : nil
        } catch SwiftDataError.notADatabase, SwiftDataError.damagedFile { return nil }
    }

    /// Throws `SwiftDataError.storeReadOnly`. Copy the models to a store of Chronicle, and save to that.
    public func save(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        throw SwiftDataError.storeReadOnly.with(
            detail: "a store of SwiftData or Core Data can only be read; copy its models to a store of Chronicle",
            storeIdentifier: identifier, storeName: configuration.name)
    }

    func origin(of entityName: String) -> PersistentIdentifier.Origin {
        PersistentIdentifier.Origin(
            storeIdentifier: identifier, entityName: entityName,
            rootEntityName: schema.entitiesByName[entityName]?.rootName ?? layout.entities.byName[entityName]?.rootName
                ?? entityName)
    }

    /// Attributes errors to the store. If `isRepeatable`, the closure can run again if the file changed meanwhile.
    func reading<Result>(isRepeatable: Bool = true, _ body: (Connection) throws -> Result) throws -> Result {
        do {
            return try file.read(isRepeatable: isRepeatable, body)
        } catch let error as SwiftDataError {
            if let message = (error.underlying as? DatabaseError)?.message,
                let name = AppleFunctions.missingFile(message)
            {
                throw SwiftDataError.undecodableValue.with(
                    detail: "the file _EXTERNAL_DATA/\(name) beside the store is missing, or is not a file of at most "
                        + "1 GB; copy the folder .NAME_SUPPORT together with the store", storeIdentifier: identifier,
                    storeName: configuration.name)
            }
            throw error.storeIdentifier == nil ? error.with(storeIdentifier: identifier) : error
        }
    }
}
