#if Postgres
    import ChronicleCore
    import ChronicleSQL
    import ChronicleSQLStore

    /// The table of an entity, with its columns.
    ///
    /// A row consists of the primary key and one column for each stored property, in the order of their slots.
    final class EntityTable: Sendable {
        /// The column of the primary key.
        static let primaryKey = "_rowid_"

        let entity: Schema.Entity
        /// The name of the table: that of the entity, or of the root from which the entity inherits.
        let name: String
        /// The number of the entity in the catalog.
        let number: Int64
        let origin: PersistentIdentifier.Origin
        let columns: [Column]
        /// The slots of to-one relationships.
        let referenceSlots: [Int]
        /// The one-to-one relationships.
        let oneToOnes: [OneToOneRelationship]
        /// The columns that a fetch selects, beginning with the primary key; see `ModelColumns`.
        let selection: SQLQuery
        /// The number of columns of ``selection``.
        let selectedCount: Int
        /// The entities whose rows a fetch returns, if other entities inherit from this one.
        let kinds: Kinds?
        /// The statements that write rows.
        let statements: RowStatements

        /// The entities of the rows in a table that several entities share.
        struct Kinds: Sendable {
            /// The column of ``EntityTable/selection`` with the name of the entity.
            let column: Int
            /// The tables by the names of their entities, with the column of the selection for each slot.
            let members: [String: Member]
            /// The entity of rows without a name.
            let root: String
        }

        /// An entity of the rows in a table that several entities share.
        struct Member: Sendable {
            let table: EntityTable?
            let columns: [Int]
        }

        /// A column, and the destination of a to-one relationship.
        struct Column: Sendable {
            let name: String
            let type: ColumnType
            /// Whether the texts are JSON.
            let isJSON: Bool
            let destination: PersistentIdentifier.Origin?
        }

        init(
            _ entity: Schema.Entity, number: Int64, storeIdentifier: String, schemaName: String,
            origins: [String: PersistentIdentifier.Origin], subtables: [EntityTable],
            oneToOnes: [OneToOneRelationship]
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
    }
#endif
