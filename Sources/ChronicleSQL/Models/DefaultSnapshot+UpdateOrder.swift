public import ChronicleCore

extension [DefaultSnapshot] {
    /// Returns the snapshots in an order in which a unique value is available when an update needs it.
    ///
    /// Databases check unique values after each row, so a row whose new value belongs to another row of the save has to be
    /// updated after that row. Use this method for updates that violated a constraint: rows whose values are shifted have
    /// such an order, and rows that exchange their values do not. The latter are returned in any order.
    ///
    /// ```swift
    /// let ordered = try conflicting.orderedForUpdate { snapshot in
    ///     try keys(withUniqueValuesOf: snapshot)
    /// }
    /// ```
    ///
    /// - Parameter owners: A closure that returns the keys of the rows that now have the unique values of a snapshot. Rows
    ///   that are not among the snapshots are ignored.
    /// - Returns: The snapshots.
    /// - Throws: The errors of `owners`.
    /// - Complexity: O(*n*), with one call of `owners` for each snapshot.
    public func orderedForUpdate(owners: (DefaultSnapshot) throws -> [Int64]) rethrows -> [DefaultSnapshot] {
        var positions: [String: [Int64: Int]] = [:]
        for (position, snapshot) in enumerated() {
            guard let key = snapshot.persistentIdentifier.integerPrimaryKey else { continue }
            positions[snapshot.persistentIdentifier.rootEntityName, default: [:]][key] = position
        }
        var ordered: [DefaultSnapshot] = []
        ordered.reserveCapacity(count)
        var isVisited = [Bool](repeating: false, count: count)
        for start in indices where !isVisited[start] {
            isVisited[start] = true
            // A path instead of a recursive function, because each row may depend on the one before it.
            var path = [(position: start, owners: try owners(self[start]))]
            while let (position, _) = path.last {
                guard let owner = path[path.count - 1].owners.popLast() else {
                    ordered.append(self[position])
                    path.removeLast()
                    continue
                }
                let known = positions[self[position].persistentIdentifier.rootEntityName]?[owner]
                guard let known, !isVisited[known] else { continue }
                isVisited[known] = true
                path.append((known, try owners(self[known])))
            }
        }
        return ordered
    }
}
