import ChronicleSQLite
package import Foundation

/// An SQL script that writes a file with the layout of Core Data: the tables, the cached model, rows and a history.
package struct AppleStoreScript {
    package let model: AppleStoreModel
    package var storeIdentifier = "1D070E6D-0000-4367-8928-974368B60AC7"
    /// Whether the file has the tables of the history.
    package var hasHistory = true
    /// The number of columns for preserved values.
    package var tombstoneCount = 0
    /// Whether the file contains the model.
    package var hasModel = true
    /// The model that the file contains, if it is not the one of the tables.
    package var cachedModel: AppleStoreModel?
    /// The hashes of the entities in the metadata.
    package var versionHashes: [(entity: String, hash: [UInt8])] = []
    /// Further statements, such as those that insert rows.
    package var statements: [String] = []

    package init(_ model: AppleStoreModel) { self.model = model }

    package var sql: String {
        (tables + bookkeeping + (hasHistory ? history : []) + statements).joined(separator: ";\n") + ";\n"
    }

    /// Writes the file, in rollback mode.
    package func write(to url: URL) throws {
        let connection = try Connection(path: url.path, mode: .readWriteCreate)
        defer { connection.close() }
        try connection.execute("PRAGMA journal_mode = DELETE")
        try connection.execute("BEGIN;\n\(sql)COMMIT")
    }

    // MARK: Tables of models

    private var tables: [String] {
        var result: [String] = []
        for (_, root) in model.numbered where root.superentity == nil {
            let members = model.entities.filter { model.chain(of: $0).last?.name == root.name }
            var columns = ["Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER"]
            for property in members.flatMap(\.properties) where !property.isTransient {
                columns += self.columns(property)
            }
            // The second of two columns with a name has a number.
            var counts: [String: Int] = [:]
            columns = columns.map { column in
                let parts = column.split(separator: " ", maxSplits: 1)
                let count = counts[String(parts[0]), default: 0]
                counts[String(parts[0])] = count + 1
                return count == 0 ? column : "\(parts[0])\(count) \(parts[1])"
            }
            result.append("CREATE TABLE \(Self.table(root.name)) ( \(columns.joined(separator: ", ")) )")
        }
        return result + linkTables
    }

    package static func table(_ root: String) -> String { "Z\(root.uppercased())" }

    private func columns(_ property: AppleProperty) -> [String] {
        let name = "Z\(property.name.uppercased())"
        switch property.kind {
        case .attribute(let type):
            let declared: String =
                switch type {
                case 400: "DECIMAL"
                case 500, 600: "FLOAT"
                case 700, 1200: "VARCHAR"
                case 900: "TIMESTAMP"
                case 1000, 1100, 1800: "BLOB"
                default: "INTEGER"
                }
            return ["\(name) \(declared)"]
        case .composite(let elements): return elements.flatMap(columns)
        case .toOne(let destination, _):
            let hasSubentities = model.entities.contains { $0.superentity == destination }
            let number = model.number(of: destination)
            return ["\(name) INTEGER"] + (hasSubentities ? ["Z\(number)_\(property.name.uppercased()) INTEGER"] : [])
        case .toMany, .fetched: return []
        }
    }

    private var linkTables: [String] {
        var result: [String] = []
        for (number, entity) in model.numbered {
            for property in entity.properties {
                guard case .toMany(let destination, let inverse) = property.kind else { continue }
                let target = model.number(of: destination)
                let name = "Z_\(number)\(property.name.uppercased())"
                let destinationColumn = "Z_\(target)\(property.name.uppercased())"
                guard let inverse else {
                    result.append("CREATE TABLE \(name) ( Z_\(number)OWNER INTEGER, \(destinationColumn) INTEGER )")
                    continue
                }
                let other = model.entities.first { $0.name == destination }?.properties.first { $0.name == inverse }
                guard case .toMany? = other?.kind, (number, property.name) <= (target, inverse) else { continue }
                let isReflexive = destination == entity.name && inverse == property.name
                let ownerColumn = isReflexive ? "REFLEXIVE" : "Z_\(number)\(inverse.uppercased())"
                result.append(
                    "CREATE TABLE \(name) ( \(ownerColumn) INTEGER, \(destinationColumn) INTEGER, "
                        + "PRIMARY KEY (\(ownerColumn), \(destinationColumn)) )")
            }
        }
        return result
    }

    // MARK: Bookkeeping

    private var bookkeeping: [String] {
        var result = [
            "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
            "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
            "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
        ]
        for (number, entity) in model.numbered {
            let parent = entity.superentity.map { model.number(of: $0) } ?? 0
            result.append("INSERT INTO Z_PRIMARYKEY VALUES (\(number), '\(entity.name)', \(parent), 0)")
        }
        let metadata = PropertyListWriter.bytes(
            .dictionary(
                [
                    ("NSStoreModelVersionIdentifiers", .array([.text("1.0.0")])), ("NSStoreType", .text("SQLite")),
                    ("NSPersistenceFrameworkVersion", .integer(1345)),
                ]
                    + (versionHashes.isEmpty
                        ? []
                        : [
                            (
                                "NSStoreModelVersionHashes",
                                .dictionary(versionHashes.map { ($0.entity, .data($0.hash)) })
                            )
                        ])))
        result.append("INSERT INTO Z_METADATA VALUES (1, '\(storeIdentifier)', x'\(Self.hex(metadata))')")
        if hasModel {
            result.append(
                "INSERT INTO Z_MODELCACHE VALUES (x'\(Self.hex(StoredDeflate.bytes((cachedModel ?? model).archive)))')")
        }
        return result
    }

    private var history: [String] {
        let tombstones = (0..<tombstoneCount).map { ", ZTOMBSTONE\($0) BLOB" }.joined()
        return [
            "CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, "
                + "ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB\(tombstones) )",
            "CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER, "
                + "ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, "
                + "ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB )",
            "CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR )",
            "CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)",
            "CREATE INDEX Z_TRANSACTION_TransactionTimestampIndex ON ATRANSACTION (ZTIMESTAMP COLLATE BINARY ASC)",
            "INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 0), (16002, 'TRANSACTION', 0, 0), "
                + "(16003, 'TRANSACTIONSTRING', 0, 0)",
        ]
    }

    package static func hex(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789ABCDEF")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}

extension AppleStoreModel {
    /// The keyed archive of the model.
    package var archive: [UInt8] {
        var writer = KeyedArchiveWriter()
        var references: [String: PropertyListValue] = [:]
        for entity in entities { references[entity.name] = writer.reserve() }
        for entity in entities {
            let properties = self.properties(of: entity).map { ($0.name, $0.write(&writer)) }
            var fields: [(String, PropertyListValue)] = [
                ("NSEntityName", writer.add(.text(entity.name))), ("NSProperties", writer.dictionary(properties)),
                ("NSSuperentity", entity.superentity.flatMap { references[$0] } ?? .reference(0)),
            ]
            if entity.isAbstract { fields.append(("NSIsAbstract", .bool(true))) }
            if !entity.uniqueness.isEmpty {
                let tuples = entity.uniqueness.map { names in
                    let texts = names.map { writer.add(.text($0)) }
                    return writer.array(texts)
                }
                fields.append(("NSUniqueTuples", writer.array(tuples)))
            }
            writer.add("NSEntityDescription", fields, at: references[entity.name])
        }
        let list = writer.array(entities.compactMap { references[$0.name] })
        let dictionary = writer.add("NSKnownKeysDictionary1", [("values", list)])
        let root = writer.add("NSManagedObjectModel", [("NSEntities", dictionary)])
        return writer.bytes(root: root)
    }
}

extension AppleProperty {
    fileprivate func write(_ writer: inout KeyedArchiveWriter) -> PropertyListValue {
        let text = writer.add(.text(name))
        var fields: [(String, PropertyListValue)] = [("NSPropertyName", text), ("NSRenamingIdentifier", text)]
        if isOptional { fields.append(("NSIsOptional", .bool(true))) }
        if isTransient { fields.append(("NSIsTransient", .bool(true))) }
        func relationship(_ destination: String, _ inverse: String?, _ count: Int64, _ writer: inout KeyedArchiveWriter)
            -> PropertyListValue
        {
            fields += [
                ("_NSDestinationEntityName", writer.add(.text(destination))),
                ("_NSInverseRelationshipName", inverse.map { writer.add(.text($0)) } ?? .reference(0)),
                ("NSMaxCount", .integer(count)), ("NSDeleteRule", .integer(deleteRule)),
            ]
            return writer.add("NSRelationshipDescription", fields)
        }
        switch kind {
        case .attribute(let type):
            fields += [("NSAttributeType", .integer(type)), ("NSFlagsKey", .integer(isPreserved ? 16 : 0))]
            fields.append(("NSDefaultValue", defaultValue.map { writer.add($0) } ?? .reference(0)))
            return writer.add("NSAttributeDescription", fields)
        case .composite(let elements):
            let list = elements.map { $0.write(&writer) }
            fields += [("NSAttributeType", .integer(2_100)), ("NSElements", writer.array(list))]
            return writer.add("NSCompositeAttributeDescription", fields)
        case .toOne(let destination, let inverse): return relationship(destination, inverse, 1, &writer)
        case .toMany(let destination, let inverse): return relationship(destination, inverse, 0, &writer)
        case .fetched: return writer.add("NSFetchedPropertyDescription", fields)
        }
    }
}
