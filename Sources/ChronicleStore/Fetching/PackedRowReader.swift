import ChronicleCore
import ChronicleSQLite

/// Packs the columns of the rows that ``Connection/readRows(of:with:_:isCondition:_:)`` reads.
final class PackedRowReader {
    /// The rows of a step if the SQL function is the condition of the statement. This many are still in the processor's
    /// cache when their models are created.
    static let batchSize = 256

    private let table: EntityTable
    private let conversions: [EntityTable.Conversion]
    private let hasReferences: Bool
    private let builder: DataStoreRowBuilder
    private let rows: UnsafeMutablePointer<DataStoreRow>
    private let keys: UnsafeMutablePointer<Int64>
    private let capacity: Int
    @exclusivity(unchecked) private var first = 0
    @exclusivity(unchecked) private var end = 0

    /// - Parameter capacity: The number of rows that SQLite may visit in a step.
    init(_ table: EntityTable, capacity: Int) {
        self.table = table
        self.capacity = capacity
        conversions = table.conversions
        hasReferences = !table.referenceSlots.isEmpty
        builder = DataStoreRowBuilder(slotCount: table.conversions.count)
        rows = .allocate(capacity: capacity)
        keys = .allocate(capacity: capacity)
    }

    deinit {
        (rows + first).deinitialize(count: end - first)
        rows.deallocate()
        keys.deallocate()
    }

    static let callback: RowFunction.Callback = { reader, columns, count in
        Unmanaged<PackedRowReader>.fromOpaque(reader)._withUnsafeGuaranteedRef {
            $0.read(columns.assumingMemoryBound(to: RowColumn.self), count).rawValue
        }
    }

    private func read(_ columns: UnsafePointer<RowColumn>, _ count: Int) -> RowFunction.Result {
        guard end < capacity else { return .unordered }
        for slot in 0..<count - 1 { set(columns[slot + 1], slot) }
        (keys + end).initialize(to: columns[0].integer)
        (rows + end).initialize(to: builder.finish())
        end += 1
        return end == capacity ? .stop : .continue
    }

    @inline(__always)
    private func set(_ column: RowColumn, _ slot: Int) {
        switch column.storageClass {
        case .null: break
        case .integer:
            if hasReferences, conversions[slot] == .reference {
                builder.set(Statement.reference(column.integer, slot, table), at: slot)
            } else {
                builder.set(integer: column.integer, at: slot)
            }
        case .real: builder.set(real: column.real, at: slot)
        case .text: builder.set(text: column.text, at: slot)
        case .blob:
            if conversions[slot] == .nan {
                builder.set(Statement.blob(column.blob, slot, table), at: slot)
            } else {
                builder.set(blob: column.blob, at: slot)
            }
        }
    }

    /// `origin` is a parameter so that it is not retained for each row.
    func forEach(
        _ origin: PersistentIdentifier.Origin,
        _ body: (_ identifier: PersistentIdentifier, _ values: consuming DataStoreRow) throws -> Void
    ) rethrows {
        while first < end {
            let index = first
            first += 1
            try body(origin.identifier(keys[index]), (rows + index).move())
        }
        (first, end) = (0, 0)
    }
}
