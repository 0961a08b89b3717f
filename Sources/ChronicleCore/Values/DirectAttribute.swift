import Foundation

/// An attribute of a ``DirectType``, which a save reads from the wrapper itself, without a key path, a codec or
/// unspecialized generic code.
struct DirectAttribute: Sendable {
    private let type: DirectType
    private let isOptional: Bool
    private let offset: Int

    init?(_ type: Any.Type, at offset: Int) {
        guard let direct = DirectType(type) else { return nil }
        self.type = direct
        self.offset = offset
        isOptional = type is any OptionalValue.Type
    }

    /// Returns `nil` when the wrapper has no value.
    func value(in model: AnyObject) -> PropertyValue? {
        let wrapper = UnsafeRawPointer(Unmanaged.passUnretained(model).toOpaque()) + offset
        return switch type {
        case .string: value(in: wrapper, as: String.self)
        case .int: value(in: wrapper, as: Int.self)
        case .int64: value(in: wrapper, as: Int64.self)
        case .bool: value(in: wrapper, as: Bool.self)
        case .double: value(in: wrapper, as: Double.self)
        case .date: value(in: wrapper, as: Date.self)
        case .data: value(in: wrapper, as: Data.self)
        }
    }

    @inline(__always)
    private func value<Value: DirectValue>(in wrapper: UnsafeRawPointer, as: Value.Type) -> PropertyValue? {
        if isOptional {
            return wrapper.assumingMemoryBound(to: Attribute<Value?>.self).pointee.value.map { $0?.encoded ?? .null }
        }
        return wrapper.assumingMemoryBound(to: Attribute<Value>.self).pointee.value?.encoded
    }
}
