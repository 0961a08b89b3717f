import Foundation
import SwiftData

public enum BookContainer {
    public static func make(at url: URL) throws -> ModelContainer {
        let schema = Schema([Book.self, Note.self])
        let configuration = ModelConfiguration(
            "Books", schema: schema, url: url, allowsSave: true, cloudKitDatabase: .private("iCloud.com.example.books"))
        return try ModelContainer(for: schema, configurations: [configuration])
    }

    public static func makeInMemory() throws -> ModelContainer {
        try ModelContainer(
            for: Book.self, Note.self,
            configurations: ModelConfiguration(isStoredInMemoryOnly: true, cloudKitDatabase: .none))
    }
}

/// Finds the names and key paths of a model's properties, which SwiftData reveals to reflection only.
public struct ModelInspector {
    public init() {}

    public func keyPaths<Model: PersistentModel>(of type: Model.Type) -> [String: AnyKeyPath] {
        var result: [String: AnyKeyPath] = [:]
        for property in Model.schemaMetadata {
            let children = Mirror(reflecting: property).children
            guard let name = children.first(where: { $0.label == "name" })?.value as? String,
                let keyPath = children.first(where: { $0.label == "keypath" })?.value as? AnyKeyPath
            else { continue }
            result[name] = keyPath
        }
        return result
    }

    public func relationships<Model: PersistentModel>(of type: Model.Type) -> [String] {
        Model.schemaMetadata.compactMap { property in
            let metadata = Mirror(reflecting: property).children.first { $0.label == "metadata" }?.value
            return (metadata as? Schema.Relationship)?.name
        }
    }

    public func summary(of entity: Schema.Entity) -> [String] {
        let properties: [any SchemaProperty] = Array(entity.storedProperties)
        return properties.map { property in
            switch property {
            case is Schema.CompositeAttribute: "composite \(property.name)"
            case is Schema.Attribute: "attribute \(property.name)"
            case is Schema.Relationship: "relationship \(property.name)"
            default: property.name
            }
        }
    }

    /// Descriptions that a program creates itself, for models whose code it does not generate.
    public static func descriptions() -> [Schema.PropertyMetadata] {
        [
            Schema.PropertyMetadata(
                name: "title", keypath: \Book.title, defaultValue: nil,
                metadata: Schema.Attribute(.unique, originalName: "name", hashModifier: "1")),
            Schema.PropertyMetadata(name: "pages", keypath: \Book.pages),
            Schema.PropertyMetadata(
                name: "notes", keypath: \Book.notes,
                metadata: Schema.Relationship(deleteRule: .cascade, inverse: \Note.book)),
        ]
    }
}

/// An actor whose members are written by hand, with the executor's type as in code before `any`.
public actor BookImporter: ModelActor {
    public nonisolated let modelContainer: ModelContainer
    public nonisolated let modelExecutor: ModelExecutor

    public init(modelContainer: ModelContainer) {
        self.modelContainer = modelContainer
        modelExecutor = DefaultSerialModelExecutor(modelContext: ModelContext(modelContainer))
    }

    public func add(_ titles: [String]) throws {
        for title in titles { modelContext.insert(Book(title: title, pages: 100)) }
        try modelContext.save()
    }
}
