extension Schema.Property {
    /// The Swift value of an attribute, from what a store holds of it: what a tombstone is made of. An optional value
    /// comes without its optional; `nil` for ``PropertyValue/null``.
    ///
    /// - Throws: ``SwiftDataError/undecodableValue`` for what is no value of the property's type.
    public func decode(_ value: PropertyValue) throws -> (any Sendable)? {
        if value.isNull { return nil }
        guard let codec, let decoded = codec.decodeAny(value) else {
            throw SwiftDataError.undecodableValue.with(
                detail: "the store holds \(value.formName) that is no value of \(attribute?.valueType ?? Never.self)",
                propertyName: name)
        }
        let plain: Any = attribute?.isOptional == true ? (decoded as? any Wrapping)?.wrapped ?? decoded : decoded
        // Attributes are values, and this one was made a moment ago: nobody else has it. `Sendable` has no run-time form
        // that a cast could look for; `as Any` keeps Swift from opening the box.
        return unsafeBitCast(plain as Any, to: (any Sendable).self)
    }
}

extension Schema.Property {
    /// The form in which a store holds a value of an attribute: what ``decode(_:)`` makes the value of again. `nil` is
    /// ``PropertyValue/null``, which an attribute that is not optional does not have.
    ///
    /// - Throws: ``SwiftDataError/modelValidationFailure`` for a value of another type, or one that cannot be encoded,
    ///   ``SwiftDataError/valueOutOfRange``.
    public func encode(_ value: (any Sendable)?) throws -> PropertyValue {
        guard let value else {
            if attribute?.isOptional != false { return .null }
            throw SwiftDataError.modelValidationFailure.with(detail: "it has no value", propertyName: name)
        }
        do {
            if let encoded = try codec?.encodeAny(value) { return encoded }
        } catch let error as SwiftDataError {
            throw error.with(propertyName: name)
        } catch {
            throw SwiftDataError.modelValidationFailure.with(
                detail: "the value cannot be encoded", propertyName: name, underlying: error)
        }
        throw SwiftDataError.modelValidationFailure.with(
            detail: "a \(type(of: value)) is no value of \(attribute?.valueType ?? Never.self)", propertyName: name)
    }
}

/// What an optional holds, without its type.
private protocol Wrapping {
    var wrapped: Any? { get }
}

extension Optional: Wrapping {
    fileprivate var wrapped: Any? { self }
}
