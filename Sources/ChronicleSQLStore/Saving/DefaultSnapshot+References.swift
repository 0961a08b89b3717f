package import ChronicleCore

extension DefaultSnapshot {
    /// Divides an update into that of its references, which has to precede the deletes of the save, and the rest.
    ///
    /// - Parameter slots: The slots of the references that change.
    /// - Returns: The update of the references, and that of the other columns; `nil` if there are none.
    package func movingReferences(_ slots: [Int]) -> (references: DefaultSnapshot, rest: DefaultSnapshot?) {
        var (references, rest) = (PropertySet(), changed)
        for slot in slots {
            references.insert(slot)
            rest.remove(slot)
        }
        func changing(_ changed: PropertySet) -> DefaultSnapshot {
            DefaultSnapshot(persistentIdentifier: persistentIdentifier, values: values, changed: changed)
        }
        return (changing(references), rest.isEmpty ? nil : changing(rest))
    }

    /// Returns an update that removes the references that change, so that deleting their previous destinations does not
    /// delete the row, or `nil` if none can be removed.
    ///
    /// - Parameters:
    ///   - slots: The slots of the references that change.
    ///   - entity: The entity of the row.
    package func detached(_ slots: [Int], _ entity: Schema.Entity) -> DefaultSnapshot? {
        var (values, changed) = (values, PropertySet())
        for slot in slots where entity.storedProperties[slot].isOptional {
            values[slot] = .null
            changed.insert(slot)
        }
        guard !changed.isEmpty else { return nil }
        return DefaultSnapshot(persistentIdentifier: persistentIdentifier, values: values, changed: changed)
    }
}
