import Chronicle
import Foundation

/// Writes a `VersionedSchema` with the model classes of a file, for the first version of a migration plan.
struct SwiftSchemaWriter {
    let schema: Schema
    let version: [Int]

    /// - Parameter version: A version such as `1.0.0`; another text throws ``UsageError``.
    init(_ schema: Schema, version: String) throws {
        let parts = version.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 3, !parts.contains(where: { $0.map { $0 < 0 } ?? true }) else {
            throw UsageError("\(version.escaped) is not a version; write one such as 1.0.0")
        }
        (self.schema, self.version) = (schema, parts.compactMap { $0 })
    }

    /// The name of the generated type, such as `SchemaV1`.
    var typeName: String {
        let rest = version.dropFirst()
        return "SchemaV\(version[0])" + (rest.allSatisfy { $0 == 0 } ? "" : rest.map { "_\($0)" }.joined())
    }

    /// Throws `SwiftDataError.unsupportedFeature` if a name of the file cannot be a name in Swift.
    func text() throws -> String {
        let entities = schema.entities.sorted { $0.name < $1.name }
        var lines = ["import Chronicle", "import Foundation", ""]
        let types = Set(
            entities.flatMap(\.properties).compactMap { property in
                property.attribute.flatMap { Self.isKnown($0.valueTypeName) ? nil : $0.valueTypeName }
            })
        if !types.isEmpty {
            lines.append(
                "// Declare these types as the program that wrote the file did: \(types.sorted().joined(separator: ", "))"
            )
        }
        lines += [
            "enum \(typeName): VersionedSchema {",
            "    static var versionIdentifier: Schema.Version { Schema.Version(\(version.map(String.init).joined(separator: ", "))) }",
            "    static var models: [any PersistentModel.Type] {",
            "        [\(try entities.map { "\(try name($0.name)).self" }.joined(separator: ", "))]",
            "    }",
        ]
        for entity in entities { lines += [""] + (try self.lines(of: entity)).map { $0.isEmpty ? "" : "    \($0)" } }
        return (lines + ["}"]).joined(separator: "\n") + "\n"
    }

    // MARK: Classes

    private func lines(of entity: Schema.Entity) throws -> [String] {
        let className = try name(entity.name)
        let isFinal = !schema.hasSubentities(entity)
        let base = try entity.superentity.map { ": \(try name($0.name))" } ?? ""
        let renamed =
            entity.originalName == entity.name ? "" : "(originalName: \(entity.originalName.debugDescription))"
        var lines = ["@Model\(renamed)", "\(isFinal ? "final " : "")class \(className)\(base) {"]
        let inheritedSets = Set(entity.superentity?.uniquenessConstraints ?? [])
        let sets = entity.uniquenessConstraints.filter { !inheritedSets.contains($0) }
        let combined = sets.filter { $0.count > 1 }
        let inheritedIndices = Set(entity.superentity?.indices ?? [])
        let indices = entity.indices.filter { !inheritedIndices.contains($0) }
        for (macro, sets) in [("#Unique", combined), ("#Index", indices)] where !sets.isEmpty {
            let arguments = try sets.map { "[\(try $0.map { "\\.\(try name($0))" }.joined(separator: ", "))]" }
            lines.append("    \(macro)<\(className)>(\(arguments.joined(separator: ", ")))")
        }
        let own = entity.properties.filter { entity.declares($0) }
        let unique = Set(sets.filter { $0.count == 1 }.joined())
        for property in own {
            lines.append("    " + (try declaration(property, of: entity, isUnique: unique.contains(property.name))))
        }
        lines += [""] + (try initializer(entity, own)).map { "    \($0)" }
        return lines + ["}"]
    }

    private func declaration(_ property: Schema.Property, of entity: Schema.Entity, isUnique: Bool) throws -> String {
        var arguments: [String] = []
        if isUnique || property.isUnique { arguments.append(".unique") }
        if let attribute = property.attribute {
            let options: [(Schema.Attribute.Option, String)] = [
                (.preserveValueOnDeletion, ".preserveValueOnDeletion"),
                (.preserveValueOnUpdate, ".preserveValueOnUpdate"),
                (.externalStorage, ".externalStorage"),
            ]
            arguments += options.filter { attribute.options.contains($0.0) }.map(\.1)
        }
        var wrapper = "Attribute"
        if let relationship = property.relationship {
            wrapper = "Relationship"
            if relationship.deleteRule != .nullify {
                arguments.append("deleteRule: .\(relationship.deleteRule.rawValue)")
            }
            if relationship.minimumModelCount > 0 {
                arguments.append("minimumModelCount: \(relationship.minimumModelCount)")
            }
            if relationship.maximumModelCount > 0, relationship.isToMany {
                arguments.append("maximumModelCount: \(relationship.maximumModelCount)")
            }
        }
        if property.originalName != property.name {
            arguments.append("originalName: \(property.originalName.debugDescription)")
        }
        if let inverse = declaredInverse(of: property, in: entity) {
            arguments.append("inverse: \\\(try name(inverse.entity)).\(try name(inverse.property))")
        }
        let prefix = arguments.isEmpty ? "" : "@\(wrapper)(\(arguments.joined(separator: ", "))) "
        let value = try defaultText(property).map { " = \($0)" } ?? ""
        return "\(prefix)var \(try name(property.name)): \(try type(of: property))\(value)"
    }

    /// The to-many side declares the inverse, or the first one by name.
    private func declaredInverse(
        of property: Schema.Property, in entity: Schema.Entity
    ) -> (entity: String, property: String)? {
        guard let relationship = property.relationship, let name = relationship.inverseName,
            let inverse = schema.entitiesByName[relationship.destination]?.propertiesByName[name]?.relationship
        else { return nil }
        let isDeclared =
            relationship.isToMany != inverse.isToMany
            ? relationship.isToMany
            : [entity.name, property.name].lexicographicallyPrecedes([relationship.destination, name])
                || (entity.name == relationship.destination && property.name == name)
        return isDeclared ? (relationship.destination, name) : nil
    }

    private func initializer(_ entity: Schema.Entity, _ own: [Schema.Property]) throws -> [String] {
        func required(_ properties: [Schema.Property]) throws -> [Schema.Property] {
            try properties.filter { property in
                if property.isOptional || property.relationship?.isToMany == true { return false }
                return try defaultText(property) == nil
            }
        }
        let inherited = try required(entity.inheritedProperties)
        let assigned = try required(own)
        let parameters = try (inherited + assigned).map { "\(try name($0.name)): \(try type(of: $0))" }
        var body = try assigned.map { "    self.\(try name($0.name)) = \(try name($0.name))" }
        if entity.superentity != nil {
            let arguments = try inherited.map { "\(try name($0.name)): \(try name($0.name))" }
            body.append("    super.init(\(arguments.joined(separator: ", ")))")
        }
        let isOverride = entity.superentity != nil && assigned.isEmpty
        let head = "\(isOverride ? "override " : "")init(\(parameters.joined(separator: ", ")))"
        return body.isEmpty ? ["\(head) {}"] : ["\(head) {"] + body + ["}"]
    }

    // MARK: Types and values

    private static let knownTypes: Set<String> = [
        "String", "Bool", "Data", "Date", "Double", "Float", "UUID", "URL", "Decimal", "Int", "Int8", "Int16", "Int32",
        "Int64",
        "Int128", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "UInt128",
    ]

    /// Includes arrays of types of Swift and Foundation.
    private static func isKnown(_ typeName: String) -> Bool {
        typeName.split(whereSeparator: { "<>[]:?, ".contains($0) }).allSatisfy {
            knownTypes.contains(String($0)) || ["Array", "Dictionary", "Set", "Optional"].contains($0)
        }
    }

    private func type(of property: Schema.Property) throws -> String {
        let mark = property.isOptional ? "?" : ""
        if let relationship = property.relationship {
            let destination = try name(relationship.destination)
            // An array is described as optional in either form.
            return relationship.isToMany ? "[\(destination)]" : "\(destination)\(mark)"
        }
        let typeName = property.attribute?.valueTypeName ?? ""
        let isPlain = typeName.allSatisfy { $0.isLetter || $0.isNumber || "_.<>[]:?, ".contains($0) }
        guard isPlain, !typeName.isEmpty else { throw unsupported(typeName) }
        return typeName.hasSuffix("?") ? typeName : typeName + mark
    }

    /// `nil` if there is no default value or it cannot be written.
    private func defaultText(_ property: Schema.Property) throws -> String? {
        if let relationship = property.relationship { return relationship.isToMany ? "[]" : nil }
        let typeName = property.attribute?.valueTypeName ?? ""
        switch (property.defaultValue, typeName) {
        case (.integer(let value)?, "Bool"): return value == 0 ? "false" : "true"
        case (.integer(let value)?, _) where typeName.contains("Int") && Self.isKnown(typeName): return String(value)
        case (.real(let value)?, "Double") where value.isFinite, (.real(let value)?, "Float") where value.isFinite:
            return "\(value)"
        case (.real(let value)?, "Date") where value.isFinite: return "Date(timeIntervalSinceReferenceDate: \(value))"
        case (.text(let text)?, "String"): return text.debugDescription
        default: return nil
        }
    }

    // MARK: Names

    private static let keywords: Set<String> = [
        "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import", "init", "inout",
        "internal",
        "let", "open", "operator", "private", "protocol", "public", "static", "struct", "subscript", "typealias", "var",
        "break", "case", "continue", "default", "defer", "do", "else", "fallthrough", "for", "guard", "if", "in",
        "repeat",
        "return", "switch", "where", "while", "as", "catch", "false", "is", "nil", "rethrows", "super", "self", "Self",
        "throw",
        "throws", "true", "try", "Any",
    ]

    /// Throws for a text that is no identifier: it could be any code.
    private func name(_ text: String) throws -> String {
        let isIdentifier =
            text.first.map { $0.isLetter || $0 == "_" } == true
            && text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        guard isIdentifier else { throw unsupported(text) }
        return Self.keywords.contains(text) ? "`\(text)`" : text
    }

    private func unsupported(_ text: String) -> SwiftDataError {
        .unsupportedFeature.with(
            detail:
                "\(text.escaped) cannot be a name in Swift; write the classes by hand from the output of chronicle schema"
        )
    }
}
