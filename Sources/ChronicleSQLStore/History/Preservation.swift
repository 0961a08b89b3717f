package import ChronicleCore

/// The values that the history preserves for each operation.
package struct Preservation: Hashable, Sendable {
    package enum Extent: Int64, Sendable {
        case none = 0
        /// Values up to ``sizeLimit``.
        case limited = 1
        case all = 2
    }

    /// The bytes of text and blobs up to which the setting of a store preserves values. Options of an attribute preserve
    /// any size.
    package static let sizeLimit = 65_536

    package var inserts = Extent.none
    package var updates = Extent.none
    /// For a relationship in a link table, ``Extent/all`` if deletes preserve the links, provided that updates do. The
    /// other extents have no meaning.
    package var deletes = Extent.none

    /// Whether an operation preserves values.
    package var preservesValues: Bool { [inserts, updates, deletes].contains { $0 != .none } }

    /// A text for signatures that stores keep.
    package var signature: String { [inserts, updates, deletes].map { "\($0.rawValue)" }.joined() }

    package init() {}

    package init(inserts: Extent, updates: Extent, deletes: Extent) {
        (self.inserts, self.updates, self.deletes) = (inserts, updates, deletes)
    }

    /// - Parameter preservesValues: Whether the store preserves values of all properties.
    package init(_ property: Schema.Property, preservesValues: Bool) {
        let (basis, options) = (preservesValues ? Extent.limited : .none, property.attribute?.options ?? [])
        inserts = basis
        updates = options.contains(.preserveValueOnUpdate) ? .all : basis
        deletes = options.contains(.preserveValueOnDeletion) ? .all : basis
        // The extent for updates also applies to the links of new rows.
        if property.slot < 0 { (inserts, deletes) = (.none, .none) }
    }

    /// The preservation of a relationship in a link table.
    package init(_ property: Schema.Property, preservesValues: Bool, deletesPreserveLinks: Bool) {
        self.init(property, preservesValues: preservesValues)
        if deletesPreserveLinks { deletes = .all }
    }

    /// Keeps the extents that come from options of the attribute.
    package mutating func setDefault(_ extent: Extent) {
        func replaced(_ current: Extent) -> Extent { current == .all ? .all : extent }
        (inserts, updates, deletes) = (replaced(inserts), replaced(updates), replaced(deletes))
    }
}
