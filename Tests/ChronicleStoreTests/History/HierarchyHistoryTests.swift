import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// The history of models whose class inherits from another one.
@Suite struct HierarchyHistoryTests {
    private let file: URL

    init() throws { file = try TemporaryDirectory().file("test.store") }

    private func context(_ types: [any PersistentModel.Type]) throws -> ModelContext {
        ModelContext(
            try ModelContainer(
                for: Schema(types),
                configurations: [ModelConfiguration(url: file, durability: .relaxed, preservesValues: true)]))
    }

    private func history(_ context: ModelContext) throws -> [DefaultHistoryTransaction] {
        try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    }

    // MARK: Erasing values

    /// How the values to erase are named.
    enum Erasure: String, CaseIterable {
        case attributeOfSuperclass, attributeOfSubclass, superentity, identifier, identifierOfSuperclass
    }

    @Test(arguments: Erasure.allCases) func valuesOfSubclassesAreErased(_ erasure: Erasure) throws {
        let context = try context(vehicleModels)
        let (taxi, truck) = (Taxi("secret"), Truck("other"))
        let part = VehiclePart("wheel", of: taxi)
        for model in [taxi, truck, part] as [any PersistentModel] { context.insert(model) }
        try context.save()
        let identifier = taxi.persistentModelID
        taxi.name = "public"
        part.vehicle = truck
        try context.save()
        context.delete(taxi)
        try context.save()
        func secrets() throws -> [String] {
            try history(context).flatMap(\.changes).compactMap { change in
                guard change.changedPersistentIdentifier == identifier else { return nil }
                switch change {
                case .insert(let insert): return insert.preservedValues.first { $0.name == "name" }?.value as? String
                case .update(let update):
                    return update.preservedValues.first { $0.name == "name" }?.previousValue as? String
                case .delete(let delete):
                    return (delete as? DefaultHistoryDelete<Taxi>)?.tombstone[\.name]
                }
            }
        }
        #expect(try secrets() == ["secret", "secret", "public"])
        let store = try #require(context.container.stores.first as? DefaultStore)
        switch erasure {
        case .attributeOfSuperclass: try store.erasePreservedValues([\Vehicle.name], of: Vehicle.self)
        case .attributeOfSubclass: try store.erasePreservedValues([\Car.name, \Car.seats], of: Car.self)
        case .superentity: try store.erasePreservedValues(ofEntityNamed: "Vehicle")
        case .identifier: try store.erasePreservedValues(of: [identifier])
        case .identifierOfSuperclass:
            // The relationship of the part has the class Vehicle.
            let updates = try history(context).flatMap(\.changes).compactMap { change in
                if case .update(let update) = change { update } else { nil }
            }
            let values = updates.flatMap(\.preservedValues).filter { $0.name == "vehicle" }
            let reference = try #require(values.first?.previousValue as? PersistentIdentifier)
            #expect(reference == identifier)
            try store.erasePreservedValues(of: [reference])
        }
        #expect(try secrets().isEmpty)
        // The history of a sibling remains, unless all vehicles were named.
        let ofTruck = try history(context)[0].changes.contains {
            if case .insert(let insert) = $0 {
                insert.preservedValues.contains { $0.value as? String == "other" }
            } else {
                false
            }
        }
        #expect(ofTruck == (erasure != .attributeOfSuperclass && erasure != .superentity))
    }

    // MARK: Properties of an earlier version

    @Test func valuesOfAnAttributeThatMovedToASiblingRemain() throws {
        var context = try context([First.Animal.self, First.Cat.self, First.Dog.self])
        let cat = First.Cat("c")
        cat.note = "x"
        context.insert(cat)
        context.insert(First.Dog("d"))
        try context.save()
        cat.note = "y"
        try context.save()
        context.delete(cat)
        try context.save()
        context = try self.context([Second.Animal.self, Second.Cat.self, Second.Dog.self])
        let changes = try history(context).flatMap(\.changes)
        let updates = changes.compactMap { if case .update(let update) = $0 { update } else { nil } }
        #expect(updates.first?.updatedAttributeNames == ["note"])
        let value = try #require(updates.first?.preservedValues.first)
        #expect(value.previousValue as? String == "x" && value.value as? String == "y")
        let deletes = changes.compactMap { if case .delete(let delete) = $0 { delete } else { nil } }
        #expect((deletes.first as? DefaultHistoryDelete<Second.Cat>)?.tombstone["note"] as? String == "y")
        // An attribute that only the sibling ever had is no part of a change.
        let inserts = changes.compactMap { if case .insert(let insert) = $0 { insert } else { nil } }
        let dog = try #require(inserts.first { $0.changedPersistentIdentifier.entityName == "Dog" })
        #expect(!dog.preservedValues.map(\.name).contains(Schema.entityAttribute))
    }

    @Test func aRenameInOneOfTwoSiblingsKeepsTheValues() throws {
        let earlier = try context([Second.Animal.self, Second.Cat.self, Second.Dog.self])
        let dog = Second.Dog("d")
        dog.note = "x"
        earlier.insert(dog)
        earlier.insert(Second.Cat("c"))
        try earlier.save()
        let later = try context([Third.Animal.self, Third.Cat.self, Third.Dog.self])
        #expect(try later.fetch(FetchDescriptor<Third.Dog>()).map(\.text) == ["x"])
        #expect(try later.fetch(FetchDescriptor<Third.Cat>()).map(\.text) == [nil])
    }

    @Test func aRequiredAttributeThatASiblingHadIsAddedToEarlierRows() throws {
        let earlier = try context([Fourth.Animal.self, Fourth.Cat.self, Fourth.Dog.self])
        earlier.insert(Fourth.Cat("c"))
        let (kept, deleted) = (Fourth.Dog("kept"), Fourth.Dog("deleted"))
        earlier.insert(kept)
        earlier.insert(deleted)
        try earlier.save()
        let start = try #require(try history(earlier).last?.token)
        earlier.delete(deleted)
        try earlier.save()
        let later = try context([Fifth.Animal.self, Fifth.Cat.self, Fifth.Dog.self])
        let past = try ModelContext(later.container, asOf: start)
        let names = try past.fetch(FetchDescriptor<Fifth.Dog>(sortBy: [SortDescriptor(\.name)])).map {
            "\($0.name) \($0.note)"
        }
        #expect(names == ["deleted d", "kept d"])
        // Undo of the delete, and then of the insert of all.
        try later.revert(
            try #require(
                try history(later).first { $0.changes.contains { if case .delete = $0 { true } else { false } } }))
        try later.save()
        #expect(try later.fetch(FetchDescriptor<Fifth.Dog>()).map(\.note) == ["d", "d"])
        let plan = try later.revert(try #require(try history(later).first))
        #expect(plan.conflicts.isEmpty)
        try later.save()
        #expect(try later.fetchCount(FetchDescriptor<Fifth.Animal>()) == 0)
    }

    @Test func attributesOfOtherClassesAreNotMissingInThePast() throws {
        let store = try TestStore(.file, [Seventh.Animal.self, Seventh.Cat.self])
        let context = store.context()
        let animal = Seventh.Animal("a")
        context.insert(animal)
        try context.save()
        let token = try #require(try store.history().last?.token)
        context.delete(animal)
        try context.save()
        let past = try ModelContext(store.container, asOf: token)
        #expect(try past.fetch(FetchDescriptor<Seventh.Animal>()).map(\.name) == ["a"])
    }

    @Test func optionsOfOneClassApplyToASharedColumn() throws {
        let store = try TestStore(.file, [Sixth.Animal.self, Sixth.Cat.self, Sixth.Dog.self])
        let context = store.context()
        let dog = Sixth.Dog("d")
        dog.note = "x"
        context.insert(dog)
        try context.save()
        context.delete(dog)
        try context.save()
        let change = try #require(try store.history().last?.changes.first)
        guard case .delete(let delete as DefaultHistoryDelete<Sixth.Dog>) = change else {
            Issue.record("not a delete of a dog")
            return
        }
        #expect(delete.tombstone[\.note] == "x")
    }

    @Test func aBatchInsertCountsTheDestinationsOfSubclasses() throws {
        let store = try TestStore(.file, [Sixth.Animal.self, Sixth.Herd.self])
        #expect(throws: SwiftDataError.unsupportedKeyPath) {
            try store.context().insert(model: Sixth.Animal.self, from: [Sixth.Herd("h")])
        }
        #expect(try store.context().insert(model: Sixth.Animal.self, from: [Sixth.Animal("a")]) == 1)
    }

    // MARK: Classes that a container lacks

    @Test func changesOfAMissingSubclassAreMerged() throws {
        let writer = try context([First.Animal.self, First.Cat.self, First.Dog.self])
        let cat = First.Cat("c")
        writer.insert(cat)
        try writer.save()
        let reader = try context([First.Animal.self])
        let animal = try #require(try reader.fetch(FetchDescriptor<First.Animal>()).first)
        let other = try context([First.Animal.self])
        let theirs = try #require(try other.fetch(FetchDescriptor<First.Animal>()).first)
        theirs.name = "d"
        try other.save()
        try reader.merge(try history(reader))
        #expect(animal.name == "d" && !animal.isDeleted)
        animal.name = "e"
        try reader.save()
        #expect(try other.fetch(FetchDescriptor<First.Animal>()).map(\.name) == ["e"])
    }

    @Test func theHistoryOfAMissingSubclassIsThatOfTheRoot() throws {
        let writer = try context([First.Animal.self, First.Cat.self, First.Dog.self])
        writer.insert(First.Cat("c"))
        try writer.save()
        let context = try context([First.Animal.self])
        let animal = try #require(try context.fetch(FetchDescriptor<First.Animal>()).first)
        let start = try #require(try history(context).last?.token)
        // Export of a snapshot, and of what follows.
        let replica = try ModelContainer(
            for: Schema(First.Animal.self),
            configurations: [ModelConfiguration(isStoredInMemoryOnly: true, preservesValues: true)])
        func export(_ start: HistoryStart<DefaultHistoryToken>) throws -> DefaultHistoryToken {
            var lines: [Data] = []
            let position = try context.container.exportHistory(startingAt: start) { lines.append($0) }
            var next = lines.makeIterator()
            try replica.replayHistory { next.next() }
            return position
        }
        let position = try export(.snapshot)
        animal.name = "d"
        try context.save()
        _ = try export(.token(position))
        #expect(try ModelContext(replica).fetch(FetchDescriptor<First.Animal>()).map(\.name) == ["d"])
        // Net changes, filters and undo.
        let end = try #require(try history(context).last?.token)
        #expect(try context.changes(between: start, and: end).changes(of: First.Animal.self).count == 1)
        let filtered = try context.fetchHistory(
            HistoryDescriptor<DefaultHistoryTransaction>(
                predicate: #Predicate { $0.changes.contains { $0.changedPersistentIdentifier.entityName == "Animal" } })
        )
        #expect(filtered.count == 2)
        try context.revert(try #require(try history(context).last))
        #expect(animal.name == "c")
        try context.save()
    }

    /// A restored row would be one of the root class.
    @Test func deletesOfAMissingSubclassAreConflicts() throws {
        let writer = try context([First.Animal.self, First.Dog.self])
        writer.insert(First.Dog("d"))
        try writer.save()
        let context = try context([First.Animal.self])
        let animal = try #require(try context.fetch(FetchDescriptor<First.Animal>()).first)
        context.delete(animal)
        try context.save()
        var plan = try context.revertPlan(for: try #require(try history(context).last))
        let conflict = try #require(plan.conflicts.first)
        #expect(plan.conflicts.count == 1 && conflict.kind == .unknownEntity)
        #expect(conflict.allowedResolutions == [.skipModel])
        let delete = try #require(try history(context).last)
        #expect(throws: SwiftDataError.revertConflict) { try context.revert(delete) }
        #expect(plan.resolve(conflict, with: .skipModel) && plan.unresolvedConflicts.isEmpty)
        // The row returns by a program that has the class, or by taking back the insert as well.
        try writer.revert(try #require(try history(writer).last))
        try writer.save()
        #expect(try writer.fetch(FetchDescriptor<First.Dog>()).map(\.name) == ["d"])
        try context.revert(try #require(try history(context).first))
        try context.save()
        #expect(try writer.fetchCount(FetchDescriptor<First.Animal>()) == 0)
    }

    // MARK: Consumers

    @Test(arguments: [0, 3]) func renamesRestartSnapshots(_ read: Int) throws {
        let context = try context([Early.Trip.self])
        for number in 0..<6 { context.insert(Early.Trip("\(number)")) }
        try context.save()
        func consumer(_ context: ModelContext) throws -> Consumer {
            try context.container.historyConsumer(named: "reader", startingNewAt: .snapshot)
        }
        let earlier = try consumer(context)
        #expect(try earlier.take() == ["reset: requested"])
        if read > 0 { _ = try earlier.take(limit: read) }
        let delivered = try #require(try earlier.nextBatch(limit: 1))
        let later = try self.context([Late.Journey.self])
        // Acknowledging a batch that was delivered before does not change that.
        try earlier.acknowledge(delivered)
        earlier.release()
        let consumer = try consumer(later)
        #expect(try consumer.take() == ["reset: requested"])
        #expect(try consumer.take() == (1...6).map { "model Journey/\($0)" })
        #expect(try consumer.take() == nil)
    }
}

private enum First {
    @Model fileprivate class Animal {
        var name: String
        init(_ name: String) { self.name = name }
    }
    @Model fileprivate final class Cat: Animal { var note: String? }
    @Model fileprivate final class Dog: Animal {}
}

private enum Second {
    @Model fileprivate class Animal {
        var name: String
        init(_ name: String) { self.name = name }
    }
    @Model fileprivate final class Cat: Animal {}
    @Model fileprivate final class Dog: Animal { var note: String? }
}

private enum Third {
    @Model fileprivate class Animal {
        var name: String
        init(_ name: String) { self.name = name }
    }
    @Model fileprivate final class Cat: Animal { var text: String? }
    @Model fileprivate final class Dog: Animal { @Attribute(originalName: "note") var text: String? }
}

private enum Early {
    @Model fileprivate final class Trip {
        var name: String
        init(_ name: String) { self.name = name }
    }
}

private enum Late {
    @Model(originalName: "Trip") fileprivate final class Journey {
        var name: String
        init(_ name: String) { self.name = name }
    }
}

private enum Fourth {
    @Model fileprivate class Animal {
        var name: String
        init(_ name: String) { self.name = name }
    }
    @Model fileprivate final class Cat: Animal { var note = "c" }
    @Model fileprivate final class Dog: Animal {}
}

private enum Fifth {
    @Model fileprivate class Animal {
        var name: String
        init(_ name: String) { self.name = name }
    }
    @Model fileprivate final class Cat: Animal { var note = "c" }
    @Model fileprivate final class Dog: Animal { var note = "d" }
}

private enum Sixth {
    @Model fileprivate class Animal {
        var name: String
        init(_ name: String) { self.name = name }
    }
    @Model fileprivate final class Cat: Animal { var note: String? }
    @Model fileprivate final class Dog: Animal { @Attribute(.preserveValueOnDeletion) var note: String? }
    @Model fileprivate final class Herd: Animal { @Relationship(minimumModelCount: 1) var others: [Animal] = [] }
}

private enum Seventh {
    @Model fileprivate class Animal {
        @Attribute(.preserveValueOnDeletion) var name: String
        init(_ name: String) { self.name = name }
    }
    @Model fileprivate final class Cat: Animal { var note: String? }
}
