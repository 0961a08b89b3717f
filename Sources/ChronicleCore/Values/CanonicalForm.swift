import Foundation

extension Schema.Property {
    /// Returns whether two stored forms differ in more than the order in which a set, or a dictionary whose keys are not strings,
    /// was encoded.
    func isChange(from old: PropertyValue, to new: PropertyValue) -> Bool {
        guard old != new else { return false }
        guard let codec, codec.storage == .json, case .text(let oldJSON) = old, case .text(let newJSON) = new,
            // Usually, another value has other characters.
            oldJSON.utf8.count == newJSON.utf8.count, oldJSON.utf8.histogram == newJSON.utf8.histogram,
            let oldForm = codec.decodeAny(old).flatMap(CanonicalForm.init),
            let newForm = codec.decodeAny(new).flatMap(CanonicalForm.init)
        else { return true }
        return oldForm.text != newForm.text
    }
}

extension Sequence<UInt8> {
    fileprivate var histogram: [Int] { reduce(into: Array(repeating: 0, count: 256)) { $0[Int($1)] += 1 } }
}

/// The encoding of a value in which the elements of sets and dictionaries have a defined order.
///
/// It does not depend on `==`, because a type may consider values equal that are encoded differently.
private struct CanonicalForm {
    /// The JSON of the parts that have a defined order, and the other parts in the order of their forms.
    let text: [UInt8]

    /// Fails if the value, or a part of it, cannot be encoded or inspected.
    init?(_ value: Any) {
        guard let text = Self.text(value) else { return nil }
        self.text = text
    }

    private static func text(_ value: Any) -> [UInt8]? {
        let mirror = Mirror(reflecting: value)
        // The elements of a dictionary are tuples, which cannot be encoded.
        guard mirror.displayStyle == .tuple || hasUnorderedPart(value) else { return json(value) }
        var parts: [[UInt8]] = []
        for child in mirror.children {
            guard let part = text(child.value) else { return nil }
            parts.append(Array((child.label ?? "").utf8) + [UInt8(ascii: ":")] + part)
        }
        if value is any UnorderedCollection { parts.sort { $0.lexicographicallyPrecedes($1) } }
        // The length of each part, so that different parts cannot have the same text together.
        return parts.reduce(into: [UInt8(ascii: "(")]) { $0 += Array("\($1.count) ".utf8) + $1 }
    }

    private static func hasUnorderedPart(_ value: Any) -> Bool {
        if value is any UnorderedCollection { return true }
        // The mirror of another type may differ from its encoding.
        if value is any CustomReflectable, !(value is any OrderedContainer) { return false }
        let mirror = Mirror(reflecting: value)
        // Objects may reference each other.
        return mirror.displayStyle != .class && mirror.children.contains { hasUnorderedPart($0.value) }
    }

    private static func json(_ value: Any) -> [UInt8]? {
        guard let value = value as? any Encodable else { return nil }
        do { return Array(try JSONCoding.encode([AnyEncodable(value)])) } catch { return nil }
    }

    private struct AnyEncodable: Encodable {
        let value: any Encodable
        init(_ value: any Encodable) { self.value = value }
        func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
    }
}

/// Types that are encoded without a defined order. Ordered sets and dictionaries of other modules also have mirrors with the
/// display style of a set or a dictionary.
private protocol UnorderedCollection {}

extension Set: UnorderedCollection {}
extension Dictionary: UnorderedCollection {}

/// Types with a custom mirror that contains what they encode, in the same order.
private protocol OrderedContainer {}

extension Array: OrderedContainer {}
extension ArraySlice: OrderedContainer {}
extension ContiguousArray: OrderedContainer {}
extension Optional: OrderedContainer {}
