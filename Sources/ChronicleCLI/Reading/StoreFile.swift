import Chronicle
import Foundation

/// A store that a command reads or writes, opened without model classes.
struct StoreFile {
    let url: URL
    let store: DefaultStore
    /// The models of the store. It is empty for a file of format 1.
    var schema: Schema { store.schema }

    /// Opens a store without changing its file.
    ///
    /// - Parameter path: The path, or `nil` for the default of ``path(_:_:)``.
    /// - Throws: `SwiftDataError` if the file cannot be read as a store, or ``UsageError`` without a default path.
    static func read(_ path: String?, _ console: Console) throws -> StoreFile {
        let url = try URL(fileURLWithPath: self.path(path, console.settings.environment))
        return try StoreFile(url: url, allowsSave: false)
    }

    init(url: URL, allowsSave: Bool) throws {
        self.url = url
        let schema = try DefaultStore.schema(ofFileAt: url)
        let configuration = ModelConfiguration(schema: schema, url: url, allowsSave: allowsSave)
        store = try DefaultStore(configuration, migrationPlan: nil)
    }

    // MARK: The default path

    /// Returns the path of the store: the operand, `CHRONICLE_FILE`, or the only file of the current directory with the
    /// extension `store`.
    static func path(_ operand: String?, _ environment: [String: String]) throws -> String {
        if let operand { return operand }
        if let path = environment["CHRONICLE_FILE"], !path.isEmpty { return path }
        let names = try FileManager.default.contentsOfDirectory(atPath: ".").filter { $0.hasSuffix(".store") }.sorted()
        guard let name = names.first, names.count == 1 else {
            let reason =
                names.isEmpty ? "the directory contains no file *.store" : "the directory contains several stores"
            throw UsageError("FILE is missing, and \(reason); pass a path or set CHRONICLE_FILE")
        }
        return name
    }

    // MARK: Models

    /// Returns the entity with a name.
    ///
    /// - Throws: ``UsageError`` with the nearest name if the store has no such entity.
    func entity(named name: String) throws -> Schema.Entity {
        if let entity = schema.entitiesByName[name] { return entity }
        let nearest = NearestName.nearest(to: name, in: schema.entities.map(\.name))
        throw UsageError(
            "the store has no entity \(name.escaped)" + (nearest.map { "; did you mean \($0)?" } ?? ""))
    }

    /// Returns the names of an entity and those that inherit from it.
    func names(of entity: Schema.Entity) -> [String] { schema.kinds(of: entity.name).sorted() }

    /// Returns the identifier that a text such as `Trip/7` denotes.
    ///
    /// - Throws: ``UsageError`` if the text is not an identifier.
    func identifier(_ text: String) throws -> PersistentIdentifier {
        guard let slash = text.lastIndex(of: "/"), let key = Int64(text[text.index(after: slash)...]) else {
            throw UsageError("\(text.escaped) is not a model; write its entity and primary key, such as Trip/7")
        }
        let entity = try entity(named: String(text[..<slash]))
        return PersistentIdentifier.Origin(
            storeIdentifier: store.identifier, entityName: entity.name, rootEntityName: entity.rootName
        ).identifier(key)
    }
}
