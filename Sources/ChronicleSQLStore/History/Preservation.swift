package import ChronicleCore

/// The values of a property that the history preserves, for each operation.
package struct Preservation: Hashable, Sendable {
    /// Which values are preserved.
    package enum Extent: Int64, Sendable {
        case none = 0
        /// Values up to ``sizeLimit``.
        case limited = 1
        case all = 2
    }

    /// The size of text and blobs, in bytes, up to which the setting of a store preserves values. Options of an
    /// attribute preserve values of any size.
    package static let sizeLimit = 65_536

    /// The extent for the values of new rows.
    package var inserts = Extent.none
    /// The extent for the values before and after updates.
    package var updates = Extent.none
    /// The extent for the last values of deleted rows.
    ///
    /// For a relationship in a link table, it is ``Extent/all`` if deletes preserve the links, provided that updates do.
    /// The other extents have no meaning.
    package var deletes = Extent.none

    /// A text that identifies the value, for signatures that stores keep.
    package var signature: String { [inserts, updates, deletes].map { "\($0.rawValue)" }.joined() }

    package init() {}

    package init(inserts: Extent, updates: Extent, deletes: Extent) {
        (self.inserts, self.updates, self.deletes) = (inserts, updates, deletes)
    }

    /// Creates the preservation of a property.
    ///
    /// - Parameter preservesValues: Whether the store preserves values of all properties.
    package init(_ property: Schema.Property, preservesValues: Bool) {
        let (basis, options) = (preservesValues ? Extent.limited : .none, property.attribute?.options ?? [])
        inserts = basis
        updates = options.contains(.preserveValueOnUpdate) ? .all : basis
        deletes = options.contains(.preserveValueOnDeletion) ? .all : basis
        // The extent for updates also applies to the links of new rows.
        if property.slot < 0 { (inserts, deletes) = (.none, .none) }
    }

    /// Creates the preservation of a relationship in a link table.
    ///
    /// - Parameters:
    ///   - property: The relationship.
    ///   - preservesValues: Whether the store preserves values of all properties.
    ///   - preservesLinks: Whether deletes preserve the links.
    package init(_ property: Schema.Property, preservesValues: Bool, deletesPreserveLinks: Bool) {
        self.init(property, preservesValues: preservesValues)
        if deletesPreserveLinks { deletes = .all }
    }

    /// Replaces the extents that do not come from options of the attribute.
    package mutating func setDefault(_ extent: Extent) {
        func replaced(_ current: Extent) -> Extent { current == .all ? .all : extent }
        (inserts, updates, deletes) = (replaced(inserts), replaced(updates), replaced(deletes))
    }
}
