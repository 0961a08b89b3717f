import ChronicleCore
import Foundation

/// `Schema.Entity.init(json:)` reads this form.
struct EntityDescription: Encodable {
    var name: String
    var superentity: String?
    var properties: [Property] = []
    var uniquenessConstraints: [[String]] = []
    var indices: [[String]] = []

    struct Property: Encodable {
        enum Kind: String, Encodable { case attribute, relationship }

        var kind: Kind
        var name: String
        var isOptional: Bool
        var originalName: String?
        var options: [String] = []
        // An attribute.
        var type: String?
        var storage: Schema.Attribute.Storage?
        var `default`: PropertyValue?
        // A relationship.
        var destination: String?
        var inverse: String?
        var deleteRule: Schema.Relationship.DeleteRule?
        var isToMany: Bool?
        var isLinked: Bool?
    }

    /// The other side does not describe these relationships, or describes them with another inverse.
    static func removeUnknownInverses(_ descriptions: inout [EntityDescription]) {
        // The names of a valid file are unique.
        let byName = Dictionary(descriptions.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        func property(_ name: String, of entity: String) -> Property? {
            var next: String? = entity
            for _ in 0...AppleEntities.maximumDepth {
                guard let description = next.flatMap({ byName[$0] }) else { return nil }
                if let property = description.properties.first(where: { $0.name == name }) { return property }
                next = description.superentity
            }
            return nil
        }
        for entity in descriptions.indices {
            for index in descriptions[entity].properties.indices {
                let known = descriptions[entity].properties[index]
                guard let inverse = known.inverse, let destination = known.destination,
                    property(inverse, of: destination)?.inverse != known.name
                else { continue }
                descriptions[entity].properties[index].inverse = nil
                descriptions[entity].properties[index].isLinked = known.isToMany
            }
        }
    }

    func entity() throws -> Schema.Entity {
        try Schema.Entity(json: String(decoding: JSONEncoder().encode(self), as: UTF8.self))
    }
}

/// A type of attributes of Core Data with the Swift type that represents it.
struct AppleAttributeType {
    let typeName: String
    let storage: Schema.Attribute.Storage

    static let composite = AppleAttributeType(typeName: "Composite", storage: .json)

    /// `number` is a number of `NSAttributeType`. Returns `nil` for a type without a value that can be read.
    init?(number: Int64) {
        switch number {
        case 100: self.init(typeName: "Int16", storage: .integer)
        case 200: self.init(typeName: "Int32", storage: .integer)
        case 300: self.init(typeName: "Int", storage: .integer)
        case 400: self.init(typeName: "Decimal", storage: .text)
        case 500: self.init(typeName: "Double", storage: .real)
        case 600: self.init(typeName: "Float", storage: .real)
        case 700: self.init(typeName: "String", storage: .text)
        case 800: self.init(typeName: "Bool", storage: .integer)
        case 900: self.init(typeName: "Date", storage: .real)
        // Transformable values are raw data.
        case 1000, 1800: self.init(typeName: "Data", storage: .blob)
        case 1100: self.init(typeName: "UUID", storage: .blob)
        case 1200: self.init(typeName: "URL", storage: .text)
        default: return nil
        }
    }

    init(declaredType: String) {
        switch declaredType {
        case "INTEGER": self.init(typeName: "Int", storage: .integer)
        case "FLOAT": self.init(typeName: "Double", storage: .real)
        case "TIMESTAMP": self.init(typeName: "Date", storage: .real)
        case "DECIMAL": self.init(typeName: "Decimal", storage: .text)
        case "VARCHAR": self.init(typeName: "String", storage: .text)
        default: self.init(typeName: "Data", storage: .blob)
        }
    }

    private init(typeName: String, storage: Schema.Attribute.Storage) {
        (self.typeName, self.storage) = (typeName, storage)
    }

    /// Returns the value in the form in which stores contain it.
    func stored(_ value: CachedModel.DefaultValue?) -> PropertyValue? {
        switch (value, storage) {
        case (.integer(let value)?, .integer): .integer(value)
        case (.integer(let value)?, .real): .real(Double(value))
        case (.real(let value)?, .real): .real(value)
        case (.text(let value)?, .text) where typeName == "String": .text(value)
        default: nil
        }
    }
}
