import ChronicleCore
import Foundation

// The models of a file, without their classes.
extension AppleLayout {
    /// Returns whether the names are those of the model. Throws `SwiftDataError.damagedFile` if neither the model nor the
    /// tables describe a valid schema.
    func schema() throws -> (schema: Schema, hasModelNames: Bool) {
        if model != nil, let schema = try modelSchema() { return (schema, true) }
        let schema = Schema(entities: try entities.byNumber.values.map { try tableDescription(of: $0).entity() })
        do { try schema.validate() } catch let error as SwiftDataError {
            throw SwiftDataError.damagedFile.with(
                detail: "the entities of the table Z_PRIMARYKEY contradict each other: \(error.detail ?? "")")
        }
        return (schema, false)
    }

    func table(of entity: AppleEntity) -> AppleTable? { tables[entity.tableName] }

    // MARK: Names of the model

    /// The schema with the names of the model, without relationships that cannot be read. `nil` if the schema is not valid:
    /// the tables remain readable without the model.
    private func modelSchema() throws -> Schema? {
        var descriptions = try entities.byNumber.values.compactMap { try modelDescription(of: $0) }
        EntityDescription.removeUnknownInverses(&descriptions)
        while true {
            let schema = Schema(entities: try descriptions.map { try $0.entity() })
            do { try schema.validate() } catch is SwiftDataError { return nil }
            let unreadable = schema.links.filter { links in
                do { _ = try LinkTable(self, schema, links) } catch { return true }
                return false
            }
            if unreadable.isEmpty { return schema }
            let count = descriptions.reduce(0) { $0 + $1.properties.count }
            for links in unreadable {
                for index in descriptions.indices {
                    let root = entities.byName[descriptions[index].name]?.rootName
                    descriptions[index].properties.removeAll {
                        $0.isLinked == true
                            && (root == links.owner && $0.name == links.property.name
                                || root == links.destination && $0.name == links.inverse?.name)
                    }
                }
            }
            if descriptions.reduce(0, { $0 + $1.properties.count }) == count { return nil }
        }
    }

    private func modelDescription(of entity: AppleEntity) throws -> EntityDescription? {
        // The cached model of a migrated file can be an earlier one, in which an entity had another name.
        guard let known = model?.entities[entity.name] else {
            var description = tableDescription(of: entity)
            let names = Set(description.properties.map { $0.name.uppercased() })
            description.properties.removeAll { isAmbiguous($0.name, entity, among: names) }
            return description
        }
        let superentity = entity.superentityNumber.flatMap { entities.byNumber[$0] }
        let inherited = Set(superentity.flatMap { model?.entities[$0.name] }?.properties.map(\.name) ?? [])
        var description = EntityDescription(name: entity.name, superentity: superentity?.name)
        for property in known.properties where property.isPersistent && !inherited.contains(property.name) {
            if let described = try describe(property, of: entity) { description.properties.append(described) }
        }
        let names = Set(known.properties.filter { $0.relationship?.isToMany != true && $0.isPersistent }.map(\.name))
        let present = Set(description.properties.map(\.name)).union(inherited)
        for constraint in known.uniqueness where constraint.allSatisfy({ names.contains($0) && present.contains($0) }) {
            if constraint.count == 1,
                let index = description.properties.firstIndex(where: {
                    $0.name == constraint[0] && $0.kind == .attribute
                })
            {
                description.properties[index].options.append("unique")
            } else if Set(constraint).count == constraint.count {
                description.uniquenessConstraints.append(constraint)
            }
        }
        return description
    }

    /// Returns `nil` for a property that cannot be read.
    private func describe(
        _ property: CachedModel.Property, of entity: AppleEntity
    ) throws -> EntityDescription.Property? {
        switch property.kind {
        case .attribute(let number, let defaultValue):
            guard let type = AppleAttributeType(number: number), hasColumn(property.name, entity) else { return nil }
            let external = externalColumns[entity.tableName] ?? []
            let isExternal = table(of: entity)?.column("Z" + property.name).map(external.contains) == true
            return EntityDescription.Property(
                kind: .attribute, name: property.name, isOptional: property.isOptional,
                options: (isExternal ? ["externalStorage"] : [])
                    + (property.isPreserved ? ["preserveValueOnDeletion"] : []), type: type.typeName,
                storage: type.storage, default: type.stored(defaultValue))
        case .composite(let elements):
            guard columns(of: elements, entity) != nil else { return nil }
            let type = Self.enumerationType(property, elements) ?? .composite
            return EntityDescription.Property(
                kind: .attribute, name: property.name, isOptional: true, type: type.typeName, storage: type.storage)
        case .relationship(let relationship):
            guard entities.byName[relationship.destination] != nil, model?.entities[relationship.destination] != nil,
                relationship.isToMany || hasColumn(property.name, entity)
            else { return nil }
            let inverse = inverse(of: property, relationship, entity.name)
            let rule: Schema.Relationship.DeleteRule =
                switch relationship.deleteRule {
                case 0: .noAction
                case 2: .cascade
                case 3: .deny
                default: .nullify
                }
            return EntityDescription.Property(
                kind: .relationship, name: property.name, isOptional: relationship.isToMany || property.isOptional,
                destination: relationship.destination, inverse: inverse?.name, deleteRule: rule,
                isToMany: relationship.isToMany,
                isLinked: relationship.isToMany && inverse?.relationship?.isToMany != false)
        case .fetched: return nil
        }
    }

    /// An enumeration is a composite attribute with one attribute of the same name. `nil` for a structure.
    private static func enumerationType(
        _ property: CachedModel.Property, _ elements: [CachedModel.Property]
    ) -> AppleAttributeType? {
        guard elements.count == 1, elements[0].name == property.name, case .attribute(let number, _) = elements[0].kind
        else { return nil }
        return AppleAttributeType(number: number)
    }

    private func hasColumn(_ name: String, _ entity: AppleEntity) -> Bool {
        table(of: entity)?.column("Z" + name) != nil && !isAmbiguous(name, entity)
    }

    /// `nil` unless both sides agree and can be read.
    private func inverse(
        of property: CachedModel.Property, _ relationship: CachedModel.Relationship, _ entityName: String
    ) -> CachedModel.Property? {
        guard let name = relationship.inverse,
            let inverse = model?.entities[relationship.destination]?.property(named: name),
            let back = inverse.relationship, back.inverse == property.name, let own = entities.byName[entityName],
            entities.chain(of: own).contains(where: { $0.name == back.destination })
        else { return nil }
        return inverse
    }

    // MARK: Names of the tables

    /// Describes a root entity. The columns of subentities cannot be told apart.
    private func tableDescription(of entity: AppleEntity) -> EntityDescription {
        let superentity = entity.superentityNumber.flatMap { entities.byNumber[$0]?.name }
        var description = EntityDescription(name: entity.name, superentity: superentity)
        guard superentity == nil, let table = table(of: entity) else { return description }
        var names: Set<String> = []
        for column in table.columns where Self.isAttribute(column.name) {
            let type = AppleAttributeType(declaredType: column.type)
            let name = column.name.dropFirst().lowercased()
            guard names.insert(name).inserted else { continue }
            description.properties.append(
                EntityDescription.Property(
                    kind: .attribute, name: name, isOptional: true, type: type.typeName, storage: type.storage))
        }
        return description
    }

    /// Keys, orders and entities, such as `Z_PK`, `Z_FOK_BOOK` and `Z1_BOOK`, are not attributes or to-one relationships.
    static func isAttribute(_ column: String) -> Bool {
        guard column.uppercased().hasPrefix("Z") else { return false }
        let rest = column.dropFirst()
        return !rest.isEmpty && rest.drop(while: \.isNumber).first != "_"
    }
}
