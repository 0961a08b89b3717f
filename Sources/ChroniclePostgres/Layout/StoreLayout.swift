#if Postgres
    import ChronicleCore
    import ChronicleSQL
    import ChronicleSQLStore

    struct StoreLayout: Sendable {
        let storeIdentifier: String
        let schemaName: String
        let tablesByName: [String: EntityTable]
        let linksByName: [String: Schema.Links]
        /// The catalog in the order of the numbers.
        let recorded: [RecordedEntity]
        let preservesValues: Bool
        /// `nil` for a store.
        let tracked: TrackedLayout?

        init(
            storeIdentifier: String, schemaName: String, schema: Schema, recorded: [RecordedEntity],
            preservesValues: Bool, tracked: TrackedLayout? = nil
        ) {
            self.tracked = tracked
            self.storeIdentifier = storeIdentifier
            self.schemaName = schemaName
            self.recorded = recorded
            self.preservesValues = preservesValues
            var origins: [String: PersistentIdentifier.Origin] = [:]
            let roots = Dictionary(recorded.map { ($0.name, $0.rootName) }, uniquingKeysWith: { first, _ in first })
            for name in Set(recorded.map(\.name)).union(schema.entities.map(\.name)) {
                origins[name] = .init(
                    storeIdentifier: storeIdentifier, entityName: name,
                    rootEntityName: schema.entitiesByName[name]?.rootName ?? roots[name] ?? name)
            }
            var tables: [String: EntityTable] = [:]
            func table(_ entity: RecordedEntity) -> EntityTable? {
                if let known = tables[entity.name] { return known }
                guard let modelled = schema.entitiesByName[entity.name] else { return nil }
                let kinds = schema.kinds(of: entity.name).subtracting([entity.name])
                let made = EntityTable(
                    modelled, number: entity.number, storeIdentifier: storeIdentifier, schemaName: schemaName,
                    origins: origins,
                    subtables: recorded.filter { kinds.contains($0.name) }.compactMap(table),
                    oneToOnes: OneToOneRelationship.all(
                        of: modelled, in: schema, dialect: PostgreSQLDialect(schemaName: schemaName)),
                    isTracked: tracked != nil)
                tables[entity.name] = made
                return made
            }
            for entity in recorded { _ = table(entity) }
            tablesByName = tables
            linksByName = Dictionary(uniqueKeysWithValues: schema.links.map { ($0.name, $0) })
        }

        /// The dialect with qualified names of tables.
        var dialect: PostgreSQLDialect { PostgreSQLDialect(schemaName: schemaName) }

        func qualified(_ name: String) -> String { ChroniclePostgres.qualified(name, in: schemaName) }

        func table(for type: any PersistentModel.Type) throws -> EntityTable {
            try table(named: type.entityName)
        }

        func table(named name: String) throws -> EntityTable {
            guard let table = tablesByName[name] else {
                throw SwiftDataError.unknownSchema.with(
                    detail: "the store does not contain this model; add it to the store's schema", entityName: name,
                    storeIdentifier: storeIdentifier)
            }
            return table
        }

        func links(named name: String) throws -> Schema.Links {
            guard let links = linksByName[name] else {
                throw SwiftDataError.unknownSchema.with(
                    detail: "the store does not contain the relationship \(name); add its models to the store's schema",
                    storeIdentifier: storeIdentifier)
            }
            return links
        }
    }
#endif
