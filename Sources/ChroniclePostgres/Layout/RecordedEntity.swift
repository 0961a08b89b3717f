#if Postgres
    import ChronicleCore
    import ChronicleSQLStore

    /// An entity in the catalog of a store, with its number and every attribute that it ever had.
    ///
    /// The numbers identify entities and attributes in the history. They are assigned once and survive renames and
    /// removals.
    struct RecordedEntity: Sendable, Hashable {
        let number: Int64
        var name: String
        /// The name of the entity whose table contains the rows; the entity itself, or the one from which it inherits.
        var rootName: String
        /// The other entities whose rows are in the table of this one, by name.
        var subentities: [String: Int64] = [:]
        /// The attributes of all entities that share the table.
        var attributes: [RecordedAttribute]

        /// Whether the rows are in the table of another entity, from which this one inherits.
        var isSubentity: Bool { rootName != name }
    }

    /// An attribute or a relationship in the catalog.
    struct RecordedAttribute: Sendable, Hashable {
        /// The number of the attribute among those of the entity, from 0.
        let number: Int
        var name: String
        /// The name of the type of an attribute's values, or `nil` for a relationship.
        var type: String?
        /// The destination of a relationship.
        var destination: String?
        /// Which changes preserve the values of the attribute.
        var preservation: Preservation
        /// Whether the table has a column of the attribute.
        var isPresent: Bool
        /// The identifier of the newest change when the attribute was added to an entity that existed; `nil` if it was not,
        /// or if an earlier version added it.
        var addedAfter: Int64?
    }
#endif
