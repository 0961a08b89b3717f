public import ChronicleCore
import ChronicleSQL
import ChronicleSQLStore
import ChronicleSQLite
import Foundation
import Synchronization

extension DefaultStore: RevisionProviding {
    /// Returns the revisions that match a descriptor.
    ///
    /// One query visits the changes of the entity and its present rows, and evaluates the conditions.
    ///
    /// - Complexity: O(*n* log *n*), where *n* is the number of changes and models of the entity. With the index by model, and
    ///   for given models, O(*k* log *n*), where *k* is the number of their changes. Memory is proportional to the number of
    ///   returned revisions, and takes a bit for each row of the history.
    public func fetchRevisions<Model: PersistentModel>(
        _ descriptor: RevisionDescriptor<Model>
    ) throws -> [Revision<Model>] {
        try readingRevisions(descriptor) { fetch, reader in
            let isReverse = descriptor.order == .reverse
            let order: [SQLQuery] = [
                "t.\(raw: RevisionRows.begin)\(raw: isReverse ? " DESC" : "")",
                "t.\(raw: quoted(RecordedTable.primaryKey))",
            ]
            let statement = try reader.connection.prepared(fetch.select(SQLQuery(raw: reader.selection), thenBy: order))
            var reader = reader
            var revisions: [Revision<Model>] = []
            while try statement.step() { revisions.append(try reader.revision(statement)) }
            return revisions
        }
    }

    public func fetchRevisionsCount<Model: PersistentModel>(_ descriptor: RevisionDescriptor<Model>) throws -> Int {
        try readingRevisions(descriptor) { fetch, reader in
            let query: SQLQuery = "SELECT count(*) FROM (SELECT 1 \(fetch.rows)\(fetch.limit ?? ""))"
            let statement = try reader.connection.prepared(query)
            return try statement.step() ? Int(statement.int64(0)) : 0
        }
    }

    private func readingRevisions<Model: PersistentModel, Result>(
        _ descriptor: RevisionDescriptor<Model>, _ body: (FetchSQL, RevisionReader<Model>) throws -> Result
    ) throws -> Result {
        guard past == nil else {
            throw SwiftDataError.unsupportedFeature.with(
                detail: "revisions cannot be fetched as of a position; use the store without one")
        }
        let table = try layout.table(named: descriptor.entityName)
        return try readingHistory { connection in
            try requireRecorded(table.name, connection)
            let plan = try revisionPlan(descriptor, table, connection)
            let computed = ComputedTable(
                RevisionTables.newName(), columns: RevisionRows.declarations(plan.columns)
            ) { try RevisionRows(plan, connection) }
            let ungrouped = try HistoryPositions(connection).ungrouped(after: 0)
            let source = try revisionSource(descriptor, "temp.\(computed.name)", plan, ungrouped, connection)
            let fetch = try revisionFetch(descriptor, source)
            return try connection.withTable(computed) {
                try body(fetch, RevisionReader(plan, table, connection, historyCatalog, ungrouped))
            }
        }
    }

    private func revisionFetch<Model>(
        _ descriptor: RevisionDescriptor<Model>, _ source: SQLQuery
    ) throws -> FetchSQL {
        var rows = FetchDescriptor(predicate: descriptor.predicate, sortBy: descriptor.sortBy)
        (rows.fetchLimit, rows.fetchOffset) = (descriptor.fetchLimit, descriptor.fetchOffset)
        let fetch = try FetchSQL(
            rows, of: schema.entitiesByName[descriptor.entityName], schema: schema, storeIdentifier: identifier,
            dialect: SQLiteDialect(),
            tables: RevisionTables(source: source))
        guard fetch.tableNames.count == 1, !fetch.readsLinks else {
            throw SwiftDataError.unsupportedFeature.with(
                detail: "conditions and the order of revisions cannot use properties of other models, nor to-many "
                    + "relationships; compare the identifier of a destination, or fetch models as of a position",
                entityName: descriptor.entityName)
        }
        return fetch
    }

    // MARK: The parts of a query

    private func revisionPlan<Model>(
        _ descriptor: RevisionDescriptor<Model>, _ entity: EntityTable, _ connection: Connection
    ) throws -> RevisionPlan {
        let recorded = try EntityRegistry(connection).entities()
        guard let table = PastLayout(recorded, schema).tables[entity.tableNumber],
            let root = recorded.first(where: { $0.number == table.number })
        else { throw SwiftDataError.unknownSchema.with(entityName: descriptor.entityName) }
        let columns = try PastTable.columns(of: table, layout, connection)
        let numbers = Set(columns.map(\.number))
        guard
            try root.attributes.contains(where: { numbers.contains($0.number) && $0.preservation.updates != .none })
                || columns.isEmpty || MetaTable.position(.preservesValuesSince, connection) != nil
        else {
            throw SwiftDataError.unsupportedFeature.with(
                detail: "the history does not preserve values of the model; enable it with `preservesValues: true` "
                    + "in the configuration, or with the option `.preserveValueOnUpdate` of attributes",
                entityName: descriptor.entityName)
        }
        let history = HistoryPositions(connection)
        let facts = try history.facts(at: 0)
        let start = max(facts.floor, facts.gap)
        // A token of changes that had no header is a position within a transaction.
        let headers = try RevisionHeaders(connection, after: start, newest: facts.newest, isComplete: false)
        func position(_ token: DefaultHistoryToken) throws -> Int64 {
            let (position, facts) = try history.checkedFacts(token, storeIdentifier: identifier)
            if case .change = facts.row { return try headers.header(after: position) }
            return position
        }
        let lowerBound = try descriptor.lowerBound.map(position)
        // A relationship that became to-one has no earlier values in its column.
        let first = lowerBound ?? start
        if let changed = try MetaTable.position(.relationships(table.number), connection), changed > first {
            throw SwiftDataError.historyValueMissing.with(
                detail: "a relationship changed between to-one and to-many after position \(first); use a lower "
                    + "bound after position \(changed)",
                entityName: descriptor.entityName)
        }
        let preservesValues = try MetaTable.text(.preservesValues, connection) == "on"
        return try RevisionPlan(
            table: table, keyColumns: layout.recordedEntities[table.number]?.keyColumns ?? [],
            present: layout.presentRows(ofTable: table.number), columns: columns, schema: schema,
            storeIdentifier: identifier, keys: keys(descriptor, entity), start: start, newest: facts.newest,
            lowerBound: lowerBound,
            upperBound: descriptor.upperBound.map(position),
            changed: changedAttributes(descriptor, root),
            completeDeletes: preservesValues ? MetaTable.position(.preservesValuesSince, connection) ?? 0 : nil,
            isIndexed: descriptor.identifiers != nil && ModelIndex.exists(connection))
    }

    private func keys<Model>(_ descriptor: RevisionDescriptor<Model>, _ entity: EntityTable) -> [Int64]? {
        descriptor.identifiers.map { identifiers in
            let keys = identifiers.compactMap { model in
                model.storeIdentifier == identifier && model.rootEntityName == entity.name
                    ? model.integerPrimaryKey : nil
            }
            return Set(keys).sorted()
        }
    }

    private func changedAttributes<Model>(
        _ descriptor: RevisionDescriptor<Model>, _ root: RecordedEntity
    ) throws -> Set<Int>? {
        if descriptor.changedProperties.isEmpty { return nil }
        let entity = schema.entitiesByName[descriptor.entityName]
        return try Set(
            descriptor.changedProperties.map { keyPath in
                let property = entity?.property(at: keyPath)
                let name = property?.name
                // An earlier relationship of this name may have been stored in the other way.
                let attribute = root.attributes.last {
                    $0.name == name && $0.isPresent == ((property?.slot ?? -1) >= 0)
                }
                guard let attribute else {
                    throw SwiftDataError.unsupportedKeyPath.with(
                        detail: "a changed property is not a stored property, or its changes are recorded for other "
                            + "models",
                        entityName: descriptor.entityName, propertyName: name)
                }
                return attribute.number
            })
    }

    /// The revisions whose transactions match, in a FROM clause.
    private func revisionSource<Model>(
        _ descriptor: RevisionDescriptor<Model>, _ name: String, _ plan: RevisionPlan, _ ungrouped: ClosedRange<Int64>?,
        _ connection: Connection
    ) throws -> SQLQuery {
        guard let transactions = descriptor.transactions else { return "\(raw: name)" }
        let query = try HistoryQuery(
            HistoryDescriptor(predicate: transactions), self, connection)
        guard query.sql.lowerBounds.isEmpty, query.sql.upperBounds.isEmpty else {
            throw SwiftDataError.unsupportedPredicate.with(
                detail: "the condition on transactions cannot use tokens; use the bounds of the descriptor")
        }
        // Without a header, the changes belong to a transaction of other programs.
        func value(_ column: String, _ pending: SQLQuery) -> SQLQuery {
            "CASE WHEN \(raw: ChangeTable.isChange("c.")) THEN \(pending) ELSE c.\(raw: column) END AS \(raw: column)"
        }
        let date = ungrouped == nil ? nil : try PendingTransaction.started(connection) ?? Date()
        let headers: SQLQuery = """
            (SELECT c.id AS id, \(value("kind", "\(raw: ChangeTable.headerKind(source: SourceTable.external))")), \
            \(value("primary_key", "\(value: .real(date?.timeIntervalSinceReferenceDate ?? 0))")), \
            \(value("old_value", "\(value: .integer(ungrouped?.lowerBound ?? 0))")), \
            \(value("new_value", "NULL")) FROM \(raw: ChangeTable.name) AS c \
            WHERE \(raw: ChangeTable.isHeader("c.")) OR c.id = \(value: .integer(ungrouped?.upperBound ?? 0)))
            """
        // A missing value of a revision whose transaction does not match has no effect. SQLite may visit the sources first, so the
        // condition includes the join.
        let source: SQLQuery = "\(raw: ChangeTable.source("h."))"
        let checked = Set(plan.columns.map { quoted($0.name) })
        let columns = RevisionRows.names(plan.columns).map { column -> SQLQuery in
            guard let condition = query.sql.condition, checked.contains(column) else {
                return "r.\(raw: column) AS \(raw: column)"
            }
            return """
                CASE WHEN (s.id IS NULL OR s.id = \(source)) AND (\(condition)) THEN r.\(raw: column) END \
                AS \(raw: column)
                """
        }
        let condition: SQLQuery = query.sql.condition.map { " WHERE \($0)" } ?? ""
        return """
            (SELECT \(columns.joined(", ")) FROM \(raw: name) AS r \
            CROSS JOIN \(headers) AS h ON h.id = r.\(raw: RevisionRows.begin) \
            LEFT JOIN \(raw: SourceTable.name) AS s ON s.id = \(source)\(condition))
            """
    }
}

/// The revisions in place of the rows of the only table that a query reads.
private struct RevisionTables: SQLTables {
    let source: SQLQuery

    private static let count = Atomic(0)

    /// Each query has its own table.
    static func newName() -> String {
        "chronicle_revisions_\(count.wrappingAdd(1, ordering: .relaxed).newValue)"
    }

    func rows(of table: String) -> SQLQuery? { source }
    var hasUniqueKeys: Bool { false }
}

/// Creates the revisions of a query.
private struct RevisionReader<Model: PersistentModel> {
    let connection: Connection
    private let plan: RevisionPlan
    private let table: EntityTable
    private let ungrouped: ClosedRange<Int64>?
    private let start: DefaultHistoryToken
    private var reader: TransactionReader
    private var transactions: [Int64: DefaultHistoryTransaction] = [:]

    init(
        _ plan: RevisionPlan, _ table: EntityTable, _ connection: Connection, _ catalog: HistoryCatalog,
        _ ungrouped: ClosedRange<Int64>?
    ) throws {
        (self.plan, self.table, self.connection, self.ungrouped) = (plan, table, connection, ungrouped)
        reader = try TransactionReader(connection, catalog)
        let facts = try HistoryPositions(connection).facts(at: plan.start)
        start = DefaultHistoryToken(
            storeIdentifier: plan.storeIdentifier, position: plan.start,
            checkValue: plan.start == 0
                ? nil : plan.start == facts.floor ? facts.floorCheckValue : facts.row.checkValue)
    }

    /// The columns in the order of the table's selection, and the interval.
    var selection: String {
        let names = table.selectedNames.enumerated().map { index, name in
            quoted(index == 0 ? name : RevisionRows.known(name))
        }
        let interval = [RevisionRows.begin, RevisionRows.end, RevisionRows.isInsert, RevisionRows.unknown]
        return (names + interval).map { "t.\($0)" }.joined(separator: ", ")
    }

    mutating func revision(_ statement: Statement) throws -> Revision<Model> {
        let first = Int32(table.selectedCount)
        let (identifier, values) = try statement.row(of: table)
        guard let entity = plan.schema.entitiesByName[identifier.entityName] else {
            throw SwiftDataError.unknownSchema.with(persistentIdentifier: identifier)
        }
        let begin = try transaction(statement.int64(first))
        let end = statement.isNull(first + 1) ? nil : try transaction(statement.int64(first + 1))
        return Revision(
            DefaultSnapshot(persistentIdentifier: identifier, values: values, changed: PropertySet()), of: entity,
            missingPropertyNames: try missingNames(statement, first + 3, entity, identifier),
            begin: begin?.token ?? start, end: end?.token, transaction: begin,
            changeKind: begin == nil ? nil : statement.int64(first + 2) == 1 ? .insert : .update)
    }

    private func missingNames(
        _ statement: Statement, _ column: Int32, _ entity: Schema.Entity, _ identifier: PersistentIdentifier
    ) throws -> Set<String> {
        if statement.isNull(column) { return [] }
        let places = statement.text(column).split(separator: ",").compactMap { Int($0) }
        let names = places.filter(plan.columns.indices.contains).map { plan.columns[$0].name }
        guard !names.contains(Schema.entityAttribute) else {
            throw SwiftDataError.historyValueMissing.with(
                detail: "the history does not contain the class of the model; fetch revisions of later positions",
                entityName: table.entity.name, persistentIdentifier: identifier)
        }
        return Set(names.filter { entity.propertiesByName[$0] != nil })
    }

    /// `nil` at the beginning of the history.
    private mutating func transaction(_ position: Int64) throws -> DefaultHistoryTransaction? {
        if position == 0 { return nil }
        if let known = transactions[position] { return known }
        let transaction = try reader.transaction(header(position), [])
        // A page usually has few transactions; a long result must not keep all of them.
        if transactions.count >= 10_000 { transactions.removeAll(keepingCapacity: true) }
        transactions[position] = transaction
        return transaction
    }

    private func header(_ position: Int64) throws -> HistoryHeader {
        if let ungrouped, ungrouped.upperBound == position { return try .ungrouped(ungrouped, connection) }
        let statement = try connection.cached("SELECT \(ChangeTable.columns) FROM \(ChangeTable.name) WHERE id = ?")
        defer { statement.reset() }
        try statement.bind(position, at: 1)
        guard try statement.step(), ChangeTable.Kind(rawValue: statement.int64(ChangeTable.Column.kind)).isHeader else {
            throw SwiftDataError.damagedRow(.change(position), "the changes before it belong to no transaction")
        }
        return try HistoryHeader(statement)
    }
}
