#if Postgres
    import ChronicleCore
    import ChronicleSQLStore

    /// Rejects names that PostgreSQL or this store reserves, or that are too long.
    enum TableNames {
        /// The limit in bytes. PostgreSQL truncates longer names.
        /// <https://www.postgresql.org/docs/current/sql-syntax-lexical.html#SQL-SYNTAX-IDENTIFIERS>
        static let lengthLimit = 63
        /// <https://www.postgresql.org/docs/current/ddl-system-columns.html>
        private static let systemColumns: Set<String> = ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"]
        /// 1,600, one of which is the primary key. <https://www.postgresql.org/docs/current/limits.html>
        private static let columnLimit = 1_599

        /// Throws `SwiftDataError.invalidModel` before the database is touched.
        static func check(_ schema: Schema) throws {
            for entity in schema.entities {
                try check(entity.name, of: entity, nil)
                if entity.name.hasPrefix("chronicle_") {
                    throw invalidModel(entity, nil, "names that begin with \"chronicle_\" are reserved")
                }
                for property in entity.storedProperties {
                    try check(property.name, of: entity, property)
                    if systemColumns.contains(property.name) || property.name == EntityTable.primaryKey {
                        throw invalidModel(entity, property, "the name is that of a system column; rename the property")
                    }
                }
                if entity.storedProperties.count > columnLimit {
                    throw invalidModel(entity, nil, "a table has at most \(columnLimit) properties")
                }
            }
            for links in schema.links where links.name.utf8.count > lengthLimit {
                throw SwiftDataError.invalidModel.with(
                    detail:
                        "the names of the model and the relationship have more than \(lengthLimit - 1) bytes together;"
                        + " shorten one of them",
                    entityName: links.owner, propertyName: links.property.name)
            }
        }

        /// A long name is shortened, with a hash that distinguishes it.
        static func shortened(_ name: String) -> String {
            guard name.utf8.count > lengthLimit else { return name }
            var prefix = name
            while prefix.utf8.count > lengthLimit - 17 { prefix.removeLast() }
            return "\(prefix)_\(name.utf8.fnv1a)"
        }

        private static func check(_ name: String, of entity: Schema.Entity, _ property: Schema.Property?) throws {
            if name.isEmpty || name.utf8.contains(0) {
                throw invalidModel(entity, property, "a name must not be empty or contain a NUL character")
            }
            if name.utf8.count > lengthLimit {
                throw invalidModel(entity, property, "the name has more than \(lengthLimit) bytes; shorten it")
            }
        }

        private static func invalidModel(
            _ entity: Schema.Entity, _ property: Schema.Property?, _ detail: String
        ) -> SwiftDataError {
            .invalidModel.with(detail: detail, entityName: entity.name, propertyName: property?.name)
        }
    }
#endif
