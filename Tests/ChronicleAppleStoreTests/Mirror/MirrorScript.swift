import Chronicle
import ChronicleTestSupport
import Foundation

/// Writes a store of Chronicle with the layout of Core Data.
struct MirrorScript {
    private let store: DefaultStore
    private let model: AppleStoreModel
    private var script: AppleStoreScript

    /// The numbers of texts in `ATRANSACTIONSTRING`.
    private var strings: [String: Int] = [:]

    init(_ store: DefaultStore) throws {
        self.store = store
        model = Self.model(store.schema)
        script = AppleStoreScript(model)
        script.storeIdentifier = store.identifier
        script.tombstoneCount = model.entities.map { preserved($0).count }.max() ?? 0
        _ = try store.exportRows { row in
            switch row {
            case .model(let snapshot): try add(snapshot)
            case .link(let link): add(link)
            }
        }
        for transaction in try store.fetchHistory(HistoryDescriptor()) { add(transaction) }
        // Keys of deleted rows are not used again.
        let last = try store.currentHistoryToken()?.position(in: store.identifier) ?? 0
        script.statements.append("UPDATE Z_PRIMARYKEY SET Z_MAX = \(last) WHERE Z_NAME = 'TRANSACTION'")
    }

    /// Replaces the file, as a program that writes a copy and renames it.
    func write(to url: URL) throws {
        let new = url.appendingPathExtension("new")
        try script.write(to: new)
        guard rename(new.path, url.path) == 0 else { throw POSIXError(.EIO) }
    }

    // MARK: The model

    private static func model(_ schema: Schema) -> AppleStoreModel {
        AppleStoreModel(
            schema.entities.map { entity in
                let own = entity.properties.filter { entity.superentity?.propertiesByName[$0.name] == nil }
                return .init(entity.name, superentity: entity.superentityName, own.map(property))
            })
    }

    private static func property(_ property: Schema.Property) -> AppleProperty {
        guard let relationship = property.relationship else {
            return .attribute(
                property.name, type(property), isOptional: property.isOptional,
                isPreserved: property.attribute?.options.contains(.preserveValueOnDeletion) == true)
        }
        let (destination, inverse) = (relationship.destination, relationship.inverseName)
        return relationship.isToMany
            ? .toMany(property.name, destination, inverse: inverse)
            : .toOne(property.name, destination, inverse: inverse, isOptional: property.isOptional)
    }

    private static func type(_ property: Schema.Property) -> Int64 {
        switch (property.attribute?.storage, property.attribute?.valueTypeName) {
        case (.integer?, "Bool"): 800
        case (.integer?, _): 300
        case (.real?, "Date"): 900
        case (.real?, _): 500
        case (.text?, "Decimal"): 1_000
        case (.text?, _): 700
        case (.blob?, "UUID"): 1_100
        case (.json?, _): 1_800
        default: 1_000
        }
    }

    private func preserved(_ entity: AppleStoreModel.Entity) -> [String] {
        model.properties(of: entity).filter(\.isPreserved).map(\.name)
    }

    // MARK: Rows

    private mutating func add(_ snapshot: DefaultSnapshot) throws {
        let identifier = snapshot.persistentIdentifier
        guard let entity = store.schema.entitiesByName[identifier.entityName] else { return }
        var columns = ["Z_PK", "Z_ENT", "Z_OPT"]
        var values = ["\(identifier.integerPrimaryKey ?? 0)", "\(model.number(of: entity.name))", "1"]
        for (property, value) in zip(entity.storedProperties, snapshot.values) {
            columns.append("Z\(property.name.uppercased())")
            values.append(literal(value))
        }
        script.statements.append(
            "INSERT INTO \(AppleStoreScript.table(entity.rootName))(\(columns.joined(separator: ", "))) "
                + "VALUES (\(values.joined(separator: ", ")))")
    }

    /// Core Data writes NaN as NULL.
    private func literal(_ value: PropertyValue) -> String {
        switch value {
        case .null, .references: "NULL"
        case .integer(let integer): "\(integer)"
        case .real(let real):
            real.isNaN ? "NULL" : real.isInfinite ? (real < 0 ? "-9e999" : "9e999") : "\(real)"
        // Texts can contain any characters.
        case .text(let text): "CAST(x'\(AppleStoreScript.hex(text.utf8))' AS TEXT)"
        case .blob(let data): "x'\(AppleStoreScript.hex(data))'"
        case .reference(let identifier): "\(identifier.integerPrimaryKey ?? 0)"
        }
    }

    private mutating func add(_ link: DataStoreLink) {
        guard let links = store.schema.links.first(where: { $0.name == link.name }) else { return }
        // The entities that declare the two properties, and which of them names the table.
        let owner = declaring(links.property, links.owner)
        let (name, inverse) = (links.property.name.uppercased(), links.inverse?.name.uppercased())
        let target = model.number(of: links.property.relationship?.destination ?? "")
        let (first, second) = (link.owner.integerPrimaryKey ?? 0, link.destination.integerPrimaryKey ?? 0)
        guard let inverse, let inverseProperty = links.inverse else {
            script.statements.append(
                "INSERT INTO Z_\(owner)\(name)(Z_\(owner)OWNER, Z_\(target)\(name)) VALUES (\(first), \(second))")
            return
        }
        if links.isSymmetric {
            script.statements.append(
                "INSERT INTO Z_\(owner)\(name)(REFLEXIVE, Z_\(owner)\(name)) VALUES (\(first), \(second))")
            return
        }
        let other = declaring(inverseProperty, links.destination)
        let isNamedAfterOwner = (owner, links.property.name) <= (other, inverseProperty.name)
        let table = isNamedAfterOwner ? "Z_\(owner)\(name)" : "Z_\(other)\(inverse)"
        let back = isNamedAfterOwner ? owner : model.number(of: inverseProperty.relationship?.destination ?? "")
        let forth = isNamedAfterOwner ? target : other
        script.statements.append(
            "INSERT INTO \(table)(Z_\(back)\(inverse), Z_\(forth)\(name)) VALUES (\(first), \(second))")
    }

    private func declaring(_ property: Schema.Property, _ root: String) -> Int64 {
        let kinds = store.schema.kinds(of: root).compactMap { store.schema.entitiesByName[$0] }
        let entity = kinds.first { kind in
            kind.propertiesByName[property.name] === property
                && kind.superentity?.propertiesByName[property.name] == nil
        }
        return model.number(of: entity?.name ?? root)
    }

    // MARK: History

    private mutating func string(_ text: String?) -> String {
        guard let text, !text.isEmpty else { return "NULL" }
        if let number = strings[text] { return "\(number)" }
        let number = strings.count + 1
        strings[text] = number
        script.statements.append(
            "INSERT INTO ATRANSACTIONSTRING VALUES (\(number), 16003, 1, \(literal(.text(text))))")
        return "\(number)"
    }

    private mutating func add(_ transaction: DefaultHistoryTransaction) {
        let texts = [
            string(transaction.author), string(transaction.bundleIdentifier), string(transaction.contextName),
            string(transaction.processIdentifier),
        ]
        script.statements.append(
            """
            INSERT INTO ATRANSACTION(Z_PK, Z_ENT, Z_OPT, ZAUTHORTS, ZBUNDLEIDTS, ZCONTEXTNAMETS, ZPROCESSIDTS, ZTIMESTAMP) \
            VALUES (\(transaction.transactionIdentifier), 16002, 1, \(texts.joined(separator: ", ")), \
            \(transaction.timestamp.timeIntervalSinceReferenceDate))
            """)
        for change in transaction.changes { add(change, of: transaction.transactionIdentifier) }
    }

    private mutating func add(_ change: HistoryChange, of transaction: Int64) {
        let identifier = change.changedPersistentIdentifier
        guard let entity = model.entities.first(where: { $0.name == identifier.entityName }) else { return }
        var (kind, mask) = (0, "NULL")
        var tombstones: [String] = []
        switch change {
        case .insert: break
        case .update(let update):
            kind = 1
            let names = model.properties(of: entity).map(\.name)
            var bytes = [UInt8](repeating: 0, count: (names.count + 7) / 8)
            for name in update.updatedAttributeNames {
                guard let bit = names.firstIndex(of: name) else { continue }
                bytes[bit / 8] |= 0x80 >> UInt8(bit % 8)
            }
            mask = "x'\(AppleStoreScript.hex(bytes))'"
        case .delete:
            kind = 2
            let schema = store.schema.entitiesByName[entity.name]
            let kept = Dictionary(
                change.preservedValues.map { ($0.name, $0.previousValue) }, uniquingKeysWith: { first, _ in first })
            tombstones = preserved(entity).map { name in
                guard let value = kept[name] ?? nil, let property = schema?.propertiesByName[name],
                    let stored = try? property.encode(value)
                else { return "NULL" }
                return literal(stored)
            }
        }
        let columns = tombstones.indices.map { ", ZTOMBSTONE\($0)" }.joined()
        script.statements.append(
            """
            INSERT INTO ACHANGE(Z_PK, Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS\(columns)) \
            VALUES (\(change.integerChangeIdentifier ?? 0), 16001, 1, \(kind), \(model.number(of: entity.name)), \
            \(identifier.integerPrimaryKey ?? 0), \(transaction), \(mask)\(tombstones.map { ", \($0)" }.joined()))
            """)
    }
}
