// The hashes have the names and the purpose of those of Core Data, but other values.
extension Schema {
    /// A hash of the ``Entity/versionHash`` of all entities, which is the same in every run of the program. A store recognizes by
    /// it the version of data that has no version identifier.
    public var versionHash: String { Self.hash(of: entities.map(\.versionHash).joined(separator: "\n")) }

    /// FNV-1a with 64 bits: https://www.rfc-editor.org/rfc/rfc9923
    fileprivate static func hash(of text: String) -> String {
        let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
        return String(hash, radix: 16)
    }
}

extension Schema.Entity {
    /// A hash of the properties that determine how a store keeps the models, which is the same in every run of the program.
    ///
    /// It depends on the names of the entity, its superentity and its properties, on the stored form of the attributes and whether
    /// they are optional, on the destinations and inverses of the relationships, and on the uniqueness constraints. It does not
    /// depend on default values, indices, delete rules, options of the history, and whether there is a model class.
    ///
    /// - Complexity: O(*n* log *n*), where *n* is the number of properties.
    public var versionHash: String {
        var parts = [name]
        if let superentityName { parts.append("inherits from \(superentityName)") }
        for property in properties.sorted(by: { $0.name < $1.name }) {
            if let attribute = property.attribute {
                parts.append("\(attribute.name) \(attribute.storage.rawValue) \(attribute.isOptional)")
            } else if let relationship = property.relationship {
                parts.append(
                    "\(relationship.name) \(relationship.destination) \(relationship.inverseName ?? "-") "
                        + (relationship.isToMany ? "many" : "\(relationship.isOptional)"))
            }
        }
        parts += uniquenessConstraints.map { "unique \($0.joined(separator: " "))" }.sorted()
        return Schema.hash(of: parts.joined(separator: "\n"))
    }
}
