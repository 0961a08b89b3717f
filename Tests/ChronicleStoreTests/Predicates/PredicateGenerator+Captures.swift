import Chronicle
import Foundation

/// A structure that a predicate captures to use its members.
struct Captured<Value: Codable & Sendable>: Codable, Sendable {
    var value: Value
}

extension Nodes {
    /// Returns a node whose value is calculated from captured values. Foundation evaluates it to the value of another node.
    ///
    /// - Parameters:
    ///   - form: The number of the form, below ``captureForms``.
    ///   - value: The value.
    ///   - other: Another value of the type, which is part of some forms.
    static func capture<Value: Codable & Sendable>(_ form: Int, _ value: Value, _ other: Value) -> Node<Value> {
        switch form {
        case 0: Build.build_Arg(value)
        case 1: Build.build_KeyPath(root: Build.build_Arg(Captured(value: value)), keyPath: \.value)
        case 2:
            Build.build_KeyPath(
                root: Build.build_KeyPath(
                    root: Build.build_Arg(Captured(value: Captured(value: value))), keyPath: \.value),
                keyPath: \.value)
        case 3: Build.build_NilCoalesce(lhs: Build.build_Arg(nil as Value?), rhs: Build.build_Arg(value))
        case 4: Build.build_NilCoalesce(lhs: Build.build_Arg(Optional(value)), rhs: Build.build_Arg(other))
        case 5: Build.build_ForcedUnwrap(Build.build_Arg(Optional(value)))
        case 6: Build.build_Conditional(Build.build_Arg(true), Build.build_Arg(value), Build.build_Arg(other))
        case 7:
            Build.build_NilCoalesce(
                lhs: Build.build_flatMap(Build.build_Arg(Optional(Captured(value: value)))) {
                    Build.build_KeyPath(root: $0, keyPath: \.value)
                }, rhs: Build.build_Arg(other))
        case 8:
            Build.build_KeyPath(
                root: Build.build_ForcedUnwrap(Build.build_Arg(Optional(Captured(value: value)))), keyPath: \.value)
        default: Build.build_subscript(Build.build_Arg([other, value]), Build.build_Arg(1))
        }
    }

    static let captureForms = 10

    /// Returns conditions on a value that use captured collections: `list?.contains(a) == true`, `(list ?? []).contains(a)`,
    /// `list.contains { $0 == a }` and `list.allSatisfy { $0 != a }`.
    static func element<Value: Equatable & Codable & Sendable>(
        _ form: Int, of list: [Value]?, _ a: some Part<Value>
    ) -> Node<Bool> {
        let captured = Build.build_KeyPath(root: Build.build_Arg(Captured(value: list)), keyPath: \.value)
        switch form {
        case 0:
            return Build.build_Equal(
                lhs: Build.build_flatMap(captured) { Build.build_contains($0, a) },
                rhs: Build.build_Arg(Bool?.some(true)))
        case 1: return Build.build_contains(Build.build_NilCoalesce(lhs: captured, rhs: Build.build_Arg([])), a)
        case 2:
            return Build.build_contains(Build.build_NilCoalesce(lhs: captured, rhs: Build.build_Arg([]))) {
                Build.build_Equal(lhs: $0, rhs: a)
            }
        case 3:
            return Build.build_allSatisfy(Build.build_ForcedUnwrap(captured)) {
                Build.build_NotEqual(lhs: $0, rhs: a)
            }
        default:
            return Build.build_contains(Build.build_ForcedUnwrap(captured), a)
        }
    }

    static let elementForms = 5

    /// Returns whether an integer is below a captured one, if that is not nil.
    static func isBelow(_ limit: Captured<Int>?, _ a: some Part<Int>) -> Node<Bool> {
        Build.build_NilCoalesce(
            lhs: Build.build_flatMap(Build.build_Arg(limit)) {
                Build.build_Comparison(lhs: a, rhs: Build.build_KeyPath(root: $0, keyPath: \.value), op: .lessThan)
            }, rhs: Build.build_Arg(true))
    }
}
