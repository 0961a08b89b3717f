import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// The history of models together with others, in random histories, compared with the relationships after each transaction.
@Suite struct RandomAggregateTests {
    private typealias Kept = [(token: DefaultHistoryToken, snapshot: RelationshipSnapshot)]

    @Test(arguments: StoreKind.allCases, ModelConfiguration.Recorder.allCases)
    func changesOfSeveralWriters(_ kind: StoreKind, _ recorder: ModelConfiguration.Recorder) throws {
        let container = try TestStore(kind, RandomJourneys.types, preservesValues: true, recorder: recorder).container
        let store = try #require(container.stores.first as? DefaultStore)
        var random = TestSeed.generator(recorder == .automatic ? 10 : 11)
        var writer = RandomJourneys(container, store, random)
        let kept = try steps(60, container) { try writer.step() }
        try expect(container, kept, &random)
    }

    /// With lists without an inverse, sets, and references of two models to each other.
    @Test(arguments: StoreKind.allCases, ModelConfiguration.Recorder.allCases)
    func changesOfLists(_ kind: StoreKind, _ recorder: ModelConfiguration.Recorder) throws {
        let container = try TestStore(kind, StoreContent.types, preservesValues: true, recorder: recorder).container
        var edits = RandomEdits(recorder == .automatic ? 12 : 13)
        var random = TestSeed.generator(14)
        let kept = try steps(60, container) { try edits.save(ModelContext(container)) }
        try expect(container, kept, &random)
    }

    private func steps(_ count: Int, _ container: ModelContainer, _ step: () throws -> Void) throws -> Kept {
        var kept: Kept = []
        for index in 0...count {
            let context = ModelContext(container)
            kept.append((try context.currentHistoryToken(), try RelationshipSnapshot(context)))
            if index < count { try step() }
        }
        return kept
    }

    private func expect(_ container: ModelContainer, _ kept: Kept, _ random: inout SplitMix) throws {
        let reference = try AggregateReference(container, kept)
        let context = ModelContext(container)
        var counts = (parts: 0, blamed: 0)
        for root in reference.oldest.prefix(12) {
            let known = RelationshipSnapshot.paths[root.rootEntityName] ?? []
            let paths = known.shuffled(using: &random).prefix(1 + random.below(4)).map { $0 }
            let expected = reference.lines(of: root, paths)
            let entries = try context.history(of: root, including: paths)
            #expect(entries.map(\.line) == expected.map(\.line), "\(root) \(paths), \(TestSeed.description)")
            counts.parts += entries.count { $0.change.changedPersistentIdentifier != root }
            let reversed = try context.history(of: root, including: paths, order: .reverse)
            #expect(reversed.map(\.line) == entries.map(\.line).reversed())
            try expectPositions(root, paths, expected, reference, container, &random)
            try expectBlame(root, paths, reference, context, &counts.blamed)
        }
        #expect(counts.parts > 0 && counts.blamed > 0, "\(counts), \(TestSeed.description)")
    }

    /// The list begins and ends at random transactions.
    private func expectPositions(
        _ root: PersistentIdentifier, _ paths: [String],
        _ expected: [(transaction: Int, line: AggregateReference.Line)],
        _ reference: AggregateReference, _ container: ModelContainer, _ random: inout SplitMix
    ) throws {
        let (first, last) = (random.below(reference.transactions.count), random.below(reference.transactions.count))
        let lower = reference.transactions[first].token
        let later = try ModelContext(container).history(of: root, including: paths, after: lower)
        #expect(
            later.map(\.line) == expected.filter { $0.transaction > first }.map(\.line),
            "\(root) \(paths) after \(first), \(TestSeed.description)")
        let past = try ModelContext(container, asOf: reference.transactions[last])
        #expect(
            try past.history(of: root, including: paths).map(\.line)
                == expected.filter { $0.transaction <= last }.map(\.line),
            "\(root) \(paths) as of \(last), \(TestSeed.description)")
        #expect(
            try past.history(of: root, including: paths, after: lower).map(\.line)
                == expected.filter { $0.transaction > first && $0.transaction <= last }.map(\.line),
            "\(root) \(paths) between \(first) and \(last), \(TestSeed.description)")
        if reference.contains(root, after: last) {
            let blamed = try past.blame(of: root, including: paths)
            #expect(Set(blamed.map(\.model)) == reference.models(of: root, paths, after: last))
        }
    }

    private func expectBlame(
        _ root: PersistentIdentifier, _ paths: [String], _ reference: AggregateReference, _ context: ModelContext,
        _ count: inout Int
    ) throws {
        let last = reference.transactions.count - 1
        guard reference.contains(root, after: last) else {
            #expect(throws: SwiftDataError.modelNotFound) { try context.blame(of: root, including: paths) }
            return
        }
        let blames = try context.blame(of: root, including: paths)
        #expect(blames.first?.model == root)
        #expect(Set(blames.map(\.model)) == reference.models(of: root, paths, after: last))
        #expect(Set(blames.map(\.model)).count == blames.count)
        for blame in blames {
            let own: ModelBlame<UntypedModel, DefaultHistoryTransaction> = try context.blame(of: blame.model)
            #expect(blame.attributeNames == own.attributeNames)
            for name in own.attributeNames {
                #expect(
                    blame[name]?.transactionIdentifier == own[name]?.transactionIdentifier,
                    "\(blame.model) \(name), \(TestSeed.description)")
            }
            count += 1
        }
    }
}
