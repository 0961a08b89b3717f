import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

private enum UnreadableV1: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Item.self] }

    @Model fileprivate final class Item {
        var name: String
        var number: Int
        var place: UnreadablePlace = UnreadablePlace(city: "Rome", zip: 1)
        init(_ name: String, _ number: Int) { (self.name, self.number) = (name, number) }
    }
}

private enum UnreadableV2: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] { [Item.self] }

    @Model fileprivate final class Item {
        var name: String
        var number: Int
        var place: UnreadablePlace = UnreadablePlace(city: "Rome", zip: 1)
        var length = 0
        init(_ name: String, _ number: Int) { (self.name, self.number) = (name, number) }
    }
}

private struct UnreadablePlace: Codable, Equatable {
    var city: String
    var zip: Int
}

private enum LoadingPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [UnreadableV1.self, UnreadableV2.self] }
    static var stages: [MigrationStage] {
        [
            .custom(fromVersion: UnreadableV1.self, toVersion: UnreadableV2.self, willMigrate: nil) { context in
                for item in try context.fetch(FetchDescriptor<UnreadableV2.Item>()) { item.length = item.name.count }
            }
        ]
    }
}

private enum RepairingPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [UnreadableV1.self, UnreadableV2.self] }
    static var stages: [MigrationStage] {
        [
            .custom(fromVersion: UnreadableV1.self, toVersion: UnreadableV2.self, willMigrate: nil) { context in
                do { _ = try context.fetch(FetchDescriptor<UnreadableV2.Item>()) } catch let error as SwiftDataError {
                    guard error == .undecodableValue, let identifier = error.persistentIdentifier else { throw error }
                    try context.update(
                        model: UnreadableV2.Item.self, where: #Predicate { $0.persistentModelID == identifier },
                        set: \.place, to: UnreadablePlace(city: "", zip: 0))
                }
                for item in try context.fetch(FetchDescriptor<UnreadableV2.Item>()) { item.length = item.name.count }
            }
        ]
    }
}

/// A row whose value another program wrote in a form that the class cannot decode.
///
/// https://github.com/groue/GRDB.swift/issues/626
@Suite struct UnreadableRowTests {
    private typealias Item = UnreadableV1.Item

    private let directory: TemporaryDirectory
    private var file: URL { directory.file("test.store") }

    init() throws { directory = try TemporaryDirectory() }

    private func container(
        _ version: any VersionedSchema.Type = UnreadableV1.self, _ recorder: ModelConfiguration.Recorder = .automatic,
        _ plan: (any SchemaMigrationPlan.Type)? = nil
    ) throws -> ModelContainer {
        var configuration = ModelConfiguration(url: file, durability: .relaxed, preservesValues: true)
        configuration.recorder = recorder
        return try ModelContainer(
            for: Schema(versionedSchema: version), migrationPlan: plan, configurations: configuration)
    }

    /// Inserts items, and writes a value in the row of one of them.
    private func damaged(
        _ value: String, _ recorder: ModelConfiguration.Recorder = .automatic
    ) throws -> (ModelContainer, PersistentIdentifier) {
        let container = try container(UnreadableV1.self, recorder)
        let context = ModelContext(container)
        let items = (0..<50).map { Item("item \($0)", $0) }
        items.forEach(context.insert)
        try context.save()
        _ = try Shell.sqlite3(file, "UPDATE Item SET place = \(value) WHERE number = 20")
        return (container, items[20].persistentModelID)
    }

    private static let jsonValues = ["'{\"city\":1}'", "'[]'", "7"]
    private static let otherValues = ["'{\"city\":\"Ro'", "''", "x'00ff'"]

    @Test(arguments: jsonValues + otherValues)
    func theErrorNamesTheRowAndTheOthersAreRead(_ value: String) throws {
        let (container, identifier) = try damaged(value)
        let context = ModelContext(container)
        let all = FetchDescriptor<Item>(sortBy: [SortDescriptor(\.number)])
        let error = try #require(try failure(of: { try context.fetch(all) }))
        #expect(error == .undecodableValue && error.propertyName == "place" && error.persistentIdentifier == identifier)
        #expect(try failure(of: { try context.existingModel(for: identifier) }) == .undecodableValue)
        #expect(try context.fetchCount(all) == 50)
        #expect(try context.fetchIdentifiers(all).contains(identifier))
        #expect(try context.fetch(FetchDescriptor<Item>(predicate: #Predicate { $0.number != 20 })).count == 49)
        var part = all
        (part.fetchOffset, part.fetchLimit) = (21, 10)
        #expect(try context.fetch(part).map(\.number) == Array(21..<31))
        // Other attributes of the row can be changed and read.
        try context.update(model: Item.self, where: #Predicate { $0.number == 20 }, set: \.name, to: "changed")
        #expect(
            try context.fetchCount(FetchDescriptor<Item>(predicate: #Predicate { $0.name == "changed" })) == 1)
        // Without the class, only values that are no JSON are recognized.
        let problems = try VerificationTests.problems(in: file)
        #expect(problems.map(\.kind) == (Self.jsonValues.contains(value) ? [] : [.column]), "\(problems)")
        // The history contains the value.
        let update = try #require(try context.updates(Item.self).first)
        #expect(update.previousValue(\.place) == UnreadablePlace(city: "Rome", zip: 1))
        #expect(update.undecodableValues.map(\.propertyName) == ["place"])
        #expect(try context.history(of: identifier).map(\.kind) == [.insert, .update, .update])
        let tokens = try context.fetchHistory(Descriptor()).map(\.token)
        let change = try context.changes(between: tokens[0], and: try context.currentHistoryToken()).first
        #expect(change?.value(named: "place")?.value as? UndecodableValue != nil, "\(String(describing: change))")
    }

    /// Ways to get rid of the row or of the value.
    enum Repair: CaseIterable {
        case deleteByPredicate, deleteByIdentifier, updateValue
    }

    @Test(arguments: Repair.allCases, ModelConfiguration.Recorder.allCases)
    func theRowIsRepaired(_ repair: Repair, _ recorder: ModelConfiguration.Recorder) throws {
        let (container, identifier) = try damaged("'{}'", recorder)
        let context = ModelContext(container)
        switch repair {
        case .deleteByPredicate: try context.delete(model: Item.self, where: #Predicate { $0.number == 20 })
        case .deleteByIdentifier:
            try context.delete(model: Item.self, where: #Predicate { $0.persistentModelID == identifier })
        case .updateValue:
            try context.update(
                model: Item.self, where: #Predicate { $0.number == 20 }, set: \.place,
                to: UnreadablePlace(city: "new", zip: 2))
        }
        let items = try ModelContext(container).fetch(FetchDescriptor<Item>())
        #expect(items.count == (repair == .updateValue ? 50 : 49))
        #expect(try VerificationTests.problems(in: file) == [])
        if let delete = try context.deletes(Item.self).first {
            #expect(delete.tombstone[\.number] == 20)
            #expect(delete.tombstone.undecodableValues.map(\.propertyName) == ["place"])
        }
    }

    @Test func aStageNamesTheRowOrRepairsIt() throws {
        let identifier = try damaged("'{}'").1
        let before = try Shell.sqlite3(file, ".dump Item")
        let error = try failure(of: { try container(UnreadableV2.self, .automatic, LoadingPlan.self) })
        #expect(error == .undecodableValue && error?.persistentIdentifier == identifier)
        #expect(try Shell.sqlite3(file, ".dump Item") == before)
        let context = ModelContext(try container(UnreadableV2.self, .automatic, RepairingPlan.self))
        let items = try context.fetch(FetchDescriptor<UnreadableV2.Item>())
        #expect(items.count == 50 && items.allSatisfy { $0.length == $0.name.count })
        #expect(try VerificationTests.problems(in: file) == [])
    }
}
