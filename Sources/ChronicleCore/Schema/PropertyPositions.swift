/// Assigns the positions of an entity's properties, in their order.
struct PropertyPositions {
    /// See the properties of ``Schema/Property`` with the same names.
    struct Position {
        let index: Int
        let slot: Int
        let mark: Int
    }

    private var index: Int
    private var slot: Int
    private var linkMark: Int

    /// - Parameters:
    ///   - storedCount: The number of properties whose values are part of a row. For entities that inherit from each other, the
    ///     highest number, so that the shared properties have the same marks in all of them.
    ///   - superentity: The entity whose properties come before those of the entity.
    init(storedCount: Int, after superentity: Schema.Entity? = nil) {
        index = superentity?.properties.count ?? 0
        slot = superentity?.storedProperties.count ?? 0
        linkMark = storedCount + (superentity?.properties.count { $0.isLinked } ?? 0)
    }

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
