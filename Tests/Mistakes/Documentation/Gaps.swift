// The gaps that `.ci/undocumented --self-test` must find: each comment `gap:` follows the line of its declaration.

/// A type.
public struct Documented: Hashable, Codable, Sendable, CustomStringConvertible {
    /// A value.
    public var value = 0
    public var bare = 0  // gap: has no summary

    public init() {}  // gap: has no summary

    // The standard library documents what these implement.
    public var description: String { "" }
    public static func == (one: Self, other: Self) -> Bool { one.value == other.value }
    public func hash(into hasher: inout Hasher) {}

    /// Does something.
    ///
    /// - Parameters:
    ///   - one: A number.
    ///   - two: Another number, with a description
    ///     that goes on.
    /// - Returns: A number.
    /// - Throws: `CancellationError`.
    public func complete(_ one: Int, second two: Int) throws -> Int { one }

    /// Does something.
    ///
    /// ```swift
    /// - Returns: code, and no section
    /// ```
    ///
    /// - Parameter one: A number.
    public func incomplete(_ one: Int, two: Int) -> Int { one }
    // gap: does not document the parameter ‘two’
    // gap: does not document its result

    /// Does something.
    ///
    /// - Parameter body: May throw, which is not this function's.
    public func giving(_ body: () throws -> Void) {}

    /// Does something.
    ///
    /// - Parameter body: May throw.
    public func passing(_ body: () throws -> Void) rethrows {}

    /// Does something.
    ///
    /// - Parameter body: May throw.
    public func throwing(_ body: () throws -> Void) throws {}  // gap: does not document its errors

    /// Does something.
    ///
    /// - Throws: When it fails.
    public func vague() async throws {}  // gap: names no error that it throws

    /// Does something.
    ///
    /// - Throws: The error that another one throws.
    public func forwarding() throws {}

    /// Does something.
    ///
    /// - Throws: An error when it fails,
    ///   ``Documented/Problem``.
    public func late() throws(Problem) {}

    /// A value.
    public var getter: Int { get throws { 0 } }  // gap: does not document its errors

    /// A place.
    public subscript(place: Int) -> Int { place }  // gap: does not document the parameter ‘place’

    /// An error.
    public enum Problem: Error {
        case one  // gap: has no summary
        /// Another.
        case two
    }

    /// - Parameter one: A number.
    public init(_ one: Int) {}  // gap: has no summary
}

/// A protocol.
public protocol Requirement {
    associatedtype Element  // gap: has no summary

    /// Does something.
    ///
    /// - Parameter element: A value.
    func documented(_ element: Element)
    func bare()  // gap: has no summary
}

/// An implementation.
public struct Implementation: Requirement {
    /// Does something in another way. The requirement describes the parameter.
    public func documented(_ element: Int) {}
    public func bare() {}
}

/// A function.
///
/// - Parameters:
///   - one: A number.
///   - two:
public func parameters(_ one: Int, _ two: Int) {}  // gap: does not document the parameter ‘two’

extension Optional {
    public var extended: Int { 0 }  // gap: has no summary
}

public typealias Bare = Int  // gap: has no summary

func notPublic() {}
