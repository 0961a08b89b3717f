import ChronicleCore
import Foundation

/// Translates sort descriptors to an ORDER BY clause with the same order.
struct SortSQL {
    private let entity: Schema.Entity
    private let schema: Schema
    /// Whether no two rows have the same key, so that terms after the key have no effect.
    private let hasUniqueKeys: Bool

    init(_ entity: Schema.Entity, _ schema: Schema, hasUniqueKeys: Bool) {
        (self.entity, self.schema, self.hasUniqueKeys) = (entity, schema, hasUniqueKeys)
    }

    struct Term: Sendable {
        let value: SQLOperand
        var isDescending = false
        /// Whether the term is the primary key that follows those of the descriptors.
        var isImplied = false
    }

    /// Adds the tables of relationships to the source. Rows that compare equal are ordered by primary key, so that
    /// consecutive pages are consistent.
    func order<Model: PersistentModel>(
        _ descriptors: [SortDescriptor<Model>], _ source: inout ModelSource
    ) throws -> [Term] {
        var terms: [Term] = []
        var columns: Set<SQLQuery> = []
        let id = source.id
        for descriptor in descriptors {
            let column = try column(descriptor, &source)
            // A repeated column has no effect.
            guard columns.insert(column.sql).inserted else { continue }
            terms.append(Term(value: column, isDescending: descriptor.order != .forward))
            if hasUniqueKeys, column.sql == id.sql { return terms }
        }
        return columns.contains(id.sql) ? terms : terms + [Term(value: id, isImplied: true)]
    }

    private func column<Model: PersistentModel>(
        _ descriptor: SortDescriptor<Model>, _ source: inout ModelSource
    ) throws -> SQLOperand {
        guard let keyPath = descriptor.keyPath else {
            throw SwiftDataError.unsupportedSortDescriptor.with(
                detail: "the sort descriptor has no key path; sort by a stored property")
        }
        guard let path = try path(of: keyPath), let last = path.last else {
            throw SwiftDataError.unsupportedSortDescriptor.with(
                detail: "\(schema.text(of: keyPath, from: entity)) is not a stored property of \(entity.name)"
                    + "; sort by a stored property, or sort the fetched models instead")
        }
        guard let order = last.storedOrder else {
            throw SwiftDataError.unsupportedSortDescriptor.with(
                detail: "values of type \(type(of: keyPath).valueType) are not stored in their order; "
                    + "sort the fetched models instead",
                propertyName: last.name)
        }
        guard descriptor.isLexical else {
            throw SwiftDataError.unsupportedSortDescriptor.with(
                detail: "localized comparison is not supported; use the comparator .lexical", propertyName: last.name)
        }
        var value = try source.operand(ModelSource.Tree.Path(variable: .subject, properties: path))
        if order == .decimal { (value.sql, value.type) = (source.dialect.decimal(value.sql), .decimal) }
        return value
    }

    private func path(of keyPath: AnyKeyPath) throws -> [ModelProperty]? {
        do {
            return try schema.path(of: keyPath, from: entity)
        } catch let error as SwiftDataError where SwiftDataError.unsupportedKeyPath ~= error {
            throw SwiftDataError.unsupportedSortDescriptor.with(
                detail: "\(schema.text(of: keyPath, from: entity)) cannot be sorted by, because "
                    + "\(error.detail ?? ""); sort the fetched models instead")
        }
    }
}
