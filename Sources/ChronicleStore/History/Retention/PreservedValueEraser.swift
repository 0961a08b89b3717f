public import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

extension DefaultStore {
    /// Erases preserved values of models from the history, for example because a user withdrew the consent to store them.
    ///
    /// The changes remain, with the names of the updated attributes, as if the history had not preserved their values.
    /// Tokens remain valid. The current values of the models are not changed: delete the models, or set other values,
    /// before you erase the values from the history.
    ///
    /// ```swift
    /// try store.erasePreservedValues(of: [trip.persistentModelID])
    /// ```
    ///
    /// Afterwards, the file does not contain the erased values anymore: the method rebuilds it with `VACUUM`, because
    /// unused parts of its pages may contain copies, and empties the write-ahead log. Copies can remain in backups, in
    /// snapshots of the file system, and on the storage device. `VACUUM` may change the rowids of other programs' tables
    /// that have no integer primary key; see <https://www.sqlite.org/lang_vacuum.html>.
    ///
    /// - Parameters:
    ///   - models: The identifiers of the models, which need not exist anymore.
    ///   - attributes: The names of the attributes and relationships whose values to erase, or `nil` for all.
    /// - Throws: One of the following errors. Some of the values may have been erased. Resolve the cause, and call the
    ///   method again.
    ///   - ``SwiftDataError/unknownSchema`` if the history contains no entity or property with a given name. Nothing was
    ///     erased. Correct the name; a renamed property has its current name.
    ///   - ``SwiftDataError/storeReadOnly`` or ``SwiftDataError/historyDisabled`` if the configuration requires it.
    ///   - ``SwiftDataError/storeBusy`` if the file stays locked, or if a reader keeps the write-ahead log from being
    ///     emptied. Try again later.
    ///   - ``SwiftDataError/damagedFile`` if the history is damaged. Restore the file from a backup.
    ///   - ``SwiftDataError/storeFull`` if the disk is full. Rebuilding the file needs free space of up to twice its size.
    /// - Complexity: Proportional to the size of the file. Other writers wait while the file is rebuilt.
    public func erasePreservedValues(
        of models: some Sequence<PersistentIdentifier>, attributes: [String]? = nil
    ) throws {
        var keys: [String: [Int64]] = [:]
        for model in models where model.storeIdentifier == identifier {
            if let key = model.integerPrimaryKey { keys[model.entityName, default: []].append(key) }
        }
        try erase(keys.mapValues { (keys: $0, attributes: attributes) })
    }

    /// Erases preserved values of attributes from the history of all models of a class and its subclasses.
    ///
    /// - Parameters:
    ///   - attributes: The key paths of the attributes and relationships.
    ///   - type: The model class.
    /// - Throws: The errors of ``erasePreservedValues(of:attributes:)``, and ``SwiftDataError/unsupportedKeyPath`` if a
    ///   key path is not a stored property; remove it.
    /// - Complexity: Proportional to the size of the file.
    public func erasePreservedValues<Model: PersistentModel>(
        _ attributes: [PartialKeyPath<Model>], of type: Model.Type
    ) throws {
        let names = try attributes.map { keyPath in
            let known = schema.entitiesByName[Model.entityName]?.property(at: keyPath)?.name
            guard let name = known ?? Model.properties.name(of: keyPath) else {
                throw SwiftDataError.unsupportedKeyPath.with(
                    detail: "\(keyPath) is not a stored property; remove it", entityName: Model.entityName)
            }
            return name
        }
        try erasePreservedValues(ofEntityNamed: Model.entityName, attributes: names)
    }

    /// Erases preserved values of an entity and those that inherit from it, which the schema may no longer contain.
    ///
    /// - Parameters:
    ///   - entityName: The name of the entity.
    ///   - attributes: The names of the attributes and relationships whose values to erase, or `nil` for all.
    /// - Throws: The errors of ``erasePreservedValues(of:attributes:)``.
    /// - Complexity: Proportional to the size of the file.
    public func erasePreservedValues(ofEntityNamed entityName: String, attributes: [String]? = nil) throws {
        try erase([entityName: (keys: nil, attributes: attributes)])
    }

    private func erase(_ entities: [String: (keys: [Int64]?, attributes: [String]?)]) throws {
        try requireHistory()
        try requireWriteAccess()
        try requireVacuum()
        try attributingErrors {
            try database.write { connection in
                // Checked before anything is erased.
                let erasers = try connection.deferredRead {
                    try entities.map { name, part in try eraser(of: name, part.keys, part.attributes, connection) }
                }
                let newest = try connection.immediate {
                    // The values of replaced rows are written to the history first.
                    try recorder.groupExternalChanges(connection, resolvesConflicts: true) - 1
                }
                for var eraser in erasers { try eraser.erase(through: newest, connection) }
                // Another process may erase values while the file is rebuilt.
                let erasure = try connection.deferredRead { try SealedHistory(connection)?.newestErasure() }
                if !configuration.isStoredInMemoryOnly { try connection.execute("VACUUM") }
                guard try connection.truncateLog() else {
                    throw SwiftDataError.storeBusy.with(
                        detail: "the values were erased, but the write-ahead log still contains them because a reader "
                            + "uses it; erase them again later")
                }
                guard let erasure else { return }
                try connection.immediate { try SealedHistory(connection)?.recordEmptiedLog(of: erasure) }
            }
        }
    }
}

extension DefaultStore {
    private func eraser(
        of entityName: String, _ keys: [Int64]?, _ names: [String]?, _ connection: Connection
    ) throws -> PreservedValueEraser {
        let registry = EntityRegistry(connection)
        let entities = try registry.entities()
        // A change has the number of the model's class, but an identifier may have the name of a superclass. Keys are
        // unique among the classes that share the table.
        let selection = try PreservedValueSelection(entityName, names, in: registry) { entity in
            try keys == nil
                ? registry.kinds(of: entity) : entities.filter { $0.rootName == entity.rootName }.map(\.number)
        }
        return PreservedValueEraser(selection: selection, keys: keys)
    }
}

/// A row that contained a value remains, because the rows of a transaction have no gaps between them.
private struct PreservedValueEraser {
    let selection: PreservedValueSelection
    /// `nil` for all models.
    let keys: [Int64]?
    /// The event of the batches in a sealed history. Another call has another one, because its values are other ones.
    private var event: Int64?

    init(selection: PreservedValueSelection, keys: [Int64]?) { (self.selection, self.keys) = (selection, keys) }

    /// Other writers can write between batches.
    private static let batchSize: Int64 = 50_000

    private static let selectNext = "SELECT id FROM \(ChangeTable.name) WHERE id >= ? ORDER BY id LIMIT 1"

    mutating func erase(through newest: Int64, _ connection: Connection) throws {
        let statement = try prepare(
            "UPDATE \(ChangeTable.name) SET attributes = NULL, old_value = NULL, new_value = NULL", connection)
        var first = HistoryPosition.valid.lowerBound
        // Deleted history leaves gaps, which can be far longer than a batch.
        while let next = try connection.scalarInt64(Self.selectNext, { try $0.bind(first, at: 1) }), next <= newest {
            let positions = next...next + Self.batchSize - 1
            try bind(positions, to: statement)
            try connection.immediate {
                try recordErasure(positions, connection)
                try statement.run()
            }
            first = next + Self.batchSize
        }
    }

    private func prepare(_ sql: String, _ connection: Connection) throws -> Statement {
        var sql = """
            \(sql) WHERE id BETWEEN ?1 AND ?2 AND \(ChangeTable.hasValue(of: selection.entities)) \
            AND attributes IS NOT NULL
            """
        if keys != nil { sql += " AND primary_key IN (SELECT value FROM json_each(?3))" }
        if selection.attributes != nil { sql += " AND attributes IN (SELECT value FROM json_each(?4))" }
        let statement = try connection.prepare(sql)
        if let keys { try statement.bind("\(keys)", at: 3) }
        if let attributes = selection.attributes { try statement.bind("\(attributes)", at: 4) }
        return statement
    }

    private func bind(_ positions: ClosedRange<Int64>, to statement: Statement) throws {
        try statement.bind(positions.lowerBound, at: 1)
        try statement.bind(positions.upperBound, at: 2)
    }

    /// In a sealed history, removes the keys of the values before they are erased.
    private mutating func recordErasure(_ positions: ClosedRange<Int64>, _ connection: Connection) throws {
        guard let seals = try SealedHistory(connection) else { return }
        let values = try prepare("SELECT id FROM \(ChangeTable.name)", connection)
        try bind(positions, to: values)
        var erased: [Int64] = []
        while try values.step() { erased.append(values.int64(0)) }
        let detail = ErasureDetail(
            entities: selection.entities, attributes: selection.attributes, models: keys?.count, values: erased.count)
        event =
            try seals.recordErasedValues(erased + seals.positionsErasedEarlier(positions), detail) { $0 == event }
            ?? event
    }
}
