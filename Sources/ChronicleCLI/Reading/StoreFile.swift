import Chronicle
import ChronicleAppleStore
import Foundation

/// A store that a command reads or writes, opened without model classes.
struct StoreFile {
    /// Where a store is.
    enum Location {
        case file(URL)
        case database(PostgresLocation)

        /// Reads the operand of a command.
        ///
        /// - Throws: ``UsageError`` if a connection string is not valid.
        init(_ text: String) throws {
            if let database = try PostgresLocation(text) {
                self = .database(database)
            } else {
                self = .file(URL(fileURLWithPath: text))
            }
        }

        /// The file, or `nil`.
        var url: URL? {
            if case .file(let url) = self { url } else { nil }
        }
    }

    let location: Location
    let store: any InspectedStore
    /// A name for titles: that of the file, or those of the database and the schema.
    let name: String
    /// A container of the store, for what contexts and containers do with its history.
    let container: ModelContainer
    /// The primary keys of a tracked database that were read.
    private let keys = PrimaryKeyCache()
    /// The models of the store.
    var schema: Schema { store.schema }

    /// Opens a store without changing it.
    ///
    /// - Parameter path: The path or the connection string, or `nil` for the default of ``path(_:_:)``.
    /// - Throws: `SwiftDataError` if the store cannot be read, or ``UsageError`` without a default path.
    static func read(_ path: String?, _ console: Console) throws -> StoreFile {
        let path = try self.path(path, console.settings.environment)
        let location = try Location(path)
        guard let url = location.url else { return try StoreFile(location, allowsSave: false) }
        try requireFile(path)
        return try recovering(url) { try StoreFile(location, allowsSave: false) }
    }

    /// Throws an error with the path as the user wrote it if there is no file.
    ///
    /// - Throws: ``UsageError`` for a connection string.
    static func requireFile(_ path: String) throws {
        guard try PostgresLocation(path) == nil else {
            throw UsageError("the command is for SQLite files; a PostgreSQL store records its history by itself")
        }
        guard !FileManager.default.fileExists(atPath: path) else { return }
        throw FileFailure(path, .ENOENT)
    }

    /// Throws an error for a store of SwiftData or Core Data, before something else examines its files: that could create a file
    /// beside it, or roll back a journal.
    ///
    /// - Throws: ``UsageError`` for such a store, or the error of a file that cannot be read.
    static func requireNoAppleStore(_ url: URL) throws {
        guard FileManager.default.fileExists(atPath: url.path) else { return }
        guard try AppleStore.isAppleStore(fileAt: url) else { return }
        throw UsageError("the file is a store of SwiftData or Core Data, which this command does not support")
    }

    /// Reads a file, after SQLite has rolled back what a program was writing when it was interrupted.
    ///
    /// Every program that opens the file with write access does so. A file that cannot be written cannot be read then.
    static func recovering<Result>(_ url: URL, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as SwiftDataError where DefaultStore.needsRecovery(error) {
            // The files of another program never change.
            guard try !AppleStore.isAppleStore(fileAt: url) else { throw error }
            try DefaultStore.recover(fileAt: url)
            return try body()
        }
    }

    /// Opens a store that a command changes.
    ///
    /// - Throws: `SwiftDataError` if the file cannot be used, for example because its history is disabled, or
    ///   ``UsageError`` without a default path.
    static func write(_ path: String?, _ console: Console) throws -> StoreFile {
        let path = try self.path(path, console.settings.environment)
        let location = try Location(path)
        if let url = location.url {
            try requireFile(path)
            if try !AppleStore.isAppleStore(fileAt: url) { try DefaultStore.recover(fileAt: url) }
        }
        let file = try read(path, console)
        // Otherwise opening the file with write access would enable the history.
        _ = try file.store.currentHistoryToken()
        return try StoreFile(location, allowsSave: true)
    }

    init(_ location: Location, allowsSave: Bool) throws {
        switch location {
        case .file(let url):
            if let store = try AppleStore(recognizing: url) {
                guard !allowsSave else {
                    throw UsageError("the file is a store of SwiftData or Core Data, which can only be read")
                }
                try self.init(location, store)
                return
            }
            try self.init(location, Self.store(url, DefaultStore.schema(ofFileAt: url), allowsSave: allowsSave))
        case .database(let database): try self.init(location, database.open(allowsSave: allowsSave))
        }
    }

    private init(_ location: Location, _ store: any InspectedStore) throws {
        (self.location, self.store) = (location, store)
        name = try store.placeName
        container = ModelContainer(forHistoryOf: store)
    }

    private static func store(_ url: URL, _ schema: Schema, allowsSave: Bool = true) throws -> DefaultStore {
        var configuration = ModelConfiguration(schema: schema, url: url, allowsSave: allowsSave)
        configuration.isInspector = true
        return try DefaultStore(configuration, migrationPlan: nil)
    }

    /// Opens a store to which an export is replayed. A store that does not exist is created, and a file whose creation was
    /// interrupted is completed.
    ///
    /// - Parameter schema: Returns the models that the export describes.
    static func replica(
        _ path: String, _ console: Console, creating schema: () throws -> Schema
    ) throws -> StoreFile {
        let location = try Location(path)
        let url: URL
        switch location {
        case .file(let file): url = file
        case .database(let database):
            let file = try withoutActuallyEscaping(schema) { schema in
                try StoreFile(location, database.open(allowsSave: true, creating: schema))
            }
            // Throws an error if the history is disabled.
            _ = try file.store.currentHistoryToken()
            return file
        }
        try requireNoAppleStore(url)
        try DefaultStore.recover(fileAt: url)
        guard FileManager.default.fileExists(atPath: path), try DefaultStore.formatVersion(ofFileAt: url) != nil else {
            return try StoreFile(location, store(url, schema()))
        }
        return try write(path, console)
    }

    // MARK: The default path

    /// Returns the path of the store: the operand, `CHRONICLE_FILE`, or the only file of the current directory with the
    /// extension `store`.
    static func path(_ operand: String?, _ environment: [String: String]) throws -> String {
        if let operand { return operand }
        if let path = environment["CHRONICLE_FILE"], !path.isEmpty { return path }
        let names = try FileManager.default.contentsOfDirectory(atPath: ".").filter { $0.hasSuffix(".store") }.sorted()
        guard let name = names.first, names.count == 1 else {
            let reason =
                names.isEmpty ? "the directory contains no file *.store" : "the directory contains several stores"
            throw UsageError("FILE is missing, and \(reason); pass a path or set CHRONICLE_FILE")
        }
        return name
    }

    // MARK: Models

    /// Returns the entity with a name.
    ///
    /// - Throws: ``UsageError`` with the nearest name if the store has no such entity.
    func entity(named name: String) throws -> Schema.Entity {
        if let entity = schema.entitiesByName[name] { return entity }
        let nearest = NearestName.nearest(to: name, in: schema.entities.map(\.name))
        throw UsageError(
            "the store has no entity \(name.escaped)" + (nearest.map { "; did you mean \($0)?" } ?? ""))
    }

    /// Returns the name of an attribute or relationship, after checking that the history can contain it.
    ///
    /// - Throws: ``UsageError`` with the nearest name if it is unknown.
    func property(named name: String) throws -> String {
        let present = schema.entities.flatMap { $0.properties.map(\.name) }
        let known = store.recordedPropertyNames.union(present)
        if known.contains(name) { return name }
        let nearest = NearestName.nearest(to: name, in: known.sorted())
        throw UsageError(
            "the store has no attribute \(name.escaped)" + (nearest.map { "; did you mean \($0)?" } ?? ""))
    }

    /// Returns the names of an entity and those that inherit from it.
    func names(of entity: Schema.Entity) -> [String] { schema.kinds(of: entity.name).sorted() }

    /// Returns the identifier that a text such as `Trip/7` or `Account/'anna'` denotes.
    ///
    /// - Throws: ``UsageError`` if the text is not an identifier.
    func identifier(_ text: String) throws -> PersistentIdentifier {
        // Names of tables and keys can contain slashes.
        let slashes = text.indices.filter { text[$0] == "/" }
        let known = slashes.first { schema.entitiesByName[String(text[..<$0])] != nil } ?? slashes.last
        guard let slash = known, let key = PrimaryKeyText.values(text[text.index(after: slash)...]) else {
            throw UsageError("\(text.escaped) is not a model; write its entity and primary key, such as Trip/7")
        }
        let entity = try entity(named: String(text[..<slash]))
        if let columns = store.primaryKeyColumns(ofEntity: entity.name), columns.count != key.count {
            let names = columns.joined(separator: ", ").escaped
            throw UsageError("\(text.escaped) is not a model; the primary key of \(entity.name.escaped) is (\(names))")
        }
        guard let identifier = try store.identifier(ofEntity: entity.name, primaryKey: key) else {
            throw UsageError("the history contains no model \(text.escaped)")
        }
        return identifier
    }

    /// Returns the entity and primary key of a model, such as `Trip/7`, not escaped.
    func text(of identifier: PersistentIdentifier) throws -> String {
        guard store.isTracked, store.primaryKeyColumns(ofEntity: identifier.entityName) != nil else {
            return identifier.description
        }
        return try keys.text(of: identifier) {
            let key = try store.primaryKey(of: identifier)
            // The file is damaged if a number has no key.
            return key.isEmpty ? identifier.description : "\(identifier.entityName)/\(PrimaryKeyText.text(key))"
        }
    }

    // MARK: Rows

    /// Returns the models as they were at a position.
    ///
    /// - Throws: `SwiftDataError.historyTokenExpired` if the history after the position is incomplete.
    func store(asOf token: DefaultHistoryToken) throws -> any InspectedStore {
        let store = try chronicleStore("reading an earlier position")
        guard type(of: store).capabilities.contains(.earlierPositions) else {
            throw UsageError("only the present models of a PostgreSQL database can be listed; use now as the position")
        }
        let past: any DataStore = try store.store(asOf: token)
        guard let past = past as? any ToolStore else {
            throw SwiftDataError.unsupportedFeature
        }
        return past
    }

    /// The store of SwiftData or Core Data, or `nil` for another one.
    var appleStore: AppleStore? { store as? AppleStore }

    /// Returns the store for what only Chronicle's stores support.
    ///
    /// - Parameter feature: What the command does, for the error.
    func chronicleStore(_ feature: String) throws -> any ToolStore {
        if let store = store as? any ToolStore { return store }
        throw SwiftDataError.unsupportedFeature.with(
            detail: "a store of SwiftData or Core Data does not support \(feature)",
            storeIdentifier: store.identifier)
    }

    /// Returns the row of a model, or `nil` if it does not exist.
    func row(_ identifier: PersistentIdentifier) throws -> DefaultSnapshot? {
        var found: DefaultSnapshot?
        try store.fetchRows(ofEntity: identifier.rootEntityName, identifiers: [identifier]) { found = $0 }
        return found
    }

    /// Returns the value of a property in a row with its type, or `nil` if it is empty.
    func value(of property: Schema.Property, in row: DefaultSnapshot) -> (any Sendable)? {
        guard row.values.indices.contains(property.slot) else { return nil }
        return property.decodePreserved(
            row.values[property.slot], entityName: row.persistentIdentifier.entityName, model: row.persistentIdentifier)
    }

    /// Returns the numbers of models by entity, without those of entities that inherit from it.
    func modelCounts() throws -> [(name: String, count: Int)] {
        var counts: [String: Int] = [:]
        for entity in schema.entities {
            let count = try store.fetchCount(ofEntity: entity.name)
            counts[entity.name, default: 0] += count
            if let superentity = entity.superentityName { counts[superentity, default: 0] -= count }
        }
        return schema.entities.map(\.name).sorted().map { ($0, counts[$0] ?? 0) }
    }
}

extension Schema.Property {
    /// Whether the property is a column of its model, and not a relationship that other rows store.
    var isStored: Bool { slot >= 0 }
}
