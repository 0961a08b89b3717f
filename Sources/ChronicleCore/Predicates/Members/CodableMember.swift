/// A stored property of a `Codable` structure, in the JSON of an attribute.
///
/// A path in a ``PredicateTree`` contains the members after the attribute: `$0.address.city` is the path of the
/// attribute `address` and the member `city`.
public struct CodableMember: Sendable {
    /// The name of the stored property in Swift.
    public let name: String
    /// The key of the member in the JSON object, which differs from ``name`` if `CodingKeys` renames it.
    public let key: String
    /// The Swift type of the member.
    public let valueType: any Any.Type
    /// The form of the values that are not nil.
    public let form: JSONForm
    /// The value that Swift decodes from an object without the key, in the form of an attribute; `nil` if that value is nil, or if
    /// Swift cannot decode such an object.
    public let missingValue: PropertyValue?

    /// Whether the value may be nil.
    public var isOptional: Bool { valueType is any OptionalValue.Type }
}

extension CodableMember: Hashable {
    /// Compares the names, the keys, the types and the missing values.
    public static func == (lhs: CodableMember, rhs: CodableMember) -> Bool {
        lhs.name == rhs.name && lhs.key == rhs.key && lhs.valueType == rhs.valueType
            && lhs.missingValue == rhs.missingValue
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension CodableMember {
    /// Throws ``SwiftDataError/unsupportedKeyPath`` if a component is not a stored property, or its key is unknown.
    ///
    /// - Parameters:
    ///   - text: The end of a key path's description, such as `.geo?.latitude`.
    ///   - type: The type of the value before it.
    static func members(_ text: Substring, of type: any Any.Type) throws -> [CodableMember] {
        var (members, rest, type): ([CodableMember], Substring, any Any.Type) = ([], text, unwrapped(type))
        while true {
            rest = rest.drop { "?!".contains($0) }
            guard !rest.isEmpty else { return members }
            let name = rest.dropFirst().prefix { !".?!".contains($0) }
            // Swift describes a computed property by its address: `<computed 0x… (String)>`.
            guard rest.first == ".", !name.isEmpty, !name.contains("<") else {
                throw unsupported("a computed property of \(type) is not in its JSON; use a stored property")
            }
            rest = rest.dropFirst(name.count + 1)
            let member = try MemberCache.member(String(name), of: type)
            members.append(member)
            type = unwrapped(member.valueType)
        }
    }

    static func unsupported(_ detail: String) -> SwiftDataError { .unsupportedKeyPath.with(detail: detail) }
}
