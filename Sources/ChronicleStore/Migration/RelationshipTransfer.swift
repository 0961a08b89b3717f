import ChronicleCore
import ChronicleSQLite

/// Transfers the destinations of relationships whose stored form changes, for example because a to-one relationship
/// became a to-many relationship.
///
/// The pairs of models and destinations are copied to a temporary table before the tables of the new schema exist, and
/// from there to their new place when the triggers exist that record the changes.
struct RelationshipTransfer {
    private let completion: SchemaCompletion
    private var connection: Connection { completion.connection }
    private let relationships: [Relationship]

    private struct Relationship {
        let entity: Schema.Entity
        let property: Schema.Property
        let new: RelationshipForm
    }

    private static let pairs = "temp.chronicle_pair"

    /// Copies the pairs, and removes the columns and link tables that the new schema does not use.
    ///
    /// - Parameters:
    ///   - completion: The schema and the file, whose entities have their new names.
    ///   - definitions: The descriptions of the entities before, by their names before.
    init(_ completion: SchemaCompletion, from definitions: [String: Schema.Entity]) throws {
        self.completion = completion
        let earlier = EarlierTables(definitions)
        var found: [Relationship] = []
        var forms: [RelationshipForm] = []
        for entity in completion.schema.entities {
            guard let before = definitions[entity.name] ?? definitions[completion.originalName(of: entity.name)] else {
                continue
            }
            for property in entity.properties {
                guard let new = RelationshipForm(property, of: entity, in: completion.schema),
                    let old = try Self.earlierForm(of: property, of: entity, before, earlier, completion),
                    !old.isSameKind(as: new), try !Self.exists(new, completion)
                else { continue }
                found.append(Relationship(entity: entity, property: property, new: new))
                forms.append(old)
            }
        }
        relationships = found
        guard !found.isEmpty else { return }
        try connection.execute(
            """
            CREATE TABLE \(Self.pairs)(relationship INTEGER, source INTEGER, destination INTEGER, \
            PRIMARY KEY (relationship, source, destination)) WITHOUT ROWID;
            CREATE INDEX temp.chronicle_pair_destination ON chronicle_pair(relationship, destination)
            """)
        for (number, form) in forms.enumerated() { try copy(form, of: found[number], number) }
        for form in forms { try remove(form) }
    }

    // MARK: The earlier form

    private static func earlierForm(
        of property: Schema.Property, of entity: Schema.Entity, _ before: Schema.Entity, _ earlier: EarlierTables,
        _ completion: SchemaCompletion
    ) throws -> RelationshipForm? {
        let table = earlier.table(named: before.name)
        let known =
            earlier.property(property.name, of: table)
            ?? property.previousName.flatMap { earlier.property($0, of: table) }
        guard let old = known, let relationship = old.relationship,
            let destination = property.relationship?.destination,
            [destination, completion.originalName(of: destination)].contains(
                earlier.table(named: relationship.destination))
        else { return nil }
        if relationship.isLinked {
            let table = "\(entity.name).\(old.name)"
            if try completion.tableExists(table) { return .links(table: table, from: "owner", to: "destination") }
            guard let inverse = relationship.inverseName else { return nil }
            let reversed = "\(destination).\(inverse)"
            return try completion.tableExists(reversed)
                ? .links(table: reversed, from: "destination", to: "owner") : nil
        }
        let form: RelationshipForm? =
            relationship.isToMany
            ? relationship.inverseName.map { .inverse(table: destination, name: $0) }
            : .column(table: entity.name, name: old.name)
        return try form.flatMap { try exists($0, completion) ? $0 : nil }
    }

    private static func exists(_ form: RelationshipForm, _ completion: SchemaCompletion) throws -> Bool {
        switch form {
        case .links(let table, _, _): try completion.tableExists(table)
        case .column(let table, let name), .inverse(let table, let name):
            try completion.fileColumns(of: table).contains { $0.name == name }
        }
    }

    private func copy(_ form: RelationshipForm, of relationship: Relationship, _ number: Int) throws {
        guard let destination = relationship.property.relationship?.destination else { return }
        // A relationship with the delete rule `noAction` can contain the keys of rows that do not exist. The unary plus
        // keeps SQLite from trying every pair of rows in the index of a link table.
        // https://www.sqlite.org/optoverview.html#disqualifying_where_clause_terms_using_unary_
        try connection.execute(
            """
            INSERT INTO \(Self.pairs) SELECT \(number), source, destination FROM (\(form.select)) \
            WHERE +source IN (SELECT _rowid_ FROM \(quoted(relationship.entity.name))) \
            AND +destination IN (SELECT _rowid_ FROM \(quoted(destination)))
            """)
    }

    /// Removes the earlier place of a relationship, which would otherwise keep values that nothing updates.
    private func remove(_ form: RelationshipForm) throws {
        switch form {
        case .links(let table, _, _): try completion.dropLinkTable(named: table)
        case .column(let table, let name), .inverse(let table, let name):
            let isUsed = completion.schema.entitiesByName[table]?.storedProperties.contains {
                $0.name == name || $0.previousName == name
            }
            guard isUsed != true, try Self.exists(form, completion) else { return }
            try completion.dropColumn(name, of: table)
        }
    }

    // MARK: The new form

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

    /// Records the position from which the history contains the relationships in their new form.
    private func recordPosition() throws {
        guard let position = try connection.scalarInt64(ChangeTable.selectNewestPosition) else { return }
        let names = Set(relationships.map(\.entity.name))
        for entity in try EntityRegistry(connection).entities() where names.contains(entity.name) {
            try MetaTable.set(.relationships(entity.number), position, connection)
        }
    }

    private func requireSingleDestinations(_ relationship: Relationship, _ number: Int) throws {
        let key: String
        switch relationship.new {
        case .links: return
        case .column: key = "source"
        case .inverse: key = "destination"
        }
        let search =
            "SELECT 1 FROM \(Self.pairs) WHERE relationship = \(number) GROUP BY \(key) HAVING count(*) > 1 LIMIT 1"
        guard try connection.scalarInt64(search) != nil else { return }
        throw SwiftDataError.backwardMigration.with(
            detail: "the relationship is to-one now, or its inverse is, but the file has models with several "
                + "destinations; remove all but one, for example in the `willMigrate` closure of a stage",
            entityName: relationship.entity.name, propertyName: relationship.property.name)
    }

    private func write(_ form: RelationshipForm, _ number: Int) throws {
        func update(_ table: String, _ column: String, _ value: String, where key: String) -> String {
            let pair = "FROM \(Self.pairs) WHERE relationship = \(number)"
            let new = "(SELECT \(value) \(pair) AND \(key) = \(quoted(table))._rowid_)"
            return """
                UPDATE \(quoted(table)) SET \(quoted(column)) = \(new) \
                WHERE _rowid_ IN (SELECT \(key) \(pair)) AND \(quoted(column)) IS NOT \(new)
                """
        }
        switch form {
        case .column(let table, let name):
            try connection.execute(update(table, name, "destination", where: "source"))
        case .inverse(let table, let name):
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

/// The tables of the entities before, each of which has the properties of a hierarchy.
private struct EarlierTables {
    private let definitions: [String: Schema.Entity]
    /// The entities of each table, the root first.
    private let entities: [String: [Schema.Entity]]

    init(_ definitions: [String: Schema.Entity]) {
        self.definitions = definitions
        entities = Dictionary(grouping: definitions.values) { Self.root(of: $0.name, definitions) }
            .mapValues { $0.sorted { ($0.superentityName ?? "", $0.name) < ($1.superentityName ?? "", $1.name) } }
    }

    func table(named name: String) -> String { Self.root(of: name, definitions) }

    func property(_ name: String, of table: String) -> Schema.Property? {
        entities[table]?.lazy.compactMap { $0.propertiesByName[name] }.first
    }

    private static func root(of name: String, _ definitions: [String: Schema.Entity]) -> String {
        var (root, count) = (name, 0)
        // The names in a damaged file may form a cycle.
        while let superentity = definitions[root]?.superentityName, count < definitions.count {
            (root, count) = (superentity, count + 1)
        }
        return root
    }
}

extension SchemaCompletion {
    /// Drops a column with its indexes. The attribute keeps its number in the history.
    fileprivate func dropColumn(_ name: String, of table: String) throws {
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
        try connection.execute("ALTER TABLE \(quoted(table)) DROP COLUMN \(quoted(name))")
        if var attribute = entity.attributes.first(where: { $0.name == name && $0.isPresent }) {
            attribute.isPresent = false
            try registry.update(attribute, of: entity)
        }
    }
}
