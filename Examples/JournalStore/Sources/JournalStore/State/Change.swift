import Chronicle

/// What a record says of one row: what is in the journal, in the history, and what changes the tables.
struct Change: Sendable {
    enum Kind: UInt8, Sendable {
        case insert = 1
        case update, delete
    }

    let kind: Kind
    /// The number of the table, in this process.
    let table: Int
    let key: Int64
    /// An insert's columns, those that an update changed, those that are kept of a deleted row.
    let columns: [Int]
    /// For each column; empty where nobody wants to know.
    var values: [PropertyValue]
}

/// What a change looks like: said once in a record, and then only meant.
private struct Shape: Equatable {
    let kind: Change.Kind
    let table: Int
    let columns: [Int]
}

/// Writes changes, each with the number of its shape. A shape that is new is said at its first change.
struct ChangeWriter {
    private var shapes: [Shape] = []
    private var latest = 0

    mutating func write(_ change: Change, _ tables: Tables, _ writer: inout RecordWriter) throws {
        let shape = Shape(kind: change.kind, table: change.table, columns: change.columns)
        if shapes.indices.contains(latest), shapes[latest] == shape {
            writer.count(latest)
        } else if let known = shapes.firstIndex(of: shape) {
            latest = known
            writer.count(known)
        } else {
            latest = shapes.count
            shapes.append(shape)
            writer.count(latest)
            let table = tables[change.table]
            writer.byte(change.kind.rawValue)
            writer.text(table.name)
            writer.count(change.columns.count)
            for column in change.columns { writer.text(table.columns[column]) }
        }
        writer.signed(change.key)
        for value in change.values { try writer.value(value) }
    }
}

/// Reads what a ``ChangeWriter`` wrote. Tables and columns that nobody has heard of yet are made.
struct ChangeReader {
    private var shapes: [Shape] = []
    /// Whether the values of inserts and updates, which history has no use for, are passed over.
    let skipsValues: Bool

    init(skipsValues: Bool = false) { self.skipsValues = skipsValues }

    mutating func read(_ reader: inout RecordReader, _ tables: inout Tables) throws -> Change {
        let number = try reader.count()
        if number == shapes.count { shapes.append(try Self.shape(&reader, &tables)) }
        guard number < shapes.count else { throw RecordReader.Nonsense() }
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
        guard let kind = Change.Kind(rawValue: try reader.byte()) else { throw RecordReader.Nonsense() }
        let table = tables.number(of: try reader.text())
        var columns: [Int] = []
        for _ in 0..<(try reader.count()) { columns.append(tables.column(try reader.text(), in: table)) }
        return Shape(kind: kind, table: table, columns: columns)
    }
}
