import Foundation

/// Creates rows from values that a store reads one by one.
///
/// The values of many rows are packed into common memory. Use one builder for all rows of an entity in a fetch:
///
/// ```swift
/// let builder = DataStoreRowBuilder(slotCount: entity.storedProperties.count)
/// while let record = try reader.next() {
///     for property in entity.storedProperties { builder.set(record[property.name], at: property.slot) }
///     try row(identifier, builder.finish())
/// }
/// ```
///
/// A builder is not `Sendable`, but the rows are.
public final class DataStoreRowBuilder {
    // The properties are unchecked because a builder is used by one thread and calls no external code.
    @usableFromInline let slotCount: Int
    private let headSize: Int
    private let cellsSize: Int
    /// The block of finished rows, and its unused memory. A row that is being created in the block begins there.
    @exclusivity(unchecked) private var sharedBlock: PackedRowBlock
    @exclusivity(unchecked) private var sharedEnd: UnsafeMutableRawPointer
    /// The block of the row that is being created: the shared one, or one for this row.
    @exclusivity(unchecked) private var block: PackedRowBlock
    /// The cells of the row, the end of the memory that it uses so far, and the end of its block.
    @exclusivity(unchecked) @usableFromInline var cells: UnsafeMutableRawPointer
    @exclusivity(unchecked) @usableFromInline var end: UnsafeMutableRawPointer
    @exclusivity(unchecked) @usableFromInline var limit: UnsafeMutableRawPointer

    /// Longer texts and blobs are not packed, because each access would copy them.
    @usableFromInline static var packedLimit: Int { 1_024 }
    /// The size from which blocks do not grow further. A model that the program keeps may retain a block of this size.
    private static let blockSize = 4_096

    /// Creates a builder for the rows of an entity.
    ///
    /// - Parameter slotCount: The number of ``Schema/Entity/storedProperties`` of the entity.
    public init(slotCount: Int) {
        self.slotCount = slotCount
        headSize = PackedRow.headSize(slotCount)
        cellsSize = slotCount * 8
        // The first row of a fetch is often the only one.
        sharedBlock = PackedRowBlock(size: headSize + slotCount * 16 + 64, origins: [])
        sharedEnd = sharedBlock.memory
        block = sharedBlock
        cells = sharedEnd
        end = cells
        limit = sharedBlock.end
        beginRow()
    }

    /// Sets a value to null, like all values that are not set.
    ///
    /// - Parameter slot: The ``Schema/Property/slot`` of the property.
    @inlinable @inline(__always)
    public func setNull(at slot: Int) { set(.null, 0, slot) }

    /// Sets a value to an integer.
    ///
    /// - Parameters:
    ///   - value: The integer.
    ///   - slot: The ``Schema/Property/slot`` of the property.
    @inlinable @inline(__always)
    public func set(integer value: Int64, at slot: Int) { set(.integer, UInt64(bitPattern: value), slot) }

    /// Sets a value to a real number.
    ///
    /// - Parameters:
    ///   - value: The number.
    ///   - slot: The ``Schema/Property/slot`` of the property.
    @inlinable @inline(__always)
    public func set(real value: Double, at slot: Int) { set(.real, value.bitPattern, slot) }

    /// Sets a value to a copy of a string.
    ///
    /// - Parameters:
    ///   - utf8: The UTF-8 of the string. Invalid UTF-8 is repaired when the string is created.
    ///   - slot: The ``Schema/Property/slot`` of the property.
    /// - Complexity: O(*n*), where *n* is the length.
    @inlinable @inline(__always)
    public func set(text utf8: UnsafeRawBufferPointer, at slot: Int) {
        if !set(.text, utf8, slot) { setUnpacked(text: utf8, slot) }
    }

    /// Sets a value to a copy of binary data.
    ///
    /// - Parameters:
    ///   - bytes: The data.
    ///   - slot: The ``Schema/Property/slot`` of the property.
    /// - Complexity: O(*n*), where *n* is the length.
    public func set(blob bytes: UnsafeRawBufferPointer, at slot: Int) {
        if set(.blob, bytes, slot) { return }
        if bytes.count > Self.packedLimit { return set(object: .blob(Data(bytes)), at: slot) }
        reserve(bytes.count)
        _ = set(.blob, bytes, slot)
    }

    /// Sets a to-one relationship.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the destination.
    ///   - slot: The ``Schema/Property/slot`` of the property.
    public func set(reference identifier: PersistentIdentifier, at slot: Int) {
        guard let index = index(of: identifier.origin) else { return set(object: .reference(identifier), at: slot) }
        set(.reference(origin: index), UInt64(bitPattern: identifier.number), slot)
    }

    /// Sets a value of any form.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - slot: The ``Schema/Property/slot`` of the property.
    public func set(_ value: PropertyValue, at slot: Int) {
        switch value {
        case .null: setNull(at: slot)
        case .integer(let integer): set(integer: integer, at: slot)
        case .real(let real): set(real: real, at: slot)
        case .text(var text): text.withUTF8 { set(text: UnsafeRawBufferPointer($0), at: slot) }
        case .blob(let data): data.withUnsafeBytes { set(blob: $0, at: slot) }
        case .reference(let identifier): set(reference: identifier, at: slot)
        case .references: set(object: value, at: slot)
        }
    }

    /// Returns the row with the values that were set, and begins the next one.
    ///
    /// - Returns: The row.
    public func finish() -> DataStoreRow {
        let row = PackedRow(block: block, cells: UnsafeRawPointer(cells))
        // The block is only assigned if it changes, because that changes two reference counts.
        if block === sharedBlock {
            sharedEnd = end.alignedUp(for: UInt64.self)
            if limit - sharedEnd < headSize + cellsSize {
                replaceSharedBlock()
                useSharedBlock()
            }
        } else {
            useSharedBlock()
        }
        beginRow()
        return DataStoreRow(row)
    }

    private func useSharedBlock() {
        block = sharedBlock
        limit = sharedBlock.end
    }

    @inline(__always)
    private func beginRow() {
        let first = sharedEnd
        cells = first + headSize
        end = cells + cellsSize
        var tags = headSize
        repeat {
            tags &-= 8
            first.storeBytes(of: PackedRow.nullTags, toByteOffset: tags, as: UInt64.self)
        } while tags > 0
        cells.storeBytes(of: UInt64(truncatingIfNeeded: slotCount), toByteOffset: -8, as: UInt64.self)
    }

    @inlinable @inline(__always)
    func set(_ tag: PackedRow.Tag, _ cell: UInt64, _ slot: Int) {
        precondition(slot >= 0 && slot < slotCount, "the row has no value in this slot")
        let cells = cells
        cells.storeBytes(of: tag.rawValue, toByteOffset: -9 &- slot, as: UInt8.self)
        cells.storeBytes(of: cell, toByteOffset: slot &* 8, as: UInt64.self)
    }

    /// Sets a text or blob, unless it is too long or the block has no space for it.
    @inlinable @inline(__always)
    func set(_ tag: PackedRow.Tag, _ bytes: UnsafeRawBufferPointer, _ slot: Int) -> Bool {
        let end = end
        guard bytes.count <= min(Self.packedLimit, limit - end) else { return false }
        set(tag, UInt64(truncatingIfNeeded: end - cells) | UInt64(truncatingIfNeeded: bytes.count) &<< 32, slot)
        if let first = bytes.baseAddress { end.copyMemory(from: first, byteCount: bytes.count) }
        self.end = end + bytes.count
        return true
    }

    @usableFromInline @inline(never)
    func setUnpacked(text utf8: UnsafeRawBufferPointer, _ slot: Int) {
        if utf8.count > Self.packedLimit {
            return set(object: .text(String(decoding: utf8, as: UTF8.self)), at: slot)
        }
        reserve(utf8.count)
        _ = set(.text, utf8, slot)
    }

    /// The row then gets a separate block, so that the value is released with it.
    private func set(object value: PropertyValue, at slot: Int) {
        if block === sharedBlock { moveRow(to: PackedRowBlock(size: rowSize + cellsSize, origins: block.origins)) }
        set(.object(form: value.formBit), UInt64(block.add(value)), slot)
    }

    /// Returns the index of an origin among those of the block, or `nil` if it cannot be added to them.
    private func index(of origin: PersistentIdentifier.Origin) -> Int? {
        if let known = block.origins.firstIndex(where: { $0 === origin }) { return known }
        let index = sharedBlock.origins.count
        // The origin of a key that is not an integer belongs to a single row.
        guard block === sharedBlock, index < PackedRow.Tag.originLimit, origin.key == nil else { return nil }
        // Finished rows may be in use on another thread, so their block is not changed.
        replaceSharedBlock(reserving: rowSize, adding: origin)
        moveRow(to: sharedBlock)
        return index
    }

    private var rowSize: Int { headSize + (end - cells) }

    private func reserve(_ count: Int) {
        if block === sharedBlock {
            replaceSharedBlock(reserving: rowSize + count)
            moveRow(to: sharedBlock)
        } else {
            moveRow(to: PackedRowBlock(size: (rowSize + count) * 2, origins: block.origins))
        }
    }

    private func replaceSharedBlock(reserving size: Int = 0, adding origin: PersistentIdentifier.Origin? = nil) {
        sharedBlock = PackedRowBlock(
            size: max(min(sharedBlock.size * 2, Self.blockSize), headSize + cellsSize, size),
            origins: sharedBlock.origins + (origin.map { [$0] } ?? []))
        sharedEnd = sharedBlock.memory
    }

    private func moveRow(to next: PackedRowBlock) {
        let tail = end - cells
        next.memory.copyMemory(from: cells - headSize, byteCount: headSize + tail)
        for object in block.objects { _ = next.add(object) }
        block = next
        cells = block.memory + headSize
        end = cells + tail
        limit = block.end
    }
}
