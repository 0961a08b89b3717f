public import Foundation

/// The types whose stored representation is nearly their own. Attributes of these types and of their optionals are read from rows
/// without a codec and saved without a key path.
@usableFromInline
enum DirectType: UInt8, Sendable {
    case string, int, int64, bool, double, date, data

    /// Accepts optionals. Inlined where the type is known, so the compiler evaluates it.
    @inlinable @inline(__always)
    init?<Value>(_ type: Value.Type) {
        if type == String.self || type == String?.self {
            self = .string
        } else if type == Int.self || type == Int?.self {
            self = .int
        } else if type == Int64.self || type == Int64?.self {
            self = .int64
        } else if type == Bool.self || type == Bool?.self {
            self = .bool
        } else if type == Double.self || type == Double?.self {
            self = .double
        } else if type == Date.self || type == Date?.self {
            self = .date
        } else if type == Data.self || type == Data?.self {
            self = .data
        } else {
            return nil
        }
    }

    /// Returns `nil` if the value is null or has another form than the type is stored in.
    func decode(_ value: PropertyValue) -> (any Sendable)? {
        switch self {
        case .string: value.direct(as: String.self)
        case .int: value.direct(as: Int.self)
        case .int64: value.direct(as: Int64.self)
        case .bool: value.direct(as: Bool.self)
        case .double: value.direct(as: Double.self)
        case .date: value.direct(as: Date.self)
        case .data: value.direct(as: Data.self)
        }
    }

    var codec: any AnyPropertyCodec {
        switch self {
        case .string: PropertyCodec<String>(direct: .text, .text)
        case .int: PropertyCodec<Int>(direct: .integer, .integer(.min ... .max))
        case .int64: PropertyCodec<Int64>(direct: .integer, .integer(.min ... .max))
        case .bool: PropertyCodec<Bool>(direct: .integer, .integer(0...1))
        case .double: PropertyCodec<Double>(direct: .real, .real)
        case .date: PropertyCodec<Date>(direct: .real, .real)
        case .data: PropertyCodec<Data>(direct: .blob, .blob)
        }
    }
}

extension PropertyCodec where Value: DirectValue {
    @inline(__always)
    fileprivate convenience init(direct storage: Schema.Attribute.Storage, _ check: PropertyCheck) {
        self.init(storage, check, encode: { $0.encoded }, decode: { $0.direct(as: Value.self) })
    }
}

protocol DirectValue {
    /// See ``PropertyValue/direct(as:)``.
    var encoded: PropertyValue { get }
}

extension String: DirectValue {
    var encoded: PropertyValue { .text(self) }
}

extension Int: DirectValue {
    var encoded: PropertyValue { .integer(Int64(self)) }
}

extension Int64: DirectValue {
    var encoded: PropertyValue { .integer(self) }
}

extension Bool: DirectValue {
    var encoded: PropertyValue { .integer(self ? 1 : 0) }
}

extension Double: DirectValue {
    var encoded: PropertyValue { .real(self) }
}

extension Date: DirectValue {
    var encoded: PropertyValue { .real(timeIntervalSinceReferenceDate) }
}

extension Data: DirectValue {
    var encoded: PropertyValue { .blob(self) }
}
