/// A predicate in a form that stores can translate: Foundation's `Predicate` with its types and key paths resolved.
///
/// Foundation builds a predicate from about thirty generic node types over Swift types. This tree uses properties and
/// ``PropertyValue``s instead:
///
/// ```swift
/// let tree = try PredicateTree(#Predicate<Trip> { $0.livingAccommodation?.name == "Inn" }, schema: schema)
/// // .equal(.path(livingAccommodation.name), .constant(.text("Inn")))
/// ```
///
/// A case is either a *condition*, which is true or false, or a *value*, which can be nil if its documentation says so. A
/// translation has to preserve Swift's semantics: nil equals only nil, NaN equals nothing and has no order, and a condition is
/// always true or false.
///
/// A tree is at most 50 levels deep, so a store can process it recursively. Chains of ``and(_:_:)`` and of ``or(_:_:)`` are
/// balanced; creating the tree of a predicate that is nested more deeply throws ``SwiftDataError/unsupportedPredicate``.
///
/// Swift stops the program or throws an error when a nil value is force-unwrapped, when an operation on integers overflows, and
/// when an integer is divided by zero. A predicate is *undefined* for such an object, and does not match it: neither does its
/// negation. A translation evaluates operands from left to right, as Swift does, so that `$0.note == nil || $0.note! == "x"` is
/// defined for all objects. It must not end the query or the program.
public indirect enum PredicateTree<Property: PredicateProperty>: Sendable {
    // MARK: Values

    /// A captured value or a literal, encoded like a property of its type.
    case constant(PropertyValue)
    /// A captured value that no property can hold, such as a history token.
    case foreign(any Sendable)
    /// A property, or the object itself.
    case path(Path)
    /// The result of a calculation. Neither operand is nil.
    case arithmetic(Arithmetic, Number, PredicateTree, PredicateTree)
    /// The number with the opposite sign.
    case negative(Number, PredicateTree)
    /// The number of elements, an integer.
    case count(Elements)
    /// The number of characters in a text as Swift counts them, an integer.
    case characterCount(PredicateTree)
    /// The number that a text represents, as `Decimal` is stored. It only occurs as an operand of ``compare(_:_:_:)``: NaN is less
    /// than all other numbers and equals itself.
    case decimal(PredicateTree)

    // MARK: Optionals

    /// The result of `value.flatMap { … }`: nil if the first value is nil, otherwise the second value. The second tree contains the
    /// first where the closure uses its parameter.
    case ifPresent(PredicateTree, then: PredicateTree)
    /// The result of `value ?? other`.
    case coalesce(PredicateTree, PredicateTree)
    /// The result of `value!`: a value that the program asserts is not nil. The tree is undefined if it is.
    ///
    /// As the first value of ``ifPresent(_:then:)``, it is an assertion about a part of the second one: `$0.trip!.note` is the
    /// value `trip.note`, which may be nil, if `trip` is not nil, and otherwise undefined.
    case unwrapped(PredicateTree)

    // MARK: Either

    /// The result of `condition ? value : other`, for values or conditions.
    case conditional(PredicateTree, then: PredicateTree, else: PredicateTree)

    // MARK: Conditions

    /// True if both values are nil, or both are not nil and equal. Objects are equal if their identifiers are equal.
    case equal(PredicateTree, PredicateTree)
    /// True if the values have the given order: integers, reals and decimals by size, text by its UTF-8, which is the
    /// order of the Unicode scalars, blobs by their bytes. Neither value is nil. Values of other forms are not compared.
    case compare(PredicateTree, Order, PredicateTree)
    /// True if both conditions are true.
    case and(PredicateTree, PredicateTree)
    /// True if at least one of the conditions is true.
    case or(PredicateTree, PredicateTree)
    /// True if the condition is false.
    case not(PredicateTree)
    /// True if the value equals one of the listed values, as ``equal(_:_:)`` defines it.
    case isOneOf(PredicateTree, [PropertyValue])
    /// True if the UTF-8 of the first text contains that of the second. Every text contains the empty string.
    case contains(PredicateTree, PredicateTree)
    /// True if the UTF-8 of the first text begins with that of the second.
    case starts(PredicateTree, with: PredicateTree)
    /// True if the first text contains the second, ignoring case and diacritics as ``TextSearch`` does.
    case localizedStandardContains(PredicateTree, PredicateTree)
    /// True if there is at least one element.
    case exists(Elements)
}

extension PredicateTree {
    /// An object in a predicate: the evaluated object, or an element of a to-many property.
    public struct Variable: Hashable, Sendable {
        /// 0 for the evaluated object, and a unique number for each ``Elements``.
        public let number: Int

        /// The object that the predicate evaluates.
        public static var subject: Variable { Variable(number: 0) }
    }

    /// A path from an object through to-one relationships to one of its properties.
    ///
    /// The value is nil if the last property is nil or if one of the relationships has no destination. A path without properties,
    /// or one that ends with a relationship, represents the object.
    public struct Path: Hashable, Sendable {
        /// The object where the path begins.
        public var variable: Variable
        /// The properties along the path. Members of a `Codable` value follow the attribute that contains it; see
        /// ``ModelProperty/member(_:)``.
        public var properties: [Property]

        /// Creates a path.
        ///
        /// - Parameters:
        ///   - variable: The object where the path begins.
        ///   - properties: The properties along the path: to-one relationships, then a property, then its members.
        public init(variable: Variable, properties: [Property]) {
            self.variable = variable
            self.properties = properties
        }
    }

    /// The elements of a to-many property, or of an attribute that contains an array or a set, that satisfy an optional filter.
    public struct Elements: Equatable, Sendable {
        /// The path of the to-many property or of the attribute.
        public let path: Path
        /// The variable that represents each element in ``filter``, an object or a value.
        public let variable: Variable
        /// The condition that elements have to satisfy; `nil` to include all.
        public var filter: PredicateTree?
        /// The values that are force-unwrapped to access the elements. ``asserted(_:)`` moves them to the condition or the value
        /// for which the elements are used.
        var assertions: [PredicateTree] = []

        init(path: Path, variable: Variable, assertions: [PredicateTree] = []) {
            (self.path, self.variable, self.assertions) = (path, variable, assertions)
        }

        func and(_ condition: PredicateTree) -> Elements {
            var elements = self
            elements.filter = filter.map { .and($0, condition) } ?? condition
            return elements
        }

        func asserted(_ body: (Elements) -> PredicateTree) -> PredicateTree {
            var elements = self
            elements.assertions = []
            return assertions.reversed().reduce(body(elements)) { .ifPresent(.unwrapped($1), then: $0) }
        }
    }

    /// The operator of ``compare(_:_:_:)``.
    public typealias Order = PredicateOrder
    /// The operator of ``arithmetic(_:_:_:_:)``.
    public typealias Arithmetic = PredicateArithmetic
    /// The kind of number that a calculation uses.
    public typealias Number = PredicateNumber
}

extension PredicateTree {
    /// Whether the tree may be undefined for an object: because it force-unwraps nil, divides by zero, or overflows.
    ///
    /// A translation to a language in which such operations have a value needs a condition in addition, so that neither an
    /// undefined condition nor its negation matches an object.
    ///
    /// - Complexity: O(*n*), where *n* is the number of nodes.
    public var mayBeUndefined: Bool {
        switch self {
        case .constant, .foreign, .path: false
        // Only a division by another constant than 0 and -1 has a result for every integer.
        case .arithmetic(.divide, .integer, let a, .constant(.integer(let divisor))) where divisor > 0 || divisor < -1:
            a.mayBeUndefined
        case .arithmetic(.remainder, .integer, let a, .constant(.integer(let divisor))) where divisor != 0:
            a.mayBeUndefined
        case .arithmetic(_, .integer, _, _), .negative(.integer, _), .unwrapped: true
        case .negative(.real, let a), .characterCount(let a), .decimal(let a), .not(let a), .isOneOf(let a, _):
            a.mayBeUndefined
        case .arithmetic(_, .real, let a, let b), .ifPresent(let a, let b), .coalesce(let a, let b),
            .equal(let a, let b), .compare(let a, _, let b), .and(let a, let b), .or(let a, let b),
            .contains(let a, let b),
            .starts(let a, let b), .localizedStandardContains(let a, let b):
            a.mayBeUndefined || b.mayBeUndefined
        case .conditional(let a, let b, let c): a.mayBeUndefined || b.mayBeUndefined || c.mayBeUndefined
        case .count(let elements), .exists(let elements): elements.filter?.mayBeUndefined == true
        }
    }
}

/// The operator of a comparison in a ``PredicateTree``. The raw value is the operator in Swift and SQL.
public enum PredicateOrder: String, Sendable {
    /// The first value is less than the second.
    case less = "<"
    /// The first value is less than or equal to the second.
    case lessOrEqual = "<="
    /// The first value is greater than the second.
    case greater = ">"
    /// The first value is greater than or equal to the second.
    case greaterOrEqual = ">="

    /// The operator to use when the operands are swapped.
    public var reversed: Self {
        switch self {
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        }
    }
}

/// The operator of a calculation in a ``PredicateTree``. The raw value is the operator in Swift and SQL.
public enum PredicateArithmetic: String, Sendable {
    /// The sum of the operands.
    case add = "+"
    /// The difference of the operands.
    case subtract = "-"
    /// The product of the operands.
    case multiply = "*"
    /// The quotient of the operands.
    case divide = "/"
    /// The remainder of the division, with the sign of the first operand.
    case remainder = "%"
}

/// The kind of number that a calculation in a ``PredicateTree`` uses.
public enum PredicateNumber: Sendable {
    /// Integers, whose division truncates.
    case integer
    /// Floating-point numbers, which follow IEEE 754.
    case real
}

/// A property that can occur in a path: a property of a model, or of another type that predicates evaluate.
public protocol PredicateProperty: Hashable, Sendable {
    /// The name of the property in the store.
    var name: String { get }
    /// Whether the property can reference more than one object.
    var isToMany: Bool { get }
}
