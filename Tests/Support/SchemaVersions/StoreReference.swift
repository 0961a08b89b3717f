package import Chronicle

/// What a store contains that several programs open with different versions of a schema, by the rules of the documentation.
///
/// A property of a row is in a column or in a table of links, which all classes of the hierarchy share.
package struct StoreReference {
    package struct Place: Hashable, CustomStringConvertible {
        package var name: String
        package var isLinks: Bool

        init(_ name: String, isLinks: Bool) { (self.name, self.isLinks) = (name, isLinks) }
        init(_ property: SchemaVersion.Property) { self.init(property.name, isLinks: property.kind.isToMany) }

        package var description: String { isLinks ? "[\(name)]" : name }
    }

    package enum Cell: Equatable {
        case value(PropertyValue)
        case links(Set<Int64>)
        /// The row was inserted by a program without the property: nil or a default value.
        case unset
    }

    package struct Row {
        package var entity: String
        package var cells: [Place: Cell] = [:]
    }

    /// A version that the store cannot be changed to.
    package struct Rejection: Error {
        package let reason: String
        package var error = SwiftDataError.backwardMigration
    }

    /// Two earlier schemas of a program are equally similar to a new one, so that the rules do not tell which it replaces.
    package struct Ambiguity: Error {}

    package enum Stage { case lightweight, custom }

    /// The content of a column or of a table of links.
    struct Form {
        var kind: SchemaVersion.Kind
        /// Whether the column is optional, as the version declares with which the store was opened last.
        var isOptional = true
        /// Remains when the property is renamed.
        var number: Int
        var defaults: [PropertyValue] = []
    }

    /// A schema with which programs opened the store.
    struct Known {
        var programs: Set<Int>
        /// The names of the properties of each class, with the later renames.
        var names: [String: Set<String>]
        /// The present names of the properties by those in the schema, empty for one whose name another property has now.
        var laterNames: [String: String] = [:]
        /// The attributes of each class whose values must be unique.
        var unique: [String: Set<String>] = [:]
    }

    package internal(set) var rows: [Int64: Row] = [:]
    var forms: [Place: Form] = [:]
    /// The properties of each class that any program uses, with their original names.
    var live: [String: [Place: Set<String>]] = [:]
    /// The properties of each class that no program uses any more.
    var removed: [String: Set<Place>] = [:]
    var schemas: [Int: Known] = [:]
    /// The numbers of the properties of each version.
    var numbers: [Int: [String: [String: Int]]] = [:]
    var nextNumber = 0
    /// The columns whose values must be unique.
    var unique: Set<String> = []

    package init() {}

    // MARK: Opening

    /// Changes the content to what it is after a program opened the store with a version.
    ///
    /// - Parameter hasValues: A closure that returns whether the store has any values in a place, under its earlier name.
    /// - Throws: A ``Rejection`` if the store has to reject the version, or an ``Ambiguity``.
    package mutating func open(
        _ version: SchemaVersion, as program: Int, stage: Stage? = nil, isReadOnly: Bool = false,
        hasValues: (Place) throws -> Bool
    ) throws {
        var next = self
        let isKnown = schemas[version.number] != nil
        if isKnown { next.restore(version) }
        var later = next
        _ = try later.use(version, as: program)
        let renames = try next.renames(to: version, isKnown: isKnown, stage) {
            later.isInUse($0, of: $1, elsewhereThan: program)
        }
        if isKnown { try requireNames(version, renames) }
        next.rename(renames, version)
        let previous = try next.use(version, as: program)
        let replacesSchema = previous != nil
        if let previous, !isKnown, stage == nil { try Self.requireRenames(of: previous, version) }
        let oldNames = Dictionary(uniqueKeysWithValues: renames.map { ($0.value, $0.key) })
        func hasAnyValues(_ place: Place) throws -> Bool {
            try hasValues(Place(oldNames[place.name] ?? place.name, isLinks: place.isLinks))
        }
        let live = next.live
        var continued: [Place: [String: SchemaVersion.Property]] = [:]
        var new: [(entity: String, property: SchemaVersion.Property)] = []
        var replaced: Set<Place> = []
        // The original names of the earlier declarations of each property.
        var formerNames: [String: [String: Set<String>]] = [:]
        for entity in version.declared {
            for property in version.properties(of: entity) {
                try next.requireOneForm(property, version)
                if let place = next.source(of: property, entity) {
                    let kind = next.forms[place]?.kind ?? property.kind
                    let isContinued = SchemaContent.isContinued(kind, property.kind)
                    if isContinued || stage != .custom {
                        formerNames[entity, default: [:]][property.name] = live[entity]?[place] ?? live["A"]?[place]
                    }
                    if isContinued {
                        continued[place, default: [:]][entity] = property
                        continue
                    }
                    if stage == .custom {
                        replaced.insert(place)
                    } else if try hasAnyValues(place) {
                        throw Rejection(reason: "\(entity).\(place) is \(kind), now \(property.kind)")
                    }
                    new.append((entity, property))
                    next.live[entity]?[place] = nil
                    continue
                }
                new.append((entity, property))
                func isLive(_ place: Place, of entity: String) -> Bool { live[entity]?[place] != nil }
                let places = [Place(property.name, isLinks: false), Place(property.name, isLinks: true)]
                let used = places.filter { place in live.keys.contains { isLive(place, of: $0) } }
                // The classes that have a renamed property compare it themselves.
                let isCompared = version.declared.contains { entity in used.contains { isLive($0, of: entity) } }
                if renames.values.contains(property.name), isCompared { continue }
                for other in used.isEmpty ? places : used {
                    guard let kind = next.forms[other]?.kind, !SchemaContent.isContinued(kind, property.kind) else {
                        continue
                    }
                    if used.isEmpty, stage != nil {
                        replaced.insert(other)
                    } else if try hasAnyValues(other) {
                        throw Rejection(reason: "\(other) is or was \(kind), now \(property.kind)")
                    }
                }
            }
        }
        for place in replaced { next.drop(place) }
        for (place, properties) in continued.sorted(by: { $0.key.description < $1.key.description }) {
            try next.convert(place, to: properties, version, isKnown: isKnown)
        }
        for (entity, property) in new { try next.setDefault(property, entity, version, isKnown: isKnown) }
        for name in renames.values { for entity in formerNames.keys { formerNames[entity]?[name] = nil } }
        next.describe(version, formerNames, isUnchanged: isKnown && !replacesSchema)
        next.unique = next.uniqueNames(version, of: program)
        // Only an opening that writes creates indexes.
        for name in next.unique where !isReadOnly && next.hasDuplicate(name) {
            throw Rejection(reason: "\(name) is not unique", error: .uniquenessViolation)
        }
        self = next
    }

    /// Makes the removed properties of a known version live.
    private mutating func restore(_ version: SchemaVersion) {
        for entity in version.declared {
            for property in version.properties(of: entity) {
                let place = Place(property)
                guard live[entity]?.keys.contains(where: { $0.name == property.name }) == false, forms[place] != nil,
                    removed[entity]?.remove(place) != nil
                else { continue }
                live[entity]?[place] = []
            }
        }
    }

    /// Requires that no later version renamed a property of a known one.
    ///
    /// - Parameter renames: The new names of the properties that the opening renames.
    private func requireNames(_ version: SchemaVersion, _ renames: [String: String]) throws {
        for (name, later) in (schemas[version.number]?.laterNames ?? [:]).sorted(by: { $0.key < $1.key })
        where renames[later] ?? later != name {
            let reason = later.isEmpty ? "\(name) was replaced" : "\(name) is \(later) now"
            throw Rejection(reason: reason, error: .newerSchemaVersion)
        }
    }

    /// Requires that a new version does not have the former names of properties that another program renamed in the previous
    /// schema of its program.
    private static func requireRenames(of previous: Known, _ version: SchemaVersion) throws {
        for entity in version.declared {
            let names = Set(version.properties(of: entity).map(\.name))
            for (name, later) in previous.laterNames.sorted(by: { $0.key < $1.key }) where later != name {
                guard previous.names[entity]?.contains(later) == true, names.contains(name), !names.contains(later)
                else {
                    continue
                }
                throw Rejection(reason: "another program renamed \(name) to \(later)", error: .newerSchemaVersion)
            }
        }
    }

    /// Returns the property of the store that a property continues, under its new name.
    func source(of property: SchemaVersion.Property, _ entity: String) -> Place? {
        let places = [Place(property.name, isLinks: false), Place(property.name, isLinks: true)]
        if let own = places.first(where: { live[entity]?[$0] != nil }) { return own }
        // A program without the class added the property to the superclass.
        guard live[entity] != nil, entity != "A", property.owners.contains("A") else { return nil }
        return places.first { live["A"]?[$0] != nil }
    }

    /// Requires that a property can have the column or the links of that with its name which another program has in a class for
    /// which this one does not declare it.
    func requireOneForm(_ property: SchemaVersion.Property, _ version: SchemaVersion) throws {
        for (entity, places) in live {
            let isDeclared =
                version.declared.contains(entity)
                && version.properties(of: entity).contains { $0.name == property.name }
            // A class that the program lacks inherits the property, unless another program declares it in the class.
            let isInherited = property.owners.contains("A") && !version.declared.contains(entity)
            guard !isDeclared,
                isInherited
                    ? self.isDeclared(property.name, by: entity) : isInUse(property.name, of: entity, version)
            else { continue }
            for place in places.keys where place.name == property.name {
                guard let kind = forms[place]?.kind else { continue }
                if place != Place(property) || !SchemaContent.isContinued(kind, property.kind) {
                    throw Rejection(reason: "another program has \(entity).\(place) as \(kind)")
                }
            }
        }
    }
}

extension SchemaVersion {
    /// Returns the class as which the program sees the rows of a class.
    package func entity(of name: String) -> String { declared.contains(name) ? name : "A" }
}
