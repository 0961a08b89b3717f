import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Preserved values that cannot be converted to the types of their properties do not block readers.
@Suite struct UndecodableValueTests {
    @Test(arguments: StoreKind.allCases)
    func tombstonesContainUndecodableValues(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let context = store.context(author: "app")
        let trips = try store.add("a", "b", in: context)
        context.delete(trips[1])
        try context.save()
        try store.add("c", in: context)
        // Row 5 is the delete, with the name as its first value.
        try store.foreign("UPDATE chronicle_change SET old_value = x'01' WHERE id = 5")
        let history = try store.history()
        #expect(history.count == 4)
        guard case .delete(let delete as DefaultHistoryDelete<Trip>) = history[2].changes.first else {
            Issue.record("not a delete")
            return
        }
        #expect(delete.tombstone.attributeNames == ["name", "startDate", "endDate"])
        #expect(delete.tombstone[\.name] as String? == nil)
        #expect(delete.tombstone[\.startDate] != nil)
        let value = try #require(delete.tombstone["name"] as? UndecodableValue)
        #expect(delete.tombstone[\.name as PartialKeyPath] is UndecodableValue)
        #expect(value.error == .undecodableValue)
        #expect(value.error.entityName == "Trip" && value.propertyName == "name")
        #expect(value.error.persistentIdentifier == delete.changedPersistentIdentifier)
        #expect(value.storedValue == .blob(Data([1])))
        #expect(delete.tombstone.undecodableValues.map(\.propertyName) == ["name"])
        // A value that was not preserved is not an element of the tombstone.
        #expect(delete.tombstone["note"] == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func updatesAndInsertsContainUndecodableValues(_ kind: StoreKind) throws {
        let store = try TestStore(kind, preservesValues: true)
        let context = store.context()
        let trip = try store.add("a", in: context)[0]
        trip.name = "b"
        try context.save()
        let insert = try #require(try context.inserts(Trip.self).first)
        #expect(insert.undecodableValues.isEmpty && insert.value(\.name) == "a")
        try store.foreign(
            """
            UPDATE chronicle_change SET old_value = 1.5 WHERE typeof(old_value) = 'text' AND old_value = 'a';
            UPDATE chronicle_change SET new_value = 7 WHERE typeof(new_value) = 'text' AND new_value = 'a';
            """)
        let damaged = try #require(try context.inserts(Trip.self).first)
        #expect(damaged.value(\.name) == nil)
        #expect(damaged.undecodableValues.map(\.storedValue) == [.integer(7)])
        let update = try #require(try context.updates(Trip.self).first)
        #expect(update.previousValue(\.name) == nil && update.value(\.name) == "b")
        let previous = try #require(update.previousValue(named: "name"))
        #expect((previous as? UndecodableValue)?.storedValue == .real(1.5))
        #expect(update.undecodableValues.map(\.propertyName) == ["name"])
        // Not changed: there is no value. Changed to nil: the value is nil.
        #expect(update.previousValue(named: "note") == nil)
        #expect(damaged.value(\.note) == .some(nil))
    }

    @Test func descriptionsContainNoValues() throws {
        let error = SwiftDataError.undecodableValue.with(entityName: "Trip", propertyName: "name")
        let value = UndecodableValue(.text("secret"), error)
        var dumped = ""
        dump(value, to: &dumped)
        for text in ["\(value)", String(reflecting: value), dumped] {
            #expect(text.contains("undecodableValue") && !text.contains("secret"))
        }
    }
}
