import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// A file with a random history across versions of its schema, and the states that were read after each transaction.
struct PoemHistory {
    var random: SplitMix
    private let directory: TemporaryDirectory
    private let file: URL
    private var kept = KeptStates<StoreContent>()
    /// The number of the next change, so that values differ.
    private var number = 0
    /// What was tested, because a random history may have only conflicts.
    private(set) var appliedReverts = 0, refusedReverts = 0

    init(_ random: SplitMix) throws {
        self.random = random
        directory = try TemporaryDirectory()
        file = directory.file("poems.store")
    }

    private func container(_ version: any AnyPoem.Type) throws -> ModelContainer {
        try ModelContainer(
            for: Schema(version.models),
            configurations: [ModelConfiguration(url: file, durability: .relaxed, preservesValues: true)])
    }

    // MARK: Transactions

    /// Opens the file with a version of the schema, commits transactions, and reverts some.
    mutating func write<Poem: AnyPoem>(_ version: Poem.Type, steps: Int) throws {
        let container = try container(version)
        var poems = RandomPoems<Poem>(container, file, firstNumber: number)
        try keep(container, version)
        for _ in 0..<steps {
            try poems.step(&random)
            try keep(container, version)
            if random.below(3) == 0 { try revert(container, version) }
        }
        number += 10 * steps
    }

    private mutating func keep<Poem: AnyPoem>(_ container: ModelContainer, _ version: Poem.Type) throws {
        let context = ModelContext(container)
        let content = try StoreContent(context, version)
        try kept.keep(
            kept.all.last.map { content.addingRemovedValues(of: $0.state, version.removedNames) } ?? content, context)
    }

    // MARK: Reading

    /// Reads all positions with the classes of a version.
    func expectPositions<Poem: AnyPoem>(_ version: Poem.Type) throws {
        try kept.expectPositions(in: container(version)) { past, state in
            let expected = state.migrated(to: version).removing(version.removedNames)
            let difference = try expected.difference(to: StoreContent(past, version))
            return difference.map { "\($0): \($1)" }.sorted().joined(separator: "\n")
        }
    }

    /// Compares adjacent and random positions with the classes of a version.
    mutating func expectNetChanges<Poem: AnyPoem>(_ version: Poem.Type) throws {
        let context = try ModelContext(container(version))
        try kept.forEachPair(randomPairs: 40, &random) { first, second in
            let changes = try context.changes(between: first.token, and: second.token)
            let isReversed = second.token < first.token
            var missing: [PersistentIdentifier: Set<String>] = [:]
            for change in changes {
                let names = Set(change.values.filter(\.isMissing).map(\.name))
                missing[change.persistentIdentifier] = names
                // Attributes that an earlier or a later version does not have, and links of inserted models.
                let isInserted = change.kind == (isReversed ? .delete : .insert)
                #expect(
                    names.isSubset(
                        of: ["stars", "memo"] + (isInserted ? ["themes", "poems", "echoes", "sequels"] : [])),
                    "\(change), \(TestSeed.description)")
            }
            func isIgnored(_ model: PersistentIdentifier, _ name: String, _ kind: NetChange.Kind) -> Bool {
                missing[model]?.contains(name) == true || kind != .update && version.removedNames.contains(name)
            }
            let expected = first.state.migrated(to: version)
                .difference(to: second.state.migrated(to: version), ignoring: isIgnored)
            let found = changes.lines(ignoring: isIgnored)
            for model in Set(expected.keys).union(found.keys) {
                #expect(found[model] == expected[model], "\(model), \(TestSeed.description)")
            }
        }
    }

    // MARK: Reverting

    /// Reverts a random transaction or range.
    private mutating func revert<Poem: AnyPoem>(_ container: ModelContainer, _ version: Poem.Type) throws {
        let context = ModelContext(container)
        context.author = "reviewer"
        let transactions = try context.fetchHistoryWithoutChanges(Descriptor())
        guard let store = transactions.last?.storeIdentifier else { return }
        var plan: RevertPlan
        let tokens: (first: DefaultHistoryToken, last: DefaultHistoryToken)
        if random.below(3) == 0 {
            let first = random.below(kept.all.count)
            tokens = (kept.all[first].token, kept.all[first + random.below(min(4, kept.all.count - first))].token)
            plan = try context.revertPlan(between: tokens.first, and: tokens.last)
        } else {
            // Often one of the newest, which has few conflicts.
            let index = transactions.count - 1 - random.below(random.below(2) == 0 ? 3 : transactions.count)
            let transaction = transactions[max(0, index)]
            tokens = (index > 0 ? transactions[index - 1].token : kept.all[0].token, transaction.token)
            plan = try context.revertPlan(for: transaction)
        }
        func state(_ token: DefaultHistoryToken) throws -> StoreContent {
            try #require(kept.state(at: token, in: store)).migrated(to: version).removing(version.removedNames)
        }
        let (before, after) = (try state(tokens.first), try state(tokens.last))
        let current = try state(#require(kept.all.last?.token))
        for conflict in plan.conflicts {
            expectReason(conflict, after, current, version)
            // Values of attributes that were added or removed.
            guard [.unknownProperty, .valueMissing].contains(conflict.kind) else { continue }
            if !plan.resolve(conflict, with: .keepCurrent) { plan.resolve(conflict, with: .restoreOld) }
        }
        let isRefused = !plan.unresolvedConflicts.isEmpty
        if isRefused {
            #expect(throws: SwiftDataError.revertConflict) { try context.apply(plan) }
            #expect(!context.hasChanges)
        } else {
            try context.apply(plan)
            try context.save()
        }
        if isRefused { refusedReverts += 1 } else { appliedReverts += 1 }
        let expected = isRefused ? current : current.reverting(from: before, to: after)
        try keep(container, version)
        // Links without an inverse to a model that the revert deletes are deleted with it.
        let difference = try expected.removingLinksToMissingModels.difference(
            to: state(#require(kept.all.last?.token)))
        #expect(difference == [:], "\(TestSeed.description)")
    }

    /// Expects that the kept states confirm a conflict.
    private func expectReason(
        _ conflict: RevertConflict, _ after: StoreContent, _ current: StoreContent, _ version: any AnyPoem.Type
    ) {
        let (identifier, name) = (conflict.persistentIdentifier, conflict.propertyName ?? "")
        let model = current.models[identifier]
        let isConfirmed =
            switch conflict.kind {
            case .changedSince: model != nil && model?.values[name] != after.models[identifier]?.values[name]
            case .modelDeleted: model == nil && after.models[identifier] != nil
            case .modelExists: model != nil && after.models[identifier] == nil
            case .unknownProperty: version.removedNames.contains(name)
            case .valueMissing: name == "stars"
            case .referenceMissing: !conflict.relatedModels.isEmpty
            case .referenced, .uniqueValueTaken:
                conflict.relatedModels.contains { current.models[$0] != nil }
            case .unknownEntity: false
            }
        #expect(isConfirmed, "\(conflict), \(TestSeed.description)")
    }
}
