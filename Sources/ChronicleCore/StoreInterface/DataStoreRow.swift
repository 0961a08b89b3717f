/// The values of a row, by ``Schema/Property/slot``.
///
/// A store passes rows to a context in ``DataStore/fetchRows(_:_:)``. Create a row from an array of values, or with a
/// ``DataStoreRowBuilder``, which takes less time and memory for each row.
///
/// A row is a collection of ``PropertyValue``. Each access to a string or to data of a row that a builder created makes a
/// copy of it.
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

    /// The bit for the form of a value; see ``PropertyValue/formBit``.
    func formBit(_ slot: Int) -> UInt8 {
        switch storage {
        case .values(let values): values[slot].formBit
        case .packed(let row): PackedRow.tag(row.cells, slot).formBit
        }
    }

    /// The origin of a reference, or `nil` for other values.
    func origin(_ slot: Int) -> PersistentIdentifier.Origin? {
        if case .reference(let identifier) = self[slot] { identifier.origin } else { nil }
    }

    /// Returns whether a reference of a packed row has an origin, without creating its identifier.
    @inline(__always)
    func hasOrigin(_ origin: PersistentIdentifier.Origin?, _ slot: Int) -> Bool {
        guard case .packed(let row) = storage else { return false }
        return row.block.origins[PackedRow.tag(row.cells, slot).originIndex] === origin
    }

    /// Returns a value as a direct type; see ``PropertyValue/direct(as:)``.
    @inlinable @inline(__always)
    func direct<Value>(_ slot: Int, as type: Value.Type) -> Value? {
        if let cells, let value = PackedRow.direct(cells, slot, as: type) { return value }
        return self[slot].direct(as: type)
    }
}

extension DataStoreRow: RandomAccessCollection {
    /// Zero, the position of the first value.
    @inlinable
    public var startIndex: Int { 0 }

    /// The number of values.
    @inlinable
    public var endIndex: Int {
        switch storage {
        case .values(let values): values.count
        case .packed(let row): row.count
        }
    }

    /// Accesses the value of a property.
    ///
    /// - Parameter slot: The ``Schema/Property/slot`` of the property.
    /// - Returns: The value.
    @inlinable
    public subscript(slot: Int) -> PropertyValue {
        switch storage {
        case .values(let values): values[slot]
        case .packed(let row): row[slot]
        }
    }
}

extension DataStoreRow: Equatable {
    /// Returns whether two rows have the same stored values, however they were created.
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
    /// Decodes a row that ``encode(to:)`` encoded.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode([PropertyValue].self))
    }

    /// Encodes the row as an array of its values.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(values)
    }
}
