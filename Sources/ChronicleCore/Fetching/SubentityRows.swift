/// The rows of subentities that a fetch of their superentity returns, and their models.
struct SubentityRows {
    private let context: ModelContext
    private let entityName: String
    private let storeIdentifier: String
    private var latest: (entity: ContextEntity, checks: RowChecker)?
    private var known: [String: (entity: ContextEntity, checks: RowChecker)] = [:]

    /// Returns `nil` for an entity without subentities.
    init?(_ context: ModelContext, _ entity: Schema.Entity, storeIdentifier: String) {
        guard context.coordinator.schema.hasSubentities(entity) else { return nil }
        self.context = context
        entityName = entity.name
        self.storeIdentifier = storeIdentifier
    }

    /// Returns `nil` if the row is of the fetched entity itself.
    mutating func instance(
        _ identifier: PersistentIdentifier, _ row: DataStoreRow
    ) throws -> (any PersistentModel)? {
        if identifier.entityName == entityName { return nil }
        let (entity, checks) = try entity(named: identifier.entityName)
        func open<Model: PersistentModel>(_: Model.Type) throws -> any PersistentModel {
            try context.instance(identifier, row, entity, checks) as Model
        }
        return try open(entity.entity.type)
    }

    private mutating func entity(named name: String) throws -> (entity: ContextEntity, checks: RowChecker) {
        if let latest, latest.entity.entity.name == name { return latest }
        let found: (entity: ContextEntity, checks: RowChecker)
        if let entity = known[name] {
            found = entity
        } else {
            let entity = try context.contextEntity(for: context.coordinator.schema.modelType(named: name))
            found = (
                entity,
                RowChecker(
                    entity.entity, context.coordinator.schema, storeIdentifier: storeIdentifier,
                    isPast: context.coordinator.positions != nil
                )
            )
            known[name] = found
        }
        latest = found
        return found
    }
}
