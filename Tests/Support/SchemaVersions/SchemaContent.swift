package import Chronicle
import Foundation

/// The content of a store with a ``SchemaVersion``, and what it becomes with a later version, by the rules of the
/// documentation.
package struct SchemaContent {
    package struct Row: Equatable {
        package var entity: String
        /// The values of the attributes and the keys of the destinations, by property.
        package var values: [String: PropertyValue] = [:]
        package var links: [String: Set<Int64>] = [:]

        package init(entity: String) { self.entity = entity }
    }

    /// A version that a store cannot be changed to.
    package struct Rejection: Error { package let reason: String }

    package private(set) var version: SchemaVersion
    package var rows: [Int64: Row] = [:]
    /// The properties of earlier versions, whose columns and links remain.
    private var removed: [SchemaVersion.Property] = []
    /// The original names that were considered before, by property and class.
    private var considered: [String: [String: Set<String>]] = [:]

    package init(_ version: SchemaVersion) {
        self.version = version
        considered = Self.originalNames(of: version) { _, _ in [] }
    }

    /// Returns the original names of the properties in each class.
    ///
    /// - Parameter earlier: A closure that returns those of the property of earlier versions that a property continues.
    private static func originalNames(
        of version: SchemaVersion, _ earlier: (_ property: String, _ entity: String) -> Set<String>
    ) -> [String: [String: Set<String>]] {
        var names: [String: [String: Set<String>]] = [:]
        for entity in SchemaVersion.classes {
            for property in version.properties(of: entity) {
                let declared = [property.originalNames[entity]].compactMap(\.self)
                names[property.name, default: [:]][entity] = earlier(property.name, entity).union(declared)
            }
        }
        return names
    }

    // MARK: Rows

    /// Adds a random row.
    package mutating func insert(_ key: Int64, using random: inout SplitMix) {
        var row = Row(entity: random.pick(SchemaVersion.classes))
        for property in version.properties(of: row.entity) {
            let isNull = property.isOptional && random.below(3) == 0
            switch property.kind {
            case .attribute(let type, _):
                row.values[property.name] = isNull ? .null : SchemaVersion.value(type, &random)
            case .toOne: row.values[property.name] = isNull ? .null : .integer(Int64(1 + random.below(2)))
            case .toMany: row.links[property.name] = Set((0..<random.below(3)).map { Int64($0 + 1) })
            }
        }
        rows[key] = row
    }

    // MARK: Changes

    /// Changes the content to that of a later version.
    ///
    /// - Parameter hasValues: A closure that returns whether the store has values of a removed property.
    /// - Throws: A ``Rejection``, which leaves the content unchanged.
    package mutating func migrate(
        to next: SchemaVersion, hasValues: (SchemaVersion.Property) throws -> Bool
    ) throws {
        let live = Dictionary(uniqueKeysWithValues: version.properties.map { ($0.name, $0) })
        let sources = try renames(to: next, live)
        let moved = Set(sources.values)
        var changed = rows
        var continued: Set<String> = []
        for entity in SchemaVersion.classes {
            let known = Set(version.properties(of: entity).map(\.name))
            for property in next.properties(of: entity) {
                let name = property.name
                var source = sources[name] ?? (moved.contains(name) ? nil : name)
                if let candidate = source, !known.contains(candidate) { source = nil }
                if let source, let old = live[source] {
                    continued.insert(source)
                    if !Self.isContinued(old.kind, property.kind), try hasValues(old) {
                        throw Rejection(reason: "\(source) is \(old.kind), \(name) is \(property.kind)")
                    }
                    try convert(old, to: property, entity, &changed)
                    continue
                }
                if sources[name] == nil {
                    let other = moved.contains(name) ? nil : live[name]
                    let leftovers = other.map { [$0] } ?? removed.filter { $0.name == name }
                    for leftover in leftovers where !Self.isContinued(leftover.kind, property.kind) {
                        if try hasValues(leftover) { throw Rejection(reason: "\(name) was \(leftover.kind)") }
                    }
                }
                try setDefault(property, entity, &changed)
            }
        }
        for (key, row) in changed {
            let names = Set(next.properties(of: row.entity).map(\.name))
            changed[key]?.values = row.values.filter { names.contains($0.key) }
            changed[key]?.links = row.links.filter { names.contains($0.key) }
        }
        removed += version.properties.filter { !continued.contains($0.name) }
        removed.removeAll { former in
            next.properties.contains { $0.name == former.name && $0.kind.isToMany == former.kind.isToMany }
        }
        considered = Self.originalNames(of: next) { property, entity in
            // A renamed property is not the one that had the name before.
            sources[property] == nil && !moved.contains(property) ? considered[property]?[entity] ?? [] : []
        }
        (version, rows) = (next, changed)
    }

    /// Returns the previous names of renamed properties by the new ones.
    private func renames(
        to next: SchemaVersion, _ live: [String: SchemaVersion.Property]
    ) throws -> [String: String] {
        var sources: [String: String] = [:]
        // A property that is renamed passes its name on to another one, whose original name has not been considered.
        while true {
            let found = try self.sources(to: next, live, left: Set(sources.values))
            if found == sources { break }
            sources = found
        }
        for (new, old) in sources {
            if live[new] != nil, !sources.values.contains(new) { throw Rejection(reason: "\(new) would be lost") }
            var name = old
            while let following = sources[name] {
                if following == old { throw Rejection(reason: "names are exchanged") }
                name = following
                if name == new { throw Rejection(reason: "names are exchanged") }
            }
        }
        return sources
    }

    /// - Parameter left: The names of properties that are renamed.
    private func sources(
        to next: SchemaVersion, _ live: [String: SchemaVersion.Property], left: Set<String>
    ) throws -> [String: String] {
        var sources: [String: String] = [:]
        for property in next.properties {
            let declaring = SchemaVersion.classes.filter { next.properties(of: $0).contains(property) }
            let known = SchemaVersion.classes.filter { entity in
                version.properties(of: entity).contains { $0.name == property.name }
            }
            let done = left.contains(property.name) ? [] : Set(known.flatMap { considered[property.name]?[$0] ?? [] })
            let former = Set(declaring.compactMap { property.originalNames[$0] }).subtracting(done).filter {
                $0 != property.name && live[$0] != nil
            }
            guard let old = former.first else { continue }
            if former.count > 1 { throw Rejection(reason: "\(property.name) has several original names") }
            if sources.values.contains(old) { throw Rejection(reason: "\(old) is renamed twice") }
            for entity in SchemaVersion.classes
            where version.properties(of: entity).contains(where: { $0.name == old })
                && !(declaring.contains(entity) && property.originalNames[entity] == old)
            {
                throw Rejection(reason: "\(entity) does not rename \(old)")
            }
            sources[property.name] = old
        }
        return sources
    }

    private func setDefault(
        _ property: SchemaVersion.Property, _ entity: String, _ rows: inout [Int64: Row]
    ) throws {
        for (key, row) in rows where row.entity == entity {
            if property.kind.isToMany {
                rows[key]?.links[property.name] = []
                rows[key]?.values[property.name] = nil
                continue
            }
            guard let value = property.isOptional ? .null : property.defaultValue else {
                throw Rejection(reason: "\(property.name) is required")
            }
            rows[key]?.values[property.name] = value
            rows[key]?.links[property.name] = nil
        }
    }

    /// Converts the values of one class, which are read from the unchanged rows.
    private func convert(
        _ old: SchemaVersion.Property, to new: SchemaVersion.Property, _ entity: String, _ changed: inout [Int64: Row]
    ) throws {
        for (key, row) in rows where row.entity == entity {
            let value = row.values[old.name] ?? .null
            let links = row.links[old.name] ?? []
            let isEmpty = value.isNull && links.isEmpty
            changed[key]?.values[new.name] = nil
            changed[key]?.links[new.name] = nil
            switch (old.kind, new.kind) {
            case (_, .toMany):
                if case .integer(let destination) = value, old.kind.destination != nil {
                    changed[key]?.links[new.name] = [destination]
                } else {
                    changed[key]?.links[new.name] = links
                }
            case (.toMany, .toOne):
                if links.count > 1 { throw Rejection(reason: "\(new.name) has several destinations") }
                changed[key]?.values[new.name] = links.first.map { .integer($0) } ?? .null
            case (.attribute(let from, _), .attribute(let to, _)):
                guard let converted = isEmpty ? .null : Self.converted(value, from, to) else {
                    throw Rejection(reason: "\(value) is no \(to)")
                }
                changed[key]?.values[new.name] = converted
            default: changed[key]?.values[new.name] = isEmpty ? .null : value
            }
            if changed[key]?.values[new.name]?.isNull == true, !new.isOptional {
                guard let value = new.defaultValue else { throw Rejection(reason: "\(new.name) has no value") }
                changed[key]?.values[new.name] = value
            }
        }
    }

    // MARK: Types

    private static let meanings = [
        "Double": "number", "Float": "number", "Date": "date", "String": "text", "URL": "text", "Decimal": "decimal",
    ]

    /// Returns whether some values of a property can be values of another one.
    static func isContinued(_ old: SchemaVersion.Kind, _ new: SchemaVersion.Kind) -> Bool {
        guard case .attribute(let from, let storage) = old, case .attribute(let to, let newStorage) = new else {
            return old.destination == new.destination
        }
        if ["Int", "Int8"].contains(from), ["Double", "Float", "Decimal"].contains(to) { return true }
        guard storage == newStorage else { return false }
        guard from != to, let old = meanings[from], let new = meanings[to] else { return true }
        return old == new
    }

    /// Returns a value as a value of another type, or `nil` if the type does not have it.
    static func converted(_ value: PropertyValue, _ from: String, _ to: String) -> PropertyValue? {
        switch (value, to) {
        case _ where from == to: value
        case (.integer(let integer), "Double"): abs(Double(integer)) <= 0x1p53 ? .real(Double(integer)) : nil
        case (.integer(let integer), "Float"): abs(Double(integer)) <= 0x1p24 ? .real(Double(integer)) : nil
        case (.integer(let integer), "Decimal"): .text("\(integer)")
        case (.integer(let integer), "Int8"): Int8(exactly: integer) == nil ? nil : value
        case (.integer(let integer), "Bool"): (0...1).contains(integer) ? value : nil
        case (.real(let real), "Float"): Double(Float(real)) == real ? value : nil
        case (.text(let text), "URL"): URL(string: text)?.relativeString == text ? value : nil
        case (.blob(let data), "UUID"): data.count == 16 ? value : nil
        default: value
        }
    }
}
