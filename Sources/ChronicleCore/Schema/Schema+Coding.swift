public import Foundation

extension Schema: Codable {
    private enum CodingKeys: CodingKey { case entities }

    /// Decodes a schema without model classes.
    ///
    /// The entities describe the same properties, constraints and indices as those of the encoded schema, but ``Entity/type`` is
    /// ``UntypedModel``, and there are no key paths. Keys and options that this version does not support are ignored.
    ///
    /// - Throws: ``SwiftDataError/invalidModel`` if the data is not the description of a schema, or the descriptions of two
    ///   entities contradict each other. The error names the entity and the property, if they are known. Discard the data, or
    ///   update the program to the version that encoded it.
    /// - Complexity: O(*n*), where *n* is the number of properties of all entities.
    public convenience init(from decoder: any Decoder) throws {
        let entities = try Self.describingErrors {
            try decoder.container(keyedBy: CodingKeys.self).decode([Entity].self, forKey: .entities)
        }
        self.init(entities: entities)
        try validate()
    }

    /// Encodes the descriptions of the entities as a keyed container with the key `entities`. Equal schemas have equal data with a
    /// `JSONEncoder` that has the output formatting `sortedKeys`.
    ///
    /// - Throws: The error of ``validate()`` if the schema is invalid; correct the declaration that the error names.
    ///   `EncodingError` if the encoder cannot encode a value; use another encoder or format.
    public func encode(to encoder: any Encoder) throws {
        try validate()
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(entities, forKey: .entities)
    }

    /// Writes the description of the schema to a file, as JSON with sorted keys. You can keep the file in version control to notice
    /// unintended changes, because equal schemas have equal files.
    ///
    /// - Parameter url: The file. An existing file is replaced when the new one is complete.
    /// - Throws: The errors of ``encode(to:)``, or the error of Foundation if the file cannot be written.
    /// - Complexity: O(*n*), where *n* is the number of properties of all entities.
    public func save(to url: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(self).write(to: url, options: .atomic)
    }

    /// Returns the schema whose description a file contains.
    ///
    /// - Parameter url: A file that ``save(to:)`` wrote.
    /// - Returns: A schema without model classes; see ``init(from:)``.
    /// - Throws: ``SwiftDataError/invalidModel`` if the file is not the description of a schema; discard it. The error of
    ///   Foundation if the file cannot be read.
    /// - Complexity: O(*n*), where *n* is the size of the file.
    public static func load(from url: URL) throws -> Schema {
        let data = try Data(contentsOf: url)
        return try describingErrors { try JSONDecoder().decode(Schema.self, from: data) }
    }
}

extension Schema.Entity: Codable {
    private enum CodingKeys: CodingKey { case name, superentity, properties, uniquenessConstraints, indices }

    /// Decodes an entity without a model class, for ``Schema/init(entities:)``, which compares the relationships with their
    /// destinations.
    ///
    /// - Throws: ``SwiftDataError/invalidModel``; see ``Schema/init(from:)``.
    /// - Complexity: O(*n*), where *n* is the number of properties.
    public convenience init(from decoder: any Decoder) throws {
        try self.init(Description(from: decoder))
    }

    /// Creates an entity without a model class from a JSON text, for a store that contains the descriptions of its entities; see
    /// ``Schema/init(entities:)``.
    ///
    /// - Parameter json: A result of ``json()``. Keys and options that this version does not support are ignored.
    /// - Throws: ``SwiftDataError/invalidModel`` for other texts. The error names the entity and the property, if they are known.
    ///   The text is damaged, or a later version wrote it: restore it, or update the program.
    /// - Complexity: O(*n*), where *n* is the length of the text.
    public convenience init(json: String) throws {
        try self.init(
            Schema.describingErrors { try JSONDecoder().decode(Description.self, from: Data(json.utf8)) })
    }

    private struct Description: Decodable {
        let name: String
        let superentity: String?
        let properties: [Schema.Property.Kind]
        let uniqueness: [[String]]
        let indices: [[String]]

        init(from decoder: any Decoder) throws {
            let container = try Schema.describingErrors { try decoder.container(keyedBy: CodingKeys.self) }
            let name = try Schema.describingErrors { try container.decode(String.self, forKey: .name) }
            self.name = name
            superentity = try Schema.describingErrors(entityName: name) {
                try container.decodeIfPresent(String.self, forKey: .superentity)
            }
            (properties, uniqueness, indices) = try Schema.describingErrors(entityName: name) {
                (
                    try container.decode([Schema.Property.Kind].self, forKey: .properties),
                    try container.decodeIfPresent([[String]].self, forKey: .uniquenessConstraints) ?? [],
                    try container.decodeIfPresent([[String]].self, forKey: .indices) ?? []
                )
            }
        }
    }

    private convenience init(_ description: Description) throws {
        let properties = try Self.properties(description.properties, of: description.name)
        let byName = Dictionary(uniqueKeysWithValues: properties.map { ($0.name, $0) })
        try self.init(
            name: description.name, type: UntypedModel.self, properties: properties,
            uniqueness: description.uniqueness, indices: description.indices, hasEphemeralAttributes: false,
            superentityName: description.superentity, property: { byName[$0] },
            unknown: { "\($0), which is not a property" })
    }

    /// Throws an error for names that are empty or not unique.
    private static func properties(_ kinds: [Schema.Property.Kind], of entityName: String) throws -> [Schema.Property] {
        func invalid(_ detail: String, _ propertyName: String? = nil) -> SwiftDataError {
            .invalidModel.with(detail: detail, entityName: entityName, propertyName: propertyName)
        }
        if entityName.isEmpty { throw invalid("the description of an entity has no name") }
        var positions = PropertyPositions(storedCount: kinds.count { $0.relationship?.isToMany != true })
        var names: Set<String> = []
        return try kinds.map { kind in
            let relationship = kind.relationship
            let property = Schema.Property(
                kind,
                at: positions.next(
                    isToMany: relationship?.isToMany == true, isLinked: relationship?.isLinked == true))
            if property.name.isEmpty { throw invalid("the description of a property has no name") }
            guard names.insert(property.name).inserted else {
                throw invalid("the entity has two properties of this name", property.name)
            }
            if relationship?.isLinked == true, relationship?.isToMany == false {
                throw invalid("a to-one relationship cannot be stored as links", property.name)
            }
            return property
        }
    }

    /// Encodes the description of the entity as a keyed container, without the model class.
    ///
    /// The keys are `name`, `superentity` (absent without one), `properties` (the attributes and relationships, in the order of
    /// ``properties``), `uniquenessConstraints` and `indices` (arrays with arrays of property names).
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encodeIfPresent(superentityName, forKey: .superentity)
        try container.encode(properties.map(\.kind), forKey: .properties)
        try container.encode(uniquenessConstraints, forKey: .uniquenessConstraints)
        try container.encode(indices, forKey: .indices)
    }
}

extension Schema.Entity {
    /// Returns the description of the entity as JSON with sorted keys.
    ///
    /// The text is the same for entities with equal descriptions, with and without model classes, and in each run of the program,
    /// except for the default value of a `Set` with several elements. For the keys, see ``encode(to:)``,
    /// ``Schema/Attribute/encode(to:)`` and ``Schema/Relationship/encode(to:)``.
    ///
    /// - Returns: The JSON text, which ``init(json:)`` decodes.
    /// - Throws: ``SwiftDataError/invalidModel`` if a value cannot be encoded, which does not happen in a valid schema.
    /// - Complexity: O(*n*), where *n* is the number of properties.
    public func json() throws -> String {
        try Schema.describingErrors(entityName: name) { String(decoding: try JSONCoding.encode(self), as: UTF8.self) }
    }
}

extension Schema {
    /// Throws coding errors as ``SwiftDataError/invalidModel``, with the place of the error but without the values there.
    fileprivate static func describingErrors<Result>(
        entityName: String? = nil, _ body: () throws -> Result
    ) throws -> Result {
        do { return try body() } catch let error as SwiftDataError {
            throw error.with(entityName: error.entityName ?? entityName)
        } catch {
            let path = (error as? DecodingError)?.path ?? ""
            throw SwiftDataError.invalidModel.with(
                detail: "the description of the entity is damaged\(path.isEmpty ? "" : " at \(path)"), or a later "
                    + "version of Chronicle encoded it",
                entityName: entityName, underlying: error)
        }
    }
}

extension DecodingError {
    /// The place of the error in the data, such as `properties.2.storage`.
    fileprivate var path: String {
        var keys: [any CodingKey]
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            keys = context.codingPath
        case .keyNotFound(let key, let context): keys = context.codingPath + [key]
        @unknown default: keys = []
        }
        return keys.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    }
}
