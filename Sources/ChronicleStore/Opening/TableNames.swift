import ChronicleCore

/// Looks for names that Swift keeps apart and SQLite does not, or that are taken.
enum TableNames {
    /// - Throws: ``SwiftDataError/invalidModel``, before anything touches a file.
    static func check(_ schema: Schema) throws {
        var tables: [String: String] = [:]
        for entity in schema.entities {
            let name = folded(entity.name)
            for prefix in ["chronicle_", "sqlite_"] where name.hasPrefix(prefix) {
                throw refusal(entity, nil, "names that begin with \"\(prefix)\" belong to the store")
            }
            if name.isEmpty || name.utf8.contains(0) { throw refusal(entity, nil, "a table cannot have this name") }
            if let other = tables.updateValue(entity.name, forKey: name) {
                throw refusal(
                    entity, nil, "SQLite takes it for the same name as \"\(other)\": case does not matter there")
            }
            try checkColumns(of: entity)
        }
        for links in schema.links {
            if let other = tables.updateValue(links.name, forKey: folded(links.name)) {
                throw SwiftDataError.invalidModel.with(
                    detail: twin(of: other), entityName: links.owner, propertyName: links.property.name)
            }
        }
    }

    private static func checkColumns(of entity: Schema.Entity) throws {
        var columns = [RecordedTable.primaryKey: RecordedTable.primaryKey]
        for property in entity.storedProperties {
            if let other = columns.updateValue(property.name, forKey: folded(property.name)) {
                throw refusal(entity, property, twin(of: other))
            }
        }
    }

    private static func twin(of other: String) -> String {
        "SQLite takes it for the same name as \"\(other)\": case does not matter there"
    }

    /// As SQLite compares names: the letters of ASCII without their case.
    static func folded(_ name: String) -> String {
        String(decoding: name.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
    }

    private static func refusal(
        _ entity: Schema.Entity, _ property: Schema.Property?, _ detail: String
    ) -> SwiftDataError {
        .invalidModel.with(detail: detail, entityName: entity.name, propertyName: property?.name)
    }
}
