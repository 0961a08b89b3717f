public import ChronicleCore

extension [DefaultSnapshot] {
    /// Returns the snapshots in an order in which a unique value is available when an update needs it.
    ///
    /// Databases check unique values after each row, so a row whose new value belongs to another row of the save has to be
    /// updated after that row. Use this method for updates that violated a constraint: rows whose values are shifted have
    /// such an order, and rows that exchange their values do not. The latter are returned in any order; see
    /// ``heldUniqueValues(owners:)``.
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
        let positions = positions
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

    /// The positions of the snapshots by the keys of their rows, for each root entity.
    private var positions: [String: [Int64: Int]] {
        var positions: [String: [Int64: Int]] = [:]
        for (position, snapshot) in enumerated() {
            guard let key = snapshot.persistentIdentifier.integerPrimaryKey else { continue }
            positions[snapshot.persistentIdentifier.rootEntityName, default: [:]][key] = position
        }
        return positions
    }

    /// Returns the unique values that prevent each other from being written, because rows exchange them.
    ///
    /// Use this method for updates that violate a constraint in any order. Set the columns that it returns to values that
    /// no other row has, such as NULL, in the transaction of the save. The updates then set them again, so that other
    /// programs never see these values. If it returns nothing, rows that are not among the snapshots have the values.
    ///
    /// - Parameter owners: A closure that returns the keys of the rows that now have the unique values of a snapshot, and
    ///   for each the properties of the constraint.
    /// - Returns: The snapshots of the rows that have a value that another snapshot sets, each with a property of the
    ///   constraint that the update of the row sets, too; an optional one, if there is any.
    /// - Throws: The errors of `owners`.
    /// - Complexity: O(*n*), with one call of `owners` for each snapshot.
    public func heldUniqueValues(
        owners: (DefaultSnapshot) throws -> [(key: Int64, constraint: [Schema.Property])]
    ) rethrows -> [(snapshot: DefaultSnapshot, property: Schema.Property)] {
        let positions = positions
        var held: [(snapshot: DefaultSnapshot, property: Schema.Property)] = []
        for snapshot in self {
            let identifier = snapshot.persistentIdentifier
            for (key, constraint) in try owners(snapshot) where key != identifier.integerPrimaryKey {
                guard let position = positions[identifier.rootEntityName]?[key] else { continue }
                let owner = self[position]
                let released = constraint.filter { owner.changed.contains($0.slot) }
                guard let property = released.first(where: \.isOptional) ?? released.first else { continue }
                held.append((owner, property))
            }
        }
        return held
    }
}
