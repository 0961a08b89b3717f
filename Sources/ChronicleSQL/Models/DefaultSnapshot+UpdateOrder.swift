public import ChronicleCore

extension [DefaultSnapshot] {
    /// Returns the snapshots in an order in which a unique value is available when an update needs it.
    ///
    /// Databases check unique values after each row. Use this method for updates that violated a constraint: rows whose
    /// values are shifted have such an order. Rows that exchange values have none and are returned in any order; see
    /// ``heldUniqueValues(owners:)``.
    ///
    /// - Parameter owners: Returns the keys of the rows that now have the unique values of a snapshot. Rows that are not
    ///   among the snapshots are ignored.
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
    /// Use this method for updates that violate a constraint in any order. In the transaction of the save, first set the
    /// returned columns to values that no other row has, such as NULL; the updates then set them again. If it returns
    /// nothing, rows that are not among the snapshots have the values.
    ///
    /// - Parameter owners: Returns the keys of the rows that now have the unique values of a snapshot, each with the
    ///   constraint's properties.
    /// - Returns: The snapshots of the rows that have a value that another snapshot sets, each with a property of the
    ///   constraint that its update sets, too; an optional one, if there is any.
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
