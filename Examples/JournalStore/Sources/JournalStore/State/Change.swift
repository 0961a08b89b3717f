import Chronicle

/// The change of one row in a record: written to the journal, returned in the history, and applied to the tables.
struct Change: Sendable {
    enum Kind: UInt8, Sendable {
        case insert = 1
        case update, delete
    }

    let kind: Kind
    /// The number of the table, in this process.
    let table: Int
    let key: Int64
    /// The columns of an insert, the changed ones of an update, or the preserved ones of a delete.
    let columns: [Int]
    /// The value of each column; empty if the values were skipped.
    var values: [PropertyValue]
}

/// The changes of a save, in order: new rows, which may be many, then the others.
struct Changes: Sendable {
    /// New rows of one table, with consecutive keys.
    struct Inserted: Sendable {
        let table: Int
        let firstKey: Int64
        var rows: [[PropertyValue]] = []
    }

    var inserted: [Inserted] = []
    var others: [Change] = []

    var count: Int { inserted.reduce(others.count) { $0 + $1.rows.count } }
}

/// The kind, entity and columns of a change: defined once in a record, then referenced by number.
private struct Shape {
    let kind: Change.Kind
    let table: Int
    let columns: [Int]

    func matches(_ kind: Change.Kind, _ table: Int, _ columns: [Int]) -> Bool {
        self.kind == kind && self.table == table && self.columns == columns
    }
}

/// Writes changes, each with the number of its shape. A new shape is defined at its first change.
struct ChangeWriter {
    private var shapes: [Shape] = []
    private var latest = 0

    mutating func write(_ changes: Changes, _ tables: Tables, _ writer: inout RecordWriter) throws {
        for new in changes.inserted { try write(new, tables, &writer) }
        for change in changes.others {
            try write(change.kind, change.table, change.columns, change.key, change.values, tables, &writer)
        }
    }

    /// Writes changes of one shape, which is looked up once.
    private mutating func write(_ new: Changes.Inserted, _ tables: Tables, _ writer: inout RecordWriter) throws {
        guard let first = new.rows.first else { return }
        try write(
            .insert, new.table, tables.layout(new.table).schemaColumns, new.firstKey, first, tables, &writer)
        var key = new.firstKey
        for values in new.rows.dropFirst() {
            key += 1
            writer.count(latest)
            try writer.row(key, values)
        }
    }

    mutating func write(
        _ kind: Change.Kind, _ table: Int, _ columns: [Int], _ key: Int64, _ values: [PropertyValue],
        _ tables: Tables, _ writer: inout RecordWriter
    ) throws {
        if !shapes.indices.contains(latest) || !shapes[latest].matches(kind, table, columns) {
            latest = shapes.firstIndex { $0.matches(kind, table, columns) } ?? shapes.count
        }
        writer.count(latest)
        if latest == shapes.count {
            shapes.append(Shape(kind: kind, table: table, columns: columns))
            writer.byte(kind.rawValue)
            writer.text(tables.layout(table).name)
            writer.count(columns.count)
            for column in columns { writer.text(tables[table].columns[column]) }
        }
        try writer.row(key, values)
    }
}

/// Reads what a ``ChangeWriter`` wrote. Creates tables and columns that do not exist yet.
struct ChangeReader {
    private var shapes: [Shape] = []
    /// Whether to skip the values of inserts and updates, which the history does not need.
    let skipsValues: Bool

    init(skipsValues: Bool = false) { self.skipsValues = skipsValues }

    mutating func read(_ reader: inout RecordReader, _ tables: inout Tables) throws -> Change {
        let number = try reader.count()
        if number == shapes.count { shapes.append(try Self.shape(&reader, &tables)) }
        guard number < shapes.count else { throw RecordReader.MalformedRecord() }
        let shape = shapes[number]
        let key = try reader.signed()
        var values: [PropertyValue] = []
        if skipsValues, shape.kind != .delete {
            for _ in shape.columns { try reader.skipValue() }
        } else {
            values.reserveCapacity(shape.columns.count)
            for _ in shape.columns { values.append(try reader.value { tables.origin(of: $0) }) }
        }
        return Change(kind: shape.kind, table: shape.table, key: key, columns: shape.columns, values: values)
    }

    private static func shape(_ reader: inout RecordReader, _ tables: inout Tables) throws -> Shape {
        guard let kind = Change.Kind(rawValue: try reader.byte()) else { throw RecordReader.MalformedRecord() }
        let table = tables.number(of: try reader.text())
        var columns: [Int] = []
        for _ in 0..<(try reader.count()) { columns.append(tables.column(try reader.text(), in: table)) }
        return Shape(kind: kind, table: table, columns: columns)
    }
}
