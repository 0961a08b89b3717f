import ChronicleCore
import ChronicleSQLite

/// The numbers that identify entities and attributes in the history. They are assigned once and survive renames and
/// removals.
struct EntityRegistry {
    let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    static let tables = [
        "CREATE TABLE IF NOT EXISTS chronicle_entity(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
        """
        CREATE TABLE IF NOT EXISTS chronicle_attribute(entity INTEGER NOT NULL, number INTEGER NOT NULL, \
        name TEXT NOT NULL, preserved INTEGER NOT NULL, present INTEGER NOT NULL, \
        PRIMARY KEY (entity, number)) WITHOUT ROWID
        """,
        """
        CREATE TABLE IF NOT EXISTS chronicle_source(id INTEGER PRIMARY KEY, author TEXT, context TEXT, program TEXT, \
        process TEXT)
        """,
    ]

    /// The valid numbers of entities. The history stores them multiplied by four.
    static let entityNumbers: ClosedRange<Int64> = 1...1_000_000

    /// Returns the entities of the file in the order of their numbers, after checking that numbers and names are
    /// unique.
    ///
    /// - Throws: ``SwiftDataError/damagedFile`` if a row is invalid.
    func entities() throws -> [RecordedEntity] {
        let statement = try connection.prepare(
            """
            SELECT e.id, e.name, a.number, a.name, a.preserved, a.present FROM chronicle_entity AS e
            LEFT JOIN chronicle_attribute AS a ON a.entity = e.id ORDER BY e.id, a.number
            """)
        var entities: [RecordedEntity] = []
        var names: Set<String> = []
        while try statement.step() {
            let entity = try Self.entity(statement)
            if entities.last.map({ ($0.number, $0.name) != (entity.number, entity.name) }) ?? true {
                guard entities.last.map({ $0.number < entity.number }) ?? true, names.insert(entity.name).inserted
                else {
                    throw SwiftDataError.damagedRow(.entity(entity.number), "another row has the same number or name")
                }
                entities.append(entity)
                if statement.isNull(2) { continue }
            }
            let attribute = try Self.attribute(statement, of: entity.number)
            guard entities[entities.count - 1].attributes.last.map({ $0.number < attribute.number }) ?? true else {
                throw SwiftDataError.damagedRow(
                    .attribute(entity: entity.number, number: Int64(attribute.number)),
                    "another row has the same number")
            }
            entities[entities.count - 1].attributes.append(attribute)
        }
        return entities
    }

    private static func entity(_ statement: Statement) throws -> RecordedEntity {
        let row = FileRow.entity(statement.int64(0))
        return RecordedEntity(
            number: try statement.integer(0, in: entityNumbers, of: row), name: try statement.text(1, of: row),
            attributes: [])
    }

    private static func attribute(_ statement: Statement, of entity: Int64) throws -> RecordedAttribute {
        let row = FileRow.attribute(entity: entity, number: statement.int64(2))
        let numbers = RecorderSQL.attributeNumbers
        return RecordedAttribute(
            number: Int(try statement.integer(2, in: Int64(numbers.lowerBound)...Int64(numbers.upperBound), of: row)),
            name: try statement.text(3, of: row), isPreserved: statement.int64(4) != 0,
            isPresent: statement.int64(5) != 0)
    }

    /// Returns the entity with a name, assigning a number to it if it is new.
    func entity(named name: String) throws -> RecordedEntity {
        if let known = try entities().first(where: { $0.name == name }) { return known }
        let statement = try connection.prepare("INSERT INTO chronicle_entity(name) VALUES (?)")
        try statement.bind(name, at: 1)
        try statement.run()
        guard Self.entityNumbers.contains(connection.lastInsertRowID) else {
            throw SwiftDataError.storeFull.with(
                detail: "no numbers are left in chronicle_entity", entityName: name)
        }
        return RecordedEntity(number: connection.lastInsertRowID, name: name, attributes: [])
    }

    /// Assigns numbers to new properties and updates which values are preserved.
    func register(_ entity: Schema.Entity, _ recorded: inout RecordedEntity) throws {
        for property in entity.storedProperties {
            let preserved = property.attribute?.options.contains(.preserveValueOnDeletion) == true
            if let index = recorded.attributes.firstIndex(where: { $0.name == property.name && $0.isPresent }) {
                recorded.attributes[index].isPreserved = preserved
                try update(recorded.attributes[index], of: recorded)
            } else {
                try add(property.name, isPreserved: preserved, isPresent: true, to: &recorded)
            }
        }
    }

    /// Assigns the next number of the entity to a property.
    func add(_ name: String, isPreserved: Bool, isPresent: Bool, to entity: inout RecordedEntity) throws {
        let number = (entity.attributes.map(\.number).max() ?? -1) + 1
        guard RecorderSQL.attributeNumbers.contains(number) else {
            throw SwiftDataError.storeFull.with(
                detail: "no numbers are left in chronicle_attribute", entityName: entity.name, propertyName: name)
        }
        let attribute = RecordedAttribute(
            number: number, name: name, isPreserved: isPreserved, isPresent: isPresent)
        entity.attributes.append(attribute)
        try update(attribute, of: entity)
    }

    func update(_ attribute: RecordedAttribute, of entity: RecordedEntity) throws {
        let statement = try connection.cached(
            """
            INSERT INTO chronicle_attribute(entity, number, name, preserved, present) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET name = excluded.name, preserved = excluded.preserved, present = excluded.present
            """)
        try statement.bind(entity.number, at: 1)
        try statement.bind(attribute.number, at: 2)
        try statement.bind(attribute.name, at: 3)
        try statement.bind(attribute.isPreserved ? 1 : 0, at: 4)
        try statement.bind(attribute.isPresent ? 1 : 0, at: 5)
        try statement.run()
    }

    /// Returns the description of an entity's table for the recorder.
    ///
    /// The unique indexes are read from the file, including those that other programs created. The text of the triggers
    /// depends only on them and on the columns, not on the order in which the indexes were created.
    func table(of entity: RecordedEntity) throws -> RecordedTable {
        let indexes = try connection.prepare(
            """
            SELECT i.name, c.name FROM pragma_index_list(?) AS i, pragma_index_info(i.name) AS c
            WHERE i."unique" AND NOT i.partial ORDER BY i.name, c.seqno
            """)
        try indexes.bind(entity.name, at: 1)
        var columnsByIndex: [(name: String, columns: [String])] = []
        while try indexes.step() {
            if columnsByIndex.last?.name != indexes.text(0) { columnsByIndex.append((indexes.text(0), [])) }
            columnsByIndex[columnsByIndex.count - 1].columns.append(indexes.text(1))
        }
        return RecordedTable(
            entityID: entity.number, name: entity.name,
            columns: entity.attributes.filter(\.isPresent).map {
                RecordedTable.Column(number: $0.number, name: $0.name, preserved: $0.isPreserved)
            },
            uniqueness: columnsByIndex.map(\.columns))
    }
}
