import ChronicleCore

/// The values of a property that the history preserves, for each operation.
struct Preservation: Hashable, Sendable {
    /// Which values are preserved.
    enum Extent: Int64, Sendable {
        case none = 0
        /// Values up to ``sizeLimit``.
        case limited = 1
        case all = 2
    }

    /// The size of text and blobs, in bytes, up to which the setting of a file preserves values. Options of an
    /// attribute preserve values of any size.
    static let sizeLimit = 65_536

    /// The extent for the values of new rows.
    var inserts = Extent.none
    /// The extent for the values before and after updates.
    var updates = Extent.none
    /// The extent for the last values of deleted rows.
    ///
    /// For a relationship in a link table, it is ``Extent/all`` if deletes preserve the links, provided that updates do.
    /// The other extents have no meaning.
    var deletes = Extent.none

    init() {}

    init(inserts: Extent, updates: Extent, deletes: Extent) {
        (self.inserts, self.updates, self.deletes) = (inserts, updates, deletes)
    }

    /// Creates the preservation of a property.
    ///
    /// - Parameter preservesValues: Whether the file preserves values of all properties.
    init(_ property: Schema.Property, preservesValues: Bool) {
        self.init(options: property.attribute?.options ?? [], preservesValues: preservesValues)
        // The extent for updates also applies to the links of new rows.
        if property.slot < 0 { (inserts, deletes) = (.none, .none) }
    }

    /// Creates the preservation of a relationship in a link table.
    ///
    /// - Parameters:
    ///   - property: The relationship.
    ///   - preservesValues: Whether the file preserves values of all properties.
    ///   - preservesLinks: Whether deletes preserve the links.
    init(_ property: Schema.Property, preservesValues: Bool, deletesPreserveLinks: Bool) {
        self.init(property, preservesValues: preservesValues)
        if deletesPreserveLinks { deletes = .all }
    }

    /// Replaces the extents that do not come from options of the attribute.
    mutating func setDefault(_ extent: Extent) {
        func replaced(_ current: Extent) -> Extent { current == .all ? .all : extent }
        (inserts, updates, deletes) = (replaced(inserts), replaced(updates), replaced(deletes))
    }

    private init(options: [Schema.Attribute.Option], preservesValues: Bool) {
        let basis = preservesValues ? Extent.limited : .none
        inserts = basis
        updates = options.contains(.preserveValueOnUpdate) ? .all : basis
        deletes = options.contains(.preserveValueOnDeletion) ? .all : basis
    }
}
