import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

/// What a file contains apart from rows: the models with their properties, and Chronicle's indexes and triggers.
struct FileDescription: Equatable {
    /// An index or a trigger.
    struct Object: Hashable {
        let name: String
        let table: String
        let sql: String
    }

    /// A property, as the description of a model declares it.
    struct Property: Equatable {
        let name: String
        let previousName: String?
        let isAttribute: Bool
        /// The type of an attribute, or the destination of a relationship in brackets if it is to-many.
        let type: String
        let isOptional: Bool

        var summary: String {
            "\(isAttribute ? "attribute" : "relationship") \(name): \(type)\(isOptional ? "?" : "")"
        }
    }

    let format: Int64
    let version: Schema.Version?
    let entities: [RecordedEntity]
    /// The properties that a model declares itself, by the name of the model.
    let properties: [String: [Property]]
    let indexes: Set<Object>
    let triggers: Set<Object>

    /// - Parameter connection: A connection that only reads.
    init(_ connection: Connection) throws {
        format = try FileFormat.version(connection)
        version = try StoreVersion(MetaTable(connection))?.identifier
        let registry = EntityRegistry(connection)
        entities = try registry.entities()
        properties = try registry.definitionsByName().mapValues { entity in
            entity.properties.filter(entity.declares).map(Property.init)
        }
        let tables = Set(entities.map(\.name))
        func objects(_ type: String) throws -> Set<Object> {
            let statement = try connection.prepare(
                """
                SELECT name, tbl_name, sql FROM sqlite_schema \
                WHERE type = '\(type)' AND substr(name, 1, 10) = 'chronicle_' AND sql IS NOT NULL
                """)
            var objects: Set<Object> = []
            while try statement.step() {
                guard tables.contains(statement.text(1)) else { continue }
                objects.insert(
                    Object(name: statement.text(0), table: statement.text(1), sql: statement.text(2)))
            }
            return objects
        }
        indexes = try objects("index")
        triggers = try objects("trigger")
    }
}

extension FileDescription.Property {
    fileprivate init(_ property: Schema.Property) {
        name = property.name
        previousName = property.previousName
        isOptional = property.isOptional && property.relationship?.isToMany != true
        if let relationship = property.relationship {
            isAttribute = false
            type = relationship.isToMany ? "[\(relationship.destination)]" : relationship.destination
        } else {
            isAttribute = true
            type = property.attribute?.valueTypeName ?? ""
        }
    }
}
