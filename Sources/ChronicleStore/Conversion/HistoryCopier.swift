import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite
import Foundation

/// Writes the transactions of another store to the history of a new file as they are, with the values that they preserve.
struct HistoryCopier<Source: DataStoreExporting> {
    private let source: Source
    private let connection: Connection
    private let progress: (Int) -> Void
    private(set) var checksum = HistoryChecksum()
    /// The updates whose attributes the source does not name.
    private(set) var unnamedCount = 0
    /// The entities by name, with the attributes of their tables.
    private var entities: [String: Entity] = [:]
    /// The entities of tables by name.
    private var roots: [String: RecordedEntity] = [:]
    private var numbers: [String: [String: Int]] = [:]
    /// The highest keys by the name of the table.
    private var highestKeys: [String: Int64] = [:]
    private let tables: Set<String>
    private var position: Int64 = 0

    private struct Entity {
        let number: Int64
        let root: String
        /// The number of stored properties.
        let propertyCount: Int
    }

    private static var pageSize: Int { 1_000 }

    init(_ source: Source, _ connection: Connection, _ layout: StoreLayout, progress: @escaping (Int) -> Void) {
        (self.source, self.connection, self.progress) = (source, connection, progress)
        tables = Set(layout.tablesByName.values.map(\.name))
        for entity in layout.recordedEntities.values {
            let properties = source.schema.entitiesByName[entity.name]?.storedProperties
            entities[entity.name] = Entity(
                number: entity.number, root: entity.rootName, propertyCount: properties?.count ?? 0)
            if !entity.isSubentity { add(entity) }
        }
    }

    private mutating func add(_ root: RecordedEntity) {
        roots[root.name] = root
        let attributes = root.attributes.sorted { $0.isPresent && !$1.isPresent }
        numbers[root.name] = Dictionary(
            attributes.map { ($0.name, $0.number) }, uniquingKeysWith: { first, _ in first })
    }

    /// Begins with a gap: the models of the file may have been inserted before the history of the source begins.
    mutating func run(through end: DefaultHistoryToken) throws {
        try connection.immediate {
            try HistoryGap.record(connection)
            position = try MetaTable.position(.gap, connection) ?? 0
        }
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
        while true {
            if ReadCancellation.isCancelled { throw CancellationError() }
            descriptor.fetchLimit = UInt64(Self.pageSize)
            let page = try source.fetchHistoryWithoutChanges(descriptor)
            // What another program commits while the rows are read is not part of the copy.
            let transactions = page.prefix { $0.token <= end }
            try connection.immediate { for transaction in transactions { try copy(transaction) } }
            guard let last = page.last, transactions.count == Self.pageSize else { break }
            descriptor = .after(last.token)
        }
        try connection.immediate { try reserveKeys() }
    }

    /// New models get no key of a deleted one. https://www.sqlite.org/autoinc.html
    private func reserveKeys() throws {
        for (name, key) in highestKeys.sorted(by: { $0.key < $1.key }) where tables.contains(name) {
            for sql in [
                "UPDATE sqlite_sequence SET seq = max(seq, ?1) WHERE name = ?2",
                "INSERT INTO sqlite_sequence(seq, name) SELECT ?1, ?2 "
                    + "WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?2)",
            ] {
                let statement = try connection.cached(sql)
                try statement.bind(key, at: 1)
                try statement.bind(name, at: 2)
                try statement.run()
            }
        }
    }

    /// A key at the end of the range would leave none for new models.
    private static var highestReservedKey: Int64 { 1 << 62 }

    // MARK: Transactions

    private mutating func copy(_ transaction: DefaultHistoryTransaction) throws {
        checksum.add(transaction)
        let first = position + 1
        var request = HistoryChangesRequest(transaction, after: nil, limit: Self.pageSize)
        request.returnsStoredValues = true
        while true {
            let page = try source.fetchHistoryChanges(request)
            for change in page { try copy(change) }
            progress(page.count)
            guard page.count == request.limit else { break }
            request.lastChange = page.last
        }
        try writeHeader(of: transaction, first: first)
    }

    private mutating func writeHeader(of transaction: DefaultHistoryTransaction, first: Int64) throws {
        let origin = TransactionSource(
            author: transaction.author, contextName: transaction.contextName, program: transaction.bundleIdentifier)
        let isExternal = origin == .external && transaction.processIdentifier.isEmpty
        let header = ChangeTable.Header(
            source: isExternal ? SourceTable.external : try SourceTable.number(of: origin, connection),
            timestamp: transaction.timestamp.timeIntervalSinceReferenceDate, checkValue: CheckValues.next(),
            first: first, process: transaction.processNumber)
        let statement = try connection.cached(ChangeTable.insertRow)
        try header.bind(to: statement)
        // Core Data records the name of a process.
        if header.process == nil, !transaction.processIdentifier.isEmpty {
            try statement.bind(transaction.processIdentifier, at: ChangeTable.Column.process)
        }
        try statement.run()
        position = connection.lastInsertRowID
        try SummaryTable.add(header, at: position, connection)
        let added = [
            HistoryReplayStep.MetadataKey.source.rawValue: transaction.storeIdentifier,
            HistoryReplayStep.MetadataKey.transaction.rawValue: "\(transaction.transactionIdentifier)",
        ]
        try MetadataTable.insert(added.merging(transaction.metadata) { $1 }, at: position, connection)
    }

    // MARK: Changes

    private mutating func copy(_ change: HistoryChange) throws {
        checksum.add(change)
        let model = change.changedPersistentIdentifier
        guard let key = model.integerPrimaryKey else {
            throw SwiftDataError.unsupportedFeature.with(
                detail: "only models with integer primary keys can be converted", persistentIdentifier: model)
        }
        let entity = try entity(model)
        if key <= Self.highestReservedKey { highestKeys[entity.root] = max(key, highestKeys[entity.root] ?? 0) }
        var values: [(number: Int, old: PropertyValue, new: PropertyValue)] = []
        for preserved in change.preservedValues {
            values.append(
                (
                    try number(preserved.name, entity), preserved.previousValue as? PropertyValue ?? .null,
                    preserved.value as? PropertyValue ?? .null
                ))
        }
        switch change {
        case .update(let update):
            var masks = AttributeMasks()
            let names = update.updatedAttributeNames
            if names.isEmpty { unnamedCount += 1 }
            for name in names.isEmpty ? [HistoryChecksum.unknownProperty] : names {
                masks.insert(try number(name, entity))
            }
            try write(.update, entity, key) { statement in
                if let text = masks.text {
                    try statement.bind(text, at: ChangeTable.Column.attributes)
                } else {
                    try statement.bind(masks.first, at: ChangeTable.Column.attributes)
                }
            }
        case .insert, .delete:
            let operation: ChangeTable.Operation = if case .insert = change { .insert } else { .delete }
            // The row without an attribute states that other values are missing.
            let isComplete = Set(values.map(\.number)).count >= entity.propertyCount
            guard !values.isEmpty, isComplete else {
                try write(operation, entity, key)
                break
            }
            try write(operation, entity, key, values.removeFirst())
        }
        for value in values { try write(.preservedValue, entity, key, value) }
    }

    private mutating func write(
        _ operation: ChangeTable.Operation, _ entity: Entity, _ key: Int64,
        _ value: (number: Int, old: PropertyValue, new: PropertyValue)
    ) throws {
        try write(operation, entity, key) { statement in
            try statement.bind(value.number, at: ChangeTable.Column.attributes)
            try statement.bind(value.old, at: ChangeTable.Column.oldValue)
            try statement.bind(value.new, at: ChangeTable.Column.newValue)
        }
    }

    private mutating func write(
        _ operation: ChangeTable.Operation, _ entity: Entity, _ key: Int64,
        _ bind: (Statement) throws -> Void = { _ in }
    ) throws {
        let statement = try connection.cached(ChangeTable.insertRow)
        try statement.bind(ChangeTable.Kind(operation, of: entity.number).rawValue, at: ChangeTable.Column.kind)
        try statement.bind(key, at: ChangeTable.Column.primaryKey)
        for column in [ChangeTable.Column.attributes, ChangeTable.Column.oldValue, ChangeTable.Column.newValue] {
            try statement.bindNull(column)
        }
        try bind(statement)
        try statement.run()
        position = connection.lastInsertRowID
    }

    // MARK: Names

    /// Registers an entity that the schema does not contain, like one that was removed from it.
    private mutating func entity(_ model: PersistentIdentifier) throws -> Entity {
        if let known = entities[model.entityName] { return known }
        let recorded = try EntityRegistry(connection).entity(named: model.entityName)
        add(recorded)
        let entity = Entity(number: recorded.number, root: recorded.name, propertyCount: 0)
        entities[model.entityName] = entity
        return entity
    }

    /// Registers a property without a column, like one that was removed from the class.
    private mutating func number(_ name: String, _ entity: Entity) throws -> Int {
        if let number = numbers[entity.root]?[name] { return number }
        guard var root = roots[entity.root] else {
            throw SwiftDataError.damagedFile.with(detail: "the entity \(entity.root) is missing in chronicle_entity")
        }
        let number = (root.attributes.map(\.number).max() ?? -1) + 1
        guard AttributeMasks.attributeNumbers.contains(number) else {
            throw SwiftDataError.storeFull.with(
                detail: "no numbers are left in chronicle_attribute", entityName: entity.root, propertyName: name)
        }
        let attribute = RecordedAttribute(
            number: number, name: name, type: nil, destination: nil, preservation: Preservation(), isPresent: false)
        try EntityRegistry(connection).update(attribute, of: root)
        root.attributes.append(attribute)
        roots[root.name] = root
        numbers[root.name, default: [:]][name] = number
        return number
    }
}

extension DefaultHistoryTransaction {
    /// `nil` for a name.
    fileprivate var processNumber: Int64? {
        Int64(processIdentifier).flatMap { String($0) == processIdentifier ? $0 : nil }
    }
}
