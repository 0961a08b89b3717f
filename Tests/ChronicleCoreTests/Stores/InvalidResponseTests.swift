import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@Suite("Responses that violate the rules for stores")
struct InvalidResponseTests {
    private typealias Result = ScriptedStore.SaveResult
    private let store: ScriptedContainer

    init() throws {
        store = try ScriptedContainer()
        try store.add(("Ritz", 3), ("Astoria", 5))
    }

    /// Expects an error that names the store and contains these words.
    private func expect(
        _ rule: String, _ kind: SwiftDataError = .invalidStoreResponse, _ location: SourceLocation = #_sourceLocation,
        _ body: () throws -> Void
    ) {
        let error = #expect(throws: SwiftDataError.self, sourceLocation: location, performing: body)
        #expect(error == kind, sourceLocation: location)
        #expect(error?.storeIdentifier == "scripted-store" && error?.storeName == "scripted", sourceLocation: location)
        #expect(error?.detail?.contains(rule) == true, "\(error?.detail ?? "")", sourceLocation: location)
    }

    private func expectFetch(
        _ rule: String, _ kind: SwiftDataError = .invalidStoreResponse, _ location: SourceLocation = #_sourceLocation
    ) {
        expect(rule, kind, location) { _ = try ModelContext(store.container).fetch(FetchDescriptor<Hotel>()) }
        // Registered models do not prevent the validation.
        expect(rule, kind, location) { _ = try store.context.fetch(FetchDescriptor<Hotel>()) }
    }

    private func replaceFirst(_ identifier: PersistentIdentifier) {
        store.script.change { script in
            script.rows[0] = DefaultSnapshot(
                persistentIdentifier: identifier, values: script.rows[0].values, changed: PropertySet())
        }
    }

    // MARK: Fetching

    @Test func rowOfAnotherEntityThrows() throws {
        replaceFirst(ScriptedStore.origin("Motel").identifier(1))
        expectFetch("of the entity Motel instead of Hotel")
        expect("of the entity Motel instead of Hotel") {
            _ = try store.context.fetchIdentifiers(FetchDescriptor<Hotel>())
        }
    }

    @Test func rowOfAnotherStoreThrows() throws {
        replaceFirst(.Origin(storeIdentifier: "elsewhere", entityName: "Hotel").identifier(1))
        expectFetch("of another store")
    }

    @Test func temporaryIdentifierThrows() throws {
        replaceFirst(Hotel("new", stars: 1).persistentModelID)
        expectFetch("temporary identifier")
    }

    @Test func duplicateRowThrows() throws {
        store.script.change { $0.rows.append($0.rows[0]) }
        expectFetch("more than once")
        expect("more than once") { _ = try store.context.fetchIdentifiers(FetchDescriptor<Hotel>()) }
        // In another origin object, as from a store that creates one for each row.
        replaceFirst(ScriptedStore.origin("Hotel").identifier(1))
        expectFetch("more than once")
    }

    @Test func rowsMayBeInAnyOrder() throws {
        store.script.change { $0.rows.reverse() }
        for context in [store.context, ModelContext(store.container), store.context] {
            #expect(try context.fetch(FetchDescriptor<Hotel>()).map(\.name) == ["Astoria", "Ritz"])
        }
    }

    @Test func invalidValueThrows() throws {
        func set(_ values: [PropertyValue]) {
            store.script.change { script in
                script.rows[0] = DefaultSnapshot(
                    persistentIdentifier: script.rows[0].persistentIdentifier, values: values, changed: PropertySet())
            }
        }
        set([.text("Ritz"), .text("three"), .null])
        expectFetch("not a value of type Int", .undecodableValue)
        set([.text("Ritz"), .integer(3)])
        expectFetch("2 values")
    }

    /// A getter cannot throw. The properties of the destination throw instead.
    @Test func invalidReferenceThrows() throws {
        let store = try ScriptedContainer(GraphNode.self)
        let node = GraphNode("a")
        store.context.insert(node)
        try store.context.save()
        let (row, next) = (store.script.now.rows[0], try #require(store.container.schema.slot("next", GraphNode.self)))
        let strays = [
            (ScriptedStore.origin("GraphGroup").identifier(1), "a reference must point to"),
            (GraphNode("new").persistentModelID, "temporary identifier"),
            (
                PersistentIdentifier.Origin(storeIdentifier: "elsewhere", entityName: "GraphNode").identifier(1),
                "a reference must point to"
            ),
        ]
        for (stray, text) in strays {
            var values = row.values
            values[next] = .reference(stray)
            let snapshot = DefaultSnapshot(
                persistentIdentifier: row.persistentIdentifier, values: values, changed: PropertySet())
            store.script.change { $0.rows = [snapshot] }
            for context in [store.context, ModelContext(store.container)] {
                expect(text) { _ = try context.fetch(FetchDescriptor<GraphNode>()) }
            }
            store.script.change { script in
                script.rows = [row]
                script.save = {
                    Result(
                        for: "scripted-store", remappedIdentifiers: $1.remappedIdentifiers,
                        snapshotsToReregister: [snapshot.persistentIdentifier: snapshot])
                }
            }
            node.number += 1
            expect(text) { try store.context.save() }
        }
        #expect(node.next == nil)
    }

    // MARK: Saving

    private func expectSave(
        _ rule: String, kind: SwiftDataError = .invalidStoreResponse, _ location: SourceLocation = #_sourceLocation,
        _ snapshot:
            @escaping @Sendable (ScriptedStore.SaveRequest, ScriptedStore.SaveResult) -> ScriptedStore.SaveResult
    ) {
        store.script.change { $0.save = snapshot }
        expect(rule, kind, location) { try store.add(("Savoy", 5), ("Adlon", 4), ("Inn", 2)) }
        // The store has committed, so the models are not inserted again.
        #expect(!store.context.hasChanges, sourceLocation: location)
    }

    @Test func invalidRemappingsThrow() throws {
        expectSave("no identifier for an inserted model") { request, result in
            var remapped = result.remappedIdentifiers
            remapped[request.inserted[1].persistentIdentifier] = nil
            return Result(for: "scripted-store", remappedIdentifiers: remapped)
        }
        expectSave("temporary identifier") { _, result in
            Result(
                for: "scripted-store",
                remappedIdentifiers: Dictionary(
                    uniqueKeysWithValues: result.remappedIdentifiers.keys.map { ($0, $0) }))
        }
        expectSave("that another model already has") { _, result in
            let one = ScriptedStore.origin("Hotel").identifier(77)
            return Result(for: "scripted-store", remappedIdentifiers: result.remappedIdentifiers.mapValues { _ in one })
        }
        expectSave("of another store") { _, result in
            let origin = PersistentIdentifier.Origin(storeIdentifier: "elsewhere", entityName: "Hotel")
            return Result(
                for: "scripted-store",
                remappedIdentifiers: result.remappedIdentifiers.mapValues {
                    origin.identifier($0.integerPrimaryKey ?? 0)
                })
        }
        expectSave("of the entity") { _, result in
            let origin = ScriptedStore.origin("Motel")
            return Result(
                for: "scripted-store",
                remappedIdentifiers: result.remappedIdentifiers.mapValues {
                    origin.identifier($0.integerPrimaryKey ?? 0)
                })
        }
    }

    @Test func identifierOfAnExistingModelThrows() throws {
        let hotel = try #require(try store.context.fetch(FetchDescriptor<Hotel>()).first)
        expectSave("that another model already has") { request, result in
            var remapped = result.remappedIdentifiers
            remapped[request.inserted[1].persistentIdentifier] = ScriptedStore.origin("Hotel").identifier(1)
            return Result(for: "scripted-store", remappedIdentifiers: remapped)
        }
        let known: Hotel? = store.context.registeredModel(for: hotel.persistentModelID)
        #expect(known === hotel)
    }

    /// The identifier prefix of one class, used for another class.
    @Test(arguments: [false, true]) func identifiersOfAnotherClassThrow(_ nodesFirst: Bool) throws {
        let store = try ScriptedContainer(GraphNode.self)
        let origin = ScriptedStore.origin("GraphNode")
        store.script.change {
            $0.save = { request, _ in
                Result(
                    for: "scripted-store", inserted: request.inserted,
                    insertedIdentifiers: request.inserted.indices.map { origin.identifier(Int64($0 + 1)) })
            }
        }
        let models: [any PersistentModel] = [GraphNode("a"), GraphNode("b"), GraphGroup("g")]
        for model in nodesFirst ? models : models.reversed() { store.context.insert(model) }
        expect("of the entity") { try store.context.save() }
        #expect(!store.context.hasChanges)
    }

    @Test func resultOfAnotherStoreThrows() {
        expectSave("the result of another store, \"other\"") { _, result in
            Result(for: "other", remappedIdentifiers: result.remappedIdentifiers)
        }
    }

    @Test func rowWithAnotherIdentifierThrows() {
        expectSave("under the identifier of another row") { request, result in
            let permanent = request.inserted.compactMap { result.remappedIdentifiers[$0.persistentIdentifier] }
            return Result(
                for: "scripted-store", remappedIdentifiers: result.remappedIdentifiers,
                snapshotsToReregister: [permanent[0]: request.inserted[1].copy(persistentIdentifier: permanent[1])])
        }
    }

    @Test func tokenOfAnotherTypeThrows() {
        expectSave("of type StrayToken") { _, result in
            Result(
                for: "scripted-store", remappedIdentifiers: result.remappedIdentifiers,
                historyToken: StrayToken(tokenValue: 1))
        }
    }

    @Test func reregisteredSnapshotsUpdateModels() throws {
        store.script.change {
            $0.save = { request, result in
                let rows = request.inserted.map { snapshot in
                    let identifier = result.remappedIdentifiers[snapshot.persistentIdentifier]
                    return DefaultSnapshot(
                        persistentIdentifier: identifier ?? snapshot.persistentIdentifier,
                        values: [.text("The"), snapshot.values[1], .null], changed: PropertySet())
                }
                return Result(
                    for: "scripted-store", remappedIdentifiers: result.remappedIdentifiers,
                    snapshotsToReregister: keyed(rows))
            }
        }
        let hotel = try store.add(("Savoy", 5))[0]
        #expect(hotel.name == "The" && hotel.stars == 5 && !hotel.hasChanges)
        hotel.stars = 4
        store.script.change { $0.save = { $1 } }
        try store.context.save()
        #expect(store.script.now.rows.last?.values.prefix(2) == [.text("The"), .integer(4)])
    }

    @Test func reregisteredSnapshotsAreValidated() throws {
        func row(_ identifier: PersistentIdentifier, _ values: [PropertyValue]) -> Result {
            Result(
                for: "scripted-store", remappedIdentifiers: [:],
                snapshotsToReregister: [
                    identifier: DefaultSnapshot(
                        persistentIdentifier: identifier, values: values, changed: PropertySet())
                ])
        }
        func expect(_ rule: String, _ rows: Result, _ kind: SwiftDataError = .invalidStoreResponse) {
            store.script.change {
                $0.save = { _, result in
                    Result(
                        for: "scripted-store", remappedIdentifiers: result.remappedIdentifiers,
                        snapshotsToReregister: rows.snapshotsToReregister)
                }
            }
            self.expect(rule, kind) { try store.add(("Savoy", 5)) }
            store.context.rollback()
        }
        let values: [PropertyValue] = [.text("a"), .integer(1), .null]
        let hotel = ScriptedStore.origin("Hotel").identifier(1)
        expect("an entity that the store does not have", row(ScriptedStore.origin("Motel").identifier(1), values))
        expect("temporary identifier", row(Hotel("new", stars: 1).persistentModelID, values))
        expect("not a value of type String", row(hotel, [.null, .null, .null]), .undecodableValue)
    }
}

extension Schema {
    fileprivate func slot(_ property: String, _ type: any PersistentModel.Type) -> Int? {
        entity(for: type)?.property(named: property)?.slot
    }
}
