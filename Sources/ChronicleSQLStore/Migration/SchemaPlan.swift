package import ChronicleCore
package import ChronicleSQL

/// How the classes of a schema continue those in a store: which names change, and which values remain.
///
/// All renames of an opening are planned together, so that their order does not matter. The description of the store
/// distinguishes properties of the newest classes from those that were removed, whose columns and links remain for
/// programs that still have the store open.
package struct SchemaPlan: Sendable {
    /// The table of a class without a superclass, and of its subclasses.
    package struct Table: Sendable {
        /// The renames of columns, in the order in which each new name is free.
        package fileprivate(set) var columnSteps: [Rename] = []
        /// The renames of properties.
        package fileprivate(set) var renames: [Rename] = []
        /// The columns whose names other properties need, or whose values a custom stage replaces.
        package fileprivate(set) var droppedColumns: [String] = []
        /// The relationships whose links a custom stage replaces.
        package fileprivate(set) var droppedLinks: [StoredProperty] = []
        /// The classes of the new schema in the table.
        package fileprivate(set) var classes: [Class] = []
        /// The properties that the table has for any class, by name.
        fileprivate(set) var live: [String: StoredProperty] = [:]
        /// The classes for whose models only a removed property remains in a column, by the column.
        fileprivate(set) var leftovers: [String: Set<String>] = [:]
    }

    /// A class of the new schema.
    package struct Class: Sendable {
        package let entity: Schema.Entity
        /// The properties of the store that its properties continue, by the name of the new property.
        package let earlier: [String: StoredProperty]
        /// Whether the store has the class.
        package let isStored: Bool
        /// The properties that its new properties do not continue, although they have the same names: those of other
        /// classes in the table, and removed ones whose columns or links remain.
        fileprivate let others: [String: [StoredProperty]]

        /// Returns the properties of the store to compare with a property: the one that it continues, or those of which it
        /// would use the column or the links.
        package func compared(_ name: String) -> [StoredProperty] { earlier[name].map { [$0] } ?? others[name] ?? [] }
    }

    /// The circumstances, with the names after the opening in ``Opening/schemas``.
    package private(set) var opening: Opening
    /// The renames of classes, in the order in which each new name is free.
    package let entitySteps: [Rename]
    /// The tables by the new names of their entities.
    package private(set) var tables: [String: Table] = [:]
    /// The classes after the opening, by their new names.
    package private(set) var entities: [String: StoredEntity] = [:]
    /// The tables that the names of the live relationships with links denote, before properties are renamed.
    let liveLinks: Set<String>
    private let newNames: [String: String]
    private let oldNames: [String: String]
    private let roots: [String: String]

    /// Plans the changes.
    ///
    /// - Parameters:
    ///   - stored: The classes in the store, by name.
    ///   - roots: The names of the classes whose tables contain the rows of the stored classes.
    ///   - models: The new schema.
    ///   - merged: The new schema without inheritance.
    ///   - opening: The circumstances of the opening.
    ///   - fold: A closure that returns the form in which the database compares names.
    ///   - columns: A closure that returns the columns of a table.
    /// - Throws: `SwiftDataError.backwardMigration` for renames that contradict each other or the store, and
    ///   `SwiftDataError.newerSchemaVersion` for names that a later version of the models replaced.
    package init(
        from stored: [String: StoredEntity], roots: [String: String], to models: Schema, merged: Schema,
        opening: Opening, fold: (String) -> String, columns: (String) throws -> Set<String>
    ) throws {
        self.opening = opening
        let renames = try Self.entityRenames(from: stored, to: models, opening)
        try Self.requireOwnTables(models, stored.keys.filter { (roots[$0] ?? $0) == $0 }, renames, fold: fold)
        newNames = Dictionary(renames.map { ($0.old, $0.new) }, uniquingKeysWith: { first, _ in first })
        entitySteps = renames.steps(in: stored.keys, fold: fold) { "chronicle_renamed_\($0)" }
        let newName = { [newNames] (name: String) in newNames[name] ?? name }
        var current: [String: StoredEntity] = [:]
        for (name, entity) in stored {
            var entity = entity
            for index in entity.live.indices {
                entity.live[index].destination = entity.live[index].destination.map(newName)
            }
            for index in entity.removed.indices {
                entity.removed[index].destination = entity.removed[index].destination.map(newName)
            }
            entity.superclass = entity.superclass.map(newName)
            if opening.isKnown, let declared = models.entitiesByName[newName(name)] {
                entity.restore(declared, columns: try columns(roots[name] ?? name))
            }
            current[newName(name)] = entity
        }
        oldNames = Dictionary(renames.map { ($0.new, $0.old) }, uniquingKeysWith: { first, _ in first })
        let currentRoots = Dictionary(
            roots.map { (newName($0.key), newName($0.value)) }, uniquingKeysWith: { first, _ in first })
        entities = current
        liveLinks = Set(
            current.flatMap { name, entity in
                entity.live.filter { $0.place == .links }.map { "\(currentRoots[name] ?? name).\($0.name)" }
            })
        self.roots = currentRoots
        for table in merged.entities {
            let members = models.entities.filter { $0.rootName == table.name }
            let earlier = current.filter { (currentRoots[$0.key] ?? $0.key) == table.name }
            let oldName = oldNames[table.name] ?? (newNames[table.name] == nil ? table.name : nil)
            let plan = try Self.table(
                table, members, earlier, opening, fold: fold, columns: oldName.map(columns) ?? []
            ) { currentRoots[$0] ?? models.entitiesByName[$0]?.rootName ?? $0 }
            tables[table.name] = plan
        }
        let propertyRenames = { [tables] (entity: String) in
            tables[currentRoots[entity] ?? models.entitiesByName[entity]?.rootName ?? entity]?.renames ?? []
        }
        let schemas = opening.schemas.renamed(newName: newName) { property, entity in
            propertyRenames(entity).first { $0.old == property }?.new ?? property
        } isReplaced: { property, entity in
            let renames = propertyRenames(entity)
            return renames.contains { $0.new == property } && !renames.contains { $0.old == property }
        }
        if opening.requiresOwnNames { try Self.requireOwnNames(of: schemas) }
        if opening.requiresRenames { try Self.requireRenames(in: models, schemas) }
        self.opening = Opening(schemas: schemas, stage: opening.stage, baseline: opening.baseline)
        for (name, table) in tables {
            let names = current.keys.filter { (currentRoots[$0] ?? $0) == name }.sorted()
            describe(table, names)
            try requireOneForm(table, names)
        }
    }

    /// Returns the new name of a class in the store.
    package func newName(_ name: String) -> String { newNames[name] ?? name }

    /// Returns the new name of a property of a class in the store, whose new name is `entity`.
    package func newPropertyName(_ name: String, _ entity: String) -> String {
        tables[root(of: entity)]?.renames.first { $0.old == name }?.new ?? name
    }

    /// Returns the name in the store of a class, or its own name if it is new.
    package func oldName(_ name: String) -> String { oldNames[name] ?? name }

    /// Returns the class whose table contains the rows of a class of the store, by their new names.
    package func root(of name: String) -> String { roots[name] ?? name }

    /// Returns the classes in the store that inherit from a class and that a schema lacks.
    package func subclasses(of name: String, except schema: Schema) -> [String] {
        entities.keys.filter { schema.entitiesByName[$0] == nil && entities.inherits($0, from: name) }.sorted()
    }

    /// Whether names change.
    package var changesNames: Bool { !entitySteps.isEmpty || tables.values.contains { !$0.renames.isEmpty } }

    /// Returns whether a relationship that the new schema stores as links continues one of the store, in whichever form.
    package func continues(_ links: Schema.Links) -> Bool {
        tables[links.owner]?.earlier(links.property.name) != nil
            || links.inverse.map { tables[links.destination]?.earlier($0.name) != nil } ?? false
    }

    // MARK: Properties

    private static func table(
        _ table: Schema.Entity, _ members: [Schema.Entity], _ stored: [String: StoredEntity], _ opening: Opening,
        fold: (String) -> String, columns: Set<String>, root: (String) -> String
    ) throws -> Table {
        var plan = Table()
        let rootFirst = stored.sorted { $0.key == table.name || $1.key != table.name && $0.key < $1.key }
        for (_, entity) in rootFirst {
            for property in entity.live where plan.live[property.name] == nil { plan.live[property.name] = property }
        }
        for (name, entity) in stored {
            let columns = Set(entity.live.filter { $0.place == .column }.map(\.name))
            for property in entity.removed where property.place == .column && !columns.contains(property.name) {
                plan.leftovers[property.name, default: []].insert(name)
            }
        }
        if opening.requiresOwnNames { try requirePresentNames(members, stored) }
        plan.renames = try renames(table, members, stored, plan.live, opening)
        let moved = Set(plan.renames.map(\.old))
        let sources = Dictionary(plan.renames.map { ($0.new, $0.old) }, uniquingKeysWith: { first, _ in first })
        var replaced: Set<StoredProperty> = []
        let others = stored.sorted { $0.key < $1.key }.map(\.value)
        plan.classes = members.map { entity in
            let known = stored[entity.name]
            var earlier: [String: StoredProperty] = [:]
            var unrelated: [String: [StoredProperty]] = [:]
            for property in entity.properties {
                let name = property.name
                let isFree = sources[name] == nil && moved.contains(name)
                let source = isFree ? nil : Self.source(sources[name] ?? name, of: property, entity, stored)
                if let source, opening.stage != .custom || source.isContinued(by: StoredProperty(property), root) {
                    earlier[name] = source
                    continue
                }
                if let source { replaced.insert(source) }
                if sources[name] == nil {
                    // The column or the links of a property that another class has, or that was renamed, are no leftovers.
                    let used = plan.live[name]?.place
                    let leftovers = leftovers(name, of: known, others).filter { leftover in
                        if leftover.place == used { return false }
                        if opening.stage == nil || leftover.isContinued(by: StoredProperty(property), root) {
                            return true
                        }
                        replaced.insert(leftover)
                        return false
                    }
                    let other =
                        isFree || source != nil ? nil : others.lazy.compactMap { $0.property(named: name) }.first
                    unrelated[name] = other.map { [$0] } ?? leftovers
                } else if source == nil, let old = sources[name],
                    !members.contains(where: { stored[$0.name]?.property(named: old) != nil })
                {
                    // Only classes that the schema lacks have the renamed property.
                    unrelated[name] = plan.live[old].map { [$0] }
                }
            }
            return Class(entity: entity, earlier: earlier, isStored: known != nil, others: unrelated)
        }
        plan.droppedLinks = replaced.filter { $0.place == .links }.sorted { $0.name < $1.name }
        let declared = Dictionary(table.properties.map { ($0.name, StoredProperty($0)) }, uniquingKeysWith: { $1 })
        let places = declared.mapValues(\.place)
        let columnRenames = plan.renames.filter { rename in
            plan.live[rename.old]?.place == .column && places[rename.new] == .column
                && !replaced.contains { $0.place == .column && $0.name == rename.old }
        }
        // The columns of removed properties in the place of relationships that were stored in another way.
        let unrelated = others.flatMap(\.removed).filter { leftover in
            leftover.place == .column
                && !(leftover.isRelationship
                    && declared[leftover.name].map { leftover.isContinued(by: $0, root) } ?? false)
        }
        let occupied = Set(unrelated.map(\.name)).filter { name in
            plan.live[name]?.place != .column && places[name] == .column
                && plan.classes.contains { $0.earlier[name] != nil }
        }
        // A column that only its old name keeps from its new place: the leftover of a removed property, or one whose name
        // differs only in its case.
        let wanted = table.storedProperties.map(\.name)
        let movedColumns = Set(columnRenames.map(\.old))
        plan.droppedColumns = columns.filter { column in
            if replaced.contains(where: { $0.place == .column && $0.name == column }) { return true }
            // The property is stored in another way under its new name.
            if plan.live[column]?.place == .column, moved.contains(column) { return !movedColumns.contains(column) }
            if occupied.contains(column) { return true }
            if plan.renames.contains(where: { places[$0.new] == .column && fold($0.new) == fold(column) }) {
                return true
            }
            return !wanted.contains(column) && wanted.contains { fold($0) == fold(column) }
        }.sorted()
        let lost = plan.droppedColumns.filter { column in
            plan.live[column]?.place == .column && !moved.contains(column)
                && !replaced.contains { $0.place == .column && $0.name == column }
        }
        try requireUnused(lost, table, members, stored, opening, fold: fold)
        plan.columnSteps = columnRenames.steps(
            in: columns.subtracting(plan.droppedColumns), fold: fold, temporaryName: { "chronicle_renamed_\($0)" })
        return plan
    }

    // MARK: Description

    /// Updates the description of the classes in a table.
    private mutating func describe(_ plan: Table, _ stored: some Sequence<String>) {
        let dropped =
            plan.droppedColumns.map { Leftover(name: $0, place: .column) } + plan.droppedLinks.map(Leftover.init)
        // A rename of links keeps the column that remains from another property, and the other way around.
        let moved = plan.renames.compactMap { rename in
            plan.live[rename.old].map { Leftover(name: rename.new, place: $0.place) }
        }
        let gone = Set(dropped + moved)
        let newNames = Dictionary(plan.renames.map { ($0.old, $0.new) }, uniquingKeysWith: { first, _ in first })
        let declared = Set(plan.classes.map(\.entity.name))
        let root = plan.classes.first { $0.entity.superentity == nil }?.entity
        for name in stored {
            // A column has one name and one form for all classes, including those that the schema does not contain.
            guard var entity = entities[name] else { continue }
            entity.removed.removeAll { gone.contains(Leftover($0)) }
            entity.live.removeAll { newNames.values.contains($0.name) && newNames[$0.name] == nil }
            for index in entity.live.indices {
                if let new = newNames[entity.live[index].name] { entity.live[index].name = new }
            }
            // The program uses the rows of a class that it lacks as those of the superclass.
            for inherited in declared.contains(name) ? [] : root?.properties.map(StoredProperty.init) ?? [] {
                guard let index = entity.live.firstIndex(where: { $0.name == inherited.name }) else {
                    entity.removed.removeAll { Leftover($0) == Leftover(inherited) }
                    entity.live.append(inherited)
                    continue
                }
                if !opening.schemas.use(inherited.name, ofFirst: [name]) { entity.live[index] = inherited }
            }
            entities[name] = entity
        }
        for item in plan.classes {
            // Another program may declare a property without its original name.
            let declared = item.entity.properties.map { property in
                let earlier = item.earlier[property.name].flatMap { $0.name == property.name ? $0 : nil }
                return earlier.map(StoredProperty(property).addingNames) ?? StoredProperty(property)
            }
            let name = item.entity.name
            let originalName = item.entity.originalName == name ? nil : item.entity.originalName
            defer { entities[name]?.superclass = item.entity.superentityName }
            guard let known = entities[name] else {
                entities[name] = StoredEntity(live: declared, originalName: originalName)
                continue
            }
            let names = Set(declared.map(\.name))
            let places = Set(declared.map(Leftover.init))
            // Other programs use the properties that they declare. A known schema removes none, unless the program had
            // another one.
            let isUnchanged = opening.isKnown && !opening.schemas.replacesSchema
            let lineage = sequence(first: item.entity, next: \.superentity).map(\.name)
            let others = known.live.filter { !names.contains($0.name) }
            let kept = others.filter {
                isUnchanged || opening.schemas.use($0.name, ofFirst: lineage)
                    || opening.isUnplanned($0, of: item.entity)
            }
            entities[name] = StoredEntity(
                live: declared + kept,
                removed: (known.removed + others.filter { !kept.contains($0) }).filter {
                    !places.contains(Leftover($0))
                },
                originalName: opening.isKnown ? known.originalName : originalName ?? known.originalName)
        }
    }

    /// Requires that the properties of the schema can have the columns and the links of those that other programs declare in
    /// other classes: a table has one property with a name. The other ones get the form of those of the schema, also if no
    /// program uses them. If these are stored in another place, they are removed.
    private mutating func requireOneForm(_ plan: Table, _ names: [String]) throws {
        var declared: [String: (entity: String, property: StoredProperty)] = [:]
        for item in plan.classes {
            for property in item.entity.properties where declared[property.name] == nil {
                declared[property.name] = (item.entity.name, StoredProperty(property))
            }
        }
        for name in names {
            guard var entity = entities[name] else { continue }
            let own = plan.classes.first { $0.entity.name == name }?.entity
            let lineage = own.map { sequence(first: $0, next: \.superentity).map(\.name) } ?? [name, root(of: name)]
            for other in entity.live {
                guard own?.propertiesByName[other.name] == nil, let (declaring, new) = declared[other.name] else {
                    continue
                }
                let hasForm = other.place == new.place && other.isContinued(by: new, root(of:))
                guard hasForm || !opening.schemas.use(other.name, ofFirst: lineage) else {
                    throw Self.failure(
                        "another program declares a property with this name in the class \(name), as \(other.summary); give "
                            + "the property another name",
                        declaring, other.name)
                }
                entity.adoptForm(of: new, isContinued: hasForm)
            }
            entities[name] = entity
        }
    }

    /// A property may remain in a column and in a table of links of the same name.
    private struct Leftover: Hashable {
        let name: String
        let place: StoredProperty.Place

        init(name: String, place: StoredProperty.Place) { (self.name, self.place) = (name, place) }
        init(_ property: StoredProperty) { (name, place) = (property.name, property.place) }
    }

    static func failure(_ detail: String, _ entity: String?, _ property: String? = nil) -> SwiftDataError {
        .backwardMigration.with(detail: detail, entityName: entity, propertyName: property)
    }
}
