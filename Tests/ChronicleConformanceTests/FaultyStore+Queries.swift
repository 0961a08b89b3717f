import Chronicle
import Foundation

@testable import ChronicleConformance
@testable import ExampleStore

// Predicates and sorts with subtle errors. A correct store provides the expected result.
extension FaultyStore {
    private typealias Judgement = (_ row: DefaultSnapshot, _ isRight: Bool) -> Bool

    /// The rows that match a predicate that the fault affects, or `nil` for other predicates.
    func misread<Model>(
        _ request: DataStoreFetchRequest<Model>
    ) throws -> DataStoreFetchResult<Model, DefaultSnapshot>? {
        guard let predicate = request.descriptor.predicate, request.descriptor.sortBy.isEmpty,
            let judgement = judgement(try PredicateTree(predicate, schema: schema))
        else { return nil }
        let right = Set(try honestly(FetchDescriptor(predicate: predicate)))
        let rows = try base.fetch(
            DataStoreFetchRequest(descriptor: FetchDescriptor<Model>(), editingState: request.editingState))
        return DataStoreFetchResult(
            descriptor: request.descriptor,
            fetchedSnapshots: rows.fetchedSnapshots.filter { judgement($0, right.contains($0.persistentIdentifier)) })
    }

    private func judgement(_ tree: PredicateTree<ModelProperty>) -> Judgement? {
        switch (fault, tree) {
        case (.comparesLikeSQL, .not(.equal(.path(let path), .constant(let value)))) where !value.isNull:
            path.judging { found, isRight in isRight && !found.isNull }
        case (.confusesBounds, .compare(.path(let path), .less, .constant(let value))):
            path.judging { found, isRight in isRight || found == value }
        case (.losesNilInLists, .not(.isOneOf(_, let values))) where values.contains(where: \.isNull):
            { _, _ in false }
        case (.ignoresCase, .contains(.path(let path), .constant(.text(let part)))):
            path.judging { found, isRight in isRight || found.text.lowercased().contains(part.lowercased()) }
        case (.searchesCaseSensitively, .localizedStandardContains(.path(let path), .constant(.text(let part)))):
            path.judging { found, isRight in isRight && found.text.contains(part) }
        case (.losesNilInNegations, .not(.or)):
            { row, isRight in isRight && !row.values.contains(where: \.isNull) }
        case (
            .dividesExactly,
            .equal(.arithmetic(.divide, _, .path(let path), .constant(let divisor)), .constant(let result))
        ):
            path.judging { found, _ in found.integer == (divisor.integer ?? 0) * (result.integer ?? 0) }
        case (.joinsInner, .not(.equal(.path(let path), _))) where path.properties.count == 2:
            path.judging { found, isRight in isRight && !found.isNull }
        case (.losesEmptyLinks, .not(.exists(let elements))) where elements.path.properties.last?.name == "clubs":
            { _, _ in false }
        case (.losesEmptyLists, .not(.exists)):
            { [references] row, isRight in isRight && references.contains(row.persistentIdentifier) }
        default: nil
        }
    }

    /// Returns the rows that some row references.
    private var references: Set<PersistentIdentifier> {
        let values = memory.contents.tables.values.flatMap { $0.rows.values.joined() }
        return Set(values.compactMap { if case .reference(let identifier) = $0 { identifier } else { nil } })
    }

    /// The rows of a sort that the fault affects, or `nil` for other sorts.
    func missorted<Model>(
        _ request: DataStoreFetchRequest<Model>
    ) throws -> DataStoreFetchResult<Model, DefaultSnapshot>? {
        let descriptor = request.descriptor
        guard fault == .sortsNilLast || fault == .limitsBeforeSorting, descriptor.predicate == nil,
            let first = descriptor.sortBy.first?.keyPath
        else { return nil }
        var unsorted = descriptor
        unsorted.sortBy = []
        let order = try honestly(FetchDescriptor(sortBy: descriptor.sortBy))
        var rows = try base.fetch(DataStoreFetchRequest(descriptor: unsorted, editingState: request.editingState))
            .fetchedSnapshots
        rows.sort {
            order.firstIndex(of: $0.persistentIdentifier) ?? 0 < order.firstIndex(of: $1.persistentIdentifier) ?? 0
        }
        if fault == .sortsNilLast {
            guard first == \Book.rating as AnyKeyPath, let slot = slot("rating", of: "Book") else { return nil }
            rows = rows.filter { !$0.values[slot].isNull } + rows.filter { $0.values[slot].isNull }
        }
        return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: rows)
    }

    private func slot(_ property: String, of entity: String) -> Int? {
        schema.entitiesByName[entity]?.property(named: property)?.slot
    }

    private func honestly<Model>(_ descriptor: FetchDescriptor<Model>) throws -> [PersistentIdentifier] {
        let container = try ModelContainer(for: schema, configurations: [MemoryStoreConfiguration(memory: memory)])
        return try ModelContext(container).fetchIdentifiers(descriptor)
    }
}

extension PredicateTree.Path where Property == ModelProperty {
    /// Compares rows by the value of the first property.
    fileprivate func judging(
        _ body: @escaping (_ found: PropertyValue, _ isRight: Bool) -> Bool
    ) -> ((DefaultSnapshot, Bool) -> Bool)? {
        guard case .stored(let property)? = properties.first, property.slot >= 0 else { return nil }
        return { row, isRight in body(row.values[property.slot], isRight) }
    }
}
