import Foundation

extension PredicateWalker {
    func constant<Value>(_ value: Value) throws -> Tree {
        if let foreign = resolver.foreign(value) { return .foreign(foreign) }
        return .constant(try ConstantEncoder(Value.self).encode(value))
    }

    func constants(_ collection: any Collection) throws -> [PropertyValue] {
        func encode<Values: Collection>(_ values: Values) throws -> [PropertyValue] {
            if values.contains(where: { resolver.foreign($0) != nil }) {
                throw unsupported("a list of \(Values.Element.self) values")
            }
            let encoder = try ConstantEncoder(Values.Element.self)
            return try values.map(encoder.encode)
        }
        return try encode(collection)
    }

    /// Only for types with the same order as their stored values. A `Comparable` enumeration or structure can define any order,
    /// which stores cannot reproduce.
    func comparison(
        _ left: Tree, _ order: Tree.Order, _ right: Tree, of type: any Any.Type, _ node: String
    ) throws -> Tree {
        if type is Decimal.Type || type is Decimal?.Type { return .compare(.decimal(left), order, .decimal(right)) }
        guard StoredOrder.isKnown(type) || resolver.isOrdered(type) else {
            throw unsupported("\(node) of \(type) values, whose order differs from that of the stored values,")
        }
        // Unlike a NaN number, a NaN date is both `<=` and `>=` any other date: Foundation uses the default
        // implementation of `<=`, which negates `>`.
        switch order {
        case .lessOrEqual where type == Date.self: return .not(.compare(left, .greater, right))
        case .greaterOrEqual where type == Date.self: return .not(.compare(left, .less, right))
        default: return .compare(left, order, right)
        }
    }

    /// The arithmetic of the type must have the same results in stores as in Swift.
    func number(_ type: any Any.Type, _ node: String) throws -> Tree.Number {
        if type is any FixedWidthInteger.Type { return .integer }
        if type == Double.self { return .real }
        throw unsupported("\(node) of \(type) values")
    }
}

/// The types whose stored values have the same order as the Swift values.
enum StoredOrder {
    static func isKnown(_ type: any Any.Type) -> Bool {
        if let optional = type as? any OptionalValue.Type { return isKnown(optional.wrappedType) }
        return [String.self, Double.self, Float.self, Date.self, UUID.self, PersistentIdentifier.self]
            .contains { $0 == type } || type is any FixedWidthInteger.Type
    }
}

struct ConstantEncoder<Value> {
    private let codec: PropertyCodec<Value>?

    init(_ type: Value.Type) throws {
        if type is PersistentIdentifier.Type || type is PersistentIdentifier?.Type {
            codec = nil
            return
        }
        codec = PropertyCodecs.codec(type)
        guard codec != nil else {
            throw SwiftDataError.unsupportedPredicate.with(
                detail: "a captured \(type) cannot be stored; capture a value of another type")
        }
    }

    func encode(_ value: Value) throws -> PropertyValue {
        guard let codec else {
            return (value as? PersistentIdentifier).map { .reference($0) } ?? .null
        }
        if codec.storage == .json { try requireDeterministicJSON(value) }
        do { return try codec.encode(value) } catch {
            throw SwiftDataError.unsupportedPredicate.with(
                detail: "a captured \(Value.self) cannot be encoded; capture another value", underlying: error)
        }
    }

    /// JSON is compared as text, and the elements of a set, or of a dictionary whose keys are not strings, may be encoded in any
    /// order.
    private func requireDeterministicJSON(_ value: Any) throws {
        let mirror = Mirror(reflecting: value)
        let isUnordered =
            mirror.displayStyle == .set
            || mirror.displayStyle == .dictionary && !(value is any StringKeyed)
        if isUnordered, mirror.children.count > 1 {
            throw SwiftDataError.unsupportedPredicate.with(
                detail: "a captured \(type(of: value)) cannot be compared because its encoding has no defined order; "
                    + "filter the fetched results")
        }
        for child in mirror.children { try requireDeterministicJSON(child.value) }
    }
}

/// A dictionary that `Codable` encodes as a JSON object, whose keys are sorted.
private protocol StringKeyed {}

extension Dictionary: StringKeyed where Key: StringOrInteger {}

private protocol StringOrInteger {}
extension String: StringOrInteger {}
extension Int: StringOrInteger {}
