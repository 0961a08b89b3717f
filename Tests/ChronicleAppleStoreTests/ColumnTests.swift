import Chronicle
import ChronicleAppleStore
import ChronicleTestSupport
import Foundation
import Testing

/// Properties whose columns cannot be told apart throw an error, and never the values of another one.
@Suite("Columns in a store of SwiftData")
struct ColumnTests {
    private func write(_ model: AppleStoreModel, _ change: (inout AppleStoreScript) -> Void = { _ in }) throws -> URL {
        var script = AppleStoreScript(model)
        change(&script)
        let url = try TemporaryDirectory().file("default.store")
        try script.write(to: url)
        return url
    }

    private func error(_ url: URL, _ types: any PersistentModel.Type...) -> SwiftDataError? {
        #expect(throws: SwiftDataError.self) {
            _ = try ModelContainer(for: Schema(types), configurations: AppleStoreConfiguration(url: url))
        }
    }

    private static let guests = AppleStoreModel([
        .init(
            "Guest",
            [
                .composite("home", [.attribute("city", 700)]), .attribute("label", 700),
                .composite("work", [.attribute("city", 700)]),
            ])
    ])

    @Test func rejectsTwoStructuresWithTheSameMembers() throws {
        let url = try write(Self.guests) { script in
            script.statements = [
                "INSERT INTO ZGUEST(Z_PK, Z_ENT, ZLABEL, ZCITY, ZCITY1) VALUES (1, 1, 'Anna', 'Rome', 'Oslo')"
            ]
        }
        let failure = error(url, Guest.self)
        #expect(failure == .backwardMigration)
        #expect(failure?.propertyName == "home")
        let schema = try AppleStore.schema(ofFileAt: url)
        #expect(schema.entitiesByName["Guest"]?.properties.map(\.name) == ["label"])
        let store = try AppleStore(AppleStoreConfiguration(url: url), schema: schema)
        var values: [[PropertyValue]] = []
        try store.fetchRows(ofEntity: "Guest") { values.append($0.values) }
        #expect(values == [[.text("Anna")]])
    }

    @Test func rejectsAMemberWithTheNameOfAnAttribute() throws {
        let url = try write(
            AppleStoreModel([
                .init(
                    "Guest",
                    [
                        .attribute("city", 700, isOptional: true), .composite("home", [.attribute("city", 700)]),
                        .attribute("label", 700),
                    ])
            ]))
        #expect(error(url, Guest.self) == .backwardMigration)
        let schema = try AppleStore.schema(ofFileAt: url)
        #expect(schema.entitiesByName["Guest"]?.properties.map(\.name) == ["label"])
    }

    /// A structure in a structure is neither `nil` nor a default value.
    @Test func rejectsNestedStructures() throws {
        let url = try write(
            AppleStoreModel([
                .init(
                    "Guest",
                    [.composite("home", [.composite("place", [.attribute("city", 700)])]), .attribute("label", 700)])
            ]))
        let failure = error(url, Guest.self)
        #expect(failure == .backwardMigration)
        #expect(failure?.propertyName == "home")
        let schema = try AppleStore.schema(ofFileAt: url)
        #expect(schema.entitiesByName["Guest"]?.properties.map(\.name) == ["label"])
    }

    @Test func rejectsStructuresOfAFileWithoutModel() throws {
        let url = try write(Self.guests) { $0.hasModel = false }
        #expect(error(url, Guest.self) == .backwardMigration)
        // An attribute that was added to the class later.
        let other = try write(AppleStoreModel([.init("Visitor", [.attribute("label", 700)])])) { $0.hasModel = false }
        let container = try ModelContainer(for: Visitor.self, configurations: AppleStoreConfiguration(url: other))
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Visitor>()) == 0)
    }

    private static let subclasses = AppleStoreModel([
        .init("Part", [.attribute("label", 700)]),
        .init("Wheel", superentity: "Part", [.attribute("note", 700, isOptional: true)]),
        .init("Door", superentity: "Part", [.attribute("note", 700, isOptional: true)]),
    ])

    /// Also if no model tells that two subclasses declare the attribute.
    @Test(arguments: [true, false], [0, 1, 2])
    func rejectsAnAttributeOfTwoSubclasses(_ hasModel: Bool, _ knownEntities: Int) throws {
        let url = try write(Self.subclasses) {
            $0.hasModel = hasModel
            if knownEntities > 0 {
                $0.cachedModel = AppleStoreModel(Array(Self.subclasses.entities.prefix(knownEntities)))
            }
            $0.statements = ["INSERT INTO ZPART(Z_PK, Z_ENT, ZLABEL, ZNOTE, ZNOTE1) VALUES (1, 2, 'a', NULL, 'x')"]
        }
        let failure = error(url, Part.self, Wheel.self)
        #expect(failure == .backwardMigration)
        #expect(failure?.propertyName == "note")
        // The tool shows the file nevertheless.
        let schema = try AppleStore.schema(ofFileAt: url)
        let store = try AppleStore(AppleStoreConfiguration(url: url), schema: schema)
        #expect(try store.fetchCount(ofEntity: "Part") == 1)
        #expect(store.hasModelNames == hasModel)
        #expect((schema.entitiesByName["Part"]?.propertiesByName["note1"] != nil) == !hasModel)
    }

    @Test func readsAColumnThatSubclassesShare() throws {
        let url = try write(Self.subclasses) {
            $0.statements = [
                "ALTER TABLE ZPART DROP COLUMN ZNOTE1",
                "INSERT INTO ZPART(Z_PK, Z_ENT, ZLABEL, ZNOTE) VALUES (1, 3, 'a', 'x')",
            ]
        }
        let container = try ModelContainer(
            for: Part.self, Wheel.self, configurations: AppleStoreConfiguration(url: url))
        #expect(try ModelContext(container).fetch(FetchDescriptor<Wheel>()).map(\.note) == ["x"])
    }

    /// Tables and views that no class of the program uses have no effect.
    @Test(arguments: [
        "CREATE VIRTUAL TABLE Z_Part_PlaceIndex USING rtree(id, minX, maxX, minY, maxY)",
        "CREATE VIEW Zoo AS SELECT 1 AS Z_PK",
        "CREATE TABLE Zebra(a INTEGER, b INTEGER GENERATED ALWAYS AS (a + 1) VIRTUAL)",
    ])
    func ignoresOtherTables(_ statement: String) throws {
        let url = try write(Self.subclasses) { $0.statements = [statement] }
        #expect(try AppleStore.isAppleStore(fileAt: url))
        let store = try AppleStore(AppleStoreConfiguration(url: url), schema: AppleStore.schema(ofFileAt: url))
        #expect(try store.fetchCount(ofEntity: "Part") == 0)
    }
}

extension ColumnTests {
    struct Address: Codable, Equatable { var city: String }

    @Model final class Guest {
        var label: String
        var home: Address?
        var work: Address?

        init(label: String) { self.label = label }
    }

    @Model final class Visitor {
        var label: String
        var note: String?

        init(label: String) { self.label = label }
    }

    @Model class Part {
        var label: String

        init(label: String) { self.label = label }
    }

    @Model final class Wheel: Part {
        var note: String?
    }
}
