/// The values of a row, by ``Schema/Property/slot``.
///
/// A store passes rows to a context in ``DataStore/fetchRows(_:_:)``. Create a row from an array, or with a
/// ``DataStoreRowBuilder``, which takes less time and memory; each access to a string or to data of such a row copies it.
@frozen
public struct DataStoreRow: Sendable {
    @usableFromInline var storage: Storage

    @frozen @usableFromInline
    enum Storage: Sendable {
        case values([PropertyValue])
        case packed(PackedRow)
    }

    /// Creates a row from its values.
    ///
    /// - Parameter values: The values by ``Schema/Property/slot``.
    @inlinable
    public init(_ values: [PropertyValue]) { storage = .values(values) }

    @inlinable
    init(_ row: PackedRow) { storage = .packed(row) }

    /// The values of the row in an array.
    ///
    /// - Complexity: O(*n*), where *n* is the number of values, for a row that a builder created, and O(1) otherwise.
    @inlinable
    public var values: [PropertyValue] {
        _read {
            switch storage {
            case .values(let values): yield values
            case .packed(let row): yield row.values
            }
        }
        _modify {
            var values = values
            // Releases the array, so that it is changed in place.
            storage = .values([])
            defer { storage = .values(values) }
            yield &values
        }
    }
}

extension DataStoreRow {
    /// The cells of a packed row. Reading them does not retain the row.
    @inlinable @inline(__always)
    var cells: UnsafeRawPointer? {
        if case .packed(let row) = storage { row.cells } else { nil }
    }

    func formBit(_ slot: Int) -> UInt8 {
        switch storage {
        case .values(let values): values[slot].formBit
        case .packed(let row): PackedRow.tag(row.cells, slot).formBit
        }
    }

    func origin(_ slot: Int) -> PersistentIdentifier.Origin? {
        if case .reference(let identifier) = self[slot] { identifier.origin } else { nil }
    }

    /// Avoids the creation of an identifier.
    @inline(__always)
    func hasOrigin(_ origin: PersistentIdentifier.Origin?, _ slot: Int) -> Bool {
        guard case .packed(let row) = storage else { return false }
        return row.block.origins[PackedRow.tag(row.cells, slot).originIndex] === origin
    }

    @inlinable @inline(__always)
    func direct<Value>(_ slot: Int, as type: Value.Type) -> Value? {
        if let cells, let value = PackedRow.direct(cells, slot, as: type) { return value }
        return self[slot].direct(as: type)
    }
}

extension DataStoreRow: RandomAccessCollection {
    @inlinable
    public var startIndex: Int { 0 }

    @inlinable
    public var endIndex: Int {
        switch storage {
        case .values(let values): values.count
        case .packed(let row): row.count
        }
    }

    /// Accesses the value of the property with a ``Schema/Property/slot``.
    ///
    /// - Parameter slot: The slot.
    @inlinable
    public subscript(slot: Int) -> PropertyValue {
        switch storage {
        case .values(let values): values[slot]
        case .packed(let row): row[slot]
        }
    }
}

extension DataStoreRow: Equatable {
    /// Compares the stored values, however the rows were created.
    ///
    /// - Complexity: O(*n*), where *n* is the number of values.
    public static func == (lhs: DataStoreRow, rhs: DataStoreRow) -> Bool {
        switch (lhs.storage, rhs.storage) {
        case (.values(let lhs), .values(let rhs)): lhs == rhs
        case (.packed(let lhs), .packed(let rhs)): lhs.hasSameValues(as: rhs)
        case (.packed(let row), .values(let values)), (.values(let values), .packed(let row)):
            row.hasSameValues(as: values)
        }
    }
}

extension DataStoreRow: Codable {
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode([PropertyValue].self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(values)
    }
}
