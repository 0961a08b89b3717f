import ChronicleCore
import ChronicleSQL

// Determines the names that change.
extension SchemaPlan {
    static func entityRenames(
        from stored: [String: StoredEntity], to models: Schema, _ opening: Opening
    ) throws -> [Rename] {
        // A class of a known schema is in the store unless a later version of the models gave it another name. The schema may
        // rename it back.
        for entity in models.entities
        where opening.requiresOwnNames && stored[entity.name] == nil && stored[entity.originalName] == nil {
            let later = stored.keys.sorted().first {
                stored[$0]?.originalName == entity.name && models.entitiesByName[$0]?.originalName != entity.name
            }
            guard let later else {
                // The later class was renamed again, or does not declare its original name any more.
                if stored.isEmpty { continue }
                throw SwiftDataError.newerSchemaVersion.with(
                    detail: "a later version of the models renamed the class; update the program",
                    entityName: entity.name)
            }
            throw SwiftDataError.newerSchemaVersion.with(
                detail: "a later version of the models renamed the class to \(later); update the program",
                entityName: entity.name)
        }
        let renames = try [Rename].passingOn { left in
            var renames: [Rename] = []
            for entity in models.entities
            where entity.originalName != entity.name && stored[entity.originalName] != nil {
                if opening.hasLaterName(than: entity.originalName, for: entity.name) { continue }
                // The class was renamed before, and an earlier program created the other one again.
                if let known = stored[entity.name], !left.contains(entity.name),
                    opening.isKnown || known.originalName == entity.originalName
                {
                    continue
                }
                guard !renames.contains(where: { $0.old == entity.originalName }) else {
                    throw failure("another class has the same original name; remove one of them", entity.name)
                }
                renames.append(Rename(entity.originalName, to: entity.name))
            }
            return renames
        }
        for rename in renames where stored[rename.new] != nil && !renames.contains(where: { $0.old == rename.new }) {
            throw failure(
                "the class was \(rename.old) before, but the store contains another class \(rename.new), which an "
                    + "earlier version had; give the class a name that was not used",
                rename.new)
        }
        if renames.containsCycle, opening.stage == nil {
            throw failure(
                "classes exchange their names, which requires a stage of a migration plan; otherwise remove the "
                    + "original names",
                renames.first?.new)
        }
        return renames
    }

    /// Throws an error if the name of a new or renamed class differs only in its case from that of a class in the store that keeps
    /// its name, and the database does not distinguish their tables.
    ///
    /// - Parameter tables: The classes in the store with own tables.
    static func requireOwnTables(
        _ models: Schema, _ tables: [String], _ renames: [Rename], fold: (String) -> String
    ) throws {
        let kept = Set(tables).subtracting(renames.map(\.old))
        for entity in models.entities where entity.superentity == nil && !kept.contains(entity.name) {
            guard let other = kept.sorted().first(where: { fold($0) == fold(entity.name) }) else { continue }
            throw failure(
                "the store contains the class \(other), whose name differs only in its case; declare it as the original "
                    + "name, or give the class another name",
                entity.name)
        }
    }

    /// Throws an error if a later version of the models gave a class or a property of a known schema another name, also if
    /// another one has the name now.
    static func requireOwnNames(of schemas: KnownSchemas) throws {
        guard let (former, name) = schemas.renames?.min(by: { $0.key < $1.key }) else { return }
        let parts = former.split(separator: ".", maxSplits: 1).map(String.init)
        let change =
            name.isEmpty
            ? "removed the property, and another one has its name"
            : "renamed the \(parts.count > 1 ? "property" : "class") to \(name)"
        throw SwiftDataError.newerSchemaVersion.with(
            detail: "a later version of the models \(change); update the program",
            entityName: parts[0], propertyName: parts.count > 1 ? parts[1] : nil)
    }

    /// Throws an error if the new schema of a program lacks renames that another program made: it has the former name of a class
    /// or of a property of the program's previous schema, but not the present one.
    static func requireRenames(in models: Schema, _ schemas: KnownSchemas) throws {
        for (former, name) in schemas.replacedRenames.sorted(by: { $0.key < $1.key }) where !name.isEmpty {
            let parts = former.split(separator: ".", maxSplits: 1).map(String.init)
            let declared: (String) -> Bool
            if parts.count > 1 {
                let entity = models.entitiesByName[schemas.replacedRenames[parts[0]] ?? parts[0]]
                declared = { entity?.propertiesByName[$0] != nil }
            } else {
                declared = { models.entitiesByName[$0] != nil }
            }
            guard declared(parts.last ?? former), !declared(name) else { continue }
            throw SwiftDataError.newerSchemaVersion.with(
                detail:
                    "another program renamed the \(parts.count > 1 ? "property" : "class") to \(name); update the models "
                    + "of this program",
                entityName: parts[0], propertyName: parts.count > 1 ? parts[1] : nil)
        }
    }

    /// Throws an error if a later version of the models gave a property another name. The properties of a known schema are
    /// in the store otherwise, so that one without a column was renamed.
    static func requirePresentNames(_ members: [Schema.Entity], _ stored: [String: StoredEntity]) throws {
        let renamed = stored.sorted { $0.key < $1.key }.flatMap(\.value.live).filter { $0.originalName != nil }
        let all = Set(stored.values.flatMap { ($0.live + $0.removed).map(\.name) })
        for entity in members {
            guard let known = stored[entity.name] else { continue }
            let names = Set((known.live + known.removed).map(\.name))
            for property in entity.properties where !names.contains(property.name) {
                // A rename back.
                if let previous = property.previousName, known.property(named: previous) != nil { continue }
                let later = renamed.first {
                    $0.originalName == property.name && names.contains($0.name)
                        && entity.propertiesByName[$0.name]?.previousName != property.name
                }
                guard let later else {
                    if all.contains(property.name) { continue }
                    // The later property was renamed again or removed, or does not declare its original name any more.
                    throw SwiftDataError.newerSchemaVersion.with(
                        detail: "a later version of the models renamed the property; update the program",
                        entityName: entity.name, propertyName: property.name)
                }
                throw SwiftDataError.newerSchemaVersion.with(
                    detail: "a later version of the models renamed the property to \(later.name); update the program",
                    entityName: entity.name, propertyName: property.name)
            }
        }
    }

    static func renames(
        _ table: Schema.Entity, _ members: [Schema.Entity], _ stored: [String: StoredEntity],
        _ live: [String: StoredProperty], _ opening: Opening
    ) throws -> [Rename] {
        let renames = try [Rename].passingOn { try Self.renames(table, members, stored, live, opening, left: $0) }
        for rename in renames where live[rename.new] != nil && !renames.contains(where: { $0.old == rename.new }) {
            // A stage replaces the values of the classes that rename a property, but not those of other classes.
            let keeping = members.first { entity in
                let known = stored[entity.name]
                return entity.propertiesByName[rename.new] != nil && known?.property(named: rename.new) != nil
                    && known?.property(named: rename.old) == nil
            }
            let other = otherClass(with: rename.new, of: table, members, stored, opening) { entity in
                stored[entity]?.property(named: rename.old) != nil
            }
            if let keeping = keeping?.name ?? other {
                throw failure(
                    "the property was \(rename.old) before, but the class \(keeping) has another property "
                        + "\(rename.new), whose values would be lost; give one of them another name",
                    table.name, rename.new)
            }
            if opening.stage != nil { continue }
            throw failure(
                "the property was \(rename.old) before, but the store has values of another property \(rename.new), "
                    + "which would be lost; use a stage of a migration plan, or remove the original name",
                table.name, rename.new)
        }
        if opening.stage == nil, renames.containsCycle {
            throw failure(
                "properties exchange their names, which requires a stage of a migration plan; otherwise remove the "
                    + "original names",
                table.name, renames.first?.new)
        }
        return renames
    }

    /// Returns the renames of the properties of a table.
    ///
    /// - Parameter left: The names of properties that are renamed.
    private static func renames(
        _ table: Schema.Entity, _ members: [Schema.Entity], _ stored: [String: StoredEntity],
        _ live: [String: StoredProperty], _ opening: Opening, left: Set<String>
    ) throws -> [Rename] {
        var renames: [Rename] = []
        for property in table.properties {
            let name = property.name
            // Classes that do not inherit from each other may declare different original names.
            var sources: [(name: String, entity: Schema.Entity)] = []
            for entity in members {
                guard let old = entity.propertiesByName[name]?.previousName, old != name, live[old] != nil,
                    !sources.contains(where: { $0.name == old }),
                    !opening.hasLaterName(than: old, for: "\(entity.name).\(name)")
                else { continue }
                // The original name of a property that is renamed itself is not that of the one which receives its name.
                if live[name] != nil, !left.contains(name) {
                    let isDone = stored.values.contains { $0.property(named: name)?.wasRenamed(from: old) == true }
                    if opening.isKnown || isDone { continue }
                }
                sources.append((old, entity))
            }
            guard let old = sources.first?.name else { continue }
            if sources.count > 1 {
                throw failure(
                    "the property was \(old) in the class \(sources[0].entity.name) and \(sources[1].name) in the class "
                        + "\(sources[1].entity.name) before; give it another name in one of them",
                    table.name, name)
            }
            guard !renames.contains(where: { $0.old == old }) else {
                throw failure("another property has the same original name; remove one of them", table.name, name)
            }
            for entity in members where stored[entity.name]?.property(named: old) != nil {
                guard entity.propertiesByName[name]?.previousName != old else { continue }
                throw failure(
                    "the property was \(old) before, but the class \(entity.name) does not rename it; rename it in all "
                        + "classes that have it, or copy the values in a stage of a migration plan",
                    table.name, name)
            }
            renames.append(Rename(old, to: name))
        }
        return renames
    }

    /// Throws an error if columns whose names differ only in their case from those of other properties have values that
    /// would be lost. A stage replaces those of the classes that it migrates, but not those of other programs.
    static func requireUnused(
        _ columns: [String], _ table: Schema.Entity, _ members: [Schema.Entity], _ stored: [String: StoredEntity],
        _ opening: Opening, fold: (String) -> String
    ) throws {
        let lost = columns.first {
            opening.stage == nil || otherClass(with: $0, of: table, members, stored, opening) != nil
        }
        guard let lost else { return }
        throw failure(
            "the store has values of the property \(lost), whose name differs only in its case, and which would be lost; "
                + (opening.stage == nil
                    ? "declare it as the original name, or use a stage of a migration plan"
                    : "another program uses it, so give one of them another name"),
            table.name, table.storedProperties.map(\.name).first { fold($0) == fold(lost) })
    }

    /// Returns a class in which another program uses a property.
    ///
    /// - Parameter isReplaced: A closure that returns whether the schema replaces the property in one of its classes.
    static func otherClass(
        with property: String, of table: Schema.Entity, _ members: [Schema.Entity], _ stored: [String: StoredEntity],
        _ opening: Opening, isReplaced: (String) -> Bool = { _ in true }
    ) -> String? {
        let root = members.first { $0.superentity == nil }
        return stored.keys.sorted().first { name in
            let lineage = [name, table.name] + [root?.originalName].compactMap(\.self)
            let isOwn = members.contains { $0.name == name }
            return stored[name]?.property(named: property) != nil && !(isOwn && isReplaced(name))
                && opening.schemas.useElsewhere(property, ofFirst: lineage)
        }
    }
}

extension [Rename] {
    /// Returns the renames with those that they make possible: a name that a class or a property leaves can be passed on to
    /// another one, also if the one that leaves it had the same original name.
    ///
    /// - Parameter renames: A closure that returns the renames if the classes or properties with some names are renamed.
    fileprivate static func passingOn(_ renames: (Set<String>) throws -> [Rename]) rethrows -> [Rename] {
        var left: Set<String> = []
        while true {
            let found = try renames(left)
            let names = Set(found.map(\.old))
            if names.isSubset(of: left) { return found }
            left.formUnion(names)
        }
    }
}
