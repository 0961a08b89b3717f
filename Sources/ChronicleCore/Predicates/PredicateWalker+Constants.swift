import Foundation

extension PredicateWalker {
    /// A captured value in the form in which a property of its type would be stored.
    func constant<Value>(_ value: Value) throws -> Tree {
        if let foreign = resolver.foreign(value) { return .foreign(foreign) }
        return .constant(try ConstantEncoder(Value.self).encode(value))
    }

    /// The elements of a captured collection.
    func constants(_ collection: any Collection) throws -> [PropertyValue] {
        func encode<Values: Collection>(_ values: Values) throws -> [PropertyValue] {
            let encoder = try ConstantEncoder(Values.Element.self)
            return try values.map(encoder.encode)
        }
        return try encode(collection)
    }

    /// The comparison of two values of a type, whose order has to be that of their stored forms.
    ///
    /// A `Comparable` enum or structure orders its values as it likes, which no store knows.
    func comparison(
        _ left: Tree, _ order: Tree.Order, _ right: Tree, of type: any Any.Type, _ node: String
    ) throws -> Tree {
        guard StoredOrder.isKnown(type) || resolver.isOrdered(type) else {
            throw unsupported("\(node) of \(type) values: their order is not that of what is stored")
        }
        // Unlike a number, a date that is NaN is at most and at least any other: Foundation leaves `<=` to the standard
        // library, for which it is the opposite of `>`.
        switch order {
        case .lessOrEqual where type == Date.self: return .not(.compare(left, .greater, right))
        case .greaterOrEqual where type == Date.self: return .not(.compare(left, .less, right))
        default: return .compare(left, order, right)
        }
    }

    /// Whether a type is calculated with in a store as it is in Swift.
    func number(_ type: any Any.Type, _ node: String) throws -> Tree.Number {
        if type is any FixedWidthInteger.Type { return .integer }
        if type == Double.self { return .real }
        throw unsupported("\(node) of \(type) values")
    }
}

/// The types whose stored forms are in the order of their values.
enum StoredOrder {
    static func isKnown(_ type: any Any.Type) -> Bool {
        if let optional = type as? any OptionalValue.Type { return isKnown(optional.wrappedType) }
        return [String.self, Double.self, Float.self, Date.self, UUID.self, PersistentIdentifier.self]
            .contains { $0 == type } || type is any FixedWidthInteger.Type
    }
}

/// Encodes the values of one type that predicates capture.
struct ConstantEncoder<Value> {
    private let codec: PropertyCodec<Value>?

    init(_ type: Value.Type) throws {
        if type is PersistentIdentifier.Type || type is PersistentIdentifier?.Type {
            codec = nil
            return
        }
        codec = PropertyCodecs.codec(type)
        guard codec != nil else {
            throw SwiftDataError.unsupportedPredicate.with(detail: "a captured \(type)")
        }
    }

    func encode(_ value: Value) throws -> PropertyValue {
        guard let codec else {
            return (value as? PersistentIdentifier).map { .reference($0) } ?? .null
        }
        if codec.storage == .json { try requireOneText(value) }
        do { return try codec.encode(value) } catch {
            throw SwiftDataError.unsupportedPredicate.with(
                detail: "a captured \(Value.self) that cannot be stored", underlying: error)
        }
    }

    /// JSON is compared as text, and a set, or a dictionary with keys that are no strings, may be written in any order.
    private func requireOneText(_ value: Any) throws {
        let mirror = Mirror(reflecting: value)
        let isUnordered =
            mirror.displayStyle == .set
            || mirror.displayStyle == .dictionary && !(value is any StringKeyed)
        if isUnordered, mirror.children.count > 1 {
            throw SwiftDataError.unsupportedPredicate.with(
                detail: "a captured \(type(of: value)), which is stored in no order")
        }
        for child in mirror.children { try requireOneText(child.value) }
    }
}

/// The dictionaries that `Codable` writes as objects, whose keys are sorted.
private protocol StringKeyed {}

extension Dictionary: StringKeyed where Key: StringOrInteger {}

private protocol StringOrInteger {}
extension String: StringOrInteger {}
extension Int: StringOrInteger {}
