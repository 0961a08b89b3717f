package import ChronicleCore

extension DefaultSnapshot {
    /// Divides an update into that of its references in `slots`, which has to precede the deletes of the save, and the
    /// rest.
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

    /// Removes the references that change, so that deleting their previous destinations does not delete the row. `nil` if
    /// none can be removed.
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
