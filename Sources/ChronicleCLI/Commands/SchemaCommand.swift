import Chronicle
import ChronicleAppleStore
import Foundation

enum SchemaCommand {
    static let command = Command(
        name: "schema", summary: "list the models of a store and their properties",
        discussion: """
            Lists the entities that programs have opened the store with, including those that were removed later, with \
            their attributes and relationships. With --json, each entity is printed as the store describes it.

            With --swift, the classes are printed as Swift code: the VersionedSchema that describes the file as it is, for the \
            first version of a migration plan. Types of the program that are Codable are not part of it.
            """,
        options: [
            .json, .init(name: "swift", summary: "print a VersionedSchema with the model classes"),
            .init(
                name: "version", value: "VERSION",
                summary: "the version of the schema, 1.0.0 if omitted; without VERSION, show the version of the tool"),
            .modelFile,
        ], run: run)

    private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitStatus {
        let file = try StoreFile.read(arguments, console)
        if let store = file.appleStore, !store.hasModelNames {
            console.message("chronicle: the file does not contain its model; the names are derived from the tables")
        }
        if arguments.has("swift") { return try writeSwift(file, arguments, console) }
        if arguments.has("version") { throw UsageError("schema: --version requires --swift") }
        let entities = file.schema.entities.sorted { $0.name < $1.name }
        for (index, entity) in entities.enumerated() {
            if arguments.has("json") {
                try console.line(String(decoding: JSONEscaping.escaped(Data(entity.json().utf8)), as: UTF8.self))
                continue
            }
            if index > 0 { try console.line() }
            let superentity = entity.superentityName.map { ": \($0.escaped)" } ?? ""
            try console.line(console.styled(entity.name.escaped, .bold) + superentity)
            let key = file.store.primaryKeyColumns(ofEntity: entity.name) ?? []
            let rows = entity.properties.map {
                [$0.name.escaped, type(of: $0), key.contains($0.name) ? "primary key" : details(of: $0)]
            }
            for line in TextLayout.table(rows) { try console.line("    \(line.trimmingTrailingSpaces)") }
            for names in entity.uniquenessConstraints where names.count > 1 {
                try console.line("    unique (\(names.joined(separator: ", ").escaped))")
            }
            for names in entity.indices { try console.line("    index (\(names.joined(separator: ", ").escaped))") }
        }
        return .success
    }

    private static func writeSwift(
        _ file: StoreFile, _ arguments: Arguments, _ console: Console
    ) throws -> ExitStatus {
        if arguments.has("json") { throw UsageError("schema: --swift and --json exclude each other") }
        guard !file.store.isTracked else {
            throw UsageError("the file is a tracked database, whose tables are not models")
        }
        let writer = try SwiftSchemaWriter(file.schema, version: arguments.value("version") ?? "1.0.0")
        try console.write(writer.text())
        return .success
    }

    private static func type(of property: Schema.Property) -> String {
        let mark = property.isOptional ? "?" : ""
        guard let relationship = property.relationship else {
            // A column of a tracked database can contain values of any type, and its program decides about NULL.
            if let type = property.attribute?.declaredColumnType { return type.escaped }
            let name = property.attribute?.valueTypeName ?? ""
            return (name.hasSuffix("?") ? name : name + mark).escaped
        }
        return (relationship.isToMany ? "[\(relationship.destination)]" : relationship.destination + mark).escaped
    }

    private static func details(of property: Schema.Property) -> String {
        var details: [String] = []
        if property.isUnique { details.append("unique") }
        if let attribute = property.attribute {
            if attribute.options.contains(.preserveValueOnDeletion) { details.append("preserved on deletion") }
            if attribute.options.contains(.preserveValueOnUpdate) { details.append("preserved on update") }
            if attribute.options.contains(.externalStorage) { details.append("external storage") }
        }
        if let relationship = property.relationship {
            if let inverse = relationship.inverseName { details.append("inverse \(inverse)") }
            if relationship.deleteRule != .nullify { details.append(relationship.deleteRule.rawValue) }
        }
        if property.originalName != property.name { details.append("formerly \(property.originalName)") }
        return details.joined(separator: ", ").escaped
    }
}

extension String {
    var trimmingTrailingSpaces: String { String(reversed().drop { $0 == " " }.reversed()) }
}
