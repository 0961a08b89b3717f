import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Revisions of random histories, compared with the models that were fetched after each transaction, and with the changes.
@Suite struct RandomRevisionTests {
    private typealias Snapshot = [PersistentIdentifier: String]

    @Test(arguments: StoreKind.allCases, ModelConfiguration.Recorder.allCases)
    func revisionsAreTheStatesThatWereKept(_ kind: StoreKind, _ recorder: ModelConfiguration.Recorder) throws {
        let container = try TestStore(kind, RandomJourneys.types, preservesValues: true, recorder: recorder).container
        let store = try #require(container.stores.first as? DefaultStore)
        var random = TestSeed.generator(recorder == .automatic ? 0 : 1)
        var writer = RandomJourneys(container, store, random)
        var kept: [(token: DefaultHistoryToken, snapshot: Snapshot)] = []
        for _ in 0..<60 {
            let context = ModelContext(container)
            kept.append((try context.currentHistoryToken(), try snapshot(context)))
            try writer.step()
        }
        let context = ModelContext(container)
        kept.append((try context.currentHistoryToken(), try snapshot(context)))
        for isIndexed in [false, true] {
            try store.setHistoryIndexedByModel(isIndexed)
            try expect(kept, context, store, &random)
        }
    }

    private func expect(
        _ kept: [(token: DefaultHistoryToken, snapshot: Snapshot)], _ context: ModelContext, _ store: DefaultStore,
        _ random: inout SplitMix
    ) throws {
        let all = try context.fetchRevisions(RevisionDescriptor<Journey>())
        let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        let positions = Set(transactions.map(\.transactionIdentifier))
        func position(_ token: DefaultHistoryToken) -> Int64 {
            let position = token.position(in: store.identifier) ?? 0
            // The changes of another program had no header yet.
            return position == 0 || positions.contains(position) ? position : position + 1
        }
        // Changes of other programs that follow each other without a header became one transaction.
        let kept = kept.filter { positions.union([0]).contains(position($0.token)) }
        #expect(kept.count > 30)
        for (index, (token, snapshot)) in kept.enumerated() {
            let place = position(token)
            let current = all.filter { revision in
                position(revision.begin) <= place && revision.end.map { position($0) > place } ?? true
            }
            #expect(current.count == snapshot.count, "position \(index), \(TestSeed.description)")
            for revision in current {
                let text = try Self.text(revision)
                #expect(text == snapshot[revision.persistentModelID], "position \(index), \(TestSeed.description)")
            }
            // The same revisions with the bounds, of which the upper one is exclusive.
            var bounded = RevisionDescriptor<Journey>()
            bounded.lowerBound = token
            let later = all.filter { $0.end.map { position($0) > place } ?? true }
            if index % 7 == 0 { #expect(try context.fetchRevisions(bounded).map(\.id) == later.map(\.id)) }
            if index % 7 == 1, index > 1 {
                let range = kept[index / 2].token..<token
                let lower = position(range.lowerBound)
                let within = all.filter { revision in
                    position(revision.begin) < place && revision.end.map { position($0) > lower } ?? true
                }
                #expect(try context.fetchRevisions(.init(during: range)).map(\.id) == within.map(\.id))
            }
        }
        expectTransactions(all, transactions)
        try expectConditions(all, context)
        try expectModels(all, context, &random)
    }

    /// Each transaction that leaves a changed model begins one revision.
    private func expectTransactions(_ all: [Revision<Journey>], _ transactions: [DefaultHistoryTransaction]) {
        var expected: Set<String> = []
        for transaction in transactions {
            var last: [PersistentIdentifier: HistoryChange] = [:]
            var inserted: Set<PersistentIdentifier> = []
            for change in transaction.changes where change.changedPersistentIdentifier.rootEntityName == "Journey" {
                let model = change.changedPersistentIdentifier
                if last[model] == nil, case .insert = change { inserted.insert(model) }
                last[model] = change
            }
            for (model, change) in last {
                if case .delete = change { continue }
                expected.insert("\(transaction.transactionIdentifier) \(model) \(inserted.contains(model))")
            }
        }
        let found = all.map { revision in
            "\(revision.transaction?.transactionIdentifier ?? 0) \(revision.persistentModelID) "
                + "\(revision.changeKind == .insert)"
        }
        #expect(Set(found) == expected && found.count == expected.count, "\(TestSeed.description)")
        #expect(all.map(\.begin) == all.map(\.begin).sorted())
    }

    private func expectConditions(_ all: [Revision<Journey>], _ context: ModelContext) throws {
        let oslo = "Oslo"
        try expect("rating", all, context, #Predicate { $0.rating == 3 }) { try $0[\.rating] == 3 }
        try expect("note", all, context, #Predicate { $0.note == nil }) { try $0[\.note] == nil }
        try expect("title", all, context, #Predicate { $0.title.contains("1") || $0.score < 0 }) {
            try $0[\.title].contains("1") || $0[\.score] < 0
        }
        try expect("price", all, context, #Predicate { $0.price > 2 && $0.rating != 1 }) {
            try $0[\.price] > 2 && $0[\.rating] != 1
        }
        try expect("place", all, context, #Predicate { $0.place?.city == oslo }) { try $0[\.place]?.city == oslo }
        try expect("guided", all, context, #Predicate { $0 is GuidedJourney }) {
            $0.persistentModelID.entityName == "GuidedJourney"
        }
        if let traveler = try all.compactMap({ try $0.destination(of: \.traveler) }).first {
            try expect("traveler", all, context, #Predicate { $0.traveler?.persistentModelID == traveler }) {
                try $0.destination(of: \.traveler) == traveler
            }
        }
        try expect("author", all, context, nil, #Predicate { $0.author == "writer 1" }) {
            $0.transaction?.author == "writer 1"
        }
        try expect("external", all, context, #Predicate { $0.rating < 4 }, #Predicate { $0.isExternal }) {
            try $0.transaction?.isExternal == true && $0[\.rating] < 4
        }
        let guided = try context.fetchRevisions(
            RevisionDescriptor<GuidedJourney>(predicate: #Predicate { $0.guide > "g1" }))
        #expect(try guided.allSatisfy { try $0[\.guide] > "g1" })
        let sorted = try context.fetchRevisions(
            RevisionDescriptor<Journey>(
                sortBy: [SortDescriptor(\.title, comparator: .lexical, order: .reverse)], fetchLimit: 9,
                fetchOffset: 2))
        let titles = try all.map { try $0[\.title] }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.reversed()
        #expect(try sorted.map { try $0[\.title] } == Array(titles.dropFirst(2).prefix(9)))
    }

    private func expect(
        _ name: Comment, _ all: [Revision<Journey>], _ context: ModelContext, _ predicate: Predicate<Journey>?,
        _ transactions: Predicate<DefaultHistoryTransaction>? = nil, _ condition: (Revision<Journey>) throws -> Bool
    ) throws {
        var descriptor = RevisionDescriptor(predicate: predicate, transactions: transactions)
        let expected = try all.filter(condition)
        #expect(try context.fetchRevisions(descriptor).map(\.id) == expected.map(\.id), name)
        #expect(try context.fetchRevisionsCount(descriptor) == expected.count, name)
        (descriptor.order, descriptor.fetchLimit, descriptor.fetchOffset) = (.reverse, 5, 1)
        let newest = try context.fetchRevisions(descriptor)
        #expect(newest.map(\.begin) == Array(expected.map(\.begin).reversed().dropFirst().prefix(5)), name)
        #expect(try context.fetchRevisionsCount(descriptor) == newest.count, name)
    }

    private func expectModels(
        _ all: [Revision<Journey>], _ context: ModelContext, _ random: inout SplitMix
    ) throws {
        let identifiers = Set(all.map(\.persistentModelID))
        for identifier in identifiers.prefix(6) {
            let found = try context.fetchRevisions(RevisionDescriptor<Journey>(of: [identifier]))
            #expect(found.map(\.id) == all.filter { $0.persistentModelID == identifier }.map(\.id))
        }
        let some = Set(identifiers.prefix(4))
        #expect(
            try context.fetchRevisionsCount(RevisionDescriptor<Journey>(of: some))
                == all.count { some.contains($0.persistentModelID) })
        for _ in 0..<5 where !all.isEmpty {
            let revision = random.pick(all)
            #expect(try Self.text(revision.model()) == Self.text(revision))
        }
        var changed = RevisionDescriptor<Journey>()
        changed.changedProperties = [\.rating]
        for revision in try context.fetchRevisions(changed) where revision.changeKind == .update {
            let changes = try context.history(of: revision.persistentModelID, attributeNamed: "rating")
            #expect(changes.contains { $0.transaction.token == revision.begin })
        }
    }

    // MARK: Texts

    private func snapshot(_ context: ModelContext) throws -> Snapshot {
        var snapshot: Snapshot = [:]
        for journey in try context.fetch(FetchDescriptor<Journey>()) {
            snapshot[journey.persistentModelID] = Self.text(journey)
        }
        return snapshot
    }

    private static func text(_ journey: Journey) -> String {
        text(
            journey.code, journey.title, journey.rating, journey.score, journey.note, journey.price, journey.start,
            journey.place, journey.traveler?.persistentModelID)
    }

    private static func text(_ revision: Revision<Journey>) throws -> String {
        try text(
            revision[\.code], revision[\.title], revision[\.rating], revision[\.score], revision[\.note],
            revision[\.price], revision[\.start], revision[\.place], revision.destination(of: \.traveler))
    }

    private static func text(
        _ code: String, _ title: String, _ rating: Int, _ score: Double, _ note: String?, _ price: Decimal,
        _ start: Date?, _ place: Spot?, _ traveler: PersistentIdentifier?
    ) -> String {
        let optional: [(any CustomStringConvertible)?] = [
            note, start?.timeIntervalSinceReferenceDate, place.map { "\($0.city) \($0.floor)" }, traveler,
        ]
        return "\(code)|\(title)|\(rating)|\(score)|\(price)|"
            + optional.map { $0?.description ?? "-" }.joined(separator: "|")
    }
}
