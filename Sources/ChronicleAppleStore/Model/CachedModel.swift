import Foundation

/// Core Data keeps the model in `Z_MODELCACHE`.
struct CachedModel {
    /// Includes inherited properties.
    struct Entity {
        let name: String
        let superentityName: String?
        let isAbstract: Bool
        /// The properties in the order of their names, which is that of the bits in `ZCOLUMNS`.
        let properties: [Property]
        /// The properties of each constraint.
        let uniqueness: [[String]]
        private let byName: [String: Property]

        func property(named name: String) -> Property? { byName[name] }
    }

    struct Property {
        enum Kind {
            /// `type` is a number of `NSAttributeType`.
            case attribute(type: Int64, defaultValue: DefaultValue?)
            /// Each of the attributes has a column.
            case composite([Property])
            case relationship(Relationship)
            /// A request computes the value.
            case fetched
        }

        let name: String
        let kind: Kind
        let isOptional: Bool
        let isTransient: Bool
        /// The history preserves the value of a deleted row.
        let isPreserved: Bool
        /// The name of the property in an earlier version of the model, or the same name.
        let renamingIdentifier: String?

        var relationship: Relationship? {
            if case .relationship(let relationship) = kind { relationship } else { nil }
        }

        var isPersistent: Bool {
            if case .fetched = kind { false } else { !isTransient }
        }
    }

    enum DefaultValue {
        case integer(Int64)
        case real(Double)
        case text(String)
    }

    struct Relationship {
        let destination: String
        let inverse: String?
        let isToMany: Bool
        /// A number of `NSDeleteRule`.
        let deleteRule: Int64
    }

    let entities: [String: Entity]

    /// Throws if the content has another format, or refers to the same objects so often that the model exceeds the budget
    /// of the archive.
    init(compressed data: Data) throws {
        try self.init(KeyedArchive(Inflate.decompress(data)))
    }

    init(_ archive: KeyedArchive) throws {
        guard let root = try archive.object(archive.root), let list = try archive.object(root, "NSEntities") else {
            throw KeyedArchive.Failure()
        }
        var entities: [String: Entity] = [:]
        for reference in try archive.elements(list) {
            guard let object = try archive.object(reference), let entity = try Entity(archive, object) else { continue }
            entities[entity.name] = entity
        }
        guard !entities.isEmpty else { throw KeyedArchive.Failure() }
        self.entities = entities
    }
}

extension CachedModel.Entity {
    fileprivate init?(_ archive: KeyedArchive, _ object: KeyedArchive.Object) throws {
        guard let name = try archive.text(object, "NSEntityName"), !name.isEmpty else { return nil }
        self.name = name
        superentityName = try archive.object(object, "NSSuperentity").flatMap { try archive.text($0, "NSEntityName") }
        isAbstract = try archive.isTrue(object, "NSIsAbstract")
        var properties: [String: CachedModel.Property] = [:]
        if let list = try archive.object(object, "NSProperties") {
            for reference in try archive.elements(list) {
                guard let element = try archive.object(reference) else { continue }
                let property = try CachedModel.Property(archive, element, depth: 0)
                if let property { properties[property.name] = property }
            }
        }
        byName = properties
        self.properties = properties.values.sorted { Self.precedes($0.name, $1.name) }
        var uniqueness: [[String]] = []
        if let list = try archive.object(object, "NSUniqueTuples") {
            for reference in try archive.elements(list) {
                guard let tuple = try archive.object(reference) else { continue }
                let names = try archive.elements(tuple).compactMap { reference -> String? in
                    if case .text(let name) = try archive.plain(reference) { return name }
                    return try archive.object(reference).flatMap { try archive.text($0, "NSPropertyName") }
                }
                if !names.isEmpty { uniqueness.append(names) }
            }
        }
        self.uniqueness = uniqueness
    }

    /// Compares names by their UTF-16 code units.
    static func precedes(_ a: String, _ b: String) -> Bool { a.utf16.lexicographicallyPrecedes(b.utf16) }
}

extension CachedModel.Property {
    fileprivate init?(_ archive: KeyedArchive, _ object: KeyedArchive.Object, depth: Int) throws {
        guard let name = try archive.text(object, "NSPropertyName"), !name.isEmpty, depth < 8 else { return nil }
        self.name = name
        isOptional = try archive.isTrue(object, "NSIsOptional")
        isTransient = try archive.isTrue(object, "NSIsTransient")
        isPreserved = (try archive.integer(object, "NSFlagsKey") ?? 0) & Self.preservationFlag != 0
        renamingIdentifier = try archive.text(object, "NSRenamingIdentifier")
        switch object.className {
        case "NSRelationshipDescription":
            let destination =
                try archive.text(object, "_NSDestinationEntityName")
                ?? archive.object(object, "NSDestinationEntity").flatMap { try archive.text($0, "NSEntityName") }
            guard let destination else { return nil }
            let inverse =
                try archive.text(object, "_NSInverseRelationshipName")
                ?? archive.object(object, "NSInverseRelationship").flatMap { try archive.text($0, "NSPropertyName") }
            kind = .relationship(
                CachedModel.Relationship(
                    destination: destination, inverse: inverse,
                    isToMany: try archive.integer(object, "NSMaxCount") ?? 0 != 1,
                    deleteRule: try archive.integer(object, "NSDeleteRule") ?? 1))
        case "NSFetchedPropertyDescription", "NSExpressionDescription": kind = .fetched
        case "NSCompositeAttributeDescription":
            kind = .composite(try Self.elements(archive, object, depth: depth + 1))
        default:
            kind = .attribute(
                type: try archive.integer(object, "NSAttributeType") ?? 0,
                defaultValue: try Self.defaultValue(archive, object))
        }
    }

    /// The bit of `NSFlagsKey` for `preservesValueInHistoryOnDeletion`.
    private static let preservationFlag: Int64 = 16

    /// The archive may list the attributes of a composite one in several fields.
    private static func elements(
        _ archive: KeyedArchive, _ object: KeyedArchive.Object, depth: Int
    ) throws -> [CachedModel.Property] {
        for field in object.fields.keys.sorted() where field != "NSEntity" {
            guard let list = try archive.object(object, field) else { continue }
            let elements = try archive.elements(list).compactMap { try archive.object($0) }
            guard !elements.isEmpty, elements.allSatisfy({ $0.className.hasSuffix("AttributeDescription") }) else {
                continue
            }
            return try elements.compactMap { try CachedModel.Property(archive, $0, depth: depth) }
        }
        return []
    }

    private static func defaultValue(
        _ archive: KeyedArchive, _ object: KeyedArchive.Object
    ) throws -> CachedModel.DefaultValue? {
        switch try archive.value(object, "NSDefaultValue") {
        case .bool(let value): .integer(value ? 1 : 0)
        case .integer(let value): .integer(value)
        case .real(let value): .real(value)
        case .text(let value): .text(value)
        default: nil
        }
    }
}
