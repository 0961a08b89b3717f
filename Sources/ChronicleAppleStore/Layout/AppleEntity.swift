/// `Z_PRIMARYKEY` lists the entities.
struct AppleEntity: Sendable {
    let number: Int64
    let name: String
    let superentityNumber: Int64?
    let rootName: String

    /// The table contains the rows of all entities with the same root.
    var tableName: String { "Z" + rootName.uppercased() }
}

struct AppleEntities: Sendable {
    let byNumber: [Int64: AppleEntity]
    let byName: [String: AppleEntity]
    private let subentities: [Int64: [AppleEntity]]

    /// From this number on, entities belong to Core Data itself, such as those of the history.
    static let firstInternalNumber: Int64 = 16_000
    /// With more superentities, an entity has none, so that a damaged file takes no long time.
    static let maximumDepth = 100

    /// - Parameter rows: The rows of `Z_PRIMARYKEY`. Entities are roots if their superentities do not exist, form a cycle,
    ///   or a chain that is too long.
    init(_ rows: [(number: Int64, name: String, superentity: Int64)]) {
        var parents: [Int64: (name: String, superentity: Int64)] = [:]
        for row in rows where row.number > 0 && row.number < Self.firstInternalNumber && !row.name.isEmpty {
            parents[row.number] = (row.name, row.superentity)
        }
        var byNumber: [Int64: AppleEntity] = [:]
        var byName: [String: AppleEntity] = [:]
        for (number, row) in parents.sorted(by: { $0.key < $1.key }) {
            var (root, depth) = (number, 0)
            // The limit also ends a cycle.
            while depth < Self.maximumDepth, let parent = parents[root]?.superentity, parents[parent] != nil {
                (root, depth) = (parent, depth + 1)
            }
            let isCycle = parents[root].map { parents[$0.superentity] != nil } ?? true
            let entity = AppleEntity(
                number: number, name: row.name,
                superentityNumber: isCycle || parents[row.superentity] == nil ? nil : row.superentity,
                rootName: isCycle ? row.name : parents[root]?.name ?? row.name)
            byNumber[number] = entity
            // The names of a valid file are unique.
            if byName[row.name] == nil { byName[row.name] = entity }
        }
        (self.byNumber, self.byName) = (byNumber, byName)
        subentities = Dictionary(grouping: byNumber.values.filter { $0.superentityNumber != nil }) {
            $0.superentityNumber ?? 0
        }
    }

    /// Includes entities that inherit indirectly.
    func kinds(of entity: AppleEntity) -> [AppleEntity] {
        var kinds = [entity]
        var index = 0
        while index < kinds.count {
            kinds += subentities[kinds[index].number] ?? []
            index += 1
        }
        return kinds.sorted { $0.number < $1.number }
    }

    /// Superentities have no cycle.
    func chain(of entity: AppleEntity) -> [AppleEntity] {
        var chain = [entity]
        while let parent = chain[chain.count - 1].superentityNumber.flatMap({ byNumber[$0] }) { chain.append(parent) }
        return chain
    }
}
