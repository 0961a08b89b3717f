import Chronicle
import Foundation
import Testing

@Suite("Answers that break a store's rules")
struct BadAnswerTests {
    private typealias Result = ScriptedStore.SaveResult
    private let store: ScriptedContainer

    init() throws {
        store = try ScriptedContainer()
        try store.add(("Ritz", 3), ("Astoria", 5))
    }

    /// Expects an error that names the store and a rule with these words in it.
    private func expect(
        _ rule: String, _ kind: SwiftDataError = .invalidStoreAnswer, _ location: SourceLocation = #_sourceLocation,
        _ body: () throws -> Void
    ) {
        let error = #expect(throws: SwiftDataError.self, sourceLocation: location, performing: body)
        #expect(error == kind, sourceLocation: location)
        #expect(error?.storeIdentifier == "scripted-store", sourceLocation: location)
        #expect(error?.detail?.contains(rule) == true, "\(error?.detail ?? "")", sourceLocation: location)
    }

    private func expectFetch(
        _ rule: String, _ kind: SwiftDataError = .invalidStoreAnswer, _ location: SourceLocation = #_sourceLocation
    ) {
        expect(rule, kind, location) { _ = try ModelContext(store.container).fetch(FetchDescriptor<Hotel>()) }
        // Models that are there already are no excuse.
        expect(rule, kind, location) { _ = try store.context.fetch(FetchDescriptor<Hotel>()) }
    }

    private func replaceFirst(_ identifier: PersistentIdentifier) {
        store.script.change { script in
            script.rows[0] = DefaultSnapshot(
                persistentIdentifier: identifier, values: script.rows[0].values, changed: PropertySet())
        }
    }

    // MARK: Fetching

    @Test func aRowOfAnotherEntity() throws {
        replaceFirst(ScriptedStore.origin("Motel").identifier(1))
        expectFetch("of the entity that was asked for")
        expect("of the entity that was asked for") {
            _ = try store.context.fetchIdentifiers(FetchDescriptor<Hotel>())
        }
    }

    @Test func aRowOfAnotherStore() throws {
        replaceFirst(.Origin(storeIdentifier: "elsewhere", entityName: "Hotel").identifier(1))
        expectFetch("of the store that gave them")
    }

    @Test func aTemporaryIdentifier() throws {
        replaceFirst(Hotel("new", stars: 1).persistentModelID)
        expectFetch("permanent")
    }

    @Test func aRowTwice() throws {
        store.script.change { $0.rows.append($0.rows[0]) }
        expectFetch("no row twice")
        expect("no row twice") { _ = try store.context.fetchIdentifiers(FetchDescriptor<Hotel>()) }
        // In another origin object, as from a store that makes one for each row.
        replaceFirst(ScriptedStore.origin("Hotel").identifier(1))
        expectFetch("no row twice")
    }

    @Test func anyOrderIsFine() throws {
        store.script.change { $0.rows.reverse() }
        for context in [store.context, ModelContext(store.container), store.context] {
            #expect(try context.fetch(FetchDescriptor<Hotel>()).map(\.name) == ["Astoria", "Ritz"])
        }
    }

    @Test func aValueThatIsNone() throws {
        func set(_ values: [PropertyValue]) {
            store.script.change { script in
                script.rows[0] = DefaultSnapshot(
                    persistentIdentifier: script.rows[0].persistentIdentifier, values: values, changed: PropertySet())
            }
        }
        set([.text("Ritz"), .text("three"), .null])
        expectFetch("no value of Int", .undecodableValue)
        set([.text("Ritz"), .integer(3)])
        expectFetch("2 values")
    }

    @Test func aReferenceThatASaveDidNotReplace() throws {
        let script = ScriptedStore.Script()
        let container = try ModelContainer(for: Guest.self, configurations: ScriptedStore.Configuration(script: script))
        let row = DefaultSnapshot(
            persistentIdentifier: ScriptedStore.origin("Guest").identifier(1),
            values: [.reference(Guest().persistentModelID)], changed: PropertySet())
        script.change { $0.rows = [row] }
        expect("temporary identifier") { _ = try ModelContext(container).fetch(FetchDescriptor<Guest>()) }
    }

    // MARK: Saving

    private func expectSave(
        _ rule: String, kind: SwiftDataError = .invalidStoreAnswer, _ location: SourceLocation = #_sourceLocation,
        _ answer: @escaping @Sendable (ScriptedStore.SaveRequest, ScriptedStore.SaveResult) -> ScriptedStore.SaveResult
    ) {
        store.script.change { $0.save = answer }
        expect(rule, kind, location) { try store.add(("Savoy", 5), ("Adlon", 4), ("Inn", 2)) }
        #expect(store.context.insertedModelsArray.count == 3, sourceLocation: location)
        store.context.rollback()
    }

    @Test func remappings() throws {
        expectSave("for every inserted model") { request, result in
            var remapped = result.remappedIdentifiers
            remapped[request.inserted[1].persistentIdentifier] = nil
            return Result(remappedIdentifiers: remapped)
        }
        expectSave("permanent") { _, result in
            Result(
                remappedIdentifiers: Dictionary(
                    uniqueKeysWithValues: result.remappedIdentifiers.keys.map { ($0, $0) }))
        }
        expectSave("an identifier of its own") { _, result in
            let one = ScriptedStore.origin("Hotel").identifier(77)
            return Result(remappedIdentifiers: result.remappedIdentifiers.mapValues { _ in one })
        }
        expectSave("of the store that gave them") { _, result in
            let origin = PersistentIdentifier.Origin(storeIdentifier: "elsewhere", entityName: "Hotel")
            return Result(
                remappedIdentifiers: result.remappedIdentifiers.mapValues {
                    origin.identifier($0.integerPrimaryKey ?? 0)
                })
        }
        expectSave("of the entity") { _, result in
            let origin = ScriptedStore.origin("Motel")
            return Result(
                remappedIdentifiers: result.remappedIdentifiers.mapValues {
                    origin.identifier($0.integerPrimaryKey ?? 0)
                })
        }
    }

    @Test func aTokenOfAnotherType() {
        expectSave("not a StrayToken") { _, result in
            Result(remappedIdentifiers: result.remappedIdentifiers, historyToken: StrayToken(tokenValue: 1))
        }
    }

    @Test func rowsThatWereWrittenDifferentlyAreTakenOver() throws {
        store.script.change {
            $0.save = { request, result in
                let rows = request.inserted.map { snapshot in
                    let identifier = result.remappedIdentifiers[snapshot.persistentIdentifier]
                    return DefaultSnapshot(
                        persistentIdentifier: identifier ?? snapshot.persistentIdentifier,
                        values: [.text("The"), snapshot.values[1], .null], changed: PropertySet())
                }
                return Result(remappedIdentifiers: result.remappedIdentifiers, snapshotsToReregister: rows)
            }
        }
        let hotel = try store.add(("Savoy", 5))[0]
        #expect(hotel.name == "The" && hotel.stars == 5 && !hotel.hasChanges)
        hotel.stars = 4
        store.script.change { $0.save = { $1 } }
        try store.context.save()
        #expect(store.script.now.rows.last?.values.prefix(2) == [.text("The"), .integer(4)])
    }

    @Test func rowsToTakeOverAreChecked() throws {
        func row(_ identifier: PersistentIdentifier, _ values: [PropertyValue]) -> Result {
            Result(
                remappedIdentifiers: [:],
                snapshotsToReregister: [
                    DefaultSnapshot(persistentIdentifier: identifier, values: values, changed: PropertySet())
                ])
        }
        func expect(_ rule: String, _ rows: Result, _ kind: SwiftDataError = .invalidStoreAnswer) {
            store.script.change {
                $0.save = { _, result in
                    Result(
                        remappedIdentifiers: result.remappedIdentifiers,
                        snapshotsToReregister: rows.snapshotsToReregister)
                }
            }
            self.expect(rule, kind) { try store.add(("Savoy", 5)) }
            store.context.rollback()
        }
        let values: [PropertyValue] = [.text("a"), .integer(1), .null]
        let hotel = ScriptedStore.origin("Hotel").identifier(1)
        expect("entities that the store keeps", row(ScriptedStore.origin("Motel").identifier(1), values))
        expect("permanent", row(Hotel("new", stars: 1).persistentModelID, values))
        expect("no value of String", row(hotel, [.null, .null, .null]), .undecodableValue)
    }
}

private final class Guest: PersistentModel {
    @Relationship var host: Guest?

    static let properties: PropertyMap<Guest> = ["host": \.host]
    let persistentBackingData: BackingData
    init(backingData: BackingData) { persistentBackingData = backingData }

    init() { persistentBackingData = BackingData() }
}
