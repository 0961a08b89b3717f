import ChronicleCore
import Foundation

/// Translates sort descriptors into an ORDER BY with the same order.
struct SortSQL {
    private let entity: Schema.Entity
    private let schema: Schema

    init(_ entity: Schema.Entity, _ schema: Schema) { (self.entity, self.schema) = (entity, schema) }

    /// The terms behind ORDER BY. Rows that are equal to the descriptors come in the order of their primary keys, so that
    /// pages fit together.
    func order<Model: PersistentModel>(_ descriptors: [SortDescriptor<Model>]) throws -> SQLQuery {
        var terms: [SQLQuery] = []
        var columns: Set<SQLQuery> = []
        for descriptor in descriptors {
            let column = try column(descriptor)
            // Rows that a column does not tell apart, it does not tell apart the second time.
            guard columns.insert(column).inserted else { continue }
            terms.append(descriptor.order == .forward ? column : "\(column) DESC")
            // Nothing is left to be told apart.
            if column == Self.id { return terms.joined(", ") }
        }
        return (terms + [Self.id]).joined(", ")
    }

    private static let id: SQLQuery = "\(raw: ModelSource.subject).\(name: RecordedTable.primaryKey)"

    /// In SQLite as in Foundation nil comes before every value.
    private func column<Model: PersistentModel>(_ descriptor: SortDescriptor<Model>) throws -> SQLQuery {
        guard let keyPath = descriptor.keyPath else {
            throw SwiftDataError.unsupportedSortDescriptor.with(detail: "it has no key path")
        }
        switch ModelProperty(keyPath, of: entity) {
        case .identifier: return Self.id
        case .stored(let property) where property.hasStoredOrder:
            guard descriptor.stringComparator.isBinary else {
                throw SwiftDataError.unsupportedSortDescriptor.with(
                    detail: "the store has no localized order; use the comparator .lexical",
                    propertyName: property.name)
            }
            return "\(raw: ModelSource.subject).\(name: property.name)"
        case .stored(let property):
            throw SwiftDataError.unsupportedSortDescriptor.with(
                detail: "\(type(of: keyPath).valueType) values are not stored in their order",
                propertyName: property.name)
        case nil:
            throw SwiftDataError.unsupportedSortDescriptor.with(
                detail: "\(schema.text(of: keyPath, from: entity)) is no stored property of \(entity.name): "
                    + "sort by one, or sort the models that were fetched")
        }
    }
}

extension String.StandardComparator? {
    /// Whether it compares texts as Swift's `<` does.
    var isBinary: Bool { map { $0 == .lexical || $0 == .init(.lexical, order: .reverse) } ?? true }
}
