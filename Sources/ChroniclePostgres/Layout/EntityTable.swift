#if Postgres
    import ChronicleCore
    import ChronicleSQL
    import ChronicleSQLStore

    /// The table of an entity: the primary key and a column for each stored property, by slot.
    final class EntityTable: Sendable {
        static let primaryKey = "_rowid_"

        let entity: Schema.Entity
        /// The name of the entity, or of the root from which it inherits.
        let name: String
        /// The number in the catalog.
        let number: Int64
        let origin: PersistentIdentifier.Origin
        let columns: [Column]
        let referenceSlots: [Int]
        let oneToOnes: [OneToOneRelationship]
        /// See `ModelColumns`.
        let selection: SQLQuery
        let selectedCount: Int
        /// The values of the selection, or none for a table of another program, whose types vary.
        private let selectedTypes: [(position: Int, property: String, type: ColumnType)]
        /// `nil` if no entity inherits from this one.
        let kinds: Kinds?
        let statements: RowStatements

        struct Kinds: Sendable {
            /// The column with the name of the entity.
            let column: Int
            /// The tables by the names of the entities, with the column of the selection for each slot.
            let members: [String: Member]
            let root: String
        }

        struct Member: Sendable {
            let table: EntityTable?
            let columns: [Int]
        }

        struct Column: Sendable {
            let name: String
            let type: ColumnType
            let isJSON: Bool
            let destination: PersistentIdentifier.Origin?
        }

        init(
            _ entity: Schema.Entity, number: Int64, storeIdentifier: String, schemaName: String,
            origins: [String: PersistentIdentifier.Origin], subtables: [EntityTable],
            oneToOnes: [OneToOneRelationship], isTracked: Bool
        ) {
            self.oneToOnes = oneToOnes
            name = entity.rootName
            self.entity = entity
            self.number = number
            origin =
                origins[entity.name]
                ?? .init(storeIdentifier: storeIdentifier, entityName: entity.name, rootEntityName: entity.rootName)
            columns = entity.storedProperties.map { property in
                Column(
                    name: property.name, type: ColumnType(property), isJSON: property.attribute?.storage == .json,
                    destination: property.relationship.flatMap { origins[$0.destination] })
            }
            referenceSlots = entity.storedProperties.filter { $0.relationship != nil }.map(\.slot)
            let selected = ModelColumns(entity, subentities: subtables.map(\.entity))
            selection = selected.selection(PostgreSQLDialect())
            selectedCount = selected.names.count
            selectedTypes =
                isTracked
                ? []
                : selected.members.flatMap { member in
                    zip(member.positions, member.entity.storedProperties).map {
                        (position: $0, property: $1.name, type: ColumnType($1))
                    }
                }
            let tables = Dictionary(uniqueKeysWithValues: subtables.map { ($0.entity.name, $0) })
            kinds = selected.entityPosition.map { column in
                let members = selected.members.map {
                    ($0.entity.name, Member(table: tables[$0.entity.name], columns: $0.positions))
                }
                return Kinds(
                    column: column, members: Dictionary(uniqueKeysWithValues: members), root: entity.rootName)
            }
            statements = RowStatements(
                table: qualified(name, in: schemaName), columns, kind: entity.superentity == nil ? nil : entity.name)
        }

        /// Throws `SwiftDataError.newerSchemaVersion` if a later version of the models changed the type of a column of
        /// ``selection`` since the store was opened.
        func requireTypes(of result: QueryResult) throws {
            for (position, property, type) in selectedTypes where !type.includes(result.type(position)) {
                throw SwiftDataError.newerSchemaVersion.with(
                    detail:
                        "another program changed the type of the column while the store was open; update the program",
                    entityName: entity.name, propertyName: property)
            }
        }
    }
#endif
