import Chronicle
import ChronicleAppleStore
import Foundation

/// A store that is opened without model classes.
struct StoreFile {
    enum Location {
        case file(URL)
        case database(PostgresLocation)

        /// Throws ``UsageError`` if a connection string is not valid.
        init(_ text: String) throws {
            if let database = try PostgresLocation(text) {
                self = .database(database)
            } else {
                self = .file(URL(fileURLWithPath: text))
            }
        }

        var url: URL? {
            if case .file(let url) = self { url } else { nil }
        }
    }

    let location: Location
    let store: any InspectedStore
    /// A name for titles: that of the file, or those of the database and the schema.
    let name: String
    /// A container of the store, for what contexts and containers do with the history.
    let container: ModelContainer
    private let keys = PrimaryKeyCache()
    var schema: Schema { store.schema }

    /// Opens the store of a command without changing it. `hasModelKey` states that the option `model` can be a key of a model,
    /// too.
    static func read(_ arguments: Arguments, _ console: Console, hasModelKey: Bool = false) throws -> StoreFile {
        let model = try arguments.modelFile(orKey: hasModelKey).map { URL(fileURLWithPath: $0) }
        return try read(arguments.operands["FILE"], console, model: model)
    }

    /// `nil` is the default of ``path(_:_:)``.
    private static func read(_ path: String?, _ console: Console, model: URL? = nil) throws -> StoreFile {
        let path = try self.path(path, console.settings.environment)
        console.file = path
        let location = try Location(path)
        guard let url = location.url else { return try StoreFile(location, allowsSave: false, model: model) }
        try requireFile(path)
        return try recovering(url) { try StoreFile(location, allowsSave: false, model: model) }
    }

    /// The error contains the path as the user wrote it. A connection string is a ``UsageError``.
    static func requireFile(_ path: String) throws {
        guard try PostgresLocation(path) == nil else {
            throw UsageError("the command is for SQLite files; a PostgreSQL store records its history by itself")
        }
        guard access(path, F_OK) == 0 else { throw FileFailure(path) }
        guard FileManager.default.isReadableFile(atPath: path) else { throw FileFailure(unreadable: path) }
    }

    /// Rejects a store of SwiftData or Core Data before something else examines its files, which could create a file beside
    /// it, or roll back a journal.
    static func requireNoAppleStore(_ url: URL) throws {
        guard FileManager.default.fileExists(atPath: url.path) else { return }
        guard try AppleStore.isAppleStore(fileAt: url) else { return }
        throw UsageError("the file is a store of SwiftData or Core Data, which this command does not support")
    }

    /// After an error, SQLite rolls back what an interrupted program was writing, as every program does that opens the file
    /// with write access. A file that cannot be written cannot be read then.
    static func recovering<Result>(_ url: URL, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as SwiftDataError where DefaultStore.needsRecovery(error) {
            // The files of another program never change.
            guard try !AppleStore.isAppleStore(fileAt: url) else { throw error }
            try DefaultStore.recover(fileAt: url)
            return try body()
        }
    }

    /// Opens a store that a command changes. Throws if its history is disabled, for example.
    static func write(_ path: String?, _ console: Console) throws -> StoreFile {
        let path = try self.path(path, console.settings.environment)
        console.file = path
        let location = try Location(path)
        if let url = location.url {
            try requireFile(path)
            if try !AppleStore.isAppleStore(fileAt: url) {
                try DefaultStore.recover(fileAt: url)
                // The schema is read before the file is opened with write access, which would do the same.
                if try DefaultStore.isTracked(fileAt: url) { try TrackedDatabase(url: url).followSchemaChanges() }
            }
        }
        let file = try read(path, console)
        // Otherwise opening the file with write access would enable the history.
        _ = try file.store.currentHistoryToken()
        return try StoreFile(location, allowsSave: true)
    }

    /// - Parameter model: The compiled model of a store of SwiftData or Core Data.
    init(_ location: Location, allowsSave: Bool, model: URL? = nil) throws {
        switch location {
        case .file(let url):
            if let store = try AppleStore(recognizing: url, model: model) {
                guard !allowsSave else {
                    throw UsageError("the file is a store of SwiftData or Core Data, which can only be read")
                }
                try self.init(location, store)
                return
            }
            try Self.requireNoModel(model)
            try self.init(location, Self.store(url, DefaultStore.schema(ofFileAt: url), allowsSave: allowsSave))
        case .database(let database):
            try Self.requireNoModel(model)
            try self.init(location, database.open(allowsSave: allowsSave))
        }
    }

    private static func requireNoModel(_ model: URL?) throws {
        guard model != nil else { return }
        throw UsageError("the store describes its models; --model with a file is for stores of SwiftData and Core Data")
    }

    private init(_ location: Location, _ store: any InspectedStore) throws {
        (self.location, self.store) = (location, store)
        name = try store.placeName
        container = ModelContainer(forHistoryOf: store)
    }

    private static func store(
        _ url: URL, _ schema: Schema, allowsSave: Bool = true, preservesValues: Bool = false
    ) throws -> DefaultStore {
        var configuration = ModelConfiguration(
            schema: schema, url: url, allowsSave: allowsSave, preservesValues: preservesValues)
        configuration.isInspector = true
        return try DefaultStore(configuration, migrationPlan: nil)
    }

    /// Opens a store to which an export is replayed. A store that does not exist is created with `schema`, which the export
    /// describes, and preserves the values of its changes; a file whose creation was interrupted is completed.
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
            return try StoreFile(location, store(url, schema(), preservesValues: true))
        }
        return try write(path, console)
    }

    // MARK: The default path

    /// The operand, `CHRONICLE_FILE`, or the only file of the current directory with the extension `store`.
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

    /// The ``UsageError`` for an unknown name contains the nearest one.
    func entity(named name: String) throws -> Schema.Entity {
        if let entity = schema.entitiesByName[name] { return entity }
        try requireRecorded(name)
        let isRecorded = try recordedEntityNames().contains(name)
        let history = isRecorded ? "`chronicle log --entity \(name) FILE` shows its changes" : nil
        if let table = try trackedTables().first(where: { $0.name == name }) {
            var reason = "is not recorded"
            if case .unsupported(let text) = table.state { reason = "cannot be recorded: \(text)" }
            let advice = [table.state == .notRecorded ? "use `chronicle track FILE` to record it" : nil, history]
            throw UsageError(
                (["the table \(name) \(reason)"] + advice.compactMap(\.self)).joined(separator: "; ").escaped)
        }
        if let history { throw UsageError("the store no longer has the entity \(name); \(history)".escaped) }
        throw unknownEntity(name, schema.entities.map(\.name))
    }

    private func unknownEntity(_ name: String, _ known: some Sequence<String>) -> UsageError {
        let nearest = NearestName.nearest(to: name, in: known.sorted())
        return UsageError(
            "the store has no entity \(name.escaped)" + (nearest.map { "; did you mean \($0.escaped)?" } ?? ""))
    }

    /// Returns the entities of the history, including removed ones and tables whose recording ended.
    private func recordedEntityNames() throws -> Set<String> {
        try Set((store as? any ToolStore)?.preservedAttributes().keys.map { $0 } ?? [])
    }

    /// Returns the names by which the history contains an entity and its subentities. The ``UsageError`` for an unknown name
    /// contains the nearest one.
    func recordedNames(of name: String) throws -> [String] {
        if let entity = schema.entitiesByName[name] { return names(of: entity) }
        let recorded = try recordedEntityNames()
        if recorded.contains(name) { return [name] }
        if try trackedTables().contains(where: { $0.name == name }) { _ = try entity(named: name) }
        throw unknownEntity(name, recorded.union(schema.entities.map(\.name)))
    }

    /// Checks that the history can contain the name. The ``UsageError`` for an unknown one contains the nearest one.
    func property(named name: String) throws -> String {
        let present = schema.entities.flatMap { $0.properties.map(\.name) }
        let known = store.recordedPropertyNames.union(present)
        if known.contains(name) { return name }
        let nearest = NearestName.nearest(to: name, in: known.sorted())
        throw UsageError(
            "the store has no attribute \(name.escaped)" + (nearest.map { "; did you mean \($0)?" } ?? ""))
    }

    /// Checks that each component of a path, such as `lines.product`, is a relationship. The ``UsageError`` for another one
    /// contains the nearest one.
    func requirePath(_ path: String, of entityName: String) throws {
        var entityNames: Set<String> = [entityName]
        for name in path.split(separator: ".", omittingEmptySubsequences: false).map(String.init) {
            let entities = entityNames.flatMap(schema.kinds).compactMap { schema.entitiesByName[$0] }
            let properties = entities.flatMap(\.properties)
            let found = properties.filter { $0.name == name }.compactMap(\.relationship)
            if found.isEmpty {
                let owner = (entityNames.sorted().first ?? entityName).escaped
                let nearest = NearestName.nearest(
                    to: name, in: Set(properties.filter { $0.relationship != nil }.map(\.name)).sorted())
                throw UsageError(
                    (properties.contains { $0.name == name }
                        ? "\(name.escaped) of \(owner) is an attribute and not a relationship"
                        : "\(owner) has no relationship \(name.escaped)")
                        + (nearest.map { "; did you mean \($0)?" } ?? ""))
            }
            entityNames = Set(found.map(\.destination))
        }
    }

    /// Includes those that inherit from the entity.
    func names(of entity: Schema.Entity) -> [String] { schema.kinds(of: entity.name).sorted() }

    /// Reads a text such as `Trip/7` or `Account/'anna'`; another one is a ``UsageError``. Throws ``MissingModel`` if no row has ever
    /// had the key of a tracked table.
    ///
    /// - Parameter includesEarlier: Whether the entity may be one that only the history contains.
    func identifier(_ text: String, includesEarlier: Bool = false) throws -> PersistentIdentifier {
        // Names of tables and keys can contain slashes.
        let slashes = text.indices.filter { text[$0] == "/" }
        let earlier = try includesEarlier ? recordedEntityNames() : []
        func isKnown(_ name: String) -> Bool { schema.entitiesByName[name] != nil || earlier.contains(name) }
        let known = slashes.first { isKnown(String(text[..<$0])) } ?? slashes.last
        guard let slash = known, let key = PrimaryKeyText.values(text[text.index(after: slash)...]) else {
            let hint = known.flatMap { textKey(text[..<$0], text[text.index(after: $0)...]) }
            throw UsageError(
                "\(text.escaped) is not a model; "
                    + (hint ?? "write its entity and primary key, such as Trip/7"))
        }
        let name = String(text[..<slash])
        if !isKnown(name) { _ = try entity(named: name) }
        if let columns = store.primaryKeyColumns(ofEntity: name), columns.count != key.count {
            let names = columns.joined(separator: ", ").escaped
            throw UsageError("\(text.escaped) is not a model; the primary key of \(name.escaped) is (\(names))")
        }
        guard let identifier = try store.identifier(ofEntity: name, primaryKey: key) else {
            throw MissingModel(message: "the history contains no model \(text.escaped)")
        }
        return identifier
    }

    /// The advice for a text without quotation marks that is the key of a tracked table.
    private func textKey(_ name: Substring, _ key: Substring) -> String? {
        guard schema.entitiesByName[String(name)] != nil, let first = key.first, !"'(".contains(first),
            let columns = store.primaryKeyColumns(ofEntity: String(name)), columns.count == 1
        else { return nil }
        return
            "a text key needs quotation marks: \"\(String(name).escaped)/\(PrimaryKeyText.text([.text(String(key))]).escaped)\""
    }

    /// Returns a text such as `Trip/7`, not escaped.
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

    /// Throws `SwiftDataError.historyTokenExpired` if the history after the position is incomplete.
    func store(asOf token: DefaultHistoryToken) throws -> any ToolStore {
        let store = try chronicleStore("reading an earlier position")
        let past: any DataStore = try store.store(asOf: token)
        guard let past = past as? any ToolStore else {
            throw SwiftDataError.unsupportedFeature
        }
        return past
    }

    var appleStore: AppleStore? { store as? AppleStore }

    /// Returns the store for what only Chronicle's stores support; errors contain `feature`.
    func chronicleStore(_ feature: String) throws -> any ToolStore {
        if let store = store as? any ToolStore { return store }
        throw SwiftDataError.unsupportedFeature.with(
            detail: "a store of SwiftData or Core Data does not support \(feature)",
            storeIdentifier: store.identifier)
    }

    /// Returns a store of the file for what only SQLite files support; errors contain `feature`.
    func sqliteStore(_ feature: String, of store: (any InspectedStore)? = nil) throws -> DefaultStore {
        if let store = (store ?? self.store) as? DefaultStore { return store }
        let kind = appleStore == nil ? "a PostgreSQL store" : "a store of SwiftData or Core Data"
        throw SwiftDataError.unsupportedFeature.with(
            detail: "\(kind) does not support \(feature)", storeIdentifier: self.store.identifier)
    }

    func row(_ identifier: PersistentIdentifier) throws -> DefaultSnapshot? {
        var found: DefaultSnapshot?
        try store.fetchRows(ofEntity: identifier.rootEntityName, identifiers: [identifier]) { found = $0 }
        return found
    }

    /// Returns the value with the type of the property; `nil` if it is empty.
    func value(of property: Schema.Property, in row: DefaultSnapshot) -> (any Sendable)? {
        guard row.values.indices.contains(property.slot) else { return nil }
        return property.decodePreserved(
            row.values[property.slot], entityName: row.persistentIdentifier.entityName, model: row.persistentIdentifier)
    }

    /// Counts the models without those of entities that inherit from an entity.
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
    /// Other rows may store a relationship.
    var isStored: Bool { slot >= 0 }
}

/// A key that the history does not contain.
struct MissingModel: Error {
    let message: String
}
