public import Chronicle
import Foundation

extension StoreRule {
    /// Rules about relationships in link tables, to which several contexts may add and remove links at the same time.
    public static var links: [StoreRule] {
        [
            linksFromBothSides, linksWithoutInverse, linkedFriends, linkPredicates, linksByDifference, unlinking,
            linksOfFailedSaves, linksToDeletedRows,
        ]
    }

    static func linkRule(
        _ name: String, needs: StoreFeatures = [], _ check: @escaping (StoreHarness<Store>) throws -> Void
    ) -> StoreRule {
        StoreRule(name, needs: needs.union(.links)) { harness in
            try check(harness.another(with: [Reader.self, Club.self]))
        }
    }

    static var linksFromBothSides: StoreRule {
        linkRule("links can be read from both sides") { harness in
            let context = harness.context()
            let (north, south) = (Club("north"), Club("south"))
            for reader in [Reader("Ann", in: [north, south]), Reader("Bob", in: [south]), Reader("Cid")] {
                context.insert(reader)
            }
            try context.save()
            try expectClubs(["Ann": ["north", "south"], "Bob": ["south"], "Cid": []], harness)
        }
    }

    static var linksWithoutInverse: StoreRule {
        linkRule("a model may belong to several lists without an inverse") { harness in
            let context = harness.context()
            let books = try context.add("a", "b", "c")
            let (ann, bob) = (Reader("Ann"), Reader("Bob"))
            ann.wishes = [books[1], books[0]]
            bob.wishes = [books[1], books[2]]
            for reader in [ann, bob] { context.insert(reader) }
            try context.save()
            let reader = harness.context()
            try expect(reader.reader("Ann").wishes.map(\.title).sorted(), is: ["a", "b"], "the wishes of Ann")
            try expect(reader.reader("Bob").wishes.map(\.title).sorted(), is: ["b", "c"], "the wishes of Bob")
        }
    }

    static var linkedFriends: StoreRule {
        linkRule("a relationship that is its own inverse is symmetric") { harness in
            let context = harness.context()
            let (ann, bob, cid) = (Reader("Ann"), Reader("Bob"), Reader("Cid"))
            ann.friends = [bob, cid]
            bob.friends = [bob]
            context.insert(ann)
            try context.save()
            let reader = harness.context()
            try expect(reader.reader("Ann").friends.map(\.name).sorted(), is: ["Bob", "Cid"], "the friends of Ann")
            try expect(reader.reader("Bob").friends.map(\.name).sorted(), is: ["Ann", "Bob"], "the friends of Bob")
            try expect(reader.reader("Cid").friends.map(\.name), is: ["Ann"], "the friends of Cid")
        }
    }

    static var linkPredicates: StoreRule {
        linkRule("predicates follow links, including empty lists") { harness in
            let context = harness.context()
            let (north, south, empty) = (Club("north"), Club("south"), Club("empty"))
            let (ann, bob) = (Reader("Ann", in: [north, south]), Reader("Bob", in: [south]))
            bob.friends = [ann]
            for model in [ann, bob, Reader("Cid")] { context.insert(model) }
            context.insert(empty)
            try context.save()
            try harness.expectAgreement([
                PredicateCase("in no club", #Predicate<Reader> { $0.clubs.isEmpty }),
                PredicateCase("in two clubs", #Predicate<Reader> { $0.clubs.count == 2 }),
                PredicateCase("in the north", #Predicate<Reader> { $0.clubs.contains { $0.name == "north" } }),
                PredicateCase("not in the north", #Predicate<Reader> { !$0.clubs.contains { $0.name == "north" } }),
                PredicateCase(
                    "friends in the north", #Predicate<Reader> { $0.friends.contains { $0.clubs.count == 2 } }),
                PredicateCase("no wishes", #Predicate<Reader> { $0.wishes.isEmpty }),
            ])
            try harness.expectAgreement([
                PredicateCase("without readers", #Predicate<Club> { $0.readers.isEmpty }),
                PredicateCase("with Bob", #Predicate<Club> { $0.readers.contains { $0.name == "Bob" } }),
                PredicateCase("friends only", #Predicate<Club> { $0.readers.allSatisfy { !$0.friends.isEmpty } }),
            ])
        }
    }

    static var linksByDifference: StoreRule {
        linkRule("links that two contexts add to one model are all kept, without duplicates") { harness in
            let context = harness.context()
            for name in ["north", "south", "west"] { context.insert(Club(name)) }
            context.insert(Reader("Ann"))
            try context.save()
            let (first, second) = (harness.context(), harness.context())
            let (one, other) = (try first.reader("Ann"), try second.reader("Ann"))
            try expect(one.clubs.count + other.clubs.count, is: 0, "the clubs of a reader without clubs")
            one.clubs = [try first.club("north"), try first.club("west")]
            other.clubs = [try second.club("south"), try second.club("west")]
            try first.save()
            try second.save()
            try expectClubs(["Ann": ["north", "south", "west"]], harness)
        }
    }

    static var unlinking: StoreRule {
        linkRule("links can be removed from both sides and are deleted with their models", needs: [.deletes]) {
            harness in
            let context = harness.context()
            let clubs = ["north", "south", "west"].map { Club($0) }
            let readers = [Reader("Ann", in: clubs), Reader("Bob", in: clubs)]
            readers[0].friends = [readers[1]]
            for reader in readers { context.insert(reader) }
            try context.save()
            readers[0].clubs.removeFirst()
            clubs[1].readers.removeAll()
            try context.save()
            try expectClubs(["Ann": ["west"], "Bob": ["north", "west"]], harness)
            let other = harness.context()
            other.delete(try other.reader("Bob"))
            other.delete(try other.club("west"))
            try other.save()
            try expectClubs(["Ann": []], harness)
            try expect(
                harness.context().reader("Ann").friends.count, is: 0, "the friends after the only friend was deleted")
            try expect(
                harness.context().club("north").readers.count, is: 0, "the readers after the only reader was deleted")
        }
    }

    static var linksOfFailedSaves: StoreRule {
        linkRule("a save that fails adds and removes no links", needs: [.updates, .uniqueness]) { harness in
            let context = harness.context()
            let clubs = ["north", "south"].map { Club($0) }
            for club in clubs { context.insert(club) }
            let ann = Reader("Ann", in: [clubs[0]])
            context.insert(ann)
            try context.save()
            ann.clubs = [clubs[1]]
            context.insert(Reader("Ann"))
            context.mergePolicy = .error
            try expect(.uniquenessViolation, of: "a save of two readers with the same name") { try context.save() }
            try expectClubs(["Ann": ["north"]], harness)
        }
    }

    static var linksToDeletedRows: StoreRule {
        linkRule("a save of a link to a deleted row writes nothing", needs: [.deletes]) { harness in
            let context = harness.context()
            let (club, ann) = (Club("north"), Reader("Ann"))
            context.insert(club)
            context.insert(ann)
            try context.save()
            let other = harness.context()
            other.delete(try other.club("north"))
            try other.save()
            ann.clubs = [club]
            context.insert(Stamp("new"))
            try expect(.modelValidationFailure, of: "a save of a link to a club that another context deleted") {
                try context.save()
            }
            let stamps = try harness.context().fetchCount(FetchDescriptor<Stamp>())
            try expect(stamps, is: 0, "the number of stamps after a failed save")
        }
    }

    /// Checks the clubs of each reader, and the readers of each club.
    private static func expectClubs(_ expected: [String: [String]], _ harness: StoreHarness<Store>) throws {
        let context = harness.context()
        for (name, clubs) in expected {
            try expect(context.reader(name).clubs.map(\.name).sorted(), is: clubs, "the clubs of \(name)")
        }
        // A second context, so that no relationship is already loaded from the other side.
        let other = harness.context()
        for club in try other.fetch(FetchDescriptor<Club>()) {
            let readers = expected.filter { $0.value.contains(club.name) }.keys.sorted()
            try expect(club.readers.map(\.name).sorted(), is: readers, "the readers of \(club.name)")
        }
    }
}

extension StoreRule where Store: HistoryProviding {
    /// Rules about links in the history.
    public static var linkChanges: [StoreRule] { [linksAreUpdates, linksWithoutUpdates] }

    static var linksAreUpdates: StoreRule {
        linkRule("adding or removing a link is recorded as an update of both models", needs: [.updateHistory]) {
            harness in
            let context = harness.context()
            let (north, south) = (Club("north"), Club("south"))
            let ann = Reader("Ann", in: [north])
            context.insert(ann)
            context.insert(south)
            try context.save()
            let book = try context.add("a")[0]
            ann.clubs = [south]
            ann.wishes = [book]
            try context.save()
            let changes = try require(harness.history().last, "a transaction for a save").changes
            var names: [PersistentIdentifier: Set<String>] = [:]
            for change in changes {
                guard case .update(let update) = change else {
                    throw ConformanceFailure("updates, found \(change.line)")
                }
                let properties = harness.container.schema.entitiesByName[update.changedPersistentIdentifier.entityName]
                let changed =
                    properties?.properties.filter { property in
                        property.keyPath.map(update.names.contains) == true
                    }.map(\.name) ?? []
                names[update.changedPersistentIdentifier, default: []].formUnion(changed)
            }
            let expected = [
                ann.persistentModelID: ["clubs", "wishes"], north.persistentModelID: ["readers"],
                south.persistentModelID: ["readers"],
            ].mapValues { Set($0) }
            try expect(names == expected, "the updates \(expected), found \(names)")
        }
    }

    static var linksWithoutUpdates: StoreRule {
        linkRule(
            "links of inserted models and links that already exist are not recorded as updates",
            needs: [.updateHistory]
        ) { harness in
            let context = harness.context()
            let (club, ann) = (Club("north"), Reader("Ann"))
            context.insert(ann)
            try context.save()
            let other = harness.context()
            let same = try other.reader("Ann")
            try expect(same.clubs.count, is: 0, "the clubs of a new reader")
            context.insert(Reader("Bob", in: [club]))
            try context.save()
            let changes = try require(harness.history().last, "a transaction for a save").changes
            try expect(changes.allSatisfy { if case .insert = $0 { true } else { false } }, "inserts only")
            ann.clubs = [club]
            try context.save()
            let count = try harness.history().count
            same.clubs = [try other.club("north")]
            try other.save()
            try expect(
                harness.history().count, is: count, "the number of transactions after a save of an existing link")
        }
    }
}

extension HistoryUpdate {
    fileprivate var names: [AnyKeyPath] { updatedAttributes }
}
