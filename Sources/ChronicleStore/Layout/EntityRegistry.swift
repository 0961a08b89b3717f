import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite
import Foundation

extension RecordedEntity: CatalogEntity {}
extension RecordedAttribute: CatalogAttribute {}

/// The numbers of entities and attributes in the history, which survive renames and removals.
struct EntityRegistry: EntityCatalog {
    let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    var meta: MetaTable { MetaTable(connection) }

    /// An entity that inherits from `superentity` has its rows in the table of the hierarchy's root, and the attributes of
    /// the root. `table_name` and `key_columns` describe tables of tracked databases; see ``RecordedEntity/tableName``.
    static let tables = [
        """
        CREATE TABLE IF NOT EXISTS chronicle_entity(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, \
        superentity INTEGER, table_name TEXT, key_columns TEXT, definition TEXT)
        """,
        """
        CREATE TABLE IF NOT EXISTS chronicle_attribute(entity INTEGER NOT NULL, number INTEGER NOT NULL, \
        name TEXT NOT NULL, type TEXT, destination TEXT, present INTEGER NOT NULL, preserved_inserts INTEGER NOT NULL, \
        preserved_updates INTEGER NOT NULL, preserved_deletes INTEGER NOT NULL, PRIMARY KEY (entity, number)) \
        WITHOUT ROWID
        """,
    ]

    /// Returns the entities in the order of their numbers, after checking that numbers and names are unique.
    func entities() throws -> [RecordedEntity] {
        let statement = try connection.prepare(
            """
            SELECT e.id, e.name, a.number, a.name, a.type, a.destination, a.present, a.preserved_inserts, \
            a.preserved_updates, a.preserved_deletes, e.superentity, e.table_name, e.key_columns \
            FROM chronicle_entity AS e
            LEFT JOIN chronicle_attribute AS a ON a.entity = e.id ORDER BY e.id, a.number
            """)
        var entities: [RecordedEntity] = []
        var names: Set<String> = []
        var superentities: [Int64: Int64] = [:]
        while try statement.step() {
            let entity = try Self.entity(statement)
            if !statement.isNull(10) {
                superentities[entity.number] = try statement.integer(
                    10, in: ChangeTable.entityNumbers, of: .entity(entity.number))
            }
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
        return superentities.isEmpty ? entities : try Self.connecting(entities, superentities)
    }

    private static func connecting(
        _ entities: [RecordedEntity], _ superentities: [Int64: Int64]
    ) throws -> [RecordedEntity] {
        let known = Dictionary(uniqueKeysWithValues: entities.map { ($0.number, $0) })
        var subentities: [Int64: [RecordedTable.Subentity]] = [:]
        var connected = try entities.map { entity in
            var root = entity
            var count = 0
            while let number = superentities[root.number] {
                guard let next = known[number], count < entities.count else {
                    throw SwiftDataError.damagedRow(.entity(entity.number), "its superentity is missing")
                }
                (root, count) = (next, count + 1)
            }
            if root.number == entity.number { return entity }
            subentities[root.number, default: []].append(.init(name: entity.name, number: entity.number))
            return RecordedEntity(
                number: entity.number, name: entity.name, attributes: root.attributes, rootName: root.name)
        }
        for index in connected.indices { connected[index].subentities = subentities[connected[index].number] ?? [] }
        return connected
    }

    func kinds(of entity: RecordedEntity) throws -> [Int64] {
        // Not a common table expression, which reading connections refuse like a view.
        let statement = try connection.prepare(
            "SELECT id, superentity FROM chronicle_entity WHERE superentity IS NOT NULL")
        var subentities: [Int64: [Int64]] = [:]
        while try statement.step() { subentities[statement.int64(1), default: []].append(statement.int64(0)) }
        var numbers = [entity.number]
        var index = 0
        while index < numbers.count {
            numbers += (subentities[numbers[index]] ?? []).filter { !numbers.contains($0) }
            index += 1
        }
        return numbers
    }

    /// Throws ``SwiftDataError/backwardMigration`` if the file has a table of the entity.
    func registerSubentity(_ entity: Schema.Entity, _ superentity: String) throws {
        if let known = try entities().first(where: { $0.name == entity.name }), known.rootName != entity.rootName {
            let place = known.isSubentity ? "the table of \(known.rootName)" : "a separate table"
            throw SwiftDataError.backwardMigration.with(
                detail: "the file stores the model in \(place), but it now inherits from \(superentity); "
                    + "give the class another name and copy its models",
                entityName: entity.name)
        }
        let recorded = try self.entity(named: entity.name)
        let statement = try connection.cached(
            "UPDATE chronicle_entity SET superentity = (SELECT id FROM chronicle_entity WHERE name = ?) WHERE id = ?")
        try statement.bind(superentity, at: 1)
        try statement.bind(recorded.number, at: 2)
        try statement.run()
        try setDefinition(entity, of: recorded)
    }

    private static func entity(_ statement: Statement) throws -> RecordedEntity {
        let row = FileRow.entity(statement.int64(0))
        var entity = RecordedEntity(
            number: try statement.integer(0, in: ChangeTable.entityNumbers, of: row),
            name: try statement.text(1, of: row),
            attributes: [])
        if !statement.isNull(11) { entity.tableName = try statement.text(11, of: row) }
        if !statement.isNull(12) {
            do {
                entity.keyColumns = try JSONDecoder().decode(
                    [String].self, from: Data(statement.text(12, of: row).utf8))
            } catch is DecodingError {
                throw SwiftDataError.damagedRow(row, "the columns of its primary key are invalid")
            }
        }
        return entity
    }

    /// - Parameter name: `nil` to record the table no longer.
    /// - Parameter keyColumns: Empty if the primary key is the rowid.
    func setTable(_ name: String?, keyColumns: [String], of entity: RecordedEntity) throws {
        let statement = try connection.prepare(
            "UPDATE chronicle_entity SET table_name = ?, key_columns = ? WHERE id = ?")
        if let name { try statement.bind(name, at: 1) }
        if !keyColumns.isEmpty {
            let json = try JSONEncoder().encode(keyColumns)
            try statement.bind(String(decoding: json, as: UTF8.self), at: 2)
        }
        try statement.bind(entity.number, at: 3)
        try statement.run()
    }

    private static func attribute(_ statement: Statement, of entity: Int64) throws -> RecordedAttribute {
        let row = FileRow.attribute(entity: entity, number: statement.int64(2))
        let numbers = AttributeMasks.attributeNumbers
        func text(_ column: Int32) throws -> String? {
            statement.isNull(column) ? nil : try statement.text(column, of: row)
        }
        func extent(_ column: Int32) throws -> Preservation.Extent {
            guard let extent = Preservation.Extent(rawValue: try statement.integer(column, of: row)) else {
                throw SwiftDataError.damagedRow(row, "the value of \"\(statement.columnName(column))\" is out of range")
            }
            return extent
        }
        return RecordedAttribute(
            number: Int(try statement.integer(2, in: Int64(numbers.lowerBound)...Int64(numbers.upperBound), of: row)),
            name: try statement.text(3, of: row), type: try text(4), destination: try text(5),
            preservation: Preservation(inserts: try extent(7), updates: try extent(8), deletes: try extent(9)),
            isPresent: statement.int64(6) != 0)
    }

    func rename(_ entity: RecordedEntity, to name: String) throws {
        for sql in [
            "UPDATE chronicle_entity SET name = ?2 WHERE name = ?1",
            "UPDATE chronicle_attribute SET destination = ?2 WHERE destination = ?1",
        ] {
            let statement = try connection.prepare(sql)
            try statement.bind(entity.name, at: 1)
            try statement.bind(name, at: 2)
            try statement.run()
        }
    }

    /// Assigns a number to a new entity.
    func entity(named name: String) throws -> RecordedEntity {
        if let known = try entities().first(where: { $0.name == name }) { return known }
        let statement = try connection.prepare("INSERT INTO chronicle_entity(name) VALUES (?)")
        try statement.bind(name, at: 1)
        try statement.run()
        guard ChangeTable.entityNumbers.contains(connection.lastInsertRowID) else {
            throw SwiftDataError.storeFull.with(
                detail: "no numbers are left in chronicle_entity", entityName: name)
        }
        return RecordedEntity(number: connection.lastInsertRowID, name: name, attributes: [])
    }

    /// Assigns numbers to new properties, and updates their types and which values are preserved.
    func register(_ entity: Schema.Entity, _ recorded: inout RecordedEntity, preservesValues: Bool) throws {
        for property in entity.storedProperties {
            try register(
                property, isPresent: true, Preservation(property, preservesValues: preservesValues), &recorded)
        }
    }

    func register(
        _ property: Schema.Property, isPresent: Bool, _ preservation: Preservation, _ entity: inout RecordedEntity
    ) throws {
        let known = entity.attributes.firstIndex { $0.name == property.name && $0.isPresent == isPresent }
        let number = known.map { entity.attributes[$0].number } ?? (entity.attributes.map(\.number).max() ?? -1) + 1
        guard AttributeMasks.attributeNumbers.contains(number) else {
            throw SwiftDataError.storeFull.with(
                detail: "no numbers are left in chronicle_attribute", entityName: entity.name,
                propertyName: property.name)
        }
        let attribute = RecordedAttribute(
            number: number, name: property.name, type: property.attribute.map(\.valueTypeName),
            destination: property.relationship?.destination, preservation: preservation, isPresent: isPresent)
        if let known {
            guard entity.attributes[known] != attribute else { return }
            entity.attributes[known] = attribute
        } else {
            // Changes before may have the destinations of a relationship that moved from a column.
            let isMoved = entity.attributes.contains { earlier in
                earlier.destination != nil && [property.name, property.previousName].contains(earlier.name)
            }
            entity.attributes.append(attribute)
            if !isPresent, !isMoved, let newest = try connection.scalarInt64(ChangeTable.selectNewestPosition) {
                try MetaTable.set(.addedRelationship(entity.number, number: Int64(number)), newest, connection)
            }
        }
        try update(attribute, of: entity)
    }

    func update(_ attribute: RecordedAttribute, of entity: RecordedEntity) throws {
        let statement = try connection.cached(
            """
            INSERT INTO chronicle_attribute(entity, number, name, type, destination, present, preserved_inserts, \
            preserved_updates, preserved_deletes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET name = excluded.name, type = excluded.type, destination = excluded.destination, \
            present = excluded.present, preserved_inserts = excluded.preserved_inserts, \
            preserved_updates = excluded.preserved_updates, preserved_deletes = excluded.preserved_deletes
            """)
        func bind(_ text: String?, at index: Int32) throws {
            if let text { try statement.bind(text, at: index) } else { try statement.bindNull(index) }
        }
        try statement.bind(entity.number, at: 1)
        try statement.bind(attribute.number, at: 2)
        try statement.bind(attribute.name, at: 3)
        try bind(attribute.type, at: 4)
        try bind(attribute.destination, at: 5)
        try statement.bind(attribute.isPresent ? 1 : 0, at: 6)
        try statement.bind(attribute.preservation.inserts.rawValue, at: 7)
        try statement.bind(attribute.preservation.updates.rawValue, at: 8)
        try statement.bind(attribute.preservation.deletes.rawValue, at: 9)
        try statement.run()
    }

    /// Programs without the class read the schema from its description.
    func setDefinition(_ entity: Schema.Entity, of recorded: RecordedEntity) throws {
        let statement = try connection.cached("UPDATE chronicle_entity SET definition = ? WHERE id = ?")
        try statement.bind(entity.json(), at: 1)
        try statement.bind(recorded.number, at: 2)
        try statement.run()
    }

    /// The unique indexes are read from the file, including those of other programs. The text of the triggers depends only
    /// on them and on the columns, not on the order in which the indexes were created.
    func table(of entity: RecordedEntity) throws -> RecordedTable {
        if let name = entity.tableName, let table = try TrackedTable(name, connection) {
            return table.recordedTable(entity)
        }
        let indexes = try connection.prepare(
            """
            SELECT i.name, c.name, t."notnull", t.dflt_value FROM pragma_index_list(?1) AS i, \
            pragma_index_info(i.name) AS c LEFT JOIN pragma_table_info(?1) AS t ON t.cid = c.cid
            WHERE i."unique" AND NOT i.partial ORDER BY i.name, c.seqno
            """)
        try indexes.bind(entity.name, at: 1)
        var columnsByIndex: [(name: String, columns: [RecordedTable.IndexedColumn])] = []
        while try indexes.step() {
            if columnsByIndex.last?.name != indexes.text(0) { columnsByIndex.append((indexes.text(0), [])) }
            columnsByIndex[columnsByIndex.count - 1].columns.append(
                .init(name: indexes.text(1), replacement: ColumnDefault.replacement(indexes, isRequired: 2, default: 3))
            )
        }
        return RecordedTable(
            entityID: entity.number, name: entity.name,
            columns: entity.attributes.filter(\.isPresent).map {
                RecordedTable.Column(number: $0.number, name: $0.name, preservation: $0.preservation)
            },
            uniqueness: columnsByIndex.map(\.columns), lists: try lists(of: entity),
            subentities: entity.subentities)
    }

    private func lists(of entity: RecordedEntity) throws -> [RecordedTable.List] {
        try entity.attributes.filter(\.deletesPreserveLinks).compactMap { attribute in
            let links = "\(entity.name).\(attribute.name)"
            // The links of a relationship that changed its form are not in a table any more.
            let exists = try connection.scalarInt64(
                "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?"
            ) { try $0.bind(links, at: 1) }
            return exists == nil ? nil : RecordedTable.List(number: attribute.number, links: links)
        }
    }
}
