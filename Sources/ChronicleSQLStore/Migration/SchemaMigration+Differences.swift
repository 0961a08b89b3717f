package import ChronicleCore
import ChronicleSQL

extension SchemaMigration {
    /// Returns the version of data that has no version identifier; see ``version(where:)``.
    ///
    /// - Parameters:
    ///   - definitions: The classes as the data describes them, by name.
    ///   - isMatch: A closure that returns whether a class of a version is the same in the data, or `nil` if the data has
    ///     no class of this name.
    /// - Throws: ``SwiftDataError/unknownSchemaVersion`` if no version matches. The detail names the most similar version,
    ///   and what differs.
    package func version(
        of definitions: [String: Schema.Entity], where isMatch: (Schema.Entity) throws -> Bool?
    ) throws -> Schema.Version {
        do { return try version(where: isMatch) } catch let error as SwiftDataError where error == .unknownSchemaVersion
        {
            let differences = versions.map { version in
                (version.versionIdentifier, Self.differences(Schema(versionedSchema: version), definitions))
            }
            guard let nearest = differences.min(by: { $0.1.count < $1.1.count }) else { throw error }
            throw error.with(
                detail: "\(error.detail ?? ""); the most similar version is \(nearest.0), which differs in "
                    + nearest.1.joined(separator: ", "))
        }
    }

    /// Returns the names of the classes and properties of a version that the data does not have in this form, and of the
    /// properties that only the data has.
    private static func differences(_ version: Schema, _ definitions: [String: Schema.Entity]) -> [String] {
        version.entities.flatMap { entity -> [String] in
            guard let stored = definitions[entity.name] else { return [entity.name] }
            guard stored.versionHash != entity.versionHash else { return [] }
            let names = Set(stored.properties.map(\.name)).union(entity.properties.map(\.name))
            let changed = names.filter {
                stored.propertiesByName[$0].map(form) != entity.propertiesByName[$0].map(form)
            }
            // Only the uniqueness or the superclass differs.
            guard !changed.isEmpty else { return [entity.name] }
            return changed.sorted().map { "\(entity.name).\($0)" }
        }
    }

    /// Returns what determines the ``Schema/Entity/versionHash`` of a property.
    private static func form(_ property: Schema.Property) -> StoredProperty {
        var form = StoredProperty(property)
        (form.typeName, form.originalName) = (nil, nil)
        if property.relationship?.isToMany == true { form.isOptional = true }
        return form
    }
}
