public import Chronicle
import Foundation

extension StoreRule {
    /// Rules about models that inherit from models. They are skipped without the capability `inheritance`.
    public static var inheritance: [StoreRule] { [subclassFetches, subclassBatches] }

    static func inheritanceRule(
        _ name: String, needs: StoreFeatures = [], _ check: @escaping (StoreHarness<Store>) throws -> Void
    ) -> StoreRule {
        StoreRule(name, needs: needs) { harness in
            try check(harness.another(with: [Vessel.self, Ferry.self, TrainFerry.self, Yacht.self]))
        }
        .requiring(.inheritance, "inheritance")
    }

    static func insertVessels(_ harness: StoreHarness<Store>) throws {
        let context = harness.context()
        let (ferry, train) = (Ferry("ferry"), TrainFerry("train"))
        (ferry.decks, train.tracks) = (3, 4)
        for vessel in [Vessel("raft"), ferry, train, Yacht("yacht")] { context.insert(vessel) }
        try context.save()
    }

    static var subclassFetches: StoreRule {
        inheritanceRule("a fetch of a class returns the models of its subclasses") { harness in
            try insertVessels(harness)
            func expectFetch<Model: Vessel>(
                _ predicate: Predicate<Model>? = nil, _ expected: String..., of what: String
            ) throws {
                let context = harness.context()
                let descriptor = FetchDescriptor(predicate: predicate)
                let found = try context.fetch(descriptor).map { "\(type(of: $0)) \($0.name)" }.sorted()
                try expect(found, is: expected, what)
                try expect(context.fetchCount(descriptor), is: expected.count, "the number of \(what)")
                try expect(
                    context.fetchIdentifiers(descriptor).map(\.entityName).sorted(),
                    is: expected.map { String($0.prefix { $0 != " " }) }, "the entities of \(what)")
            }
            try expectFetch(
                nil as Predicate<Vessel>?, "Ferry ferry", "TrainFerry train", "Vessel raft", "Yacht yacht",
                of: "all models")
            try expectFetch(nil as Predicate<Ferry>?, "Ferry ferry", "TrainFerry train", of: "the models of a subclass")
            try expectFetch(nil as Predicate<Yacht>?, "Yacht yacht", of: "the models of a class without subclasses")
            try expectFetch(
                #Predicate<Vessel> { $0 is Ferry }, "Ferry ferry", "TrainFerry train",
                of: "the models that are of a subclass")
            try expectFetch(
                #Predicate<Vessel> { ($0 as? Ferry)?.decks == 3 }, "Ferry ferry",
                of: "the models with a value of a subclass")
            try expectFetch(
                #Predicate<TrainFerry> { $0.name == "train" && $0.tracks == 4 }, "TrainFerry train",
                of: "the models with inherited values")
        }
    }

    static var subclassBatches: StoreRule {
        inheritanceRule("a batch delete includes subclasses, unless they are excluded", needs: .deletes) { harness in
            try insertVessels(harness)
            let context = harness.context()
            try context.delete(model: Ferry.self, includeSubclasses: false)
            try context.delete(model: Yacht.self)
            let rest = try harness.context().fetch(FetchDescriptor<Vessel>()).map(\.name).sorted()
            try expect(rest, is: ["raft", "train"], "the models that remain")
            try context.delete(model: Vessel.self)
            try expect(
                harness.context().fetchCount(FetchDescriptor<Vessel>()), is: 0,
                "the number of models after deleting all")
        }
    }
}

extension StoreRule where Store: HistoryProviding {
    /// Rules about the history of models that inherit from models.
    public static var subclassHistory: [StoreRule] { [subclassChanges] }

    static var subclassChanges: StoreRule {
        inheritanceRule("a change in the history is of the model's own class") { harness in
            try insertVessels(harness)
            let changes = try harness.history().flatMap(\.changes).map(\.changedPersistentIdentifier)
            try expect(
                changes.map(\.entityName).sorted(), is: ["Ferry", "TrainFerry", "Vessel", "Yacht"],
                "the entities of the changes")
            let fetched = try harness.context().fetchIdentifiers(FetchDescriptor<Vessel>())
            try expect(Set(changes), is: Set(fetched), "the models of the changes")
        }
    }
}
