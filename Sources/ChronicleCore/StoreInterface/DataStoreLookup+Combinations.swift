extension DataStoreLookup {
    /// A set of combinations of unique values, in the order in which they were added.
    ///
    /// Each element has one value for each property of a uniqueness constraint. The order is that of the inserted models, so that a
    /// store that looks them up one by one reads its index in it.
    public struct Combinations: Hashable, Sendable {
        private var elements: [[PropertyValue]] = []
        private var positions: [[PropertyValue]: Int] = [:]

        /// Creates a set of combinations. Repetitions are ignored.
        ///
        /// - Parameter combinations: The combinations.
        /// - Complexity: O(*n*), where *n* is the number of combinations.
        public init(_ combinations: some Sequence<[PropertyValue]>) {
            reserveCapacity(combinations.underestimatedCount)
            for combination in combinations { insert(combination) }
        }

        /// Returns whether the set contains a combination.
        ///
        /// - Parameter combination: The values of a row for the properties of the lookup.
        /// - Returns: `true` if the row matches the lookup.
        public func contains(_ combination: [PropertyValue]) -> Bool { positions[combination] != nil }

        /// Returns the position of a combination, or `nil` if the set does not contain it.
        ///
        /// - Parameter combination: The values of a row for the properties of the lookup.
        /// - Returns: The position, or `nil` if the row does not match the lookup.
        public func firstIndex(of combination: [PropertyValue]) -> Int? { positions[combination] }

        /// Adds a combination at the end, unless the set contains it, and returns its position.
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

        mutating func reserveCapacity(_ count: Int) {
            elements.reserveCapacity(count)
            positions.reserveCapacity(count)
        }
    }
}

extension DataStoreLookup.Combinations: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { elements.count }
    public subscript(position: Int) -> [PropertyValue] { elements[position] }
}

extension DataStoreLookup.Combinations: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: [PropertyValue]...) { self.init(elements) }
}
