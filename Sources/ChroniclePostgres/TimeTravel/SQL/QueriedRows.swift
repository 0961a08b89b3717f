#if Postgres
    import ChronicleCore
    import ChronicleSQLStore

    /// A table whose rows are views of a query.
    struct QueriedRows {
        /// The table's entity in the catalog.
        let entity: RecordedEntity
        /// The name of the primary key in the views, unless it is among the columns.
        private let key: [String]
        /// The numbered key of a tracked table.
        let numberedKey: TrackedKey?
        let views: [QueriedEntity]

        var name: String { entity.name }

        /// Returns the tables of the store's models, as the snapshot describes them.
        static func all(_ connection: Connection, _ store: PostgresStore) throws -> [QueriedRows] {
            let states = try store.isTracked ? TrackedState.all(connection) : [:]
            let names = Set(store.schema.entities.map(\.rootName))
            return try Catalog(connection).entities().filter { !$0.isSubentity && names.contains($0.name) }
                .map { QueriedRows($0, states[$0.number]?.key, store.schema) }
        }

        private init(_ entity: RecordedEntity, _ trackedKey: TrackedKey?, _ schema: Schema) {
            self.entity = entity
            numberedKey = trackedKey?.isNumbered == true ? trackedKey : nil
            key = numberedKey == nil ? [trackedKey?.columns.first?.name ?? EntityTable.primaryKey] : []
            // Other programs may have added columns.
            let modelled = schema.entities.filter { $0.rootName == entity.name }
            var known = Set(modelled.flatMap { $0.storedProperties.map(\.name) })
            if modelled.contains(where: { $0.superentity != nil }) { known.insert(Schema.entityAttribute) }
            let columns = entity.attributes.filter(\.isPresent).map(\.name).filter(known.contains)
            views = QueriedEntity.all(ofTable: entity.name, key: key, columns: columns, in: schema)
        }

        /// Returns the name of a view's column in the table.
        func column(_ name: String) -> String { key.first == name ? EntityTable.primaryKey : name }
    }
#endif
