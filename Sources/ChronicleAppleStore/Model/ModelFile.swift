import ChronicleCore
import Foundation

/// A compiled model that the user of a tool specifies: a `.mom`, or a `.momd` with several versions.
struct ModelFile {
    private struct Version {
        let name: String
        let model: CachedModel
        /// The hashes of the entities, if the folder lists them.
        let hashes: [String: Data]
    }

    private let url: URL
    /// The current version first.
    private let versions: [Version]

    /// The size in bytes of the largest file that is decoded.
    private static let maximumSize = 1 << 26

    /// Throws `SwiftDataError.loadIssueModelContainer` if there is no model.
    init(_ url: URL) throws {
        self.url = url
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) else {
            throw Self.error("\(url.path) does not exist; check the path of the model")
        }
        guard isDirectory.boolValue else {
            versions = [Version(name: url.lastPathComponent, model: try Self.model(url), hashes: [:])]
            return
        }
        let list = try VersionList(url)
        let names = try FileManager.default.contentsOfDirectory(atPath: url.path).filter { $0.hasSuffix(".mom") }
            .map { String($0.dropLast(4)) }.sorted()
        guard !names.isEmpty else { throw Self.error("\(url.path) contains no .mom; specify a compiled model") }
        versions = try (names.filter { $0 == list.current } + names.filter { $0 != list.current }).map { name in
            Version(
                name: "\(name).mom", model: try Self.model(url.appending(path: "\(name).mom")),
                hashes: list.hashes[name] ?? [:])
        }
    }

    private static func model(_ url: URL) throws -> CachedModel {
        let data: Data
        do {
            let attributes = try FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)
            guard attributes[.type] as? FileAttributeType == .typeRegular,
                (attributes[.size] as? NSNumber)?.intValue ?? .max <= maximumSize
            else { throw Self.error("\(url.path) is not a file of at most 64 MB; specify a compiled model") }
            data = try Data(contentsOf: url)
        } catch let failure where !(failure is SwiftDataError) {
            throw Self.error("\(url.path) cannot be read; check its permissions").with(underlying: failure)
        }
        do { return try CachedModel(KeyedArchive(data)) } catch is KeyedArchive.Failure {
            throw Self.error(
                "\(url.path) is not a compiled model of Core Data; specify the .mom or .momd in the bundle of the program"
            )
        }
    }

    private static func error(_ detail: String) -> SwiftDataError { .loadIssueModelContainer.with(detail: detail) }

    /// Returns the version that describes a file. Masks of the history would get wrong names with another one.
    ///
    /// - Parameter hashes: The hashes of the file's entities; empty if it does not contain them.
    /// - Throws: `SwiftDataError.loadIssueModelContainer` with the difference if no version describes the file.
    func model(
        of entities: AppleEntities, _ tables: [String: AppleTable], hashes: [String: Data]
    ) throws -> CachedModel {
        let exact = versions.first { version in
            !hashes.isEmpty && hashes.allSatisfy { version.hashes[$0.key] == $0.value }
        }
        var first: String?
        for version in exact.map({ [$0] }) ?? versions {
            guard let difference = Self.difference(version.model, entities, tables) else { return version.model }
            if first == nil { first = "\(version.name): \(difference)" }
        }
        throw Self.error(
            "the model \(url.path) does not describe the file (\(first ?? "")); specify the version of the model that the "
                + "program used")
    }

    /// `nil` if the model has the entities of the file, and their tables have the columns of the model.
    private static func difference(
        _ model: CachedModel, _ entities: AppleEntities, _ tables: [String: AppleTable]
    ) -> String? {
        for entity in entities.byName.values.sorted(by: { $0.name < $1.name }) {
            guard let known = model.entities[entity.name] else { return "it has no entity \(entity.name)" }
            let superentity = entity.superentityNumber.flatMap { entities.byNumber[$0]?.name }
            if known.superentityName != superentity {
                return superentity.map { "its entity \(entity.name) does not inherit from \($0)" }
                    ?? "its entity \(entity.name) inherits from \(known.superentityName ?? "")"
            }
        }
        let use = AppleLayout.columnUse(entities, AppleLayout.SendableModel(entities: model.entities))
        for entity in entities.byName.values.sorted(by: { $0.name < $1.name }) where entity.superentityNumber == nil {
            guard let table = tables[entity.tableName] else { continue }
            let names = use[entity.tableName]?.columnNames ?? []
            if let missing = names.sorted().first(where: { table.column("Z" + $0) == nil }) {
                return "the table \(table.name) has no column Z\(missing)"
            }
            let other = table.columns.map(\.name).first { column in
                guard AppleLayout.isAttribute(column) else { return false }
                let name = column.dropFirst().uppercased()
                // The second of two columns with a name has a number.
                let base = String(name.reversed().drop { $0.isASCII && $0.isNumber }.reversed())
                return !names.contains(name) && !names.contains(base)
            }
            if let other { return "it describes no column \(other) of the table \(table.name)" }
        }
        return nil
    }
}

/// The `VersionInfo.plist` of a `.momd`.
private struct VersionList {
    var current: String?
    /// The hashes of the entities by the name of the version.
    var hashes: [String: [String: Data]] = [:]

    /// Empty if the folder has no list.
    init(_ folder: URL) throws {
        let file = folder.appending(path: "VersionInfo.plist")
        guard FileManager.default.fileExists(atPath: file.path) else { return }
        let list: Any
        do {
            list = try PropertyListSerialization.propertyList(from: Data(contentsOf: file), options: [], format: nil)
        } catch {
            throw SwiftDataError.loadIssueModelContainer.with(
                detail: "\(file.path) is not a property list; specify one of the .mom files", underlying: error)
        }
        let values = list as? [String: Any] ?? [:]
        current = values["NSManagedObjectModel_CurrentVersionName"] as? String
        hashes = values["NSManagedObjectModel_VersionHashes"] as? [String: [String: Data]] ?? [:]
    }
}
