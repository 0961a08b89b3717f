import Chronicle

/// The rows of all entities in the journal, including entities that the schema does not have, because a program with a
/// smaller schema must not lose what others wrote.
struct Tables: Sendable {
    let storeIdentifier: String
    private let schema: Schema
    private var tables: [Table] = []
    private var numbers: [String: Int] = [:]
    private var origins: [String: PersistentIdentifier.Origin] = [:]

    init(_ schema: Schema, storeIdentifier: String) {
        self.schema = schema
        self.storeIdentifier = storeIdentifier
        for entity in schema.entities { _ = number(of: entity.name) }
    }

    var indices: Range<Int> { tables.indices }

    subscript(number: Int) -> Table {
        _read { yield tables[number] }
        _modify { yield &tables[number] }
    }

    func layout(_ number: Int) -> TableLayout { tables[number].layout }

    func known(_ entityName: String) -> Int? { numbers[entityName] }

    /// The number of an entity's table, which is created if it does not exist.
    mutating func number(of entityName: String) -> Int {
        if let number = numbers[entityName] { return number }
        let origin = origin(of: entityName)
        origins[entityName] = origin
        tables.append(Table(TableLayout(entityName, origin, schema)))
        numbers[entityName] = tables.count - 1
        return tables.count - 1
    }

    func origin(of entityName: String) -> PersistentIdentifier.Origin {
        origins[entityName] ?? .init(storeIdentifier: storeIdentifier, entityName: entityName)
    }

    mutating func column(_ name: String, in number: Int) -> Int { tables[number].column(name) }

    /// Applies a change from a record.
    ///
    /// - Throws: ``RecordReader/MalformedRecord`` for an insert of an existing row, or a change of a missing one.
    mutating func apply(_ change: Change) throws { try tables[change.table].apply(change) }

    /// Checks whether the schema fits the rows, after all of them have been read.
    ///
    /// - Throws: `SwiftDataError.backwardMigration` if rows have no value for an attribute.
    func check() throws {
        for table in tables { try table.check() }
    }
}
