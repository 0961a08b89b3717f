import Foundation

/// An attribute of a direct type (see ``PropertyValue/direct(as:)``), which a save reads from the wrapper itself,
/// without a key path, a codec or unspecialized generic code.
struct DirectAttribute: Sendable {
    private enum Form: UInt8 {
        case string, int, int64, bool, double, date, data
        case optionalString, optionalInt, optionalInt64, optionalBool, optionalDouble, optionalDate, optionalData
    }

    private let form: Form
    /// The offset of the wrapper in the model, in bytes.
    private let offset: Int

    init?(_ type: Any.Type, at offset: Int) {
        switch type {
        case is String.Type: form = .string
        case is Int.Type: form = .int
        case is Int64.Type: form = .int64
        case is Bool.Type: form = .bool
        case is Double.Type: form = .double
        case is Date.Type: form = .date
        case is Data.Type: form = .data
        case is String?.Type: form = .optionalString
        case is Int?.Type: form = .optionalInt
        case is Int64?.Type: form = .optionalInt64
        case is Bool?.Type: form = .optionalBool
        case is Double?.Type: form = .optionalDouble
        case is Date?.Type: form = .optionalDate
        case is Data?.Type: form = .optionalData
        default: return nil
        }
        self.offset = offset
    }

    /// Returns the encoded value that the wrapper holds; `nil` when it has no value.
    ///
    /// - Parameter model: An instance of the class that declares the attribute.
    func value(in model: AnyObject) -> PropertyValue? {
        let wrapper = UnsafeRawPointer(Unmanaged.passUnretained(model).toOpaque()) + offset
        switch form {
        case .string: return load(wrapper) { (value: String) in .text(value) }
        case .int: return load(wrapper) { (value: Int) in .integer(Int64(value)) }
        case .int64: return load(wrapper) { (value: Int64) in .integer(value) }
        case .bool: return load(wrapper) { (value: Bool) in .integer(value ? 1 : 0) }
        case .double: return load(wrapper) { (value: Double) in .real(value) }
        case .date: return load(wrapper) { (value: Date) in .real(value.timeIntervalSinceReferenceDate) }
        case .data: return load(wrapper) { (value: Data) in .blob(value) }
        case .optionalString: return loadOptional(wrapper) { (value: String) in .text(value) }
        case .optionalInt: return loadOptional(wrapper) { (value: Int) in .integer(Int64(value)) }
        case .optionalInt64: return loadOptional(wrapper) { (value: Int64) in .integer(value) }
        case .optionalBool: return loadOptional(wrapper) { (value: Bool) in .integer(value ? 1 : 0) }
        case .optionalDouble: return loadOptional(wrapper) { (value: Double) in .real(value) }
        case .optionalDate:
            return loadOptional(wrapper) { (value: Date) in .real(value.timeIntervalSinceReferenceDate) }
        case .optionalData: return loadOptional(wrapper) { (value: Data) in .blob(value) }
        }
    }

    @inline(__always)
    private func load<Value>(_ wrapper: UnsafeRawPointer, _ encode: (Value) -> PropertyValue) -> PropertyValue? {
        wrapper.assumingMemoryBound(to: Attribute<Value>.self).pointee.value.map(encode)
    }

    @inline(__always)
    private func loadOptional<Value>(
        _ wrapper: UnsafeRawPointer, _ encode: (Value) -> PropertyValue
    ) -> PropertyValue? {
        load(wrapper) { (value: Value?) in value.map(encode) ?? .null }
    }
}
