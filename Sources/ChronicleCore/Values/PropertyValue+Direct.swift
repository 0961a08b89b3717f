public import Foundation

// Decoding of the direct types. The wrapper of an attribute with such a type reads the value from the row without a
// codec and without decoding it in advance. The functions are inlined where the property is declared, so the compiler
// knows the type and keeps a single branch.
extension PropertyValue {
    @inlinable @inline(__always)
    static func isDirect<Value>(_ type: Value.Type) -> Bool { DirectType(type) != nil }

    /// Returns whether a getter reads a value of the type from the row faster than from the wrapper.
    @inlinable @inline(__always)
    static func isInline<Value>(_ type: Value.Type) -> Bool {
        switch DirectType(type) {
        case .int, .int64, .bool, .double, .date: true
        case .string, .data, nil: false
        }
    }

    /// Returns `nil` when the value has another form than the type is stored in.
    @inlinable @inline(__always)
    func direct<Value>(as type: Value.Type) -> Value? {
        switch self {
        case .null: Self.directNull(type)
        case .integer(let integer): Self.direct(integer, type)
        case .real(let real): Self.direct(real, type)
        case .text(let text): Self.cast(text, type)
        case .blob(let data): Self.cast(data, type)
        case .reference, .references: nil
        }
    }

    @inlinable @inline(__always)
    static func direct<Value>(_ integer: Int64, _ type: Value.Type) -> Value? {
        switch DirectType(type) {
        case .int: cast(Int(truncatingIfNeeded: integer), type)
        case .int64: cast(integer, type)
        case .bool: cast(integer != 0, type)
        case .double, .date: direct(Double(integer), type)
        case .string, .data, nil: nil
        }
    }

    @inlinable @inline(__always)
    static func direct<Value>(_ real: Double, _ type: Value.Type) -> Value? {
        switch DirectType(type) {
        case .double: cast(real, type)
        case .date: cast(Date(timeIntervalSinceReferenceDate: real), type)
        case .string, .int, .int64, .bool, .data, nil: nil
        }
    }

    @inlinable @inline(__always)
    static func directNull<Value>(_ type: Value.Type) -> Value? {
        switch DirectType(type) {
        case .string: cast(String?.none, type)
        case .int: cast(Int?.none, type)
        case .int64: cast(Int64?.none, type)
        case .bool: cast(Bool?.none, type)
        case .double: cast(Double?.none, type)
        case .date: cast(Date?.none, type)
        case .data: cast(Data?.none, type)
        case nil: nil
        }
    }

    /// The cast has no cost at run time.
    @inlinable @inline(__always)
    static func cast<Known, Value>(_ value: Known, _ type: Value.Type) -> Value? {
        if type == Known.self { return unsafeBitCast(value, to: Value.self) }
        if type == Known?.self { return unsafeBitCast(Known?.some(value), to: Value.self) }
        return nil
    }
}
