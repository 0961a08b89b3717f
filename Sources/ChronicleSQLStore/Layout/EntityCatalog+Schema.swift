package import ChronicleCore

extension EntityCatalog {
    /// Returns the schema of the entities that the catalog describes, for programs without their classes.
    ///
    /// Openings do not complete entities that no program declares any more. Their relationships to properties that other entities
    /// do not have any more become relationships without an inverse or are left out, as are properties that the tables do not
    /// have any more.
    ///
    /// - Parameters:
    ///   - definitions: The descriptions.
    ///   - hasTable: A closure that returns whether there is a table.
    /// - Throws: `SwiftDataError.invalidModel` if the descriptions contradict each other in another way.
    package func describedSchema(
        of definitions: [String: Schema.Entity], hasTable: (String) throws -> Bool
    ) throws -> Schema {
        let described = definitions.sorted { $0.key < $1.key }.map(\.value)
        let entities = try entities()
        /// The properties without a column or a table of links, each with the entity of its table.
        func missingProperties(_ schema: Schema) throws -> Set<[String]> {
            let merged = schema.mergingSubentities()
            var missing = Set(
                try merged.links.filter { try !hasTable($0.name) }.map { [$0.owner, $0.property.name] })
            for entity in merged.entities {
                let recorded = entities.first { $0.name == entity.name }?.attributes ?? []
                for property in entity.storedProperties
                where !recorded.contains(where: { $0.name == property.name && $0.isPresent }) {
                    missing.insert([entity.name, property.name])
                }
            }
            return missing
        }
        let complete = Schema(entities: described)
        do {
            try complete.validate()
            if try missingProperties(complete).isEmpty { return complete }
        } catch let error as SwiftDataError where error == .invalidModel {}
        let roots = Dictionary(entities.map { ($0.name, $0.rootName) }, uniquingKeysWith: { first, _ in first })
        var excluded: Set<[String]> = []
        while true {
            let schema = try Schema().adding(described) { entity, property in
                !excluded.contains([roots[entity.name] ?? entity.name, property.name])
            } constraints: { _, _, _ in
                true
            }
            let missing = try missingProperties(schema)
            if missing.isSubset(of: excluded) { return schema }
            excluded.formUnion(missing)
        }
    }
}
