public import ChronicleCore
import ChronicleSQLite
import Foundation
import Synchronization

/// Models in an SQLite file, with the history of every change.
///
/// Each entity is a table, each stored property a column. Permanent triggers record what happens to the rows, whoever
/// writes them, in the same transaction; a save ends with a header that says who saved. The file may be used by several
/// processes at once, and read and written with the `sqlite3` program.
///
/// Saves take turns; fetches and reads of the history go on beside them, each on a connection of its own, and see what
/// was committed when they began. A store in memory has one connection, for which all take turns.
public final class DefaultStore: DataStore {
    public typealias Snapshot = DefaultSnapshot

    public let configuration: ModelConfiguration
    public let schema: Schema
    /// A UUID that the file was given when it was made.
    public let identifier: String

    let database: Database
    let layout: StoreLayout
    /// The numbers of sources that are known to be in the file.
    let sources = Mutex<[TransactionSource: Int64]>([:])
    /// How the history's rows become changes.
    let historyCatalog: HistoryCatalog

    /// Opens the file, or makes it when it does not exist and may be written.
    ///
    /// A file that cannot be used is left untouched.
    ///
    /// - Throws: ``SwiftDataError/missingDirectory``, ``SwiftDataError/notADatabase``,
    ///   ``SwiftDataError/notAChronicleStore``, ``SwiftDataError/unsupportedFileVersion``,
    ///   ``SwiftDataError/fileReadOnly``, ``SwiftDataError/damagedFile``, ``SwiftDataError/backwardMigration`` when the
    ///   file's tables cannot become those of the schema, ``SwiftDataError/storeBusy``.
    public init(_ configuration: ModelConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        let schema = try configuration.validatedSchema()
        self.configuration = configuration
        self.schema = schema
        let opened = try translatingErrors(storeIdentifier: nil) {
            try StoreOpener(configuration, schema).open()
        }
        database = opened.database
        layout = opened.layout
        identifier = opened.layout.storeIdentifier
        historyCatalog = HistoryCatalog(opened.layout, schema)
    }

    deinit { database.close() }

    func translating<Result>(_ body: () throws -> Result) throws -> Result {
        try translatingErrors(storeIdentifier: identifier, body)
    }
}
