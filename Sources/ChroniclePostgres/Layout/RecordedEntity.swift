#if Postgres
    import ChronicleCore

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

    /// The changes whose history contains the values of an attribute.
    struct Preservation: Sendable, Hashable {
        /// The values that a kind of change preserves.
        enum Extent: Int64, Sendable {
            case none = 0
            /// Values of at most ``Preservation/sizeLimit`` bytes, because the store preserves the values of all
            /// properties.
            case limited = 1
            /// All values, because the attribute has the option.
            case all = 2
        }

        /// The largest text or binary value that is preserved without an option of its attribute, in bytes.
        static let sizeLimit = 65_536

        var inserts: Extent
        var updates: Extent
        var deletes: Extent

        /// Creates the preservation of a property.
        ///
        /// - Parameter preservesValues: Whether the store preserves the values of all properties.
        init(_ property: Schema.Property, preservesValues: Bool) {
            let base: Extent = preservesValues ? .limited : .none
            let options = property.attribute?.options ?? []
            inserts = base
            updates = options.contains(.preserveValueOnUpdate) ? .all : base
            deletes = options.contains(.preserveValueOnDeletion) ? .all : base
            // The links of a row are preserved by the updates of a list.
            if property.slot < 0 { (inserts, deletes) = (.none, .none) }
        }

        init(inserts: Extent, updates: Extent, deletes: Extent) {
            (self.inserts, self.updates, self.deletes) = (inserts, updates, deletes)
        }
    }
#endif
