import ChronicleCore
import Foundation

/// Translates sort descriptors to an ORDER BY clause with the same order.
struct SortSQL {
    private let entity: Schema.Entity
    private let schema: Schema

    init(_ entity: Schema.Entity, _ schema: Schema) { (self.entity, self.schema) = (entity, schema) }

    /// Returns the terms of ORDER BY. Rows that compare equal are ordered by primary key, so that consecutive pages are
    /// consistent.
    func order<Model: PersistentModel>(_ descriptors: [SortDescriptor<Model>]) throws -> SQLQuery {
        var terms: [SQLQuery] = []
        var columns: Set<SQLQuery> = []
        for descriptor in descriptors {
            let column = try column(descriptor)
            // A repeated column has no effect.
            guard columns.insert(column).inserted else { continue }
            terms.append(descriptor.order == .forward ? column : "\(column) DESC")
            // The primary key is unique, so further terms have no effect.
            if column == Self.id { return terms.joined(", ") }
        }
        return (terms + [Self.id]).joined(", ")
    }

    private static let id: SQLQuery = "\(raw: ModelSource.subject).\(name: RecordedTable.primaryKey)"

    /// SQLite and Foundation both order nil before every value.
    private func column<Model: PersistentModel>(_ descriptor: SortDescriptor<Model>) throws -> SQLQuery {
        guard let keyPath = descriptor.keyPath else {
            throw SwiftDataError.unsupportedSortDescriptor.with(
                detail: "the sort descriptor has no key path; sort by a stored property")
        }
        switch ModelProperty(keyPath, of: entity) {
        case .identifier: return Self.id
        case .stored(let property) where property.hasStoredOrder:
            guard descriptor.stringComparator.isBinary else {
                throw SwiftDataError.unsupportedSortDescriptor.with(
                    detail: "localized comparison is not supported; use the comparator .lexical",
                    propertyName: property.name)
            }
            return "\(raw: ModelSource.subject).\(name: property.name)"
        case .stored(let property):
            throw SwiftDataError.unsupportedSortDescriptor.with(
                detail: "values of type \(type(of: keyPath).valueType) are not stored in their order; "
                    + "sort the fetched models instead",
                propertyName: property.name)
        case .entityName, .cast, nil:
            throw SwiftDataError.unsupportedSortDescriptor.with(
                detail: "\(schema.text(of: keyPath, from: entity)) is not a stored property of \(entity.name); "
                    + "sort by a stored property, or sort the fetched models instead")
        }
    }
}

extension String.StandardComparator? {
    /// Whether it compares texts as Swift's `<` does.
    var isBinary: Bool { map { $0 == .lexical || $0 == .init(.lexical, order: .reverse) } ?? true }
}
