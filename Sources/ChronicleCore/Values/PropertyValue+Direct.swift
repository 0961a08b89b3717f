public import Foundation

// The direct types: types whose stored representation is nearly their own. The wrapper of such an attribute reads the
// value from the row without a codec and without decoding it in advance. The functions are inlined where the property
// is declared, so the compiler knows the type and keeps a single branch.
extension PropertyValue {
    /// Returns whether ``direct(as:)`` supports the type.
    @inlinable @inline(__always)
    static func isDirect<Value>(_ type: Value.Type) -> Bool {
        type == String.self || type == Int.self || type == Int64.self || type == Bool.self || type == Double.self
            || type == Date.self || type == Data.self || type == String?.self || type == Int?.self
            || type == Int64?.self || type == Bool?.self || type == Double?.self || type == Date?.self
            || type == Data?.self
    }

    /// Returns the value as a direct type; `nil` when the value has another form than the type is stored in.
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
        if type == Int.self || type == Int?.self { return cast(Int(truncatingIfNeeded: integer), type) }
        if type == Int64.self || type == Int64?.self { return cast(integer, type) }
        if type == Bool.self || type == Bool?.self { return cast(integer != 0, type) }
        return direct(Double(integer), type)
    }

    @inlinable @inline(__always)
    static func direct<Value>(_ real: Double, _ type: Value.Type) -> Value? {
        if type == Double.self || type == Double?.self { return cast(real, type) }
        return cast(Date(timeIntervalSinceReferenceDate: real), type)
    }

    @inlinable @inline(__always)
    static func directNull<Value>(_ type: Value.Type) -> Value? {
        if type == String?.self { return cast(String?.none, type) }
        if type == Int?.self { return cast(Int?.none, type) }
        if type == Int64?.self { return cast(Int64?.none, type) }
        if type == Bool?.self { return cast(Bool?.none, type) }
        if type == Double?.self { return cast(Double?.none, type) }
        if type == Date?.self { return cast(Date?.none, type) }
        if type == Data?.self { return cast(Data?.none, type) }
        return nil
    }

    /// Returns the value if `Value` is its type or the optional of its type. The cast has no cost at run time.
    @inlinable @inline(__always)
    static func cast<Known, Value>(_ value: Known, _ type: Value.Type) -> Value? {
        if type == Known.self { return unsafeBitCast(value, to: Value.self) }
        if type == Known?.self { return unsafeBitCast(Known?.some(value), to: Value.self) }
        return nil
    }
}
