extension DataStoreLookup {
    /// A set of combinations of unique values, in the order in which they were added.
    ///
    /// Each element has one value for each property of a uniqueness constraint. A context adds them in the order of the
    /// inserted models, so a store that looks them up one by one reads its index in that order as well.
    public struct Combinations: Hashable, Sendable {
        private var elements: [[PropertyValue]] = []
        private var positions: [[PropertyValue]: Int] = [:]

        /// Creates a set of combinations.
        ///
        /// - Parameter combinations: The combinations. Repetitions are ignored.
        /// - Complexity: O(*n*), where *n* is the number of combinations.
        public init(_ combinations: some Sequence<[PropertyValue]>) {
            reserveCapacity(combinations.underestimatedCount)
            for combination in combinations { insert(combination) }
        }

        /// Returns whether the set contains a combination.
        ///
        /// - Parameter combination: The values of a row for the properties of the lookup.
        /// - Returns: `true` if the row matches the lookup.
        /// - Complexity: O(1).
        public func contains(_ combination: [PropertyValue]) -> Bool { positions[combination] != nil }

        /// Returns the position of a combination, or `nil` if the set does not contain it.
        ///
        /// - Parameter combination: The values of a row for the properties of the lookup.
        /// - Returns: The position, or `nil` if the row does not match the lookup.
        /// - Complexity: O(1).
        public func firstIndex(of combination: [PropertyValue]) -> Int? { positions[combination] }

        /// Adds a combination at the end, unless the set contains it.
        ///
        /// - Returns: The position of the combination.
        @discardableResult
        mutating func insert(_ combination: [PropertyValue]) -> Int {
            let end = elements.count
            let position = positions[combination, default: end]
            if position == end {
                positions[combination] = end
                elements.append(combination)
            }
            return position
        }

        /// Reserves space for a number of combinations, because a dictionary that grows hashes its keys again.
        mutating func reserveCapacity(_ count: Int) {
            elements.reserveCapacity(count)
            positions.reserveCapacity(count)
        }
    }
}

extension DataStoreLookup.Combinations: RandomAccessCollection {
    /// The position of the first combination, 0.
    public var startIndex: Int { 0 }
    /// The number of combinations.
    public var endIndex: Int { elements.count }
    /// The combination at a position.
    public subscript(position: Int) -> [PropertyValue] { elements[position] }
}

extension DataStoreLookup.Combinations: ExpressibleByArrayLiteral {
    /// Creates a set of combinations.
    ///
    /// - Parameter elements: The combinations. Repetitions are ignored.
    public init(arrayLiteral elements: [PropertyValue]...) { self.init(elements) }
}
