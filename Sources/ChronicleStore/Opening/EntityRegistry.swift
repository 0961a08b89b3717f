import ChronicleCore
import ChronicleSQLite

/// The numbers under which the history knows entities and attributes: given once, kept through renames and removals.
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

    /// The numbers that entities can have: those of their changes are four times as large.
    static let entityNumbers: ClosedRange<Int64> = 1...1_000_000

    /// The entities of the file, each number, name and attribute number once, in the order of the numbers.
    ///
    /// - Throws: ``SwiftDataError/damagedFile``.
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
                    throw SwiftDataError.damagedRow(.entity(entity.number), "another row has its number or name")
                }
                entities.append(entity)
                if statement.isNull(2) { continue }
            }
            let attribute = try Self.attribute(statement, of: entity.number)
            guard entities[entities.count - 1].attributes.last.map({ $0.number < attribute.number }) ?? true else {
                throw SwiftDataError.damagedRow(
                    .attribute(entity: entity.number, number: Int64(attribute.number)), "another row has its number")
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

    /// The entity with this name, which gets a number when it has none yet.
    func entity(named name: String) throws -> RecordedEntity {
        if let known = try entities().first(where: { $0.name == name }) { return known }
        let statement = try connection.prepare("INSERT INTO chronicle_entity(name) VALUES (?)")
        try statement.bind(name, at: 1)
        try statement.run()
        guard Self.entityNumbers.contains(connection.lastInsertRowID) else {
            throw SwiftDataError.storeFull.with(
                detail: "the last number of chronicle_entity is used", entityName: name)
        }
        return RecordedEntity(number: connection.lastInsertRowID, name: name, attributes: [])
    }

    /// Gives new properties their numbers, and takes over what is to be preserved.
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

    /// Gives a property the next number of its entity.
    func add(_ name: String, isPreserved: Bool, isPresent: Bool, to entity: inout RecordedEntity) throws {
        let number = (entity.attributes.map(\.number).max() ?? -1) + 1
        guard RecorderSQL.attributeNumbers.contains(number) else {
            throw SwiftDataError.storeFull.with(
                detail: "the last number of chronicle_attribute is used", entityName: entity.name, propertyName: name)
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

    /// The table as the recorder needs to know it. The unique indexes are the file's, whoever made them and in whatever
    /// order: the text of a trigger depends on nothing else.
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
