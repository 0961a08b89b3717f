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
        ///   - major: The first number.
        ///   - minor: The second number.
        ///   - patch: The third number.
        public init(_ major: Int, _ minor: Int, _ patch: Int) {
            self.major = major
            self.minor = minor
            self.patch = patch
        }

        /// Creates an identifier from its ``description``, or `nil` from any other text.
        ///
        /// - Parameter description: Three integers that are separated by periods.
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
    public static func < (lhs: Schema.Version, rhs: Schema.Version) -> Bool {
        (lhs.major, lhs.minor, lhs.patch) < (rhs.major, rhs.minor, rhs.patch)
    }
}
