/// The cached model tells which properties have a column in the table of a hierarchy.
struct AppleColumnUse: Sendable {
    /// The numbers of properties by the name of the column, in upper case. Properties that are inherited do not count
    /// again.
    private var users: [String: Int] = [:]
    /// Attributes that are part of a composite one.
    private var parts: Set<String> = []
    /// Properties with a column, in upper case.
    private var names: Set<String> = []

    mutating func add(_ property: CachedModel.Property, isPart: Bool = false) {
        let name = property.name.uppercased()
        switch property.kind {
        case .composite(let elements): for element in elements { add(element, isPart: true) }
        case .relationship(let relationship) where relationship.isToMany: break
        case .fetched: break
        case .attribute, .relationship:
            users[name, default: 0] += 1
            names.insert(name)
            if isPart { parts.insert(name) }
        }
    }

    /// Several properties of the model have a column of this name. One of the columns then has another name, such as
    /// `ZNAME1` instead of `ZNAME`, and nothing tells which one. Without `ZNAME1` (`hasNumbered`), subclasses share the
    /// column.
    func isShared(_ name: String, hasNumbered: Bool) -> Bool {
        users[name, default: 0] > 1 && (hasNumbered || parts.contains(name))
    }

    func contains(_ name: String) -> Bool { names.contains(name) }

    /// The names of the columns without their first letter, in upper case.
    var columnNames: Set<String> { names }
}

extension AppleLayout {
    static func columnUse(_ entities: AppleEntities, _ model: SendableModel?) -> [String: AppleColumnUse] {
        var result: [String: AppleColumnUse] = [:]
        for entity in entities.byNumber.values {
            let superentity = entity.superentityNumber.flatMap { entities.byNumber[$0] }
            let inherited = superentity.flatMap { model?.entities[$0.name] }
            for property in model?.entities[entity.name]?.properties ?? []
            where property.isPersistent && inherited?.property(named: property.name) == nil {
                result[entity.tableName, default: AppleColumnUse()].add(property)
            }
        }
        return result
    }

    /// The columns of a table do not tell which one contains a property. `names` are those of the properties of the schema
    /// in the hierarchy, in upper case.
    func isAmbiguous(_ name: String, _ entity: AppleEntity, among names: Set<String> = []) -> Bool {
        guard let table = table(of: entity) else { return false }
        let use = columnUse[entity.tableName] ?? AppleColumnUse()
        func isShared(_ name: String) -> Bool {
            let hasNumbered = table.column("Z\(name)1") != nil
            if use.isShared(name, hasNumbered: hasNumbered) { return true }
            // A class that the model does not describe can declare the name as well.
            return hasNumbered && !names.contains("\(name)1") && !use.contains("\(name)1") && isIncomplete(entity)
        }
        let name = name.uppercased()
        // The second of two columns has the name of a property such as `name1`.
        let base = String(name.reversed().drop { $0.isASCII && $0.isNumber }.reversed())
        return isShared(name) || base != name && !base.isEmpty && use.isShared(base, hasNumbered: true)
    }

    /// The model does not describe all of several entities with the same table.
    private func isIncomplete(_ entity: AppleEntity) -> Bool {
        guard let root = entities.byName[entity.rootName] else { return true }
        let kinds = entities.kinds(of: root)
        return kinds.count > 1 && kinds.contains { model?.entities[$0.name] == nil }
    }

    /// `nil` if the property is not a composite attribute.
    func composite(named name: String, of entity: AppleEntity) -> [CachedModel.Property]? {
        guard case .composite(let elements) = model?.entities[entity.name]?.property(named: name)?.kind else {
            return nil
        }
        return elements
    }

    /// `nil` if an attribute of the composite one has no known column.
    func columns(
        of elements: [CachedModel.Property], _ entity: AppleEntity
    ) -> [(name: String, type: Int64, column: String)]? {
        var result: [(name: String, type: Int64, column: String)] = []
        for element in elements {
            guard case .attribute(let type, _) = element.kind, !isAmbiguous(element.name, entity),
                let column = table(of: entity)?.column("Z" + element.name)
            else { return nil }
            result.append((element.name, type, column))
        }
        return result.isEmpty ? nil : result
    }
}
