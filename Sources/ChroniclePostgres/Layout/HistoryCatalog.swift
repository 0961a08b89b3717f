#if Postgres
    import ChronicleCore
    import ChronicleSQLStore

    /// The entities in the history by their numbers.
    struct HistoryCatalog {
        private let schema: Schema
        private let storeIdentifier: String
        private var entities: [Int64: EntityHistory] = [:]
        private var isReloaded = false

        init(_ store: PostgresStore) {
            (schema, storeIdentifier) = (store.schema, store.identifier)
            setEntities(store.layout.recorded)
        }

        /// Reads the entities of the snapshot, which ``numbers(ofEntity:isRoot:)`` requires: another process may have added
        /// some since the store was opened.
        init(_ store: PostgresStore, _ connection: Connection) throws {
            (schema, storeIdentifier, isReloaded) = (store.schema, store.identifier, true)
            setEntities(try ChroniclePostgres.Catalog(connection).entities())
        }

        private mutating func setEntities(_ recorded: [RecordedEntity]) {
            for entity in recorded {
                entities[entity.number] = EntityHistory(entity, schema, storeIdentifier: storeIdentifier)
            }
        }

        /// Another process may have added the entity or the attribute since the store was opened.
        struct Outdated: Error {
            let entity: Int64
        }

        /// Throws ``SwiftDataError/damagedFile`` if the entities were read again before.
        mutating func reload(_ connection: Connection, for error: Outdated) throws {
            guard !isReloaded else {
                throw SwiftDataError.damagedFile.with(
                    detail:
                        "a change of the history refers to entity \(error.entity), which is missing in chronicle_entity "
                        + "or has no such attribute in chronicle_attribute; restore the tables from a backup",
                    storeIdentifier: storeIdentifier)
            }
            isReloaded = true
            setEntities(try ChroniclePostgres.Catalog(connection).entities())
        }

        func entity(_ number: Int64) throws -> EntityHistory {
            guard let entity = entities[number] else { throw Outdated(entity: number) }
            return entity
        }

        /// The number of an entity, or of all entities with that root.
        func numbers(ofEntity name: String, isRoot: Bool) -> [Int64] {
            entities.filter { (isRoot ? $1.rootName : $1.name) == name }.map(\.key).sorted()
        }
    }

    /// An entity in the history: the conversion of its changes, and its attributes.
    final class EntityHistory: Sendable {
        let number: Int64
        let name: String
        let rootName: String
        let origin: PersistentIdentifier.Origin
        let maker: any ChangeMaker
        /// See `HistoryEntity`.
        let missingName: String?
        private let attributes: [Int64: PreservedAttribute]
        /// The changes after which columns were added, by the numbers of the attributes; ``Int64/min`` if this is not
        /// known.
        private let columns: [Int64: Int64]
        /// The change after which the relationships without an inverse that are stored as links were added; ``Int64/max``
        /// if there are none. A delete does not preserve their links.
        let listsAddedAfter: Int64

        init(_ recorded: RecordedEntity, _ schema: Schema, storeIdentifier: String) {
            let entity = HistoryEntity(
                recorded.name, rootName: recorded.rootName, schema, storeIdentifier: storeIdentifier)
            (name, rootName, origin, number) = (entity.name, entity.rootName, entity.origin, recorded.number)
            missingName = entity.missingName
            maker = Self.maker(schema.modelType(named: name))
            var attributes: [Int64: PreservedAttribute] = [:]
            var (columns, lists) = ([Int64: Int64](), Int64.max)
            for attribute in recorded.attributes {
                let known = entity.attribute(
                    attribute.name, isPresent: attribute.isPresent, destination: attribute.destination)
                let added = attribute.addedAfter ?? .min
                if attribute.isPresent, known.property != nil { columns[Int64(attribute.number)] = added }
                if known.isList { lists = min(lists, added) }
                attributes[Int64(attribute.number)] = PreservedAttribute(
                    name: attribute.name, isShared: known.isShared,
                    isRecordedByOtherSide: known.isRecordedByOtherSide, property: known.property,
                    destination: known.destination)
            }
            (self.attributes, self.columns, listsAddedAfter) = (attributes, columns, lists)
        }

        /// The change after which the columns other than those of some attributes were added.
        func attributesAddedAfter(except numbers: Set<Int64>) -> Int64 {
            columns.reduce(.max) { numbers.contains($1.key) ? $0 : min($0, $1.value) }
        }

        private static func maker<Model: PersistentModel>(_ type: Model.Type) -> any ChangeMaker {
            TypedChangeMaker<Model>()
        }

        func attribute(_ number: Int64) throws -> PreservedAttribute {
            guard let attribute = attributes[number] else { throw HistoryCatalog.Outdated(entity: self.number) }
            return attribute
        }
    }

    /// An attribute or a relationship in the history: its name, and the decoding of its preserved values.
    struct PreservedAttribute: Sendable {
        let name: String
        /// See `HistoryEntity.Attribute`.
        let isShared: Bool
        let isRecordedByOtherSide: Bool
        /// The property of the model, if it still exists.
        let property: Schema.Property?
        /// `nil` for an attribute.
        let destination: PersistentIdentifier.Origin?

        /// Whether values are not part of a change: the name of the class, and the NULL of a shared table for an attribute
        /// of another class, which the class may have had in an earlier schema. Without `isStored`, also the NULL of an
        /// attribute that a subclass requires now but did not have at the time.
        func isOmitted(_ old: PropertyValue, _ new: PropertyValue = .null, isStored: Bool) -> Bool {
            guard isShared else { return false }
            if property == nil, name == Schema.entityAttribute { return true }
            return old.isNull && new.isNull && (property == nil || !isStored)
        }

        func value(
            _ value: PropertyValue, of model: @autoclosure () -> PersistentIdentifier, isStored: Bool
        ) -> (any Sendable)? {
            if let destination, case .integer(let key) = value {
                let identifier = destination.identifier(key)
                return isStored ? PropertyValue.reference(identifier) : identifier
            }
            if isStored { return value }
            if value.isNull { return nil }
            guard let property, destination == nil else { return value.plainValue }
            return property.decodePreserved(value, entityName: model().entityName, model: model())
        }
    }
#endif
