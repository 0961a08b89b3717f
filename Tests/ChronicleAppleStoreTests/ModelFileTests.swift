import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleAppleStore

/// A `.mom` or `.momd` describes a file that does not contain its model.
@Suite("Compiled models of Core Data")
struct ModelFileTests {
    private let directory: TemporaryDirectory
    private let url: URL

    init() throws {
        directory = try TemporaryDirectory()
        url = try AppleTrips.write(to: directory) { script in
            script.hasModel = false
            script.versionHashes = AppleTrips.model.entities.map { ($0.name, Self.hash(1)) }
        }
    }

    private static func hash(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }

    /// A model that lacks a property of the file.
    private static var earlier: AppleStoreModel {
        var model = AppleTrips.model
        model.entities[0].properties.removeAll { $0.name == "rating" }
        return model
    }

    /// A model whose columns are the same.
    private static var other: AppleStoreModel {
        var model = AppleTrips.model
        let index = model.entities[0].properties.firstIndex { $0.name == "isDone" } ?? 0
        model.entities[0].properties[index].isOptional = true
        return model
    }

    private func write(_ model: AppleStoreModel, as name: String) throws -> URL {
        let file = directory.file(name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(model.archive).write(to: file)
        return file
    }

    /// - Parameter versions: The current one first, with the byte of its hashes.
    private func write(_ versions: [(name: String, model: AppleStoreModel, hash: UInt8)]) throws -> URL {
        for version in versions { _ = try write(version.model, as: "Trips.momd/\(version.name).mom") }
        let hashes = versions.map { version in
            (
                version.name,
                Dictionary(
                    uniqueKeysWithValues: version.model.entities.map { ($0.name, Data(Self.hash(version.hash))) })
            )
        }
        let list: [String: Any] = [
            "NSManagedObjectModel_CurrentVersionName": versions[0].name,
            "NSManagedObjectModel_VersionHashes": Dictionary(uniqueKeysWithValues: hashes),
        ]
        let folder = directory.file("Trips.momd")
        try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
            .write(to: folder.appending(path: "VersionInfo.plist"))
        return folder
    }

    private func open(_ model: URL) throws -> AppleStore {
        try #require(try AppleStore(recognizing: url, model: model))
    }

    private func isDoneIsOptional(_ model: URL) throws -> Bool {
        try #require(try open(model).schema.entitiesByName["Trip"]?.propertiesByName["isDone"]).isOptional
    }

    @Test func describesTheFile() throws {
        let store = try open(write(AppleTrips.model, as: "Trips.mom"))
        #expect(store.hasModelNames)
        let expected = try AppleStore.schema(ofFileAt: AppleTrips.write(to: TemporaryDirectory()))
        #expect(try store.schema.entities.map { try $0.json() } == expected.entities.map { try $0.json() })
        let updates = try store.fetchHistory(HistoryDescriptor()).flatMap(\.changes).compactMap { change in
            if case .update(let update) = change { update.updatedAttributeNames } else { nil }
        }
        #expect(updates.first == ["name", "rating"])
    }

    /// The file contains a model, too.
    @Test func replacesTheModelOfTheFile() throws {
        let file = try AppleTrips.write(to: TemporaryDirectory())
        let model = try write(Self.other, as: "Other.mom")
        let store = try #require(try AppleStore(recognizing: file, model: model))
        #expect(store.schema.entitiesByName["Trip"]?.propertiesByName["isDone"]?.isOptional == true)
    }

    @Test func findsTheVersionOfTheFile() throws {
        // The current version lacks a column.
        let folder = try write([("Trips 2", Self.earlier, 2), ("Trips", AppleTrips.model, 3)])
        #expect(try open(folder).schema.entitiesByName["Trip"]?.propertiesByName["rating"] != nil)
        // Only the hashes tell these apart.
        #expect(try isDoneIsOptional(write([("Trips 2", Self.other, 2), ("Trips", AppleTrips.model, 1)])) == false)
        #expect(try isDoneIsOptional(write([("Trips 2", Self.other, 1), ("Trips", AppleTrips.model, 2)])) == true)
        #expect(try isDoneIsOptional(write([("Trips 2", Self.other, 2), ("Trips", AppleTrips.model, 3)])) == true)
    }

    @Test func readsFoldersWithoutAList() throws {
        _ = try write(AppleTrips.model, as: "Trips.momd/Trips.mom")
        #expect(try open(directory.file("Trips.momd")).hasModelNames)
    }

    @Test func rejectsModelsOfOtherFiles() throws {
        func expect(_ detail: String, _ change: (inout AppleStoreModel) -> Void) throws {
            var model = AppleTrips.model
            change(&model)
            let file = try write(model, as: "Model.mom")
            let error = try #require(throws: SwiftDataError.self) { try open(file) }
            #expect(error == .loadIssueModelContainer)
            #expect(error.detail?.contains("Model.mom: \(detail)") == true, "\(error)")
        }
        try expect("it has no entity Stop") { $0.entities.removeAll { $0.name == "Stop" } }
        try expect("its entity BusinessTrip does not inherit from Trip") { model in
            for index in model.entities.indices { model.entities[index].superentity = nil }
        }
        try expect("its entity Person inherits from Stop") { model in
            for index in model.entities.indices where model.entities[index].name == "Person" {
                model.entities[index].superentity = "Stop"
            }
        }
        try expect("it describes no column ZRATING of the table ZTRIP") { $0 = Self.earlier }
        try expect("the table ZTRIP has no column ZWEIGHT") { model in
            model.entities[0].properties.append(.attribute("weight", 500))
        }
        // Entities of other stores are no difference.
        let file = try write(AppleStoreModel(AppleTrips.model.entities + [.init("Other", [])]), as: "More.mom")
        #expect(try open(file).hasModelNames)
    }

    @Test func rejectsOtherFiles() throws {
        let text = directory.file("Text.mom")
        try Data("no model".utf8).write(to: text)
        let list = directory.file("List.mom")
        try Data(PropertyListWriter.bytes(.array([.text("a")]))).write(to: list)
        let empty = directory.file("Empty.momd")
        try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: false)
        let damaged = try write([("Trips", AppleTrips.model, 1)])
        try Data("no list".utf8).write(to: damaged.appending(path: "VersionInfo.plist"))
        for (file, detail) in [
            (text, "is not a compiled model of Core Data"), (list, "is not a compiled model of Core Data"),
            (directory.file("missing.mom"), "does not exist"), (empty, "contains no .mom"),
            (damaged, "is not a property list"),
        ] {
            let error = try #require(throws: SwiftDataError.self) { try open(file) }
            #expect(error == .loadIssueModelContainer)
            #expect(error.detail?.contains(detail) == true, "\(error)")
        }
    }
}
