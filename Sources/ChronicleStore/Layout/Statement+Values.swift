import ChronicleCore
import ChronicleSQLite
import Foundation

extension Statement {
    /// NaN is stored as its eight bytes, because `sqlite3_bind_double` converts it to NULL
    /// (https://www.sqlite.org/c3ref/bind_blob.html). References must be identifiers of the store; saves resolve those of
    /// relationships with ``RowWriter/key(of:_:)``.
    @inline(__always)
    func bind(_ value: PropertyValue, at index: Int32) throws {
        switch value {
        case .null: try bindNull(index)
        case .integer(let integer): try bind(integer, at: index)
        case .real(let real):
            if real.isNaN { try bindNaN(real, at: index) } else { try bind(real, at: index) }
        case .text(let text): try bind(text, at: index)
        case .blob(let data): try bindData(data, at: index)
        case .reference(let identifier): try bindReference(identifier, at: index)
        case .references:
            throw SwiftDataError.invalidStoreResponse.with(
                detail: "a snapshot contains a value for a to-many relationship, which has no column")
        }
    }

    private func bindNaN(_ value: Double, at index: Int32) throws {
        try withUnsafeBytes(of: value.bitPattern.bigEndian) { try bind($0, at: index) }
    }

    private func bindData(_ data: Data, at index: Int32) throws {
        try data.withUnsafeBytes { try bind($0, at: index) }
    }

    private func bindReference(_ identifier: PersistentIdentifier, at index: Int32) throws {
        guard let key = identifier.integerPrimaryKey else {
            throw SwiftDataError.modelValidationFailure.with(
                detail: "a relationship references a model that was not saved or belongs to another store",
                persistentIdentifier: identifier)
        }
        try bind(key, at: index)
    }
}

extension Statement {
    /// Values of other programs are returned as stored; the context reports those that cannot be decoded.
    @inline(__always)
    func value(_ index: Int32, _ slot: Int, of table: EntityTable) -> PropertyValue {
        switch value(index) {
        case .null: .null
        case .integer(let integer) where table.conversions[slot] == .reference: Self.reference(integer, slot, table)
        case .integer(let integer): .integer(integer)
        case .real(let real): .real(real)
        case .text(let utf8): .text(String(decoding: utf8, as: UTF8.self))
        case .blob(let bytes): Self.blob(bytes, slot, table)
        }
    }

    func set(_ index: Int32, _ slot: Int, of table: EntityTable, in row: DataStoreRowBuilder) {
        switch value(index) {
        case .null: break
        case .integer(let integer) where table.conversions[slot] == .reference:
            row.set(Self.reference(integer, slot, table), at: slot)
        case .integer(let integer): row.set(integer: integer, at: slot)
        case .real(let real): row.set(real: real, at: slot)
        case .text(let utf8): row.set(text: UnsafeRawBufferPointer(utf8), at: slot)
        case .blob(let bytes):
            if table.conversions[slot] == .nan {
                row.set(Self.blob(bytes, slot, table), at: slot)
            } else {
                row.set(blob: bytes, at: slot)
            }
        }
    }

    static func reference(_ integer: Int64, _ slot: Int, _ table: EntityTable) -> PropertyValue {
        table.columns[slot].destination.map { .reference($0.identifier(integer)) } ?? .integer(integer)
    }

    static func blob(_ bytes: UnsafeRawBufferPointer, _ slot: Int, _ table: EntityTable) -> PropertyValue {
        if table.conversions[slot] == .nan, bytes.count == 8 {
            return .real(Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))))
        }
        return .blob(Data(bytes))
    }
}
