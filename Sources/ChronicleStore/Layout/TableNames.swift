import ChronicleCore

/// Rejects names that SQLite reserves, or that differ in Swift but not in SQLite.
enum TableNames {
    /// Throws ``SwiftDataError/invalidModel`` before a file is touched.
    static func check(_ schema: Schema) throws {
        var tables: [String: String] = [:]
        for entity in schema.entities {
            let name = folded(entity.name)
            for prefix in ["chronicle_", "sqlite_"] where name.hasPrefix(prefix) {
                throw invalidModel(entity, nil, "names that begin with \"\(prefix)\" are reserved")
            }
            if name.isEmpty || name.utf8.contains(0) {
                throw invalidModel(entity, nil, "a model name must not be empty or contain a NUL character")
            }
            if let other = tables.updateValue(entity.name, forKey: name) {
                throw invalidModel(entity, nil, conflict(with: other))
            }
            try checkColumns(of: entity)
        }
        for links in schema.links {
            if let other = tables.updateValue(links.name, forKey: folded(links.name)) {
                throw SwiftDataError.invalidModel.with(
                    detail: conflict(with: other), entityName: links.owner, propertyName: links.property.name)
            }
        }
    }

    private static func checkColumns(of entity: Schema.Entity) throws {
        var columns = [RecordedTable.primaryKey: RecordedTable.primaryKey]
        for property in entity.storedProperties {
            if let other = columns.updateValue(property.name, forKey: folded(property.name)) {
                throw invalidModel(entity, property, conflict(with: other))
            }
        }
    }

    private static func conflict(with other: String) -> String {
        "the name conflicts with \"\(other)\", because SQLite ignores case; rename one of them"
    }

    /// SQLite compares names without the case of ASCII letters.
    static func folded(_ name: String) -> String {
        String(decoding: name.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
    }

    private static func invalidModel(
        _ entity: Schema.Entity, _ property: Schema.Property?, _ detail: String
    ) -> SwiftDataError {
        .invalidModel.with(detail: detail, entityName: entity.name, propertyName: property?.name)
    }
}
