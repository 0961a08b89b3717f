package import ChronicleCore

extension Schema {
    /// A text that identifies the declarations of a schema, with which a store recognizes that it was opened with the same
    /// schema before.
    ///
    /// It contains what a store keeps in its tables and descriptions: names, original names, types, stored forms,
    /// destinations and inverses, superclasses, and the version. Default values are not part of it, because they can differ
    /// in each run, such as the start of the current day.
    package func declarationKey(_ version: Version?) -> String {
        var parts = [version?.description ?? ""]
        for entity in entities {
            parts.append("\(entity.name) \(entity.originalName) \(entity.superentityName ?? "")")
            for property in entity.properties {
                var part = "\(property.name) \(property.originalName) \(property.isOptional)"
                if let attribute = property.attribute {
                    part += " \(attribute.storage.rawValue) \(attribute.valueTypeName)"
                } else if let relationship = property.relationship {
                    part += " \(relationship.destination) \(relationship.inverseName ?? "") \(relationship.isToMany)"
                }
                parts.append(part)
            }
        }
        let text = parts.joined(separator: "\n")
        // Two hashes, because a collision would hide a change.
        return text.utf8.fnv1a + text.utf8.reversed().fnv1a
    }

    /// The entities that inherit from others, superentities first.
    package var subentities: [Entity] {
        func depth(_ entity: Entity) -> Int { entity.superentity.map { depth($0) + 1 } ?? 0 }
        return entities.filter { $0.superentity != nil }.sorted { (depth($0), $0.name) < (depth($1), $1.name) }
    }
}

extension Schema.Links {
    /// Everything whose change requires a change of the table.
    package var signature: String {
        func side(_ property: Schema.Property?) -> String {
            property.map { "\($0.name) \($0.previousName ?? "") \($0.relationship?.deleteRule.rawValue ?? "")" } ?? "-"
        }
        return "\(owner) \(side(property)) \(destination) \(side(inverse))"
    }
}

extension Sequence<UInt8> {
    /// The 64-bit FNV-1a hash of the bytes as hexadecimal digits. https://www.rfc-editor.org/rfc/rfc9923
    package var fnv1a: String {
        String(reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }, radix: 16)
    }
}
