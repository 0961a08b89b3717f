import ChronicleCore
import ChronicleSQL
import ChronicleSQLStore
import ChronicleSQLite

/// Transfers the destinations of relationships that a new schema stores in another way, for example because a to-one
/// relationship became a to-many relationship.
///
/// The pairs of models and destinations are copied to a temporary table before the tables of the new schema exist, and
/// from there to their new place when the triggers exist that record the changes.
struct RelationshipTransfer {
    private let completion: SchemaCompletion
    private var connection: Connection { completion.connection }
    private let relationships: [RelationshipChange]

    private static let pairs = "temp.chronicle_pair"

    /// Copies the pairs, and removes the columns and link tables that the new schema does not use.
    ///
    /// - Parameters:
    ///   - completion: The schema and the file, whose entities have their new names.
    ///   - plan: The relationships that those of the schema continue. Columns have their names before.
    init(_ completion: SchemaCompletion, _ plan: SchemaPlan) throws {
        self.completion = completion
        relationships = try RelationshipChange.changes(plan, to: completion.schema) {
            try Self.exists($0, completion)
        }
        guard !relationships.isEmpty else { return }
        try connection.execute(
            """
            CREATE TABLE \(Self.pairs)(relationship INTEGER, source INTEGER, destination INTEGER, \
            PRIMARY KEY (relationship, source, destination)) WITHOUT ROWID;
            CREATE INDEX temp.chronicle_pair_destination ON chronicle_pair(relationship, destination)
            """)
        for (number, relationship) in relationships.enumerated() { try copy(relationship, number, plan) }
        for relationship in relationships { try remove(relationship.old, plan) }
    }

    // MARK: The old storage

    private static func exists(_ storage: RelationshipStorage, _ completion: SchemaCompletion) throws -> Bool {
        switch storage {
        case .links(let table, _, _): try completion.tableExists(table)
        case .column(let table, let name), .inverseColumn(let table, let name):
            try completion.fileColumns(of: table).contains { $0.name == name }
        }
    }

    private func copy(_ relationship: RelationshipChange, _ number: Int, _ plan: SchemaPlan) throws {
        guard let destination = relationship.property.relationship?.destination else { return }
        let table = relationship.entity.name
        let columns = try completion.fileColumns(of: table)
        // Other classes in the table do not have the relationship any more.
        let owners = plan.tables[table]?.classes.filter { $0.earlier[relationship.property.name] != nil } ?? []
        let rows = owners.map { completion.rows(of: $0.entity, columns) }.joined(separator: " OR ")
        // A relationship with the delete rule `noAction` can contain the keys of rows that do not exist. The unary plus
        // keeps SQLite from trying every pair of rows in the index of a link table.
        // https://www.sqlite.org/optoverview.html#disqualifying_where_clause_terms_using_unary_
        try connection.execute(
            """
            INSERT INTO \(Self.pairs) SELECT \(number), source, destination FROM (\(relationship.old.pairs.sql)) \
            WHERE +source IN (SELECT _rowid_ FROM \(quoted(table)) WHERE \(rows)) \
            AND +destination IN (SELECT _rowid_ FROM \(quoted(destination)))
            """)
    }

    /// Removes the earlier place of a relationship, which would otherwise keep values that nothing updates.
    private func remove(_ storage: RelationshipStorage, _ plan: SchemaPlan) throws {
        switch storage {
        case .links(let table, _, _): try completion.dropLinkTable(named: table)
        case .column(let table, let name), .inverseColumn(let table, let name):
            guard plan.tables[table]?.continues(column: name) != true, try Self.exists(storage, completion) else {
                return
            }
            try completion.dropColumn(name, of: table)
        }
    }

    // MARK: The new storage

    /// Copies the pairs to their new place.
    ///
    /// - Throws: ``SwiftDataError/backwardMigration`` if a to-one relationship would have several destinations.
    func apply() throws {
        guard !relationships.isEmpty else { return }
        for (number, relationship) in relationships.enumerated() {
            try requireSingleDestinations(relationship, number)
        }
        try completion.recordingChanges {
            for (number, relationship) in relationships.enumerated() { try write(relationship.new, number) }
        }
        try connection.execute("DROP TABLE \(Self.pairs)")
        try recordPosition()
    }

    /// Records the position from which the history contains the relationships as the new schema stores them.
    private func recordPosition() throws {
        guard let position = try connection.scalarInt64(ChangeTable.selectNewestPosition) else { return }
        let names = Set(relationships.map(\.entity.name))
        for entity in try EntityRegistry(connection).entities() where names.contains(entity.name) {
            try MetaTable.set(.relationships(entity.number), position, connection)
        }
    }

    private func requireSingleDestinations(_ relationship: RelationshipChange, _ number: Int) throws {
        guard let key = relationship.new.uniqueColumn else { return }
        let search =
            "SELECT 1 FROM \(Self.pairs) WHERE relationship = \(number) GROUP BY \(key) HAVING count(*) > 1 LIMIT 1"
        guard try connection.scalarInt64(search) != nil else { return }
        throw SwiftDataError.backwardMigration.with(
            detail: "the relationship is to-one now, or its inverse is, but the file has models with several "
                + "destinations; remove all but one, for example in the `willMigrate` closure of a stage",
            entityName: relationship.entity.name, propertyName: relationship.property.name)
    }

    private func write(_ storage: RelationshipStorage, _ number: Int) throws {
        func update(_ table: String, _ column: String, _ value: String, where key: String) -> String {
            let pair = "FROM \(Self.pairs) WHERE relationship = \(number)"
            let new = "(SELECT \(value) \(pair) AND \(key) = \(quoted(table))._rowid_)"
            return """
                UPDATE \(quoted(table)) SET \(quoted(column)) = \(new) \
                WHERE _rowid_ IN (SELECT \(key) \(pair)) AND \(quoted(column)) IS NOT \(new)
                """
        }
        switch storage {
        case .column(let table, let name):
            try connection.execute(update(table, name, "destination", where: "source"))
        case .inverseColumn(let table, let name):
            try connection.execute(update(table, name, "source", where: "destination"))
        case .links(let table, let from, let to):
            try connection.execute(
                """
                INSERT OR IGNORE INTO \(quoted(table))(\(from), \(to)) \
                SELECT source, destination FROM \(Self.pairs) WHERE relationship = \(number)
                """)
        }
    }
}

extension SchemaCompletion {
    /// Drops a column with its indexes. The attribute keeps its number in the history.
    ///
    /// - Parameter isReplaced: Whether another property has the name from now on.
    func dropColumn(_ name: String, of table: String, isReplaced: Bool = false) throws {
        let registry = EntityRegistry(connection)
        guard let entity = try registry.entities().first(where: { $0.name == table }) else { return }
        try dropTriggers(of: entity)
        let statement = try connection.prepare(
            """
            SELECT DISTINCT i.name FROM pragma_index_list(?1) AS i, pragma_index_info(i.name) AS c \
            WHERE c.name = ?2 AND substr(i.name, 1, 10) = 'chronicle_'
            """)
        try statement.bind(table, at: 1)
        try statement.bind(name, at: 2)
        var indexes: [String] = []
        while try statement.step() { indexes.append(statement.text(0)) }
        statement.reset()
        for index in indexes { try connection.execute("DROP INDEX \(quoted(index))") }
        do { try connection.execute("ALTER TABLE \(quoted(table)) DROP COLUMN \(quoted(name))") } catch let error
            as SQLiteError where error.extendedCode == 1
        {
            throw SwiftDataError.backwardMigration.with(
                detail: "the column cannot be dropped, because another program uses it: \(error.message)",
                entityName: table, propertyName: name, underlying: DatabaseError(error))
        }
        if var attribute = entity.attributes.first(where: { $0.name == name && $0.isPresent }) {
            attribute.isPresent = false
            if isReplaced { attribute.name = attribute.nameAfterReplacement }
            try registry.update(attribute, of: entity)
        }
    }
}
