import ChronicleCore
package import ChronicleSQL

// What the properties of a table continue.
extension SchemaPlan.Table {
    /// Whether the names of properties change, or columns or links are dropped.
    package var changesProperties: Bool { !renames.isEmpty || !droppedColumns.isEmpty || !droppedLinks.isEmpty }

    /// Returns the property that a property of the table continues, or `nil` if it is new for all classes.
    package func earlier(_ name: String) -> StoredProperty? {
        let continuing = classes.filter { $0.earlier[name] != nil }
        // The class that declares the property, rather than one that inherits it.
        let declaring = continuing.first { $0.entity.superentity?.propertiesByName[name] == nil }
        return (declaring ?? continuing.first)?.earlier[name]
    }

    /// Returns the property of the store that a rename changes. Classes that the schema lacks may have it.
    func renamed(_ rename: Rename) -> StoredProperty? { earlier(rename.new) ?? live[rename.old] }

    /// Returns whether the links of a property become those of a property with another name.
    package func movesLinks(_ name: String) -> Bool {
        renames.contains { $0.old == name } && live[name]?.place == .links
    }

    /// Returns whether a property of the new schema continues a column.
    package func continues(column name: String) -> Bool {
        classes.contains {
            $0.entity.storedProperties.contains { property in
                guard let earlier = earlier(property.name) else { return false }
                return earlier.place == .column && earlier.name == name
            }
        }
    }

    /// Returns the property that a property of any program continues; see ``earlier(_:)``.
    func earlierOfAnyProgram(_ name: String) -> StoredProperty? {
        if classes.contains(where: { $0.entity.propertiesByName[name] != nil }) { return earlier(name) }
        return renames.contains { $0.old == name } ? nil : live[name]
    }
}
