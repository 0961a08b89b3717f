#if Postgres
    import ChronicleCore
    import ChronicleSQLStore

    /// An entity in the catalog, with every attribute that it ever had. Their numbers survive renames and removals.
    struct RecordedEntity: Sendable, Hashable {
        let number: Int64
        var name: String
        /// The entity whose table contains the rows; the entity itself, or the one from which it inherits.
        var rootName: String
        /// Their rows are in the table of this entity.
        var subentities: [String: Int64] = [:]
        /// The attributes of all entities that share the table.
        var attributes: [RecordedAttribute]

        var isSubentity: Bool { rootName != name }
    }

    struct RecordedAttribute: Sendable, Hashable {
        /// The number among those of the entity, from 0.
        let number: Int
        var name: String
        /// `nil` for a relationship.
        var type: String?
        /// `nil` for an attribute.
        var destination: String?
        var preservation: Preservation
        var isPresent: Bool
        /// The newest change when the attribute was added to an existing entity; `nil` if it was not, or if an earlier
        /// version added it.
        var addedAfter: Int64?

        /// Whether deletes preserve the links of the relationship. See `Preservation`.
        var deletesPreserveLinks: Bool {
            !isPresent && type == nil && preservation.deletes == .all && preservation.updates != .none
        }
    }
#endif
