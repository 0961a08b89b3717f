package import Chronicle
import Foundation

/// A version of a schema for random tests: a class `A` with two subclasses, and two classes as destinations.
///
/// Its description has no model classes, so that a test can create any number of versions.
package struct SchemaVersion: CustomStringConvertible {
    package enum Kind: Hashable, CustomStringConvertible {
        case attribute(type: String, storage: String)
        case toOne(String)
        case toMany(String)

        package static let attributes: [Kind] = [
            ("Int", "integer"), ("Int8", "integer"), ("Bool", "integer"), ("Mood", "integer"), ("Double", "real"),
            ("Float", "real"), ("Date", "real"), ("String", "text"), ("URL", "text"), ("Decimal", "text"),
            ("Tags", "json"), ("Data", "blob"), ("UUID", "blob"),
        ].map { .attribute(type: $0.0, storage: $0.1) }

        package var description: String {
            switch self {
            case .attribute(let type, _): type
            case .toOne(let destination): destination
            case .toMany(let destination): "[\(destination)]"
            }
        }
        package var isAttribute: Bool { if case .attribute = self { true } else { false } }
        package var isToMany: Bool { if case .toMany = self { true } else { false } }
        package var destination: String? {
            switch self {
            case .attribute: nil
            case .toOne(let name), .toMany(let name): name
            }
        }
    }

    package struct Property: Hashable, CustomStringConvertible {
        package var name: String
        /// The original names that the owners declare, by class.
        package var originalNames: [String: String] = [:]
        package var kind: Kind
        package var isOptional: Bool
        /// The default value of a required attribute.
        package var defaultValue: PropertyValue?
        /// The classes that declare the property: `A`, or some of its subclasses.
        package var owners: Set<String>
        package var isUnique = false

        mutating func rename(to new: String) {
            let name = name
            originalNames = Dictionary(uniqueKeysWithValues: SchemaVersion.classes.map { ($0, name) })
            self.name = new
        }

        package var required: PropertyValue? { isOptional ? nil : defaultValue }

        package var description: String {
            let owner = owners.sorted().joined(separator: "+")
            let isSame = originalNames.count == SchemaVersion.classes.count && Set(originalNames.values).count == 1
            let from = originalNames.sorted { $0.key < $1.key }.prefix(isSame ? 1 : 3).map {
                "←\($0.value)\(isSame ? "" : " in \($0.key)")"
            }.joined()
            let value = required.map { " = \(StoreReference.text($0))" } ?? ""
            return "\(isUnique ? "unique " : "")\(owner).\(name)\(from): \(kind)\(isOptional ? "?" : value)"
        }
    }

    package static let classes = ["A", "A1", "A2"]
    package static let destinations = ["B", "C"]
    private static let names = ["a", "b", "c", "d", "e"]

    package var properties: [Property]
    /// The classes of ``classes`` that the program has.
    package var declared = Self.classes
    /// The classes of ``destinations`` that the program has.
    package var declaredDestinations = Self.destinations
    /// Distinguishes the version from all others; a store recognizes a version that opened it before.
    package var number: Int

    /// Returns the properties of a class, with the inherited ones.
    package func properties(of entity: String) -> [Property] {
        properties.filter { $0.owners.contains("A") || $0.owners.contains(entity) }
    }

    package var description: String {
        "\(number) of \((declared + declaredDestinations).joined(separator: "+")): \(properties)"
    }

    // MARK: Random versions

    package init(using random: inout SplitMix) {
        properties = []
        number = 0
        for name in Self.names where random.below(3) > 0 { properties.append(Self.property(name, &random)) }
        separateLinks()
    }

    /// Returns a later version.
    package func next(using random: inout SplitMix) -> SchemaVersion {
        var version = self
        version.number += 1
        for index in version.properties.indices {
            if random.below(2) == 0 { version.properties[index].originalNames = [:] }
        }
        for _ in 0...random.below(3) { version.change(&random) }
        version.separateLinks()
        return version
    }

    /// Lets the program have other classes, and gives each required property a default value.
    package mutating func changeClasses(using random: inout SplitMix) {
        if random.below(4) == 0 {
            declared = Self.classes.filter { $0 == "A" || random.below(3) > 0 }
        }
        declaredDestinations = Self.destinations.filter { name in
            number == 1 || properties.contains { $0.kind.destination == name } || random.below(8) > 0
        }
        for index in properties.indices where !properties[index].isOptional && properties[index].defaultValue == nil {
            guard case .attribute(let type, _) = properties[index].kind else { continue }
            properties[index].defaultValue = Self.value(type, &random)
        }
    }

    /// An inherited property has one original name.
    mutating func shareOriginalNames() {
        for index in properties.indices where properties[index].owners.contains("A") {
            let original = properties[index].originalNames["A"]
            properties[index].originalNames =
                original.map { name in
                    Dictionary(uniqueKeysWithValues: Self.classes.map { ($0, name) })
                } ?? [:]
        }
    }

    /// Two subclasses cannot have links of the same name.
    private mutating func separateLinks() {
        shareOriginalNames()
        for index in properties.indices where properties[index].kind.isToMany && properties[index].owners.count > 1 {
            properties[index].owners = ["A1"]
        }
    }

    private mutating func change(_ random: inout SplitMix) {
        let free = Self.names.filter { name in !properties.contains { $0.name == name } }
        let plain = plainIndices
        guard !plain.isEmpty, random.below(5) > 0 else {
            if !free.isEmpty { properties.append(Self.property(random.pick(free), &random)) }
            return
        }
        func another(_ index: Int, _ random: inout SplitMix) -> Int? {
            plain.count > 1 ? random.pick(plain.filter { $0 != index }) : nil
        }
        let index = random.pick(plain)
        switch random.below(9) {
        case 0: properties.remove(at: index)
        case 1, 2:
            let changed = Self.property(properties[index].name, &random)
            (properties[index].kind, properties[index].defaultValue) = (changed.kind, changed.defaultValue)
            if !changed.kind.isAttribute { properties[index].isOptional = true }
        case 3:
            if properties[index].kind.isAttribute { properties[index].isOptional.toggle() }
        case 4: properties[index].owners = Self.owners(&random)
        case 5, 6:
            guard !free.isEmpty else { return }
            properties[index].rename(to: random.pick(free))
            // Subclasses that do not inherit from each other may rename different properties.
            if properties[index].owners.count > 1, random.below(2) == 0 {
                let other = random.below(3) == 0 ? nil : random.pick(Self.names)
                properties[index].originalNames[random.pick(["A1", "A2"])] = other
            }
        case 7:
            // A chain: another property takes the name that this one leaves.
            guard !free.isEmpty, let other = another(index, &random) else { return }
            let name = properties[index].name
            properties[index].rename(to: random.pick(free))
            properties[other].rename(to: name)
        default:
            guard let other = another(index, &random) else { return }
            let names = (properties[index].name, properties[other].name)
            properties[index].rename(to: names.1)
            properties[other].rename(to: names.0)
        }
        properties.shuffle(using: &random)
    }

    static func owners(_ random: inout SplitMix) -> Set<String> {
        random.pick([["A"], ["A"], ["A1"], ["A2"], ["A1", "A2"]])
    }

    private static func property(_ name: String, _ random: inout SplitMix) -> Property {
        var kind = random.pick(Kind.attributes)
        switch random.below(6) {
        case 0: kind = .toOne(random.pick(destinations))
        case 1: kind = .toMany(random.pick(destinations))
        // The conversions and comparisons between these are frequent enough to be tested.
        case 2: kind = Kind.attributes[random.below(6)]
        default: break
        }
        var value: PropertyValue?
        if case .attribute(let type, _) = kind, random.below(4) > 0 { value = self.value(type, &random) }
        return Property(
            name: name, kind: kind, isOptional: !kind.isAttribute || random.below(2) == 0, defaultValue: value,
            owners: owners(&random))
    }

    /// Returns a value of an attribute's type.
    package static func value(_ type: String, _ random: inout SplitMix) -> PropertyValue {
        let zeros = Data(repeating: 0, count: 15)
        return switch type {
        case "Int": .integer(random.pick([0, 1, -7, 300, 1 << 25 + 1, .max]))
        case "Int8": .integer(random.pick([0, 1, -7, 100]))
        case "Bool": .integer(random.pick([0, 1]))
        case "Mood": .integer(random.pick([0, 1, 5]))
        case "Double": .real(random.pick([0, -0.0, 1.5, 2, 1e300, .infinity, 0.1]))
        case "Float": .real(random.pick([0, -0.0, 1.5, 2, -.infinity]))
        case "Date": .real(random.pick([0, 1.25, 700_000_000]))
        case "String": .text(random.pick(["", "007", "1e3", "it's", "é"]))
        case "URL": .text(random.pick(["x", "https://example.org/a"]))
        case "Decimal": .text(random.pick(["7", "0.1", "12345678901234567890.25"]))
        case "Tags": .text(random.pick(["[]", "[\"a\"]"]))
        case "Data": .blob(random.pick([Data(), Data([1, 255]), zeros + [7]]))
        default: .blob(zeros + [UInt8(random.below(3))])
        }
    }

    // MARK: Description

    package func schema() throws -> Schema {
        let marker =
            #"{"kind":"attribute","options":[],"name":"version","originalName":"version \#(number)","type":"Int","#
            + #""storage":"integer","isOptional":false,"default":\#(try json(.integer(0)))}"#
        var entities = try declared.map { entity in
            let members = try [marker] + properties(of: entity).map { try json($0, of: entity) }
            let superentity = entity == "A" ? "" : #""superentity":"A","#
            let constraints = uniqueNames(of: entity).map { "[\"\($0)\"]" }.joined(separator: ",")
            return #"{"name":"\#(entity)",\#(superentity)"properties":[\#(members.joined(separator: ","))],"#
                + #""uniquenessConstraints":[\#(constraints)],"indices":[]}"#
        }
        entities += declaredDestinations.map {
            #"{"name":"\#($0)","properties":[\#(marker)],"uniquenessConstraints":[],"indices":[]}"#
        }
        let schema = Schema(entities: try entities.map { try Schema.Entity(json: $0) })
        try schema.validate()
        return schema
    }

    private func json(_ value: PropertyValue) throws -> String {
        String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    }

    private func json(_ property: Property, of entity: String) throws -> String {
        var members = [#""name":"\#(property.name)","options":[],"isOptional":\#(property.isOptional)"#]
        if let original = property.originalNames[entity] { members.append(#""originalName":"\#(original)""#) }
        switch property.kind {
        case .attribute(let type, let storage):
            members.append(#""kind":"attribute","type":"\#(type)","storage":"\#(storage)""#)
            if let value = property.required { members.append(#""default":\#(try json(value))"#) }
        case .toOne(let destination), .toMany(let destination):
            members.append(#""kind":"relationship","destination":"\#(destination)","deleteRule":"nullify""#)
            members.append(#""isToMany":\#(property.kind.isToMany),"isLinked":\#(property.kind.isToMany)"#)
        }
        return "{\(members.joined(separator: ","))}"
    }
}
