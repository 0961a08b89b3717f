extension Schema.Property {
    /// Returns the Swift value of an attribute for a stored value, for example for a ``HistoryTombstone``.
    ///
    /// A property of a decoded schema decodes values to the same types, or to their stored form if a name does not identify the
    /// type; see ``Schema/Attribute/valueTypeName``.
    ///
    /// - Parameter value: The stored value.
    /// - Returns: The value, not wrapped in an optional, or `nil` for ``PropertyValue/null``.
    /// - Throws: ``SwiftDataError/undecodableValue`` if the stored value is not valid for the type of the attribute. Correct the
    ///   value, or change the type.
    public func decode(_ value: PropertyValue) throws -> (any Sendable)? {
        if value.isNull { return nil }
        // The codec takes five times as long.
        if let decoded = directType?.decode(value) { return decoded }
        guard let codec, let decoded = codec.decodeAny(value) else {
            let reason = codec?.decodingFailure(value).map { ", because \($0)" } ?? ""
            throw SwiftDataError.undecodableValue.with(
                detail:
                    "the store contains \(value.formName) that is not a valid \(attribute?.valueTypeName ?? "Never")"
                    + "\(reason); correct the value, or change the type of the property",
                propertyName: name)
        }
        let plain: Any = attribute?.isOptional == true ? (decoded as? any OptionalValue)?.wrapped ?? decoded : decoded
        // The value was just decoded and is not shared, so it can be sent. `Sendable` is a marker protocol, which a
        // cast cannot check; `as Any` prevents Swift from opening the existential.
        return unsafeBitCast(plain as Any, to: (any Sendable).self)
    }
}

extension Schema.Property {
    /// Returns the stored form of a value of an attribute, which ``decode(_:)`` converts back.
    ///
    /// - Parameter value: A value of the attribute's type; `nil` for ``PropertyValue/null``.
    /// - Returns: The stored form of the value.
    /// - Throws: ``SwiftDataError/modelValidationFailure`` for a value that has another type or cannot be encoded, and for `nil` if
    ///   the attribute is not optional; ``SwiftDataError/valueOutOfRange`` for a number that does not fit in 64 bits signed. Set
    ///   another value.
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
            detail: "a \(type(of: value)) is not a valid \(attribute?.valueTypeName ?? "Never")", propertyName: name)
    }
}
