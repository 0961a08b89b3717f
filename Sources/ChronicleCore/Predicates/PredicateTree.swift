/// A predicate as a store sees it: what Foundation's `Predicate` says, with its types and key paths resolved.
///
/// Foundation builds a predicate from some thirty generic node types over Swift types. A store knows properties and
/// ``PropertyValue``s; this tree speaks of those, in a few cases that nest:
///
/// ```swift
/// let tree = try PredicateTree(#Predicate<Trip> { $0.livingAccommodation?.name == "Inn" }, schema: schema)
/// // .equal(.path(livingAccommodation.name), .constant(.text("Inn")))
/// ```
///
/// A case is either a *condition*, which is true or false, or a *value*, which may be nil where it says so. What a
/// translation has to keep is Swift's meaning: nil equals nil and nothing else, NaN equals nothing and is in no order,
/// and a condition is never anything between true and false.
///
/// A tree is at most 50 levels deep, so that a store may walk it by recursion: chains of ``and(_:_:)`` and of ``or(_:_:)`` are
/// balanced, and a predicate that is nested deeper otherwise is ``SwiftDataError/unsupportedPredicate``.
///
/// Swift stops the program, or throws, on a nil that is unwrapped by force, on an overflow and on a division of integers
/// by zero. Nothing of this can happen to a store that looks at many rows: a row whose values come to that matches or
/// does not, as the store pleases, and ends neither the query nor the program.
public indirect enum PredicateTree<Property: PredicateProperty>: Sendable {
    // MARK: Values

    /// A captured value or a literal, in the form in which a property of its type is stored.
    case constant(PropertyValue)
    /// A captured value that no property holds, such as a history token.
    case foreign(any Sendable)
    /// A property, or the object itself.
    case path(Path)
    /// The result of a calculation. Neither operand is nil.
    case arithmetic(Arithmetic, Number, PredicateTree, PredicateTree)
    /// The number with the opposite sign.
    case negative(Number, PredicateTree)
    /// How many elements there are: an integer.
    case count(Elements)
    /// How many characters a text has, as Swift counts them: an integer.
    case characterCount(PredicateTree)

    // MARK: Optionals

    /// `value.flatMap { … }`: nil when the first is nil, or else the second, in which the value itself stands for what the
    /// closure is given.
    case ifPresent(PredicateTree, then: PredicateTree)
    /// `value ?? other`
    case coalesce(PredicateTree, PredicateTree)
    /// `value!`: the value, which the program says is not nil.
    case unwrapped(PredicateTree)

    // MARK: Either

    /// `condition ? value : other`, values or conditions.
    case conditional(PredicateTree, then: PredicateTree, else: PredicateTree)

    // MARK: Conditions

    /// Both values are nil, or neither is and they are equal. Objects are equal when their identifiers are.
    case equal(PredicateTree, PredicateTree)
    /// The first value stands before or after the second: integers and reals by size, text by its Unicode scalars, blobs
    /// by their bytes. Neither is nil. Values of other forms are not compared.
    case compare(PredicateTree, Order, PredicateTree)
    case and(PredicateTree, PredicateTree)
    case or(PredicateTree, PredicateTree)
    case not(PredicateTree)
    /// The value equals one of these, in the sense of ``equal(_:_:)``.
    case isOneOf(PredicateTree, [PropertyValue])
    /// The second text is a part of the first; an empty one always is.
    case contains(PredicateTree, PredicateTree)
    /// The first text begins with the second.
    case starts(PredicateTree, with: PredicateTree)
    /// The second text occurs in the first, in whatever case and with whatever diacritics, as ``TextSearch`` finds it.
    case localizedStandardContains(PredicateTree, PredicateTree)
    /// There is at least one element.
    case exists(Elements)
}

extension PredicateTree {
    /// An object that the predicate speaks of: the one to be judged, or an element of a to-many property.
    public struct Variable: Hashable, Sendable {
        /// 0 for the object to be judged, and a number of its own for each ``Elements``.
        public let number: Int

        /// The object to be judged.
        public static var subject: Variable { Variable(number: 0) }
    }

    /// A way from an object to one of its properties, through to-one relationships.
    ///
    /// The value is nil where the last property is, and where one of the relationships leads nowhere. A path without
    /// properties, and one that ends with a relationship, stand for the object.
    public struct Path: Hashable, Sendable {
        public var variable: Variable
        public var properties: [Property]

        public init(variable: Variable, properties: [Property]) {
            self.variable = variable
            self.properties = properties
        }
    }

    /// What a to-many property leads to, all of it or what passes a filter.
    public struct Elements: Sendable {
        /// The path to the to-many property.
        public let path: Path
        /// Stands for each element in ``filter``.
        public let variable: Variable
        /// The condition on the elements that count; `nil` when all do.
        public var filter: PredicateTree?

        func and(_ condition: PredicateTree) -> Elements {
            var elements = self
            elements.filter = filter.map { .and($0, condition) } ?? condition
            return elements
        }
    }

    /// The order that ``compare(_:_:_:)`` asks for.
    public enum Order: String, Sendable {
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
    }

    /// What ``arithmetic(_:_:_:_:)`` does. A remainder has the sign of the first operand.
    public enum Arithmetic: String, Sendable {
        case add = "+"
        case subtract = "-"
        case multiply = "*"
        case divide = "/"
        case remainder = "%"
    }

    /// What is calculated with: integers divide with truncation, reals as IEEE 754 says.
    public enum Number: Sendable {
        case integer
        case real
    }
}

extension PredicateTree.Order {
    /// The same question asked from the other side.
    public var reversed: Self {
        switch self {
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        }
    }
}

/// What a path is made of: the properties of models, or those of something else that predicates are asked of.
public protocol PredicateProperty: Hashable, Sendable {
    /// The name in the store.
    var name: String { get }
    /// Whether it leads to any number of objects.
    var isToMany: Bool { get }
}
