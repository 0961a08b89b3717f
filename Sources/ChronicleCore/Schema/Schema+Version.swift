extension Schema {
    /// The identifier of a version of a schema: three numbers that are compared one after another.
    public struct Version: Hashable, Sendable {
        /// The number that is compared first.
        public let major: Int
        /// The number that is compared second.
        public let minor: Int
        /// The number that is compared last.
        public let patch: Int

        /// Creates an identifier.
        ///
        /// - Parameters:
        ///   - major: The number that is compared first.
        ///   - minor: The number that is compared second.
        ///   - patch: The number that is compared last.
        public init(_ major: Int, _ minor: Int, _ patch: Int) {
            self.major = major
            self.minor = minor
            self.patch = patch
        }

        /// Creates an identifier from its ``description``.
        ///
        /// A store uses it to read the version that it stored as text.
        ///
        /// - Parameter description: Three integers that are separated by periods. The initializer returns `nil` for
        ///   any other text.
        public init?(_ description: String) {
            let parts = description.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
            guard parts.count == 3, let major = parts[0], let minor = parts[1], let patch = parts[2] else { return nil }
            self.init(major, minor, patch)
        }
    }
}

extension Schema.Version: Codable {}

extension Schema.Version: CustomStringConvertible {
    /// The numbers, separated by periods.
    public var description: String { "\(major).\(minor).\(patch)" }
}

extension Schema.Version: Comparable {
    /// Returns whether a version precedes another one.
    ///
    /// - Returns: `true` if the first number that differs is less in `lhs`.
    public static func < (lhs: Schema.Version, rhs: Schema.Version) -> Bool {
        (lhs.major, lhs.minor, lhs.patch) < (rhs.major, rhs.minor, rhs.patch)
    }
}
