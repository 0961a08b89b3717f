/// Assigns the positions of an entity's properties, in their order.
struct PropertyPositions {
    /// The position of a property; see the properties of ``Schema/Property`` with the same names.
    struct Position {
        let index: Int
        let slot: Int
        let mark: Int
    }

    private var index = 0
    private var slot = 0
    private var linkMark: Int

    /// - Parameter storedCount: The number of properties whose values are part of a row.
    init(storedCount: Int) { linkMark = storedCount }

    /// Returns the position of the next property.
    mutating func next(isToMany: Bool, isLinked: Bool) -> Position {
        defer {
            index += 1
            if !isToMany { slot += 1 }
            if isLinked { linkMark += 1 }
        }
        return Position(
            index: index, slot: isToMany ? -1 : slot, mark: isToMany ? (isLinked ? linkMark : -1) : slot)
    }
}
