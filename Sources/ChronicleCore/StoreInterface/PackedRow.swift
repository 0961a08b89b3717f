public import Foundation

/// A row whose values are packed into memory that it shares with other rows.
///
/// An array of ``PropertyValue`` requires an allocation for itself and for each long string, and 24 bytes for each value. A packed
/// row consists of a *tag* of one byte and a *cell* of eight bytes for each value, and of the bytes of texts and blobs:
///
///     … tag 1, tag 0 | count | cell 0, cell 1, … | texts and blobs
///                            ^ cells
///
/// The tag contains the form of the value. The cell contains the integer, the bits of the real number, the primary key of the
/// reference, or the offset and the length of the text or blob.
@frozen @usableFromInline
struct PackedRow: @unchecked Sendable {
    // The reason for `@unchecked Sendable`: the memory of a row is not changed after the row was created.
    @usableFromInline let block: PackedRowBlock
    @usableFromInline let cells: UnsafeRawPointer

    @inlinable
    init(block: PackedRowBlock, cells: UnsafeRawPointer) {
        self.block = block
        self.cells = cells
    }

    @inlinable
    var count: Int { Self.count(cells) }

    static let nullTags: UInt64 = 0x0101_0101_0101_0101

    /// Returns the size of the tags and the count. Tags of eight values are aligned like a cell.
    static func headSize(_ count: Int) -> Int { tagWords(count) * 8 + 8 }

    static func tagWords(_ count: Int) -> Int { (count + 7) / 8 }

    @inline(__always)
    static func tags(_ cells: UnsafeRawPointer, _ word: Int) -> UInt64 {
        cells.load(fromByteOffset: -16 &- word &* 8, as: UInt64.self)
    }

    @inlinable @inline(__always)
    static func count(_ cells: UnsafeRawPointer) -> Int {
        Int(truncatingIfNeeded: cells.load(fromByteOffset: -8, as: UInt64.self))
    }

    @inlinable @inline(__always)
    static func tag(_ cells: UnsafeRawPointer, _ slot: Int) -> Tag {
        Tag(rawValue: cells.load(fromByteOffset: -9 &- slot, as: UInt8.self))
    }

    @inlinable @inline(__always)
    static func cell(_ cells: UnsafeRawPointer, _ slot: Int) -> UInt64 {
        cells.load(fromByteOffset: slot &* 8, as: UInt64.self)
    }

    @inlinable @inline(__always)
    static func bytes(_ cells: UnsafeRawPointer, _ slot: Int) -> UnsafeBufferPointer<UInt8> {
        let cell = cell(cells, slot)
        let start = (cells + Int(truncatingIfNeeded: cell & 0xFFFF_FFFF)).assumingMemoryBound(to: UInt8.self)
        return UnsafeBufferPointer(start: start, count: Int(truncatingIfNeeded: cell &>> 32))
    }

    /// The form of a value, and how the cell represents it.
    @frozen @usableFromInline
    struct Tag: Equatable {
        @usableFromInline let rawValue: UInt8

        @inlinable
        init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The bit of a form is the same as that of ``PropertyValue/formBit``.
        @inlinable static var null: Tag { Tag(rawValue: 1) }
        @inlinable static var integer: Tag { Tag(rawValue: 2) }
        @inlinable static var real: Tag { Tag(rawValue: 4) }
        @inlinable static var text: Tag { Tag(rawValue: 8) }
        @inlinable static var blob: Tag { Tag(rawValue: 16) }
        /// Added to the index of the origin in ``PackedRowBlock/origins``.
        @inlinable static var reference: Tag { Tag(rawValue: 32) }
        /// Added to the form of a value that is in ``PackedRowBlock/objects`` at the index in the cell.
        @inlinable static var object: Tag { Tag(rawValue: 128) }
    }
}

extension PackedRow {
    @usableFromInline
    var values: [PropertyValue] {
        let count = count
        var values: [PropertyValue] = []
        values.reserveCapacity(count)
        for slot in 0..<count { values.append(value(slot)) }
        return values
    }

    @usableFromInline
    subscript(slot: Int) -> PropertyValue {
        precondition(slot >= 0 && slot < count, "the row has no value in this slot")
        return value(slot)
    }

    private func value(_ slot: Int) -> PropertyValue {
        let (tag, cell) = (Self.tag(cells, slot), Self.cell(cells, slot))
        switch tag {
        case .null: return .null
        case .integer: return .integer(Int64(bitPattern: cell))
        case .real: return .real(Double(bitPattern: cell))
        case .text: return .text(String(decoding: Self.bytes(cells, slot), as: UTF8.self))
        case .blob: return .blob(Data(Self.bytes(cells, slot)))
        default:
            if tag.isObject { return block.objects[Int(truncatingIfNeeded: cell)] }
            return .reference(block.origins[tag.originIndex].identifier(Int64(bitPattern: cell)))
        }
    }

    /// Returns whether the string or data that is created from a value has allocated memory, as those of more than 15 bytes.
    @inlinable @inline(__always)
    static func isAllocated(_ cells: UnsafeRawPointer, _ slot: Int) -> Bool {
        let tag = tag(cells, slot)
        return (tag == .text || tag == .blob) && cell(cells, slot) &>> 32 > 15
    }

    /// Returns `nil` if the value does not have the usual form of a direct type; use ``PropertyValue/direct(as:)``.
    @inlinable @inline(__always)
    static func direct<Value>(_ cells: UnsafeRawPointer, _ slot: Int, as type: Value.Type) -> Value? {
        guard slot < count(cells) else { return nil }
        let tag = tag(cells, slot)
        switch DirectType(type) {
        case .int, .int64, .bool:
            if tag == .integer { return PropertyValue.direct(Int64(bitPattern: cell(cells, slot)), type) }
        case .double, .date:
            if tag == .real { return PropertyValue.direct(Double(bitPattern: cell(cells, slot)), type) }
        case .string:
            if tag == .text { return PropertyValue.cast(String(decoding: bytes(cells, slot), as: UTF8.self), type) }
        case .data:
            if tag == .blob { return PropertyValue.cast(Data(bytes(cells, slot)), type) }
        case nil: return nil
        }
        return tag == .null ? PropertyValue.directNull(type) : nil
    }

    func hasSameValues(as other: PackedRow) -> Bool {
        let count = count
        guard count == other.count else { return false }
        for slot in 0..<count {
            let tag = Self.tag(cells, slot)
            let isEqual =
                switch tag {
                // The cell of a null value is not initialized.
                case .null: tag == Self.tag(other.cells, slot)
                case .integer, .real:
                    tag == Self.tag(other.cells, slot) && Self.cell(cells, slot) == Self.cell(other.cells, slot)
                case .text, .blob:
                    tag == Self.tag(other.cells, slot)
                        && Self.bytes(cells, slot).hasSameBytes(as: Self.bytes(other.cells, slot))
                default: value(slot) == other.value(slot)
                }
            guard isEqual else { return false }
        }
        return true
    }

    func hasSameValues(as values: [PropertyValue]) -> Bool {
        guard count == values.count else { return false }
        for slot in values.indices {
            // Without creating a string.
            if case .text(var text) = values[slot], Self.tag(cells, slot) == .text {
                let bytes = Self.bytes(cells, slot)
                guard text.withUTF8({ bytes.hasSameBytes(as: $0) }) else { return false }
            } else {
                guard value(slot) == values[slot] else { return false }
            }
        }
        return true
    }
}

extension PackedRow.Tag {
    var isObject: Bool { rawValue & Self.object.rawValue != 0 }

    static func reference(origin index: Int) -> Self { Self(rawValue: reference.rawValue + UInt8(index)) }

    static func object(form bit: UInt8) -> Self { Self(rawValue: object.rawValue | bit) }

    static let originLimit = Int(reference.rawValue)

    var originIndex: Int { Int(rawValue & ~Self.reference.rawValue) }

    var isReference: Bool { !isObject && rawValue & Self.reference.rawValue != 0 }

    var formBit: UInt8 {
        if isObject { return rawValue & ~Self.object.rawValue }
        return rawValue >= Self.reference.rawValue ? Self.reference.rawValue : rawValue
    }
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate func hasSameBytes(as other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard count == other.count else { return false }
        guard let start = baseAddress, let otherStart = other.baseAddress else { return true }
        return memcmp(start, otherStart, count) == 0
    }
}
